#include "linkwright/session/linear_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "linkwright/linear/linear_formulas.hpp"
#include "linkwright/linear/reduced_formulas.hpp"
#include "linkwright/session/linearize.hpp"
#include "linkwright/session/spellings.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::session {

namespace {

using eom::Step;
using linear::LinearFormulas;
using sym::Expr;
using sym::Matrix;

bool is_empty(const Matrix& a) { return columns_of(a) == 0; }

bool is_identity(const Matrix& a) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a[i].size(); ++j) {
            if (a.size() != a[i].size() || !a[i][j].is_literally(i == j ? 1 : 0)) return false;
        }
    }
    return true;
}

/// What the page calls its small motions: y unless the model has something of that name, then another letter.
struct Letters {
    std::string y, v, w, x, z, X;
    explicit Letters(const std::set<std::string>& taken) {
        const auto pick = [&](std::initializer_list<const char*> letters) {
            std::string name;
            for (const char* letter : letters) {
                name = letter;
                if (!taken.contains(name)) return name;
            }
            while (taken.contains(name)) name += "_";
            return name;
        };
        y = pick({"y", "eta", "delta_y"}), v = pick({"v", "nu", "delta_v"}), w = pick({"w", "mu", "delta_w"});
        x = pick({"x", "xi", "delta_x"}), z = pick({"z", "zeta", "delta_z"}), X = pick({"X", "Xi", "delta_X"});
    }
};

std::string quoted(const std::vector<std::string>& names) {
    std::vector<std::string> list;
    for (const std::string& name : names) list.push_back("`" + name + "`");
    return fmt::format("{}", fmt::join(list, ", "));
}

/// What may stay a symbol on request.
std::vector<std::string> keepable(const eom::EquationsOfMotion& e) {
    std::vector<std::string> list{"all"};
    for (const auto& symbols : {e.q, e.u, e.udot, e.x}) {
        for (const Expr& s : symbols) list.push_back(s.symbol().name);
    }
    for (const eom::Input& w : e.inputs) list.push_back(w.symbol.symbol().name);
    for (const eom::Constraint& c : e.constraints) list.push_back(c.lambda.symbol().name);
    list.push_back(e.t.symbol().name);
    return list;
}

