#include <fmt/format.h>

#include <set>

#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/eom/rank.hpp"
#include "linkwright/eom/visit.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/topology/describe.hpp"
#include "linkwright/topology/dot.hpp"
#include "linkwright/topology/matrices.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    std::string to = "text";
};

nlohmann::ordered_json to_json(const topology::IntMatrix& m) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < m.rows; ++i) {
        nlohmann::ordered_json row = nlohmann::ordered_json::array();
        for (std::size_t j = 0; j < m.columns; ++j) row.push_back(m(i, j));
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string indented(const std::string& text, const std::string& by) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += by + text.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return out;
}

/// What is redundant, in plain words: everywhere (by fingerprint), and at the assembled state (by singular values).
std::string redundancy(const eom::EquationsOfMotion& e, const numeric::Evaluation& at) {
    const eom::SymbolicRank everywhere = eom::symbolic_rank(e);
    std::string out;
    const auto list = [&](const std::vector<std::string>& row_names) {
        for (const eom::Constraint& c : e.constraints) {
            if (std::ranges::find(row_names, c.name) != row_names.end()) out += fmt::format("        {:<12}  {}\n", c.name, c.about);
        }
    };
    std::vector<std::string> always;
    if (everywhere.rank < e.u.size()) {  // otherwise any further row depends on those: they leave no motion at all
        for (const std::size_t r : everywhere.redundant) always.push_back(e.constraints[r].name);
    }
    if (!always.empty()) {
        out += fmt::format("redundant in every position: {} of {} rows follow from those before them\n", always.size(), e.constraints.size());
        list(always);
    }
    const auto here = static_cast<std::size_t>(at.redundant.size());
    if (here > always.size()) {
        out += fmt::format("redundant where the mechanism is closed: {} of {} rows say nothing new once the others hold\n", here, e.constraints.size());
        list(at.redundant);
    }
    if (here == 0) return "no constraint is redundant\n";
    return out + "    the motion is the same without them; how these joints share their forces, rigid bodies alone do not tell: the\n"
                 "    multipliers reported are the smallest that serve\n";
}

/// Parameters and inputs that no equation, output, event or initial value is made of, nor another parameter that is.
std::vector<std::string> unused(const eom::EquationsOfMotion& e) {
    eom::EquationsOfMotion rest = e;
    rest.parameters.clear();
    rest.inputs.clear();
    std::vector<sym::Expr> all;
    eom::for_each_expression(rest, [&](const sym::Expr& x) { all.push_back(x); });
    std::set<std::string> used;
    const auto use = [&](std::span<const sym::Expr> expressions) {
        for (const sym::Expr& s : symbols_in(expressions)) used.insert(s.symbol().name);
    };
    use(all);
    for (std::size_t before = 0; before != used.size();) {
        before = used.size();
        std::vector<sym::Expr> values;
        for (const eom::Input& w : e.inputs) if (used.contains(w.symbol.symbol().name)) values.push_back(w.value);
        for (const eom::Parameter& p : e.parameters) if (used.contains(p.symbol.symbol().name)) values.push_back(p.value);
        use(values);
    }
    std::vector<std::string> names;
    for (const eom::Parameter& p : e.parameters) names.push_back(p.symbol.symbol().name);
    for (const eom::Input& w : e.inputs) names.push_back(w.symbol.symbol().name);
    std::erase_if(names, [&](const std::string& name) { return used.contains(name); });
    return names;
}

