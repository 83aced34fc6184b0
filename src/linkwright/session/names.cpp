#include "linkwright/session/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linkwright/base/text.hpp"

namespace linkwright::session {

std::vector<std::string> names_of(const std::vector<sym::Expr>& symbols) {
    std::vector<std::string> names;
    for (const sym::Expr& s : symbols) names.push_back(s.symbol().name);
    return names;
}

Names names_of(const eom::EquationsOfMotion& e) {
    Names n{.model = e.name,
            .formulation = e.formulation,
            .coordinates = names_of(e.q),
            .speeds = names_of(e.u),
            .accelerations = names_of(e.udot),
            .auxiliary = names_of(e.x),
            .inputs = {},
            .parameters = {},
            .constraints = {},
            .outputs = {}};
    for (const eom::Input& w : e.inputs) n.inputs.push_back(w.symbol.symbol().name);
    for (const eom::Parameter& p : e.parameters) n.parameters.push_back(p.symbol.symbol().name);
    for (const eom::Constraint& c : e.constraints) n.constraints.push_back(c.name);
    for (const eom::Output& o : e.outputs) n.outputs.push_back(o.name);
    return n;
}

std::string hint_for(const std::string& word, std::span<const std::string> known, const std::string& otherwise, const std::string& before) {
    if (const auto meant = did_you_mean(word, known)) return fmt::format("did you mean {}?", *meant);
    return known.empty() ? otherwise : fmt::format("{}{}", before, fmt::join(known, ", "));
}

std::string trimmed(const std::string& s) {
    const std::size_t a = s.find_first_not_of(" \t"), b = s.find_last_not_of(" \t");
    return a == std::string::npos ? "" : s.substr(a, b - a + 1);
}

std::vector<std::string> split_list(const std::vector<std::string>& words) {
    std::vector<std::string> parts;
    for (const std::string& word : words) {
        int depth = 0;
        std::string part;
        for (const char c : word) {
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (c == ',' && depth == 0) {
                parts.push_back(trimmed(part));
                part.clear();
            } else {
                part += c;
            }
        }
        parts.push_back(trimmed(part));
    }
    std::erase(parts, "");
    return parts;
}

}  // namespace linkwright::session
