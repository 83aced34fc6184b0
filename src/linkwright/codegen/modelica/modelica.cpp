#include "linkwright/codegen/modelica/modelica.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "linkwright/codegen/layout.hpp"
#include "linkwright/codegen/modelica/kernel.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/codegen/statements.hpp"

namespace linkwright::codegen::modelica {
namespace {

using program::Op;

constexpr std::size_t width = 96;
constexpr std::size_t lambda_at = 7;

constexpr std::string_view taken[] = {"fill", "identity", "max", "min", "motion", "sum", "factor", "solve_definite", "transpose", "cat"};

/// The language has no word for what is not finite; tools fold these, or stop there.
std::string number(double x) {
    if (std::isnan(x)) return "(1.0e300*1.0e300 - 1.0e300*1.0e300)";
    if (std::isinf(x)) return x < 0 ? "-(1.0e300*1.0e300)" : "(1.0e300*1.0e300)";
    return shortest(x);
}

std::string call(Op op, std::span<const std::string> x) {
    switch (op) {
        case Op::sqrt: return fmt::format("square_root({})", x[0]);
        case Op::log: return fmt::format("logarithm({})", x[0]);
        case Op::asin: return fmt::format("arcsine({})", x[0]);
        case Op::acos: return fmt::format("arccosine({})", x[0]);
        case Op::pow: return fmt::format("raised({}, {})", x[0], x[1]);
        case Op::atan2: return fmt::format("atan2({}, {})", x[0], x[1]);
        case Op::abs: return fmt::format("abs({})", x[0]);
        case Op::sign: return fmt::format("(if {0} > 0.0 then 1.0 else if {0} < 0.0 then -1.0 else {0})", x[0]);
        case Op::min: return fmt::format("(if {1} < {0} then {1} else {0})", x[0], x[1]);
        case Op::max: return fmt::format("(if {0} < {1} then {1} else {0})", x[0], x[1]);
        case Op::select: return fmt::format("(if {} > 0.0 then {} else {})", x[0], x[1], x[2]);
        default: return fmt::format("{}({})", program::name(op), x[0]);
    }
}

class Writer {
public:
    explicit Writer(const Package& package) : package_(package) {}

    std::string write() {
        const std::string name = package_name(package_);
        for (const std::string& l : head(package_, 1)) line(l.empty() ? "//" : "// " + l);
        line("//");
        line("// Use");
        line("//");
        line("//     model Drive");
        line(fmt::format("//       {}.Motion motion{}{};", name, starts_example(),
                         package_.m() > 0 ? " \"must close the loops at the start\"" : ""));
        if (package_.nw() > 0) {
            line("//     equation");
            line(package_.find("input_values") == nullptr ? fmt::format("//       motion.w = {}.w_default;", name)
                 : has(5) && !has(4)                      ? fmt::format("//       motion.w = {0}.input_values(time, {0}.setup());", name)
                 : has(5) ? fmt::format("//       motion.w = {0}.input_values(time, {0}.setup({0}.p_default));", name)
                          : fmt::format("//       motion.w = {0}.input_values(time);", name));
        }
        line("//     end Drive;");
        if (package_.m() > 0) {
            line("//");
            line(
                "// A state must fulfil the constraints (see residuals); accelerations keep it there up to the drift "
                "of the solver. Rows");
            line("// may be redundant: of all multipliers those of smallest norm are returned. Rows that contradict each other by more");
            line("// than drift explains, and motions without inertia, fail an assertion.");
        }
        line("");
        line(fmt::format("package {} {}", name, in_quotes(package_.name + ": equations of motion")));
        write_constants();
        write_guarded();
        for (const Function& f : package_.functions) write_function(f);
        write_by_hand();
        write_model();
        line(fmt::format("end {};", name));
        return std::move(text_);
    }

private:
    void line(const std::string& text) { text_ += text + "\n"; }

    std::string starts_example() const {
        std::vector<std::string> zeros;
        for (const Entry& e : package_.arguments[1].entries) zeros.push_back(number(e.value));
        return zeros.empty() || zeros.size() > 8 ? std::string() : "(q_start = {" + joined(zeros, ", ") + "})";
    }

