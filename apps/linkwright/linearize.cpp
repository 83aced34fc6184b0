#include "linkwright/linear/linearize.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "linear_page.hpp"
#include "linkwright/base/text.hpp"
#include "operating_state.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using linear::Linearization;
using Eigen::MatrixXd;
using nlohmann::ordered_json;

struct Options {
    SharedOptions common;
    OperatingWords operating;
    std::vector<std::string> onto, keep;
    bool lynch = false, symbolic = false, state_space = false;
    std::string to = "text";
    CLI::Option* formulation = nullptr;
};

std::vector<std::string> picked(const std::vector<std::string>& names, const std::vector<std::size_t>& which) {
    std::vector<std::string> list;
    for (const std::size_t i : which) list.push_back(names[i]);
    return list;
}

/// Names of the rates of y: the speeds, or ẏ itself where other speeds have been replaced.
std::vector<std::string> rates(const Linearization& L) {
    std::vector<std::string> names = picked(L.u, L.z);
    if (!L.second_order.has_replaced_speeds) return names;
    names = picked(L.s, L.y);
    for (std::string& name : names) name = "d(" + name + ")/dt";
    return names;
}

std::vector<std::string> states(const Linearization& L) {
    std::vector<std::string> names = picked(L.s, L.y);
    for (const std::string& u : picked(L.u, L.z)) names.push_back(u);
    return names;
}

ordered_json as_json(const Linearization& L, const eom::EquationsOfMotion& e) {
    ordered_json j;
    j["model"] = e.name;
    j["formulation"] = e.formulation;
    j["coordinates"] = names(e.q);
    j["speeds"] = names(e.u);
    Eigen::VectorXd state(L.point.state.q.size() + L.point.state.u.size());
    state << L.point.state.q, L.point.state.u;
    j["state"] = to_json(state);
    j["t"] = L.point.state.t;
    j["accelerations"] = to_json(L.point.udot);
    j["constraints"] = ordered_json::array();
    for (const eom::Constraint& c : e.constraints) j["constraints"].push_back(c.name);
    j["multipliers"] = to_json(L.point.lambda);
    j["inputs"] = L.inputs;
    j["input_values"] = to_json(L.point.state.w);
    j["outputs"] = L.outputs;
    j["independent"] = {{"coordinates", picked(L.s, L.y)}, {"speeds", picked(L.u, L.z)}};
    j["form"] = L.has_geometric_stiffness ? "with geometric stiffness" : "lynch88 (6.6), without geometric stiffness";
    const linear::SecondOrder& o = L.second_order;
    ordered_json& second = j["second_order"];
    second = {{"M", to_json(o.M)}, {"C", to_json(o.C)}, {"K", to_json(o.K)}, {"B", to_json(o.B)}};
    second["coordinates"] = picked(L.s, L.y);
    second["speeds"] = rates(L);
    second["is_mechanical"] = o.is_mechanical;
    if (o.is_mechanical) {
        second["damping"] = to_json(o.damping), second["gyroscopic"] = to_json(o.gyroscopic);
        second["stiffness"] = to_json(o.stiffness), second["circulatory"] = to_json(o.circulatory);
    } else {
        second["N"] = to_json(o.N), second["H"] = to_json(o.H);
    }
    second["geometric_stiffness"] = to_json(o.geometric);
    const linear::StateSpace& x = L.state_space;
    j["state_space"] = {{"A", to_json(x.A)}, {"B", to_json(x.B)}, {"C", to_json(x.C)}, {"D", to_json(x.D)}};
    j["state_space"]["states"] = states(L);
    const linear::FullLinear& f = L.full;
    j["full"] = {{"small_motions", L.s},
                 {"M", to_json(f.M)}, {"C", to_json(f.C)}, {"K", to_json(f.K)}, {"geometric_stiffness", to_json(f.geometric)}, {"B", to_json(f.B)},
                 {"S", to_json(f.S)}, {"N", to_json(f.N)}, {"H", to_json(f.H)},
                 {"Phi", to_json(f.Phi)}, {"G", to_json(f.G)}, {"D", to_json(f.D)}, {"E", to_json(f.E)}, {"F", to_json(f.F)},
                 {"Y", to_json(L.Y)}, {"Z", to_json(L.Z)}, {"P", to_json(L.P)}};
    j["notes"] = L.notes;
    return j;
}