/// `reduced`: the same point in numbers, where the page goes on to independent coordinates and A; otherwise null.
std::optional<std::string> write_page(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& point,
                                      const std::vector<std::string>& keep, const LinearPageOptions& how,
                                      const present::Spellings& spellings, const linear::Linearization* reduced, Watch& watch,
                                      Report& report) {
    const eom::EquationsOfMotion& e = numbers.equations();
    LinearFormulas formulas = linear::linear_formulas(numbers, point, keep);
    if (!watch()) return watch.tell(report), std::nullopt;
    linear::LinearForm& form = formulas.form;
    const sym::PoolScope scope(*form.pool);

    // the page is one of a derivation whose equations show nothing but parameters, and the values that stayed symbols beside them
    eom::EquationsOfMotion shown;
    shown.pool = form.pool;
    shown.name = (e.name.empty() ? std::string("Model") : e.name) + ", linearized";
    shown.formulation = e.formulation;
    shown.t = form.pool->symbol(e.t.symbol().name, e.t.symbol().role);
    sym::Transplant carry(*form.pool);
    for (const eom::Parameter& p : e.parameters) shown.parameters.push_back({carry(p.symbol), carry(p.value), p.unit, p.about});

    Step where{"The operating point", "", {}, ""};
    std::vector<std::string> open, zero;
    for (const LinearFormulas::Value& v : formulas.values) {
        if (!v.is_used) continue;
        if (v.is_symbol) {
            open.push_back(fmt::format("`{}` = {:.10g}", v.name, v.value));
        } else if (v.exact.is_literally(0)) {
            zero.push_back(v.name);
        } else {
            where.lines.push_back({v.name, {{v.exact}}});
        }
    }
    if (!zero.empty()) where.text = fmt::format("Zero {} {}.", zero.size() == 1 ? "is" : "are", quoted(zero));
    if (!where.lines.empty()) where.text += std::string(zero.empty() ? "" : " ") + "Substituted exactly:";
    if (where.text.empty()) where.text = "Nothing is substituted.";

    eom::Derivation page;
    page.steps.push_back(where);
    if (!open.empty())
        page.steps.push_back(
            {"Symbols that are kept", fmt::format("With these values at the operating point: {}.", fmt::join(open, ", ")), {}, ""});

    std::vector<std::string> u;
    for (const Expr& s : e.u) u.push_back(s.symbol().name);
    std::vector<std::string> w;
    for (const eom::Input& s : e.inputs) w.push_back(s.symbol.symbol().name);
    const bool has_constraints = !e.constraints.empty();
    const bool has_rates = is_identity(form.N) && is_literally_zero(form.H);
    std::set<std::string> taken(form.s.begin(), form.s.end());
    taken.insert(w.begin(), w.end());
    for (const eom::Parameter& p : e.parameters) taken.insert(p.symbol.symbol().name);
    if (how.to == present::To::latex) taken.insert({"x", "X"});  // there x between two letters is ×, and X' a transpose
    const Letters is(taken);
    std::string text = fmt::format("Small motions `{}` of {}", is.y, quoted(form.s));
    text += has_rates ? fmt::format(", their rates `{}`", is.v) : fmt::format(", small changes `{}` of the speeds {}", is.v, quoted(u));
    if (!w.empty()) text += fmt::format(", small inputs `{}`: {}", is.w, quoted(w));
    text += fmt::format(". `M {0}' + C {0} + K {1}{2} = {3}`.", is.v, is.y, has_constraints ? " + G^T lambda" : "",
                        w.empty() ? "0" : "B " + is.w);
    std::vector<std::string> twice;
    for (const char* name : {"M", "C", "K", "B", "N", "H", "W", "Phi", "G", "D", "E", "F", "Y", "Z", "P", "A"}) {
        if (taken.contains(name)) twice.emplace_back(name);
    }
    if (twice.size() == 1) text += fmt::format(" {} is the matrix at the head of a line, the parameter within it.", quoted(twice));
    if (twice.size() > 1) text += fmt::format(" {} are the matrices at the head of a line, the parameters within it.", quoted(twice));
    Step matrices{"Mass, damping, stiffness", text, {}, ""};
    Matrix K = form.K;
    if (how.lynch) {
        for (std::size_t i = 0; i < K.size(); ++i) {
            for (std::size_t j = 0; j < K[i].size(); ++j) K[i][j] -= form.geometric[i][j];
        }
    }
    const auto add = [](Step& step, const std::string& symbol, const Matrix& a, const std::string& note, const std::string& citation = "") {
        if (!is_empty(a)) step.lines.push_back({symbol, a, "", note, citation});
    };
    add(matrices, "M", form.M, "");
    add(matrices, "C", form.C, is_literally_zero(form.C) ? "no damping, and nothing turns" : "");
    add(matrices, "K", K, how.lynch && has_constraints ? "without the geometric stiffness of the constraint forces" : "",
        how.lynch ? "lynch88 (6.6)" : "");
    if (has_constraints && !is_literally_zero(form.geometric))
        add(matrices, "K_g", form.geometric,
            how.lynch ? "the geometric stiffness of the constraint forces, left out of K"
                      : "the geometric stiffness of the constraint forces, contained in K");
    add(matrices, "B", form.B, "");
    page.steps.push_back(matrices);
    if (!has_rates) {
        const bool are_driven = !sym::is_literally_zero(form.W);
        Step rates{"Rates", fmt::format("`{1}' = N {0} + H {1}{2}`.", is.v, is.y, are_driven ? " + W " + is.w : ""), {}, ""};
        add(rates, "N", form.N, "");
        add(rates, "H", form.H, "");
        if (are_driven) add(rates, "W", form.W, "");
        page.steps.push_back(rates);
    }
    if (has_constraints) {
        Step rows{"Constraints",
                  fmt::format("Positions `Phi {1} = 0`, speeds `G {0} + D {1} = 0`, accelerations `G {0}' + E {0} + F {1} = 0`, a row for "
                              "each constraint.",
                              is.v, is.y),
                  {},
                  ""};
        add(rows, "Phi", form.Phi, "");
        add(rows, "G", form.G, "");
        for (const auto& [name, a] : {std::pair{"D", &form.D}, std::pair{"E", &form.E}, std::pair{"F", &form.F}}) {
            if (!is_literally_zero(*a)) add(rows, name, *a, "");
        }
        page.steps.push_back(rows);
    }

    std::vector<std::string> x, z;
    if (reduced != nullptr) {
        const linear::Linearization& at = *reduced;
        const linear::ReducedFormulas r = linear::reduced_formulas(formulas, at);
        if (!r.is_ok) {
            report.error("--state-space: " + r.why, "without --symbolic it is given in numbers");
            return std::nullopt;
        }
        for (const std::size_t i : at.y) x.push_back(at.s[i]);
        for (const std::size_t i : at.z) z.push_back(at.u[i]);
        std::string named;
        if (!r.names.empty())
            named =
                fmt::format(" Long entries that are used again are denoted by their positions: `{}`.", r.names.front().first.symbol().name);
        if (has_constraints || !r.names.empty()) {
            Step step{"On independent coordinates",
                      fmt::format("Independent motions `{x}` of {} and speeds `{z}` of {}; the others follow from them, `{y} = Y {x}` and "
                                  "`{v} = Z {z}{}`. "
                                  "`M_x {z}' + C_x {z} + K_x {x} = {}`, `{x}' = {}{}`.{}",
                                  quoted(x), quoted(z), is_literally_zero(r.P) ? "" : " + P " + is.x, w.empty() ? "0" : "B_x " + is.w,
                                  (is_identity(r.N) ? "" : "N_x ") + is.z, is_literally_zero(r.H) ? "" : " + H_x " + is.x, named,
                                  fmt::arg("x", is.x), fmt::arg("z", is.z), fmt::arg("y", is.y), fmt::arg("v", is.v)),
                      {},
                      ""};
            add(step, "Y", r.Y, ""), add(step, "Z", r.Z, "");
            for (const auto& [name, a] : {std::pair{"P", &r.P}, std::pair{"Q_z", &r.Q_z}, std::pair{"Q_x", &r.Q_y}}) {
                if (!is_literally_zero(*a)) add(step, name, *a, "");
            }
            add(step, "M_x", r.M, ""), add(step, "C_x", r.C, ""), add(step, "K_x", r.K, ""), add(step, "B_x", r.B, "");
            if (!is_identity(r.N)) add(step, "N_x", r.N, "");
            if (!is_literally_zero(r.H)) add(step, "H_x", r.H, "");
            page.steps.push_back(step);
        }
        Step state{"State space",
                   fmt::format("`{0}' = A {0}{1}` for the states `{0}`: {2}.", is.X, w.empty() ? "" : " + B_w " + is.w,
                               fmt::join(std::vector{quoted(x), quoted(z)}, ", ")),
                   {},
                   ""};
        add(state, "A", r.A, ""), add(state, "B_w", r.B_x, "");
        page.steps.push_back(state);
    }

    present::Options options{.to = how.to, .only = {"parameters"}, .spellings = spellings};
    options.goes_on = watch.hook();
    const std::string set = present::present(page, shown, options);
    if (watch.is_stopped()) return watch.tell(report), std::nullopt;
    if (how.to != present::To::json) return set;
    // the matrices under their names, beside the steps
    auto j = Json::parse(set);
    Json matrices_by_name = Json::object();
    for (const auto& step : j["steps"]) {
        for (const auto& line : step["lines"]) {
            const std::string symbol = line["symbol"];
            if (step["title"] != where.title) matrices_by_name[symbol] = line["value"];
        }
    }
    j["symbolic"] = std::move(matrices_by_name);
    j["small_motions"] = form.s;
    j["speeds"] = u;
    if (reduced != nullptr) j["independent"] = {{"coordinates", x}, {"speeds", z}};
    j["point"] = Json::array();
    for (const LinearFormulas::Value& v : formulas.values) {
        j["point"].push_back(
            {{"name", v.name}, {"value", v.value}, {"is_symbol", v.is_symbol}, {"exact", v.is_symbol ? "" : sym::print(v.exact)}});
    }
    return dump(j);
}

}  // namespace