    bool has(std::size_t argument) const { return !package_.arguments[argument].entries.empty(); }

    /// "t, q, u, c": those that there are.
    std::string arguments(std::initializer_list<std::size_t> list, const std::string& t) const {
        std::vector<std::string> names;
        for (const std::size_t a : list) {
            if (a == 0) {
                names.push_back(t);
            } else if (has(a)) {
                names.push_back(package_.arguments[a].name);
            }
        }
        return joined(names, ", ");
    }

    void write_list(const std::string& front, const std::vector<std::string>& items, const std::string& back) {
        std::vector<std::string> pieces = separated(items, ",");
        pieces.front() = front + "{" + pieces.front();
        pieces.back() += "}" + back;
        for (const std::string& l : fill(pieces, width - 2, "    ")) line("  " + l);
    }

    void write_constants() {
        const auto names = [&](const std::string& letter, const std::vector<Entry>& entries, bool has_values) {
            if (entries.empty()) return;
            std::vector<std::string> words, values;
            for (const Entry& e : entries) words.push_back(in_quotes(e.name)), values.push_back(number(e.value));
            write_list(fmt::format("constant String {}_names[{}] = ", letter, entries.size()), words, ";");
            if (has_values) write_list(fmt::format("constant Real {}_default[{}] = ", letter, entries.size()), values, ";");
        };
        if (package_.m() > 0 && package_.nu() > 0) {
            line(package_.rank == Package::undecided
                     ? "  constant Integer rank = -1 \"independent constraints: counted at every call\";"
                     : fmt::format("  constant Integer rank = {} \"independent constraints, at the start\";", package_.rank));
        }
        names("q", package_.arguments[1].entries, false);
        names("u", package_.arguments[2].entries, false);
        names("w", package_.arguments[3].entries, true);
        names("p", package_.arguments[4].entries, true);
        names("lambda", package_.constraints, false);
        names("y", package_.outputs, false);
    }

    static std::string dimensions(const Result& r) {
        if (r.is_scalar) return "";
        return is_matrix(r) ? fmt::format("[{}, {}]", r.rows, r.columns) : fmt::format("[{}]", r.rows);
    }

    /// Not a number outside their domain, instead of an error: a choice between two formulas works out both.
    void write_guarded() {
        const auto uses = [&](Op op) {
            return std::ranges::any_of(package_.functions, [&](const Function& f) {
                return std::ranges::any_of(f.program.lines, [&](const program::Line& l) { return l.op == op; });
            });
        };
        const auto write = [&](Op op, const char* name, const char* domain, const char* value) {
            if (!uses(op)) return;
            line(fmt::format("\n  function {} \"{}, not a number outside its domain\"", name, value));
            line("    input Real x;");
            if (op == Op::pow) line("    input Real exponent;");
            line("    output Real y;");
            line("  protected");
            line("    Real big;");
            line("  algorithm");
            line("    big := 1.0e300;");
            line(fmt::format("    if {} then", domain));
            line(fmt::format("      y := {};", value));
            line("    else");
            line("      y := big*big - big*big;");
            line("    end if;");
            line(fmt::format("  end {};", name));
        };
        write(Op::sqrt, "square_root", "x >= 0.0", "sqrt(x)");
        write(Op::log, "logarithm", "x > 0.0", "log(x)");
        write(Op::asin, "arcsine", "abs(x) <= 1.0", "asin(x)");
        write(Op::acos, "arccosine", "abs(x) <= 1.0", "acos(x)");
        write(Op::pow, "raised", "x > 0.0 or (x >= 0.0 and exponent > 0.0)", "x^exponent");
    }

    void write_inputs(std::span<const std::size_t> list) {
        for (const std::size_t a : list) {
            const Argument& argument = package_.arguments[a];
            if (argument.is_scalar) {
                line(fmt::format("    input Real {} {};", argument.name, in_quotes(argument.about)));
            } else if (!argument.entries.empty()) {
                line(fmt::format("    input Real {}[{}] {};", argument.name, argument.entries.size(), in_quotes(argument.about)));
            }
        }
    }