/// Rows and columns with their names; what is nothing beside the largest entry is a dot.
void put_matrix(std::string& out, const std::string& title, const MatrixXd& a, const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
    if (a.size() == 0) return;
    const double dust = 1e-14 * a.cwiseAbs().maxCoeff();
    std::size_t first = 0;
    for (const std::string& name : rows) first = std::max(first, width_of(name));
    std::vector<std::vector<std::string>> cells;
    std::vector<std::size_t> widths;
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
        auto& column = cells.emplace_back();
        std::size_t widest = width_of(columns[j]);
        for (Eigen::Index i = 0; i < a.rows(); ++i) {
            column.push_back(std::abs(a(i, j)) <= dust ? "." : fmt::format("{:.8g}", a(i, j)));
            widest = std::max(widest, column.back().size());
        }
        widths.push_back(widest);
    }
    out += title + "\n    " + std::string(first, ' ');
    for (std::size_t j = 0; j < cells.size(); ++j) out += std::string(widths[j] + 2 - width_of(columns[j]), ' ') + columns[j];
    out += "\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out += "    " + rows[i] + std::string(first - width_of(rows[i]), ' ');
        for (std::size_t j = 0; j < cells.size(); ++j) out += fmt::format("  {:>{}}", cells[j][i], widths[j]);
        out += "\n";
    }
}