Diagnostics check(const LinearPageOptions& options) {
    Report report;
    report.add(check(options.operating));
    are_single("--onto", split_list(options.onto), report);
    if (!options.state_space && !options.onto.empty()) {
        report.error("--onto cannot be combined with --symbolic, which gives the whole matrices",
                     "add --state-space for those on independent coordinates");
    }
    return report.problems;
}

Result<std::string> linear_page(const Session& session, const LinearPageOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    Watch watch(options.on_step, "entries");
    const Lease bench = borrow(session, "kane", report);
    if (!bench || !can_linearize(bench->equations(), report)) return report;
    const eom::EquationsOfMotion& e = bench->equations();
    const numeric::CompiledEquations& numbers = bench->numbers(Code::native, report);
    const linear::Linearizer linearizer(numbers);
    linear::LinearizeOptions o;
    o.onto = split_list(options.onto);
    o.geometric_stiffness = !options.lynch;
    o.checks_steadiness = true;
    o.lists_motions = session.model().outputs.empty();
    std::vector<std::string> known = linearizer.form().s;
    for (const Expr& u : e.u) known.push_back(u.symbol().name);
    if (!are_known("--onto", o.onto, known, report)) return report;
    const std::vector<std::string> keep = split_list(options.keep);
    if (!are_known("--keep", keep, keepable(e), report)) return report;
    const auto at = operating_state(options.operating, numbers, watch, report);
    if (!at) return report;
    linear::Linearization reduced;
    if (options.state_space) {
        reduced = linearizer(at->point, o);
        if (!reduced.is_ok) return report.fail("there is no linear model here: " + reduced.why), report;
        for (const std::string& note : reduced.notes) report.note(note);
    }
    auto page = write_page(numbers, at->point, keep, options, spellings_of(bench->model()), options.state_space ? &reduced : nullptr, watch,
                           report);
    if (!page) return report;
    return {report, std::move(*page)};
}

}  // namespace linkwright::session
