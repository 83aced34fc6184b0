#include "linkwright/report/page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "linkwright/report/front_end.hpp"

namespace linkwright::report {

namespace {

constexpr std::string_view report_begins = R"(<script type="application/json" id="linkwright-report">)";
constexpr std::string_view code_begins = R"(<script id="linkwright-code">)";
constexpr std::string_view start_begins = R"(<script id="linkwright-start">)";
constexpr std::string_view script_ends = "</script>";

/// JSON in an element of HTML: a < would begin a tag, or end the element.
std::string in_html(const std::string& json) {
    std::string out;
    out.reserve(json.size());
    for (const char c : json) {
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    }
    return out;
}

void put(std::string& html, std::string_view place, const std::string& what) {
    const std::size_t at = html.find(place);
    if (at == html.npos) throw std::logic_error("the front end has no place " + std::string(place));
    html.replace(at, place.size(), what);
}

std::optional<std::string> between(std::string_view html, std::string_view begin) {
    const std::size_t at = html.find(begin);
    if (at == html.npos) return std::nullopt;
    html.remove_prefix(at + begin.size());
    const std::size_t end = html.find(script_ends);
    if (end == html.npos) return std::nullopt;
    return std::string(html.substr(0, end));
}

}  // namespace

std::string make_page(const Json& report, std::string_view code, std::string_view start) {
    std::string html(front_end());
    const std::string json = in_html(report.dump(-1, ' ', false, Json::error_handler_t::replace));
    const std::string scripts = fmt::format("{}{}{}\n{}{}{}", code_begins, code, script_ends, start_begins, start, script_ends);
    put(html, "<!--linkwright:code-->", scripts);
    put(html, "<!--linkwright:report-->", std::string(report_begins) + json + std::string(script_ends));
    return html;
}

std::optional<PageContents> read_page(std::string_view html) {
    auto report = between(html, report_begins), code = between(html, code_begins);
    if (!report || !code) return std::nullopt;
    return PageContents{std::move(*report), std::move(*code)};
}

}  // namespace linkwright::report
