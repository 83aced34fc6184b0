#include "linkwright/report/plot_terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "linkwright/report/plot_axis.hpp"
#include "linkwright/report/plot_thin.hpp"

namespace linkwright::report {
namespace {

std::size_t letters(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char x) { return (static_cast<unsigned char>(x) & 0xC0U) != 0x80U; }));
}

std::string right_aligned(const std::string& text, std::size_t width) {
    return std::string(width - std::min(width, letters(text)), ' ') + text;
}

/// Without control characters, and not longer than a line.
std::string one_line(const std::string& text, std::size_t width) {
    std::string line;
    std::size_t count = 0;
    for (const char x : text) {
        if ((static_cast<unsigned char>(x) & 0xC0U) != 0x80U && ++count > width) break;
        line += static_cast<unsigned char>(x) < 32 || x == 127 ? ' ' : x;
    }
    return line;
}

/// Dots of a panel; letters are U+2800 and one bit for each of their dots.
class Dots {
public:
    Dots(std::size_t columns, std::size_t rows) : columns_(columns), rows_(rows), cells_(columns * rows, 0U) {}

    double width() const { return static_cast<double>(2 * columns_ - 1); }
    double height() const { return static_cast<double>(4 * rows_ - 1); }

    /// A straight line, x to the right and y downwards.
    void draw(DrawnPoint a, DrawnPoint b) {
        const double steps = std::max({std::abs(std::round(b.x) - std::round(a.x)), std::abs(std::round(b.y) - std::round(a.y)), 1.0});
        for (double k = 0; k <= steps; ++k) set(a.x + (b.x - a.x) * k / steps, a.y + (b.y - a.y) * k / steps);
    }

    std::string row(std::size_t r) const {
        std::string text;
        for (std::size_t c = 0; c < columns_; ++c) {
            const unsigned bits = cells_[r * columns_ + c];
            if (bits == 0)
                text += ' ';
            else
                text += {static_cast<char>(0xE2), static_cast<char>(0xA0 | (bits >> 6)), static_cast<char>(0x80 | (bits & 0x3FU))};
        }
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    }

private:
    void set(double x, double y) {
        constexpr std::array<std::array<unsigned, 2>, 4> bit{{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
        const auto i = static_cast<std::size_t>(std::clamp(std::round(x), 0.0, width()));
        const auto j = static_cast<std::size_t>(std::clamp(std::round(y), 0.0, height()));
        cells_[j / 4 * columns_ + i / 2] |= bit[j % 4][i % 2];
    }

    std::size_t columns_, rows_;
    std::vector<unsigned> cells_;
};

class Terminal {
public:
    Terminal(const Plot& plot, std::size_t width) : plot_(plot), width_(width) {
        rows_ = plot.curves.size() == 1 ? 15 : plot.curves.size() <= 3 ? 9 : 6;
        for (const Curve& c : plot.curves) {
            const std::span<const double> y(c.y);
            y_.push_back(make_axis({&y, 1}, 0.02, rows_ / 3));
            for (const std::string& label : y_.back().labels) widest_ = std::max(widest_, letters(label));
        }
        const std::span<const double> x(plot.x);
        x_ = make_axis({&x, 1}, 0, 6);
        columns_ = std::max<std::size_t>(width > widest_ + 5 ? width - widest_ - 5 : 0, 10);
    }

    std::string write() {
        for (std::size_t i = 0; i < plot_.curves.size(); ++i) write_panel(i);
        write_abscissa();
        return std::move(text_);
    }

private:
    void line(std::string text) {
        text.erase(text.find_last_not_of(' ') + 1);
        text_ += text + "\n";
    }

    static std::string with_factor(const std::string& text, const Axis& axis) {
        return axis.factor.empty() ? text : text + "  (" + axis.factor + ")";
    }

    void write_panel(std::size_t i) {
        const Curve& curve = plot_.curves[i];
        const Axis& y = y_[i];
        const Dots dots = drawn(curve, y);
        line(std::string(widest_ + 2, ' ') + one_line(with_factor(label(curve.name, curve.unit), y), columns_));
        std::vector<std::string> labels(rows_);
        for (std::size_t k = 0; k < y.ticks.size(); ++k) {
            const double at = std::round((1 - y.place(y.ticks[k])) * dots.height());
            labels[std::min(static_cast<std::size_t>(at) / 4, rows_ - 1)] = y.labels[k];
        }
        for (std::size_t r = 0; r < rows_; ++r)
            line(" " + right_aligned(labels[r], widest_) + (labels[r].empty() ? " │" : " ┤") + dots.row(r));
        std::string base = std::string(widest_ + 2, ' ') + "└";
        std::vector<bool> has_tick(columns_);
        for (const double t : x_.ticks) has_tick[column_of(t)] = true;
        for (const bool is_tick : has_tick) base += is_tick ? "┴" : "─";
        line(base);
    }

    std::size_t column_of(double x) const {
        return std::min(static_cast<std::size_t>(std::round(x_.place(x) * static_cast<double>(2 * columns_ - 1))) / 2, columns_ - 1);
    }

    Dots drawn(const Curve& curve, const Axis& y) const {
        Dots dots(columns_, rows_);
        DrawnCurve pieces;
        bool is_open = false;
        for (std::size_t k = 0; k < plot_.x.size(); ++k) {
            const bool is_point = std::isfinite(plot_.x[k]) && std::isfinite(curve.y[k]);
            if (is_point && !is_open) pieces.emplace_back();
            if (is_point) pieces.back().push_back({x_.place(plot_.x[k]) * dots.width(), (1 - y.place(curve.y[k])) * dots.height()});
            is_open = is_point;
        }
        for (const auto& piece : thinned(pieces)) {
            for (std::size_t k = 0; k < piece.size(); ++k) dots.draw(piece[k == 0 ? 0 : k - 1], piece[k]);
        }
        return dots;
    }

    /// Numbers below their ticks, as far as there is room, and the name at the end.
    void write_abscissa() {
        std::string numbers(widest_ + 3, ' ');
        std::size_t written = numbers.size();
        for (std::size_t k = 0; k < x_.ticks.size(); ++k) {
            const std::size_t size = letters(x_.labels[k]), middle = widest_ + 3 + column_of(x_.ticks[k]);
            const std::size_t from = std::min(middle - std::min(middle, size / 2), width_ - std::min(width_, size));
            if (from < written + (k == 0 ? 0 : 1) && k > 0) continue;
            numbers += std::string(from - std::min(from, written), ' ') + x_.labels[k];
            written = std::max(from, written) + size;
        }
        line(numbers);
        const std::string name = one_line(with_factor(label(plot_.x_name, plot_.x_unit), x_), columns_);
        line(std::string(widest_ + 3 + (columns_ - std::min(columns_, letters(name))) / 2, ' ') + name);
    }

    const Plot& plot_;
    std::size_t width_, rows_ = 0, columns_ = 0, widest_ = 0;
    Axis x_;
    std::vector<Axis> y_;
    std::string text_;
};

}  // namespace

std::string to_terminal(const Plot& plot, std::size_t width) { return Terminal(plot, width).write(); }

}  // namespace linkwright::report