std::string as_text(const Linearization& L, const eom::EquationsOfMotion& e, const std::vector<std::string>& units) {
    const linear::SecondOrder& o = L.second_order;
    const std::vector<std::string> y = picked(L.s, L.y), z = rates(L), x = states(L);
    std::string out = fmt::format("{}, linearized{}\n\n", e.name.empty() ? "The model" : e.name, L.has_geometric_stiffness ? "" : " as in lynch88 (6.6), without geometric stiffness");
    out += "operating point\n";
    std::size_t widest = 18;
    for (const auto& symbols : {e.q, e.u}) {
        for (const sym::Expr& symbol : symbols) widest = std::max(widest, width_of(symbol.symbol().name));
    }
    for (const eom::Constraint& c : e.constraints) widest = std::max(widest, width_of(c.lambda.symbol().name));
    const auto list = [&](const std::string& name, double value, const std::string& about) {
        const bool is_dust = std::abs(value) < 1e-15;
        out += fmt::format("    {}{}{:>15.8g}  {}", name, std::string(widest - std::min(widest, width_of(name)), ' '), is_dust ? 0.0 : value, about);
        out.erase(out.find_last_not_of(' ') + 1);
        out += "\n";
    };
    for (std::size_t i = 0; i < e.q.size(); ++i) {
        const std::string name = e.q[i].symbol().name;
        const auto at = std::ranges::find(L.s, name);
        list(name, L.point.state.q[i], at == L.s.end() ? "" : units[at - L.s.begin()]);
    }
    for (std::size_t i = 0; i < e.u.size(); ++i) list(e.u[i].symbol().name, L.point.state.u[i], "");
    for (std::size_t i = 0; i < L.inputs.size(); ++i) list(L.inputs[i], L.point.state.w[i], "input");
    for (std::size_t i = 0; i < e.constraints.size(); ++i) list(e.constraints[i].lambda.symbol().name, L.point.lambda[i], e.constraints[i].name);
    if (L.y.empty() && L.z.empty()) return out + "\nnothing is free to move: there is no linear model\n";
    if (L.has_constraints) out += fmt::format("\nindependent: {}; speeds {}\n", fmt::join(y, ", "), fmt::join(picked(L.u, L.z), ", "));
    out += o.is_mechanical ? "\nM y'' + C y' + K y = B w\n\n" : "\nM z' + C z + K y = B w,  y' = N z + H y\n\n";
    const auto is_zero = [](const MatrixXd& a, const MatrixXd& beside) { return a.size() == 0 || a.cwiseAbs().maxCoeff() <= 1e-13 * std::max(1e-300, beside.cwiseAbs().maxCoeff()); };
    put_matrix(out, "M", o.M, z, z);
    put_matrix(out, "C", o.C, z, z);
    if (o.is_mechanical && !is_zero(o.gyroscopic, o.C)) {
        if (is_zero(o.damping, o.C)) {
            out += "    C is gyroscopic\n";
        } else {
            put_matrix(out, "C, damping", o.damping, z, z);
            put_matrix(out, "C, gyroscopic", o.gyroscopic, z, z);
        }
    }
    put_matrix(out, "K", o.K, z, y);
    if (o.is_mechanical && !is_zero(o.circulatory, o.K)) {
        put_matrix(out, "K, stiffness", o.stiffness, z, y);
        put_matrix(out, "K, circulatory", o.circulatory, z, y);
    }
    if (L.has_constraints && !is_zero(o.geometric, o.K)) {
        put_matrix(out, L.has_geometric_stiffness ? "K, of which geometric stiffness of the constraint forces" : "geometric stiffness of the constraint forces, left out", o.geometric, z, y);
    }
    put_matrix(out, "B", o.B, z, L.inputs);
    if (!o.is_mechanical) {
        put_matrix(out, "N", o.N, y, z);
        put_matrix(out, "H", o.H, y, y);
    }
    std::vector<std::string> x_rates = x;
    for (std::string& name : x_rates) name = "d(" + name + ")/dt";
    out += "\nstate space: x' = A x + B w, o = C x + D w\n\n";
    put_matrix(out, "A", L.state_space.A, x_rates, x);
    put_matrix(out, "B", L.state_space.B, x_rates, L.inputs);
    put_matrix(out, "C", L.state_space.C, L.outputs, x);
    if (!is_zero(L.state_space.D, L.state_space.D)) put_matrix(out, "D", L.state_space.D, L.outputs, L.inputs);
    if (!L.notes.empty()) out += "\n";
    for (const std::string& note : L.notes) out += "note: " + note + "\n";
    return out;
}

/// Names in lists, with commas or one by one.
std::vector<std::string> split(const std::vector<std::string>& words) {
    std::vector<std::string> names;
    for (const std::string& word : words) {
        std::size_t from = 0;
        while (from <= word.size()) {
            const std::size_t comma = std::min(word.find(',', from), word.size());
            if (const std::string name = CLI::detail::trim_copy(word.substr(from, comma - from)); !name.empty()) names.push_back(name);
            from = comma + 1;
        }
    }
    return names;
}

bool are_known(const std::string& option, const std::vector<std::string>& asked, const std::vector<std::string>& known) {
    for (const std::string& name : asked) {
        if (std::ranges::find(known, name) != known.end()) continue;
        const auto meant = did_you_mean(name, known);
        report_error(fmt::format("{}: there is no '{}'", option, name), meant ? fmt::format("did you mean {}?", *meant) : fmt::format("there are {}", fmt::join(known, ", ")));
        return false;
    }
    return true;
}