    Listing list(const Function& f) const {
        Spelling spelling{.inputs = {}, .number = number, .call = call, .widest = 88};
        for (const std::size_t a : f.arguments) {
            const Argument& argument = package_.arguments[a];
            for (std::size_t i = 0; i < argument.entries.size(); ++i) {
                spelling.inputs.push_back(argument.is_scalar ? argument.name : fmt::format("{}[{}]", argument.name, i + 1));
            }
        }
        return write_statements(f.program, spelling);
    }

    void write_function(const Function& f) {
        const Listing body = list(f);
        line(fmt::format("\n  function {} {}", f.name, in_quotes(f.about)));
        line(fmt::format("    // Operations: {}.", describe(f.operations)));
        write_inputs(f.arguments);
        for (const Result& r : f.results) line(fmt::format("    output Real {}{} {};", r.name, dimensions(r), in_quotes(r.about)));
        if (!body.statements.empty()) {
            line("  protected");
            std::vector<std::string> locals;
            for (const Statement& s : body.statements) locals.push_back(s.name);
            locals = separated(locals, ",");
            locals.front() = "Real " + locals.front();
            locals.back() += ";";
            for (const std::string& l : fill(locals, width - 4, "  ")) line("    " + l);
        }
        line("  algorithm");
        for (const Statement& s : body.statements) line(fmt::format("    {} := {};", s.name, s.value));
        std::size_t next = 0;
        for (const Result& r : f.results) {
            if (r.is_scalar) {
                line(fmt::format("    {} := {};", r.name, r.at.empty() ? "0.0" : body.outputs[next++]));
                continue;
            }
            const std::size_t entries = r.is_symmetric ? r.rows * (r.rows + 1) / 2 : r.rows * r.columns;
            if (r.at.size() < entries) {
                line(is_matrix(r) ? fmt::format("    {} := zeros({}, {});", r.name, r.rows, r.columns)
                                  : fmt::format("    {} := zeros({});", r.name, r.rows));
            }
            for (const std::size_t at : r.at) {
                const std::size_t i = at / r.columns + 1, j = at % r.columns + 1;
                const std::string target = is_matrix(r) ? fmt::format("{}[{}, {}]", r.name, i, j) : fmt::format("{}[{}]", r.name, i);
                line(fmt::format("    {} := {};", target, body.outputs[next++]));
                if (r.is_symmetric && i != j) line(fmt::format("    {}[{}, {}] := {};", r.name, j, i, target));
            }
        }
        line(fmt::format("  end {};", f.name));
    }

