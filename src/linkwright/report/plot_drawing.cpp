#include "linkwright/report/plot_drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "linkwright/report/plot_axis.hpp"

namespace linkwright::report {
namespace {

constexpr double letter = 12, margin = 14, tick_length = 5, row = 1.6 * letter;
constexpr std::uint32_t ink = 0x222222, pale = 0xE3E3E3, frame = 0x777777;

// Colours that people who do not see red or green tell apart as well (Okabe and Ito); their yellow is too light for a line.
constexpr std::array<std::uint32_t, 7> colors{0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000};
const std::array<std::vector<double>, 4> dashes{std::vector<double>{}, {7, 3}, {2, 2}, {8, 3, 2, 3}};

/// Letters of common typefaces are a little more than half as wide as high.
double width_of(const std::string& text, double size = letter) {
    const auto letters = std::ranges::count_if(text, [](char x) { return (static_cast<unsigned char>(x) & 0xC0U) != 0x80U; });
    return 0.6 * size * static_cast<double>(letters);
}

std::string with_factor(const std::string& text, const Axis& axis) {
    return axis.factor.empty() ? text : text.empty() ? axis.factor : text + "  (" + axis.factor + ")";
}

class Layout {
public:
    explicit Layout(const Plot& plot) : plot_(plot), panels_(panels_of(plot)), height_(panels_.size() == 1 ? 300 : 220) {
        const std::span<const double> x(plot.x);
        x_ = make_axis({&x, 1}, std::ranges::is_sorted(plot.x) ? 0 : 0.03, 8);
        for (const auto& panel : panels_) {
            std::vector<std::span<const double>> values;
            for (const std::size_t i : panel) values.emplace_back(plot.curves[i].y);
            y_.push_back(make_axis(values, 0.05, 6));
            for (const std::string& label : y_.back().labels) widest_ = std::max(widest_, width_of(label));
        }
        left_ = margin + row + widest_ + tick_length + 6;
        right_ = drawing_.width - margin - std::max(4.0, x_.labels.empty() ? 0 : width_of(x_.labels.back()) / 2);
    }

    Drawing draw() {
        for (const Curve& c : plot_.curves) drawing_.title += (drawing_.title.empty() ? "" : ", ") + label(c.name, c.unit);
        drawing_.title += " over " + label(plot_.x_name, plot_.x_unit);
        double top = margin;
        for (std::size_t k = 0; k < panels_.size(); ++k) top = draw_panel(k, top);
        drawing_.height = top + row + margin;
        text({(left_ + right_) / 2, top + row}, with_factor(label(plot_.x_name, plot_.x_unit), x_), Anchor::middle);
        return std::move(drawing_);
    }

private:
    double x_at(double x) const { return left_ + (right_ - left_) * x_.place(x); }

    void line(DrawnPoint a, DrawnPoint b, std::uint32_t color, double width) { drawing_.lines.push_back({{{a, b}}, color, width}); }
    void text(DrawnPoint at, std::string words, Anchor anchor, bool is_upright = false) {
        drawing_.texts.push_back({at, std::move(words), letter, anchor, is_upright, ink});
    }

    /// Returns where it ends.
    double draw_panel(std::size_t k, double from) {
        const auto& panel = panels_[k];
        const double top = panel.size() > 1 ? draw_legend(panel, from) : from + 4, bottom = top + height_;
        const Axis& y = y_[k];
        const auto y_at = [&](double v) { return bottom - height_ * y.place(v); };
        for (std::size_t i = 0; i < y.ticks.size(); ++i) {
            const double at = y_at(y.ticks[i]);
            line({left_, at}, {right_, at}, pale, 0.8);
            line({left_ - tick_length, at}, {left_, at}, frame, 1);
            text({left_ - tick_length - 4, at + 0.35 * letter}, y.labels[i], Anchor::end);
        }
        const bool is_last = k + 1 == panels_.size();
        for (std::size_t i = 0; i < x_.ticks.size(); ++i) {
            const double at = x_at(x_.ticks[i]);
            line({at, top}, {at, bottom}, pale, 0.8);
            line({at, bottom}, {at, bottom + tick_length}, frame, 1);
            if (is_last) text({at, bottom + tick_length + 1.1 * letter}, x_.labels[i], Anchor::middle);
        }
        line({left_, top}, {left_, bottom}, frame, 1);
        line({left_, bottom}, {right_, bottom}, frame, 1);
        for (const std::size_t i : panel) draw_curve(i, y_at);
        const Curve& first = plot_.curves[panel.front()];
        const std::string unit = first.unit.empty() ? "" : "[" + first.unit + "]";
        text({margin + letter, (top + bottom) / 2}, with_factor(panel.size() == 1 ? label(first.name, first.unit) : unit, y),
             Anchor::middle, true);
        return bottom + tick_length + (is_last ? 1.2 * letter : 0.8 * letter);
    }

    double draw_legend(const std::vector<std::size_t>& panel, double from) {
        constexpr double sample = 26, gap = 6;
        double x = left_, y = from + letter;
        for (const std::size_t i : panel) {
            const double wide = sample + gap + width_of(plot_.curves[i].name) + 2 * letter;
            if (x > left_ && x + wide - 2 * letter > right_) x = left_, y += row;
            drawing_.lines.push_back({{{{x, y - 0.35 * letter}, {x + sample, y - 0.35 * letter}}}, color_of(i), 2, dashes_of(i)});
            text({x + sample + gap, y}, plot_.curves[i].name, Anchor::start);
            x += wide;
        }
        return y + 0.8 * letter;
    }

    static std::uint32_t color_of(std::size_t i) { return colors[i % colors.size()]; }
    static const std::vector<double>& dashes_of(std::size_t i) { return dashes[i / colors.size() % dashes.size()]; }

    void draw_curve(std::size_t i, const auto& y_at) {
        DrawnCurve pieces;
        bool is_open = false;
        for (std::size_t k = 0; k < plot_.x.size(); ++k) {
            const double x = plot_.x[k], y = plot_.curves[i].y[k];
            if (!std::isfinite(x) || !std::isfinite(y)) {
                is_open = false;
                continue;
            }
            if (!is_open) pieces.emplace_back();
            pieces.back().push_back({x_at(x), y_at(y)});
            is_open = true;
        }
        drawing_.lines.push_back({thinned(pieces), color_of(i), 1.6, dashes_of(i)});
    }

    const Plot& plot_;
    std::vector<std::vector<std::size_t>> panels_;
    double height_;  ///< of a panel
    Axis x_;
    std::vector<Axis> y_;  ///< of each panel
    double widest_ = 0, left_ = 0, right_ = 0;
    Drawing drawing_;
};

}  // namespace

Drawing lay_out(const Plot& plot) { return Layout(plot).draw(); }

}  // namespace linkwright::report
