#include "linkwright/report/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace linkwright::report {

namespace {

Json runs_json(const present::Runs& runs) {
    Json out = Json::array();
    for (const present::Run& r : runs) out.push_back({{r.is_latex ? "latex" : "text", r.text}});
    return out;
}

/// A section that has no title: the equation that all is about, what stands before it, what is said at the end.
std::string title_of(const present::SheetSection& s, bool is_first) {
    if (!s.title.empty()) return s.title;
    if (std::ranges::any_of(s.blocks, [](const auto& b) { return b.kind == present::SheetBlock::Kind::formula; })) return "Overview";
    return is_first ? "Notation" : "Remarks";
}

std::string id_of(const std::string& title) {
    std::string out;
    for (const char c : title) {
        if (c >= 'a' && c <= 'z')
            out += c;
        else if (c >= 'A' && c <= 'Z')
            out += static_cast<char>(c + 32);
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    return out.empty() ? "overview" : out;
}

}  // namespace

Json block_json(const present::SheetBlock& b, std::size_t& number) {
    using Kind = present::SheetBlock::Kind;
    switch (b.kind) {
        case Kind::text: return {{"kind", "text"}, {"runs", runs_json(b.runs)}};
        case Kind::formula: return {{"kind", "formula"}, {"latex", b.latex}, {"citation", b.citation}, {"number", ++number}};
        case Kind::table: break;
    }
    Json rows = Json::array();
    for (const auto& row : b.rows) {
        Json cells = Json::array();
        for (const present::Runs& runs : row) cells.push_back(runs_json(runs));
        rows.push_back(std::move(cells));
    }
    return {{"kind", "table"}, {"rows", std::move(rows)}};
}

Json parts_json(const std::vector<present::SheetSection>& sections) {
    constexpr std::size_t long_part = 12;      // blocks: more are shown on request
    constexpr std::size_t longest_part = 300;  // what nobody reads to the end is cut
    Json out = Json::array();
    std::size_t number = 0;
    for (const present::SheetSection& s : sections) {
        if (s.blocks.empty()) continue;
        Json blocks = Json::array();
        for (const present::SheetBlock& b : s.blocks) {
            if (blocks.size() == longest_part) break;
            blocks.push_back(block_json(b, number));
        }
        if (s.blocks.size() > longest_part) {
            const std::string rest =
                fmt::format("{} more formulas are left out here; linkwright derive writes them.", s.blocks.size() - longest_part);
            blocks.push_back({{"kind", "text"}, {"runs", runs_json({{rest}})}});
        }
        const bool is_aside =
            s.title == "Parameters" || s.title == "Momentum" || s.title == "Power" || s.title == "Shape constants of the beams";
        out.push_back({{"id", id_of(s.title)},
                       {"title", title_of(s, out.empty())},
                       {"collapsed", is_aside || s.blocks.size() > long_part},
                       {"blocks", std::move(blocks)}});
    }
    return out;
}

}  // namespace linkwright::report