    void write_by_hand() {
        const bool is_tree = package_.m() == 0;
        const std::size_t n = package_.nu(), nq = package_.nq(), nx = nq + n, nw = package_.nw(), m = package_.m();
        if (n == 0) return;
        const std::size_t columns = nx + nw;
        if (!is_tree) text_ += factor_kernel;
        text_ += definite_kernel;
        if (!is_tree) {
            text_ += descriptor_kernel;
            line("\n  function accelerations \"Accelerations and multipliers: M udot + G' lambda = f, G udot = gamma\"");
            write_inputs(std::array<std::size_t, 5>{0, 1, 2, 3, 5});
            line(fmt::format("    output Real udot[{}] \"accelerations\";", n));
            line(fmt::format("    output Real lambda[{}] \"multipliers of the constraints\";", m));
            line("  protected");
            line(fmt::format(
                "    Real M[{0}, {0}], f[{0}], G[{1}, {0}], gamma[{1}], a[{0}, 1], b[{1}, 1], left, size_G, size_a, longest, drift;", n,
                m));
            line("  algorithm");
            line(fmt::format("    (M, f, G, gamma) := dynamics({});", arguments({0, 1, 2, 3, 5}, "t")));
            line("    (a, b) := solve_descriptor(M, matrix(f), G, matrix(gamma), rank);");
            line("    udot := a[:, 1];");
            line("    lambda := b[:, 1];");
            line("    longest := 0.0;");
            line(fmt::format("    for i in 1:{} loop", m));
            line("      size_G := 0.0;");
            line(fmt::format("      for j in 1:{} loop", n));
            line("        size_G := size_G + G[i, j]*G[i, j];");
            line("      end for;");
            line("      longest := max(longest, sqrt(size_G));");
            line("    end for;");
            line(fmt::format("    for i in 1:{} loop", m));
            line("      left := -gamma[i];");
            line("      size_a := 0.0;");
            line("      drift := 1.0e-6;");
            line(fmt::format("      for j in 1:{} loop", n));
            line("        left := left + G[i, j]*udot[j];");
            line("        size_a := size_a + udot[j]*udot[j];");
            line("        drift := drift + 1.0e-3*u[j]*u[j];");
            line("      end for;");
            line("      // more than the drift of an integrator");
            line("      drift := drift*(if longest > 0.0 then longest else 1.0);");
            line("      drift := drift + 0.01*(longest*sqrt(size_a) + abs(gamma[i]));");
            line("      assert(abs(left) <= drift, \"constraints contradict each other here\");");
            line("    end for;");
            line("  end accelerations;");
        }
        write_split("rhs", "The rate of the state x = [q; u]");
        line(fmt::format("    output Real xdot[{}];", nx));
        line("  protected");
        line(fmt::format("    Real {}u[{}];", nq > 0 ? fmt::format("q[{}], ", nq) : "", n));
        if (!is_tree) line(fmt::format("    Real udot[{}], lambda[{}];", n, m));
        line("  algorithm");
        write_splitting();
        if (nq > 0) line(fmt::format("    xdot[1:{}] := rates({});", nq, arguments({0, 1, 2, 5}, "t")));
        if (is_tree) {
            line(fmt::format("    xdot[{}:{}] := accelerations({});", nq + 1, nx, arguments({0, 1, 2, 3, 5}, "t")));
        } else {
            line(fmt::format("    (udot, lambda) := accelerations({});", arguments({0, 1, 2, 3, 5}, "t")));
            line(fmt::format("    xdot[{}:{}] := udot;", nq + 1, nx));
        }
        line("  end rhs;");

        const Function* jacobians = package_.find("jacobians");
        if (jacobians == nullptr) return;
        write_split("rhs_jacobian", "A = d rhs / d x and B = d rhs / d w");
        line(fmt::format("    output Real A[{0}, {0}];", nx));
        if (nw > 0) line(fmt::format("    output Real B[{}, {}];", nx, nw));
        line("  protected");
        line(fmt::format("    Real {}u[{}], udot[{}], M[{}, {}], f[{}];", nq > 0 ? fmt::format("q[{}], ", nq) : "", n, n, n, n, n));
        if (!is_tree) line(fmt::format("    Real lambda[{0}], G[{0}, {1}], gamma[{0}], s[{0}, {2}], change[{0}, {2}];", m, n, columns));
        if (is_tree) line(fmt::format("    Real extent[{}];", n));
        line(fmt::format("    Real r[{0}, {1}], slope[{0}, {1}];", n, columns));
        declare_results(*jacobians);
        const Function* rates = package_.find("rate_jacobians");
        if (rates != nullptr) declare_results(*rates);
        line("  algorithm");
        write_splitting();
        line(fmt::format("    {} := accelerations({});", is_tree ? "udot" : "(udot, lambda)", arguments({0, 1, 2, 3, 5}, "t")));
        line(fmt::format("    ({}) := dynamics({});", joined(result_names(*package_.find("dynamics")), ", "),
                         arguments({0, 1, 2, 3, 5}, "t")));
        line(fmt::format("    {} := jacobians({});", targets(*jacobians), arguments({0, 1, 2, 3, 6, lambda_at, 5}, "t")));
        write_stack(*jacobians, "r");
        if (is_tree) {
            line(fmt::format("    for i in 1:{} loop\n      extent[i] := M[i, i];\n    end for;", n));
            line(fmt::format("    slope := solve_definite(M, r, {}, extent);", n));
        } else {
            line("    // M dudot + G' dlambda = -dr, G dudot = -ds");
            write_stack(*jacobians, "s");
            line("    (slope, change) := solve_descriptor(M, r, G, s, rank);");
        }
        line(fmt::format("    A := zeros({0}, {0});", nx));
        if (rates != nullptr) {
            line(fmt::format("    {} := rate_jacobians({});", targets(*rates), arguments({0, 1, 2, 5}, "t")));
            if (find_result(rates, "qdot_q") != nullptr) line(fmt::format("    A[1:{0}, 1:{0}] := qdot_q;", nq));
            if (find_result(rates, "qdot_u") != nullptr) line(fmt::format("    A[1:{}, {}:{}] := qdot_u;", nq, nq + 1, nx));
        }
        line(fmt::format("    A[{}:{}, :] := slope[:, 1:{}];", nq + 1, nx, nx));
        if (nw > 0) {
            line(fmt::format("    B := zeros({}, {});", nx, nw));
            line(fmt::format("    B[{}:{}, :] := slope[:, {}:{}];", nq + 1, nx, nx + 1, columns));
        }
        line("  end rhs_jacobian;");

        if (package_.quaternions.empty()) return;
        line("\n  function normalise \"The coordinates with unit quaternions of length 1\"");
        write_inputs(std::array<std::size_t, 1>{1});
        line(fmt::format("    output Real e[{}];", nq));
        line("  protected");
        line("    Real s;");
        line("  algorithm");
        line("    e := q;");
        for (const auto& group : package_.quaternions) {
            std::vector<std::string> squares;
            for (const std::size_t i : group) squares.push_back(fmt::format("q[{0}]*q[{0}]", i + 1));
            line(fmt::format("    s := sqrt({});", joined(squares, " + ")));
            for (const std::size_t i : group) line(fmt::format("    e[{0}] := q[{0}]/s;", i + 1));
        }
        line("  end normalise;");
    }

