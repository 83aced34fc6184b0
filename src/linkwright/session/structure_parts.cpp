#include "linkwright/session/structure_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "linkwright/session/names.hpp"

namespace linkwright::session {

using Eigen::Index;
using structure::Hold;

namespace {

constexpr std::array<std::pair<std::string_view, Hold>, 4> holds{
    {{"locked", Hold::locked}, {"free", Hold::free}, {"pinned", Hold::free}, {"open", Hold::open}}};

std::optional<Hold> hold_by(std::string_view word) {
    const auto at = std::ranges::find(holds, word, &std::pair<std::string_view, Hold>::first);
    return at == holds.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace

std::optional<JointWords> read_joint_words(const std::vector<std::string>& words, const model::Model& model, Report& report) {
    JointWords r;
    std::vector<std::string> names;
    for (const model::Joint& j : model.joints) {
        if (!j.section) names.push_back(j.name);
    }
    for (const std::string& word : split_list(words)) {
        const auto equals = word.find('=');
        const std::string name = equals == std::string::npos ? "" : trimmed(word.substr(0, equals));
        const std::string what = trimmed(equals == std::string::npos ? word : word.substr(equals + 1));
        const auto hold = hold_by(what);
        if (!hold || (name.empty() && (*hold == Hold::open || equals != std::string::npos))) {
            report.error(fmt::format("--joints: '{}' is not a state of a joint", word),
                         "write locked, free, or JOINT=locked, JOINT=free, JOINT=open");
            continue;
        }
        r.says_free = r.says_free || *hold != Hold::locked;
        if (name.empty()) {
            r.all = *hold;
        } else if (std::ranges::find(names, name) == names.end()) {
            report.error(fmt::format("--joints: there is no joint '{}'", name), hint_for(name, names, "the model has no joints"));
        } else {
            r.some[name] = *hold;
        }
    }
    if (!report.is_ok()) return std::nullopt;
    return r;
}

std::optional<structure::GatherOptions> structure_state(const StateWords& words, const model::Model& model,
                                                        const numeric::CompiledEquations& numbers, Report& report) {
    const eom::EquationsOfMotion& e = numbers.equations();
    StartState start = start_state(words, numbers, report);
    if (!start.is_ok()) return std::nullopt;
    std::vector<Index> beams;
    bool is_bent = false;
    for (const model::Body& body : model.bodies) {
        if (!body.beam) continue;
        for (const sym::Expr& q : body.beam->elastic.coordinates) {
            const auto at = std::ranges::find_if(e.q, [&](const sym::Expr& x) { return x.symbol().name == q.symbol().name; });
            if (at == e.q.end()) continue;
            const Index i = at - e.q.begin();
            beams.push_back(i);
            is_bent = is_bent || start.state.q[i] != 0;
            start.state.q[i] = 0;
        }
    }
    if (is_bent && !e.constraints.empty()) {
        const solve::Assembly closed = numeric::Closing(numbers)(start.state, beams);
        if (!closed.ok) {
            report.fail("the mechanism does not close while its beams are straight: " + closed.why,
                        "give a state, or lengths, for which it does");
            return std::nullopt;
        }
        start.state.q = closed.x;
    }
    structure::GatherOptions g;
    g.t = start.state.t;
    for (std::size_t i = 0; i < e.q.size(); ++i) g.values[e.q[i].symbol().name] = start.state.q[static_cast<Index>(i)];
    for (std::size_t i = 0; i < e.inputs.size(); ++i) g.values[e.inputs[i].symbol.symbol().name] = start.state.w[static_cast<Index>(i)];
    return g;
}

bool has_interfaces(const structure::Assembly& a, const structure::Structure& s, structure::Method method, const model::Model& model,
                    Report& report) {
    for (const structure::Component& c : structure::take_apart(a)) {
        const structure::Body& body = s.bodies[c.body];
        if (!body.beam || !rows_of(c).empty()) continue;
        report.add(Diagnostics{{Diagnostic::Severity::error, model.file, body.where,
                                fmt::format("the component '{}' has no interface: no joint connects it to another body", body.name),
                                fmt::format("use --method full; {} assembles components at interfaces", to_string(method))}});
    }
    return report.is_ok();
}

}  // namespace linkwright::session
