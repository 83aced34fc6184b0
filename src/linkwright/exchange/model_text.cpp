#include "linkwright/exchange/model_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

namespace linkwright::exchange {

// --- values ---

namespace toml {

std::string number(double x) { return x == 0 ? "0" : fmt::format("{}", x); }

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            out += fmt::format("\\u{:04X}", byte);
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string list(const std::vector<std::string>& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

std::string vector(const std::array<double, 3>& v) { return toml::list({toml::number(v[0]), toml::number(v[1]), toml::number(v[2])}); }

std::string angle(double radians) {
    constexpr double near = 6e-12;
    const double twelfths = radians * 12 / std::numbers::pi;
    const double whole = std::round(twelfths);
    if (whole == 0 || std::abs(whole) > 1200 || std::abs(radians - whole * std::numbers::pi / 12) > near) return toml::number(radians);
    const auto k = static_cast<long>(whole);
    const long common = std::gcd(std::abs(k), 12L);
    const long up = k / common, down = 12 / common;
    std::string text = up == 1 ? "pi" : up == -1 ? "-pi" : fmt::format("{}*pi", up);
    if (down != 1) text += fmt::format("/{}", down);
    return toml::quoted(text);
}

std::string axis(const std::array<double, 3>& v) {
    for (std::size_t i = 0; i < 3; ++i) {
        if (v[i] == 0 || v[(i + 1) % 3] != 0 || v[(i + 2) % 3] != 0) continue;
        return toml::quoted(fmt::format("{}{}", v[i] < 0 ? "-" : "", "xyz"[i]));
    }
    return toml::vector(v);
}

std::string axes_rpy(const std::array<double, 3>& rpy) {
    std::vector<std::string> about, by;
    for (const int i : {2, 1, 0}) {
        const double turn = rpy[static_cast<std::size_t>(i)];
        if (turn == 0) continue;
        about.push_back(toml::quoted(std::string(1, "xyz"[i])));
        by.push_back(angle(turn));
    }
    return about.empty() ? "" : fmt::format("{{ rotate = {}, by = {} }}", toml::list(about), toml::list(by));
}

std::string colour(const std::vector<double>& rgb) {
    const auto byte = [&](std::size_t i) {
        const double x = i < rgb.size() && std::isfinite(rgb[i]) ? std::clamp(rgb[i], 0.0, 1.0) : 0.5;
        return static_cast<int>(std::lround(x * 255));
    };
    return fmt::format("\"#{:02x}{:02x}{:02x}\"", byte(0), byte(1), byte(2));
}

}  // namespace toml

// --- blocks ---

namespace {

/// Lines of a remark, without what would end them or is no letter at all.
std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines(1);
    for (const char c : text) {
        if (c == '\n') {
            lines.emplace_back();
        } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
            lines.back() += c;
        } else {
            lines.back() += ' ';
        }
    }
    return lines;
}

}  // namespace

void Block::key(std::string_view name, std::string value, const Origin& origin) {
    lines_.push_back({fmt::format("{} = {}", name, value), origin});
}

void Block::comment(std::string_view text) {
    for (const std::string& line : lines_of(text)) lines_.push_back({"# " + line, lines_.front().origin});
}

// --- the file ---

ModelText::ModelText(std::string name, const Origin& origin) : head_{std::move(name), origin} {
    taken_[Space::body] = {"ground"};
    taken_[Space::quantity] = {"t", "pi", "deg", "energy", "momentum", "lambda"};
}

void ModelText::comment(std::string_view text) {
    for (std::string& line : lines_of(text)) comments_.push_back(std::move(line));
}

void ModelText::gravity(const std::array<std::string, 3>& values, const Origin& origin) {
    gravity_ = {{fmt::format("gravity = {}", toml::list({values[0], values[1], values[2]})), origin}};
}

void ModelText::parameter(const std::string& name, std::string value, const Origin& origin) {
    parameters_.push_back({fmt::format("{} = {}", name, value), origin});
}

void ModelText::input(const std::string& name, std::string value, const Origin& origin) {
    inputs_.push_back({fmt::format("{} = {}", name, value), origin});
}

void ModelText::ground_points(std::string value, const Origin& origin) { ground_.push_back({"points = " + std::move(value), origin}); }
void ModelText::initial(const std::string& name, std::string value, const Origin& origin) {
    initial_.push_back({fmt::format("{} = {}", toml::quoted(name), value), origin});
}

void ModelText::guess(const std::string& name, std::string value, const Origin& origin) {
    guess_.push_back({fmt::format("{} = {}", toml::quoted(name), value), origin});
}

Block& ModelText::add(const std::string& kind, const Origin& origin) {
    blocks_.emplace_back(kind, Block(fmt::format("[[{}]]", kind), origin));
    return blocks_.back().second;
}