int check(const Options& options) {
    if (options.to != "text" && options.to != "dot" && options.to != "json") {
        report_error(fmt::format("--to takes text, dot, json, not '{}'", options.to));
        return wrong_input;
    }
    const auto loaded = load(options.common);
    if (!loaded) return wrong_input;
    const model::Model& m = *loaded->model;
    const topology::Topology& t = loaded->topology;
    if (options.to == "dot") return deliver(options.common, topology::to_dot(m, t));
    const auto equations = derive(options.common, *loaded);
    if (!equations) return wrong_input;

    const numeric::CompiledEquations numbers(*equations);
    const numeric::AssembledState closed = assemble(numbers, wanted(numbers));
    const numeric::Evaluation at = numeric::evaluate(numbers, closed.state);
    const std::size_t n = equations->u.size(), rows = equations->constraints.size();
    std::size_t holonomic = 0;
    for (const eom::Constraint& c : equations->constraints) holonomic += c.is_holonomic ? 1 : 0;
    const auto rank = static_cast<std::size_t>(at.rank);
    int status = done;
    if (!closed.is_ok()) {
        report_error("the mechanism does not close: " + closed.why, "the redundant constraints below are those at the nearest approach");
        status = closed.outcome == numeric::AssembledState::Outcome::overconstrained ? wrong_input : numerical_failure;
    }
    const topology::Incidence incidence = topology::incidence(m, t);

    if (options.common.json || options.to == "json") {
        nlohmann::ordered_json j;
        j["name"] = m.name;
        j["bodies"] = nlohmann::ordered_json::array();
        for (const model::Body& body : m.bodies) j["bodies"].push_back(body.name);
        j["joints"] = nlohmann::ordered_json::array();
        for (std::size_t k = 0; k < m.joints.size(); ++k) {
            const model::Joint& joint = m.joints[k];
            j["joints"].push_back({{"name", joint.name}, {"type", model::to_string(joint.type)}, {"parent", m.bodies[joint.parent].name},
                                   {"child", m.bodies[joint.child].name}, {"cut", static_cast<bool>(t.is_cut[k])}});
        }
        j["matrices"] = {{"path", to_json(topology::path_matrix(t))}, {"reference", to_json(topology::reference_matrix(t))},
                         {"distance", to_json(topology::distance_matrix(t))}, {"incidence", to_json(incidence.S)}, {"T", to_json(incidence.T)}};
        j["coordinates"] = names(equations->q);
        j["speeds"] = names(equations->u);
        j["freedoms"] = n - rank;
        j["constraints"] = nlohmann::ordered_json::array();
        for (const eom::Constraint& c : equations->constraints) j["constraints"].push_back({{"name", c.name}, {"holonomic", c.is_holonomic}});
        j["rank"] = rank;
        j["redundant_constraints"] = at.redundant;
        j["independent_speeds"] = at.independent;
        j["closed"] = closed.is_ok();
        j["residual"] = {{"position", closed.position}, {"velocity", closed.velocity}};
        j["moved"] = closed.moved;
        j["unused"] = unused(*equations);
        const int delivered = deliver(options.common, dump(j));
        return delivered == done ? status : delivered;
    }

    std::string out = m.name.empty() ? "" : m.name + "\n\n";
    const std::string graph = topology::describe(m, t);
    out += graph.substr(0, graph.find("freedoms:"));  // counted from the joints alone; below they are counted from the equations
    if (m.bodies.size() <= 25) {
        out += "\nmatrices (rows and columns: ground, then the bodies in the order of the file)\n";
        out += "    path pi\n" + indented(topology::to_string(topology::path_matrix(t)), "        ");
        out += "    reference rho, rho pi = 1\n" + indented(topology::to_string(topology::reference_matrix(t)), "        ");
        out += "    distance\n" + indented(topology::to_string(topology::distance_matrix(t)), "        ");
        out += "    incidence S (columns: joints)\n" + indented(topology::to_string(incidence.S), "        ");
    } else {
        out += "\nmatrices: not shown for more than 25 bodies; --json has them\n";
    }
    out += fmt::format("\ncoordinates {}, speeds {}, constraints {}", equations->q.size(), n, rows);
    if (holonomic < rows) out += fmt::format(" ({} holonomic, {} nonholonomic)", holonomic, rows - holonomic);
    out += fmt::format("\nfreedoms of motion: {}\n", n - rank);
    if (rows > 0) {
        std::vector<std::string> row_names;
        for (const eom::Constraint& c : equations->constraints) row_names.push_back(c.name);
        out += fmt::format("rows: {}\n", fmt::join(row_names, " "));
        out += fmt::format("rank at the assembled state: {}\n", rank);
        out += redundancy(*equations, at);
        out += fmt::format("independent speeds, chosen here: {}\n", at.independent.empty() ? "none" : fmt::format("{}", fmt::join(at.independent, " ")));
        const long counted = static_cast<long>(n) - static_cast<long>(rows), found = static_cast<long>(n - rank);
        if (counted != found) out += fmt::format("counting rows would give {}, the mechanism has {} freedom{}\n", counted, found, found == 1 ? "" : "s");
        if (closed.is_ok()) {
            out += fmt::format("closed: position residual {:.2g}, velocity residual {:.2g}", closed.position, closed.velocity);
            out += closed.moved.empty() ? "\n" : fmt::format("; moved from the guess: {}\n", fmt::join(closed.moved, " "));
        }
    }
    if (!at.is_ok) out += fmt::format("no accelerations at this state: {}\n", at.why);
    if (const auto idle = unused(*equations); !idle.empty()) out += fmt::format("parameters and inputs that nothing is made of: {}\n", fmt::join(idle, " "));
    const int delivered = deliver(options.common, out);
    return delivered == done ? status : delivered;
}

}  // namespace

Work declare_check(CLI::App& words) {
    auto options = std::make_shared<Options>();
    declare(words, options->common);
    words.add_option("--to", options->to, "text, dot (the graph for Graphviz) or json")->type_name("FORMAT");
    return [options] { return check(*options); };
}

}  // namespace linkwright::cli