    void write_split(const std::string& name, const std::string& about) {
        line(fmt::format("\n  function {} {}", name, in_quotes(about)));
        line("    input Real t \"time\";");
        line(fmt::format("    input Real x[{}] \"coordinates, then speeds\";", package_.nq() + package_.nu()));
        write_inputs(std::array<std::size_t, 2>{3, 5});
    }
    void write_splitting() {
        if (package_.nq() > 0) line(fmt::format("    q := x[1:{}];", package_.nq()));
        line(fmt::format("    u := x[{}:{}];", package_.nq() + 1, package_.nq() + package_.nu()));
    }
    void declare_results(const Function& f) {
        std::vector<std::string> names;
        for (const Result& r : f.results) names.push_back(r.name + dimensions(r));
        line(fmt::format("    Real {};", joined(names, ", ")));
    }
    static std::string targets(const Function& f) {
        const std::vector<std::string> names = result_names(f);
        return names.size() == 1 ? names[0] : "(" + joined(names, ", ") + ")";
    }
    void write_stack(const Function& jacobians, const std::string& letter) {
        std::size_t first = 1;
        for (const std::string& block : jacobian_blocks(jacobians, letter)) {
            const std::size_t columns = find_result(&jacobians, block)->columns;
            line(fmt::format("    {}[:, {}:{}] := -{};", letter, first, first + columns - 1, block));
            first += columns;
        }
    }

