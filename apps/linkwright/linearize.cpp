#include "linkwright/session/linearize.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "linkwright/base/text.hpp"
#include "linkwright/session/linear_page.hpp"
#include "linkwright/session/units.hpp"
#include "operating_words.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using Eigen::MatrixXd;
using linear::Linearization;
using session::picked, session::rates, session::states;

struct Options {
    SharedOptions common;
    session::OperatingWords operating;
    std::vector<std::string> onto, keep;
    bool lynch = false, symbolic = false, state_space = false;
    std::string to = "text";
    std::optional<Option> formulation;
};

/// Empty when there is no such kind, and that has been told.
std::optional<present::To> page_kind(const std::string& word) {
    const std::vector<std::string> known{"text", "markdown", "latex", "json"};
    const auto at = std::ranges::find(known, word);
    if (at != known.end()) return static_cast<present::To>(at - known.begin());
    const auto meant = did_you_mean(word, known);
    report_error(fmt::format("--to takes {}, not '{}'", fmt::join(known, ", "), word),
                 meant ? fmt::format("did you mean {}?", *meant) : "");
    return std::nullopt;
}

/// How many columns a name takes.
std::size_t width_of(const std::string& name) {
    return static_cast<std::size_t>(std::ranges::count_if(name, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Rows and columns with their names; what is nothing beside the largest entry is a dot.
void put_matrix(std::string& out, const std::string& title, const MatrixXd& a, const std::vector<std::string>& rows,
                const std::vector<std::string>& columns) {
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

std::string as_text(const session::LinearModel& model) {
    const Linearization& L = model.linear;
    const session::Names& n = model.names;
    const std::vector<std::string>& units = model.units;
    const linear::SecondOrder& o = L.second_order;
    const std::vector<std::string> y = picked(L.s, L.y), z = rates(L), x = states(L);
    std::string out = fmt::format("{}, linearized{}\n\n", n.model.empty() ? "The model" : n.model,
                                  L.has_geometric_stiffness ? "" : ", without geometric stiffness [Lynch 1988, eq. (6.6)]");
    out += "operating point\n";
    std::size_t widest = 18;
    for (const auto* names : {&n.coordinates, &n.speeds, &model.multipliers}) {
        for (const std::string& name : *names) widest = std::max(widest, width_of(name));
    }
    const auto list = [&](const std::string& name, double value, const std::string& about) {
        out += fmt::format("    {}{}{:>15.8g}  {}", name, std::string(widest - std::min(widest, width_of(name)), ' '),
                           without_dust(value, 1e-2), about);
        out.erase(out.find_last_not_of(' ') + 1);
        out += "\n";
    };
    for (std::size_t i = 0; i < n.coordinates.size(); ++i) {
        const std::string name = n.coordinates[i];
        const auto at = std::ranges::find(L.s, name);
        list(name, L.point.state.q[i], at == L.s.end() ? "" : units[at - L.s.begin()]);
    }
    for (std::size_t i = 0; i < n.speeds.size(); ++i) list(n.speeds[i], L.point.state.u[i], "");
    for (std::size_t i = 0; i < L.inputs.size(); ++i) list(L.inputs[i], L.point.state.w[i], "input");
    for (std::size_t i = 0; i < n.constraints.size(); ++i) list(model.multipliers[i], L.point.lambda[i], n.constraints[i]);
    const linear::ByMotions& m = L.by_motions;
    if (L.y.empty() && L.z.empty()) {
        out += "\nthe mechanism cannot move: there is no linear model\n";
        if (m.names.empty()) return out;
        out += "\no = D_g g; g: value, rate and acceleration of given motions\n\n";
        put_matrix(out, "D_g", m.outputs, L.outputs, m.columns());
        return out;
    }
    if (L.has_constraints) out += fmt::format("\nindependent: {}; speeds {}\n", fmt::join(y, ", "), fmt::join(picked(L.u, L.z), ", "));
    const char* moved = m.names.empty() ? "" : L.inputs.empty() ? "B_g g" : " + B_g g";
    const char* pushed = m.names.empty() || !L.inputs.empty() ? "B w" : "";
    out += o.is_mechanical ? fmt::format("\nM y'' + C y' + K y = {}{}\n\n", pushed, moved)
                           : fmt::format("\nM z' + C z + K y = {},  y' = N z + H y\n\n", "B w");
    const auto is_zero = [](const MatrixXd& a, const MatrixXd& beside) {
        return a.size() == 0 || a.cwiseAbs().maxCoeff() <= 1e-13 * std::max(1e-300, beside.cwiseAbs().maxCoeff());
    };
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
        put_matrix(out,
                   L.has_geometric_stiffness ? "K, of which geometric stiffness of the constraint forces"
                                             : "geometric stiffness of the constraint forces, left out",
                   o.geometric, z, y);
    }
    put_matrix(out, "B", o.B, z, L.inputs);
    if (o.is_mechanical) put_matrix(out, "B_g, by given motions", m.second_order, z, m.columns());
    if (!o.is_mechanical) {
        put_matrix(out, "N", o.N, y, z);
        put_matrix(out, "H", o.H, y, y);
    }
    std::vector<std::string> x_rates = x;
    for (std::string& name : x_rates) name = "d(" + name + ")/dt";
    out += m.names.empty()
               ? "\nstate space: x' = A x + B w, o = C x + D w\n\n"
               : fmt::format(
                     "\nstate space: x' = A x + {0}{1}B_g g, o = C x + {2}{1}D_g g; g: value, rate and acceleration of given motions\n\n",
                     L.inputs.empty() ? "" : "B w", L.inputs.empty() ? "" : " + ", L.inputs.empty() ? "" : "D w");
    const auto listed = [](const std::vector<std::string>& names, const std::vector<std::string>& units) {
        std::vector<std::string> all;
        for (std::size_t i = 0; i < names.size(); ++i) all.push_back(session::with_unit(names[i], units[i]));
        return fmt::format("{}", fmt::join(all, ", "));
    };
    out += fmt::format("states x: {}\n", listed(x, model.state_units));
    if (!L.inputs.empty()) out += fmt::format("inputs w: {}\n", listed(L.inputs, model.input_units));
    if (!L.outputs.empty()) out += fmt::format("outputs o: {}\n", listed(L.outputs, model.output_units));
    out += "\n";
    put_matrix(out, "A", L.state_space.A, x_rates, x);
    put_matrix(out, "B", L.state_space.B, x_rates, L.inputs);
    put_matrix(out, "B_g", m.state, x_rates, m.columns());
    put_matrix(out, "C", L.state_space.C, L.outputs, x);
    if (!is_zero(L.state_space.D, L.state_space.D)) put_matrix(out, "D", L.state_space.D, L.outputs, L.inputs);
    if (!is_zero(m.outputs, m.outputs)) put_matrix(out, "D_g", m.outputs, L.outputs, m.columns());
    if (!L.notes.empty()) out += "\n";
    for (const std::string& note : L.notes) out += "note: " + note + "\n";
    return out;
}

int symbolic(const Options& options, present::To to) {
    const session::LinearPageOptions o{.operating = options.operating,
                                       .to = to,
                                       .keep = options.keep,
                                       .lynch = options.lynch,
                                       .state_space = options.state_space,
                                       .onto = options.onto};
    if (!are_right(check(o), options.common)) return wrong_input;
    const auto session = open(options.common);
    if (!session) return wrong_input;
    return deliver(options.common, linear_page(*session, o), [](const std::string& page) { return page; });
}

int linearize(Options options) {
    if (options.symbolic && !options.formulation->is_given()) options.common.formulation = "kane";  // formulas to read
    const auto to = page_kind(options.common.json ? "json" : options.to);
    if (!to) return wrong_input;
    if (!options.symbolic && options.to != "text" && options.to != "json") {
        report_error(fmt::format("--to {} is available for formulas only", options.to), "add --symbolic");
        return wrong_input;
    }
    if (!options.symbolic && (options.state_space || !options.keep.empty())) {
        report_error(fmt::format("{} is available for formulas only", options.state_space ? "--state-space" : "--keep"),
                     options.state_space ? "add --symbolic for formulas; numerical results always contain A, B, C, D" : "add --symbolic");
        return wrong_input;
    }
    if (options.symbolic) return symbolic(options, *to);
    const auto session = open(options.common);
    if (!session) return wrong_input;
    const session::LinearizeOptions o{.operating = options.operating, .onto = options.onto, .lynch = options.lynch};
    return deliver(options.common, session::linearize(*session, o), [&](const session::LinearModel& r) {
        if (*to != present::To::json) return as_text(r);
        for (const std::string& note : r.linear.notes) tell_note(options.common, note);
        return dump(to_json(r));
    });
}

}  // namespace

Work declare_linearize(Words words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    options->formulation = words.find("--formulation");
    declare(words, options->operating);
    words
        .add_option("--onto", options->onto,
                    "Keep only these coordinates (or speeds), in this order; with --state-space: take these as independent where possible")
        .type_name("NAMES")
        .repeatable();
    words.add_flag("--lynch", options->lynch, "Leave out the geometric stiffness of the constraint forces [Lynch 1988, eq. (6.6)]");
    words.add_flag("--symbolic", options->symbolic, "Formulas in the parameters instead of numbers");
    words.add_flag("--state-space", options->state_space,
                   "With --symbolic: the reduction to independent coordinates, and A, as formulas too");
    words.add_option("--keep", options->keep, "With --symbolic: leave these coordinates and speeds as symbols, or all")
        .type_name("NAMES|all")
        .repeatable();
    words.add_option("--to", options->to, "With --symbolic: format, text, latex, markdown or json").type_name("FORMAT");
    return [options] { return linearize(*options); };
}

}  // namespace linkwright::cli