int linearize(Options options) {
    if (options.symbolic && options.formulation->count() == 0) options.common.formulation = "kane";  // formulas to read
    const auto to = page_kind(options.common.json ? "json" : options.to);
    if (!to) return wrong_input;
    if (!options.symbolic && options.to != "text" && options.to != "json") {
        report_error(fmt::format("--to {} is for formulas", options.to), "add --symbolic");
        return wrong_input;
    }
    if (!options.symbolic && (options.state_space || !options.keep.empty())) {
        report_error(fmt::format("{} is for formulas", options.state_space ? "--state-space" : "--keep"), options.state_space ? "numbers have A, B, C, D always; add --symbolic for formulas" : "add --symbolic");
        return wrong_input;
    }
    if (options.symbolic && !options.state_space && !options.onto.empty()) {
        report_error("--symbolic gives all of the matrices, whatever --onto names", "add --state-space for those on independent coordinates");
        return wrong_input;
    }
    const auto loaded = load(options.common);
    if (!loaded) return wrong_input;
    const auto equations = derive(options.common, *loaded);
    if (!equations) return wrong_input;
    if (!can_linearize(*equations)) return wrong_input;
    const numeric::CompiledEquations numbers(*equations, native_code(options.common.quiet));
    const linear::Linearizer linearizer(numbers);
    linear::LinearizeOptions o;
    o.onto = split(options.onto);
    o.only_onto = !o.onto.empty() && !options.symbolic;
    o.geometric_stiffness = !options.lynch;
    o.checks_steadiness = true;
    o.lists_motions = loaded->model->outputs.empty();
    std::vector<std::string> known = linearizer.form().s;
    for (const sym::Expr& u : equations->u) known.push_back(u.symbol().name);
    if (!are_known("--onto", o.onto, known)) return wrong_input;
    for (std::size_t i = 0; i < o.onto.size(); ++i) {
        if (std::ranges::find(o.onto.begin(), o.onto.begin() + static_cast<std::ptrdiff_t>(i), o.onto[i]) == o.onto.begin() + static_cast<std::ptrdiff_t>(i)) continue;
        report_error(fmt::format("--onto names {} twice", o.onto[i]));
        return wrong_input;
    }
    const std::vector<std::string> keep = split(options.keep);
    if (!are_known("--keep", keep, keepable(*equations))) return wrong_input;
    const OperatingState at = operating_state(options.operating, numbers, options.common.quiet);
    if (!at.has_point) return at.status;
    const bool needs_numbers = !options.symbolic || options.state_space;
    const Linearization L = needs_numbers ? linearizer(at.point, o) : Linearization{};
    if (!L.is_ok) {
        report_error("there is no linear model here: " + L.why);
        return numerical_failure;
    }
    const bool as_numbers = options.common.json || options.to == "json";
    if (as_numbers || options.symbolic) {
        for (const std::string& note : L.notes) {
            if (!options.common.quiet) std::cerr << "linkwright: note: " << note << '\n';
        }
    }
    if (options.symbolic) {
        const auto page = linear_page(numbers, at.point, {*to, keep, options.lynch, options.state_space ? &L : nullptr});
        return page ? deliver(options.common, *page) : wrong_input;
    }
    return deliver(options.common, as_numbers ? dump(as_json(L, *equations)) : as_text(L, *equations, linearizer.form().units));
}

}  // namespace

Work declare_linearize(CLI::App& words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    options->formulation = words.get_option("--formulation");
    declare(words, options->operating);
    words.add_option("--onto", options->onto, "Only these coordinates (or speeds), in this order; with --state-space: these independent, if they can be")->type_name("NAMES")->take_all()->allow_extra_args(false);
    words.add_flag("--lynch", options->lynch, "Without the geometric stiffness of constraint forces, as in lynch88 (6.6)");
    words.add_flag("--symbolic", options->symbolic, "Formulas in the parameters instead of numbers");
    words.add_flag("--state-space", options->state_space, "With --symbolic: the reduction to independent coordinates, and A, as formulas too");
    words.add_option("--keep", options->keep, "With --symbolic: leave these coordinates and speeds as symbols, or all")->type_name("NAMES|all")->take_all()->allow_extra_args(false);
    words.add_option("--to", options->to, "With --symbolic: text, latex, markdown or json")->type_name("FORMAT");
    return [options] { return linearize(*options); };
}

}  // namespace linkwright::cli