    void write_model() {
        const bool is_tree = package_.m() == 0;
        const std::size_t n = package_.nu(), nq = package_.nq();
        const std::string c = has(5) ? ", c" : "";
        line("\n  model Motion \"The mechanism in motion\"");
        if (has(4)) {
            std::vector<std::string> units;
            for (const Entry& e : package_.arguments[4].entries) units.push_back(in_quotes(unit(e.unit)));
            write_list(fmt::format("  parameter Real p[{}](unit = ", package_.np()), units, ") = p_default \"parameters, by p_names\";");
        }
        if (has(3)) {
            std::vector<std::string> units;
            for (const Entry& e : package_.arguments[3].entries) units.push_back(in_quotes(unit(e.unit)));
            write_list(fmt::format("  input Real w[{}](unit = ", package_.nw()), units, ") \"inputs, by w_names\";");
        }
        if (nq > 0) {
            std::vector<std::string> values;
            for (const Entry& e : package_.arguments[1].entries) values.push_back(number(e.value));
            write_list(fmt::format("  parameter Real q_start[{}] = ", nq), values, " \"coordinates at the start\";");
            line(fmt::format("    Real q[{}](start = q_start, each fixed = true) \"coordinates, by q_names\";", nq));
        }
        if (n > 0) {
            std::vector<std::string> values;
            for (const Entry& e : package_.arguments[2].entries) values.push_back(number(e.value));
            write_list(fmt::format("  parameter Real u_start[{}] = ", n), values, " \"speeds at the start\";");
            line(fmt::format("    Real u[{}](start = u_start, each fixed = true) \"speeds, by u_names\";", n));
            line(fmt::format("    Real udot[{}] \"accelerations\";", n));
        }
        if (!is_tree) line(fmt::format("    Real lambda[{}] \"multipliers of the constraints, by lambda_names\";", package_.m()));
        const Function* energy = package_.find("energy");
        if (energy != nullptr) {
            line("    Real T(unit = \"J\") \"kinetic energy\";");
            line("    Real V(unit = \"J\") \"potential energy\";");
        }
        if (package_.find("outputs") != nullptr) line(fmt::format("    Real y[{}] \"outputs, by y_names\";", package_.outputs.size()));
        if (has(5)) {
            line("  protected");
            line(fmt::format("    final parameter Real c[{}] = setup(p) \"what depends on parameters only\";", package_.nc()));
        }
        line("  equation");
        if (nq > 0) line(fmt::format("    der(q) = rates({});", arguments({0, 1, 2, 5}, "time")));
        if (n > 0) {
            line("    der(u) = udot;");
            line(fmt::format("    {} = accelerations({});", is_tree ? "udot" : "(udot, lambda)", arguments({0, 1, 2, 3, 5}, "time")));
        } else if (!is_tree) {
            line(fmt::format("    lambda = zeros({});", package_.m()));
        }
        if (energy != nullptr) line(fmt::format("    (T, V) = energy({});", arguments({0, 1, 2, 5}, "time")));
        if (package_.find("outputs") != nullptr)
            line(fmt::format("    y = outputs({});", arguments({0, 1, 2, 3, 6, lambda_at, 5}, "time")));
        line("  end Motion;");
    }

    const Package& package_;
    std::string text_;
};

}  // namespace

std::string package_name(const Package& package) {
    const bool is_taken = std::ranges::find(taken, package.identifier) != std::end(taken);
    return is_taken ? package.identifier + "_model" : package.identifier;
}

std::string unit(const std::string& si) {
    std::vector<std::string> above, below;
    std::string word;
    bool divides = false;
    const auto finish = [&] {
        if (!word.empty() && (word != "1" || !divides)) (divides ? below : above).push_back(word);
        word.clear();
    };
    for (const char x : si) {
        if (x == '*' || x == '/') {
            finish();
            divides = x == '/';
        } else if (x != '^' && x != ' ') {
            word += x;
        }
    }
    finish();
    if (above.size() > 1) std::erase(above, "1");
    std::ranges::replace(above, "ohm", "Ohm");
    std::ranges::replace(below, "ohm", "Ohm");
    if (below.empty()) return joined(above, ".");
    const std::string under = below.size() > 1 ? "(" + joined(below, ".") + ")" : below.front();
    return (above.empty() ? "1" : joined(above, ".")) + "/" + under;
}

std::vector<File> write(const Package& package) {
    const Package flat = inlined(package);  // chains that repeat are written out
    return {{package_name(package) + ".mo", Writer(flat).write()}};
}

}  // namespace linkwright::codegen::modelica