namespace {

constexpr std::size_t longest_name = 200;
constexpr std::string_view functions = " sin cos tan asin acos atan atan2 sinh cosh tanh sqrt exp log abs sign min max ";

/// A part between dots.
std::string legal_part(std::string_view wish) {
    std::string name;
    for (const char c : wish) {
        const bool is_fine = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        if (static_cast<unsigned char>(c) < 0x80) name += is_fine ? c : '_';
        if (static_cast<unsigned char>(c) >= 0xC0) name += '_';  // a letter outside of ASCII, once
        if (name.size() == longest_name) break;
    }
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(name.begin(), '_');
    return name;
}

/// Parts that are names already, with dots between them: what a model's own names look like.
bool is_dotted_name(std::string_view wish) {
    if (wish.size() > longest_name || wish.find('.') == std::string_view::npos) return false;
    char before = '.';
    for (const char c : wish) {
        const bool is_letter = std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
        const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        if (before == '.' ? !is_letter : !is_letter && !is_digit && c != '.') return false;
        before = c;
    }
    return before != '.';
}

std::string legal(std::string_view wish) {
    std::string name;
    if (is_dotted_name(wish)) name = wish;
    for (std::size_t at = 0; name.empty() || at > 0;) {
        const std::size_t end = wish.find("::", at);
        name += (name.empty() ? "" : ".") + legal_part(wish.substr(at, end - at));
        if (end == std::string_view::npos || name.size() > longest_name) break;
        at = end + 2;
    }
    if (functions.find(" " + name + " ") != std::string_view::npos) name += "_";
    for (const std::string_view word : {"t", "pi", "deg", "energy", "momentum", "lambda"}) {
        if (name.starts_with(word) && (name.size() == word.size() || name[word.size()] == '.')) return name.insert(word.size(), "_");
    }
    return name;
}

}  // namespace

/// Coordinates of a joint 'a' may be called a.x: then nothing else is called so.
bool ModelText::clashes(Space space, const std::string& name) const {
    const auto own = taken_.find(space);
    if (own == taken_.end()) return false;
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
        if (own->second.contains(name.substr(0, dot))) return true;
    const auto after = own->second.upper_bound(name + ".");
    return after != own->second.end() && after->starts_with(name + ".");
}

std::string ModelText::claim(Space space, std::string_view wish) {
    const std::string wished = legal(wish);
    const auto is_taken = [&](const std::string& name) {
        return taken_[space].contains(name) || (space == Space::joint && taken_[Space::quantity].contains(name));
    };
    std::string name = wished;
    if (space != Space::body && clashes(space, name)) std::ranges::replace(name, '.', '_');
    std::size_t& next = next_number_[{space, wished}];
    while (is_taken(name)) name = fmt::format("{}_{}", wished, next = std::max<std::size_t>(next + 1, 2));
    taken_[space].insert(name);
    if (space == Space::joint) taken_[Space::quantity].insert(name);
    const bool is_of_the_file = space == Space::body || space == Space::joint;
    if (is_of_the_file && name != wish) renamed_.emplace_back(wish, name);
    return name;
}

namespace {

constexpr std::size_t most_joints = 4000;  // equations grow with their square

/// Kinds of blocks in the order in which a reader wants them; others follow.
constexpr std::array<std::string_view, 15> order{"body",   "joint", "gear",   "rod",    "constraint", "rolling",    "spring", "force",
                                                 "torque", "motor", "filter", "motion", "output",     "trajectory", "event"};

/// The text and the origins, line by line.
struct Paper {
    Translation& out;
    std::string text{};

    void line(std::string_view words, const Origin& origin) {
        text += words;
        text += '\n';
        out.origins.push_back(origin);
    }
    void lines(const std::vector<TextLine>& all) {
        for (const TextLine& l : all) line(l.text, l.origin);
    }
    void table(std::string_view header, const std::vector<TextLine>& all) {
        if (all.empty()) return;
        line("", all.front().origin);
        line(header, all.front().origin);
        lines(all);
    }
};

}  // namespace

Translation ModelText::finish(Problems problems) const {
    std::size_t joints = 0;
    const Origin* beyond = nullptr;
    for (const auto& [kind, block] : blocks_) {
        if (kind == "joint" && ++joints == most_joints + 1) beyond = &block.lines().front().origin;
    }
    if (beyond != nullptr)
        problems.error(*beyond, fmt::format("too large: there are {} joints, and at most {} are read", joints, most_joints),
                       "leave out what the motion does not need, or join links that are fixed to each other");
    Translation out;
    out.files = std::move(problems.files);
    std::ranges::stable_sort(problems.list, [](const Diagnostic& a, const Diagnostic& b) {
        return std::tie(a.file, a.where.line, a.where.column) < std::tie(b.file, b.where.line, b.where.column);
    });
    out.problems = std::move(problems.list);
    if (problems.errors > 0) return out;
    Paper paper{out};
    const Origin& top = head_.origin;
    for (const std::string& words : comments_) paper.line(words.empty() ? "#" : "# " + words, top);
    constexpr std::size_t most_names = 100;
    for (std::size_t i = 0; i < std::min(renamed_.size(), most_names); ++i)
        paper.line(fmt::format("# '{}' is called {} here", lines_of(renamed_[i].first).front(), renamed_[i].second), top);
    if (renamed_.size() > most_names) paper.line(fmt::format("# and {} more names are changed", renamed_.size() - most_names), top);
    paper.line("format = 1", top);
    paper.line("name = " + toml::quoted(head_.name), top);
    paper.lines(gravity_);
    paper.table("[parameters]", parameters_);
    paper.table("[inputs]", inputs_);
    paper.table("[ground]", ground_);
    const auto write_all = [&](std::string_view kind) {
        for (const auto& [own, block] : blocks_) {
            if (own != kind) continue;
            paper.line("", block.lines().front().origin);
            paper.lines(block.lines());
        }
    };
    for (const std::string_view kind : order) write_all(kind);
    paper.table("[initial]", initial_);
    paper.table("[guess]", guess_);
    std::set<std::string_view> others;
    for (const auto& [kind, block] : blocks_) {
        if (std::ranges::find(order, kind) == order.end()) others.insert(kind);
    }
    for (const std::string_view kind : others) write_all(kind);
    out.text = std::move(paper.text);
    return out;
}

}  // namespace linkwright::exchange
