#include "linkwright/report/plot_svg.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>

namespace linkwright::report {
namespace {

/// Control characters are not allowed in XML.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char x : text) {
        if (x == '&')
            result += "&amp;";
        else if (x == '<')
            result += "&lt;";
        else if (x == '>')
            result += "&gt;";
        else if (x == '"')
            result += "&quot;";
        else
            result += static_cast<unsigned char>(x) < 32 ? ' ' : x;
    }
    return result;
}

/// Hundredths of a point.
std::string number(double x) {
    std::string text = fmt::format("{:.2f}", x);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string path(const DrawnCurve& curve) {
    std::string text;
    for (const auto& piece : curve) {
        for (std::size_t i = 0; i < piece.size(); ++i)
            text += fmt::format("{}{} {}", i == 0 ? "M" : i == 1 ? "L" : " ", number(piece[i].x), number(piece[i].y));
        if (piece.size() == 1) text += "h0";  // a dot, with round ends
    }
    return text;
}

}  // namespace

std::string to_svg(const Drawing& drawing) {
    fmt::memory_buffer out;
    const auto put = std::back_inserter(out);
    fmt::format_to(put,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
                   "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<title>{2}</title>\n"
                   "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                   number(drawing.width), number(drawing.height), escaped(drawing.title));
    fmt::format_to(put, "<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n");
    for (const DrawnLine& line : drawing.lines) {
        fmt::format_to(put, "<path stroke=\"#{:06x}\" stroke-width=\"{}\"", line.color, number(line.width));
        if (!line.dashes.empty()) fmt::format_to(put, " stroke-dasharray=\"{}\" stroke-linecap=\"butt\"", fmt::join(line.dashes, " "));
        fmt::format_to(put, " d=\"{}\"/>\n", path(line.pieces));
    }
    fmt::format_to(put, "</g>\n<g>\n");
    for (const DrawnText& t : drawing.texts) {
        const char* anchor = t.anchor == Anchor::start ? "start" : t.anchor == Anchor::middle ? "middle" : "end";
        const std::string place = t.is_upright ? fmt::format("transform=\"translate({} {}) rotate(-90)\"", number(t.at.x), number(t.at.y))
                                               : fmt::format("x=\"{}\" y=\"{}\"", number(t.at.x), number(t.at.y));
        fmt::format_to(put, "<text {} font-size=\"{}\" fill=\"#{:06x}\" text-anchor=\"{}\">{}</text>\n", place, number(t.size), t.color,
                       anchor, escaped(t.text));
    }
    fmt::format_to(put, "</g>\n</svg>\n");
    return fmt::to_string(out);
}

}  // namespace linkwright::report
