#include "linkwright/codegen/matlab/matlab.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "linkwright/codegen/layout.hpp"
#include "linkwright/codegen/matlab/kernel.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/codegen/statements.hpp"

namespace linkwright::codegen::matlab {
namespace {

using program::Op;

constexpr std::size_t width = 96;

// Functions that the file calls, and a few that its users surely do.
constexpr std::string_view needed[] = {
    "any",    "all",    "chol",    "error",       "lambda",    "max",     "mean",      "min",     "numel",   "qr",      "sum",
    "svd",    "sign",   "eye",     "linspace",    "length",    "ode15s",  "ode45",     "odeset",  "power",   "isempty", "isfinite",
    "false",  "true",   "rethrow", "square_root", "logarithm", "arcsine", "arccosine", "minimum", "maximum", "choose",  "cell",
    "struct", "repmat", "reshape", "sort",        "find",      "mod",     "rem",       "fix",     "line",
};

std::string call(Op op, std::span<const std::string> x) {
    switch (op) {
        case Op::sqrt: return fmt::format("square_root({})", x[0]);
        case Op::log: return fmt::format("logarithm({})", x[0]);
        case Op::asin: return fmt::format("arcsine({})", x[0]);
        case Op::acos: return fmt::format("arccosine({})", x[0]);
        case Op::pow: return fmt::format("raised({}, {})", x[0], x[1]);
        case Op::atan2: return fmt::format("atan2({}, {})", x[0], x[1]);
        case Op::min: return fmt::format("minimum({}, {})", x[0], x[1]);
        case Op::max: return fmt::format("maximum({}, {})", x[0], x[1]);
        case Op::select: return fmt::format("choose({}, {}, {})", x[0], x[1], x[2]);
        default: return fmt::format("{}({})", program::name(op), x[0]);
    }
}

std::string number(double x) {
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x < 0 ? "-Inf" : "Inf";
    return shortest(x);
}

class Writer {
public:
    explicit Writer(const Package& package) : package_(package) {}

    std::string write() {
        write_main();
        for (const Function& f : package_.functions) write_function(f);
        if (package_.find("setup") == nullptr) {
            line("\nfunction c = setup(p)");
            line("    % Nothing here depends on parameters.");
            line("    c = zeros(0, 1);");
            line("end");
        }
        write_by_hand();
        for (const auto& [op, text] : small_kernels) {
            if (operations_.contains(op)) text_ += text;
        }
        return std::move(text_);
    }

private:
    Listing list(const Function& f) const {
        Spelling spelling{.inputs = {}, .number = number, .call = call, .widest = 88};
        for (const std::size_t a : f.arguments) {
            const Argument& argument = package_.arguments[a];
            for (std::size_t i = 0; i < argument.entries.size(); ++i) {
                spelling.inputs.push_back(argument.is_scalar ? argument.name : fmt::format("{}({})", argument.name, i + 1));
            }
        }
        return write_statements(f.program, spelling);
    }

    void line(const std::string& text) { text_ += text + "\n"; }

    static std::string quoted(const std::string& text) {
        std::string out = "'";
        for (const char x : one_line(text)) out += x == '\'' ? "''" : std::string(1, x);
        return out + "'";
    }

    /// A column, on as many lines as it takes.
    void write_column(const std::string& name, std::vector<std::string> items, bool is_cell) {
        if (items.empty()) return line(fmt::format("    {} = {}(0, 1);", name, is_cell ? "cell" : "zeros"));
        for (std::size_t k = 0; k + 1 < items.size(); ++k) items[k] += ";";
        items.front() = fmt::format("{} = {}{}", name, is_cell ? "{" : "[", items.front());
        items.back() += is_cell ? "};" : "];";
        const std::vector<std::string> lines = fill(items, width - 8, "    ");
        for (std::size_t k = 0; k < lines.size(); ++k) line("    " + lines[k] + (k + 1 < lines.size() ? " ..." : ""));
    }

    void write_main() {
        const std::string name = function_name(package_);
        line(fmt::format("function s = {}()", name));
        for (const std::string& l : head(package_, 1)) line(l.empty() ? "%" : "% " + l);
        line("%");
        line("% Use");
        line("%");
        line(fmt::format("%     s = {}();", name));
        line("%     p = s.p;                       % parameters as in the table; change them here");
        line("%     c = s.setup(p);");
        line(fmt::format("%     x = [s.q; s.u];{}", package_.m() > 0 ? "                % must close the loops" : ""));
        line(fmt::format("%     [t, x] = ode45(@(t, x) s.rhs(t, x, {}, c), [0 10], x, odeset('RelTol', 1e-8));",
                         package_.find("input_values") != nullptr ? "s.input_values(t, c)" : "s.w"));
        line("%     [A, B] = s.rhs_jacobian(0, x(end, :)', s.w, c);");
        line("%");
        for (const std::string& l : wrap("Vectors are columns. Every function is a handle in s: " + joined(handles(), " ") + ".", width))
            line("% " + l);
        if (package_.m() > 0) {
            line(
                "% A state must fulfil the constraints (see residuals). Rows may be redundant: of all admissible "
                "multipliers those");
            line("% of smallest norm are returned. Rows that contradict each other by more than drift explains, and motions without");
            line("% inertia, are errors.");
        }
        line("");
        line(fmt::format("    s.name = {};", quoted(package_.name)));
        line(fmt::format("    s.formulation = {};", quoted(package_.formulation)));
        if (package_.m() > 0) {
            line(fmt::format("    s.rank = {};  % independent constraints{}", rank(),
                             package_.rank == Package::undecided ? ": counted at every call" : ", at the start"));
        }
        const auto vector = [&](const std::string& letter, const std::vector<Entry>& entries, bool has_values) {
            std::vector<std::string> values, names, units;
            for (const Entry& e : entries) {
                values.push_back(number(e.value));
                names.push_back(quoted(e.name));
                units.push_back(quoted(e.unit));
            }
            if (has_values) write_column("s." + letter, values, false);
            write_column(fmt::format("s.{}_names", letter), names, true);
            if (letter == "w" || letter == "p") write_column(fmt::format("s.{}_units", letter), units, true);
        };
        vector("q", package_.arguments[1].entries, true);
        vector("u", package_.arguments[2].entries, true);
        vector("w", package_.arguments[3].entries, true);
        vector("p", package_.arguments[4].entries, true);
        vector("lambda", package_.constraints, false);
        vector("y", package_.outputs, false);
        for (const std::string& h : handles()) line(fmt::format("    s.{0} = @{0};", h));
        line("end");
    }

    std::vector<std::string> handles() const {
        std::vector<std::string> names;
        if (package_.find("setup") == nullptr) names.emplace_back("setup");
        for (const Function& f : package_.functions) names.push_back(f.name);
        if (package_.find("accelerations") == nullptr) names.emplace_back("accelerations");
        names.insert(names.end(), {"rhs", "rhs_jacobian"});
        if (!package_.quaternions.empty()) names.emplace_back("normalise");
        return names;
    }

    std::string rank() const { return package_.rank == Package::undecided ? "-1" : fmt::format("{}", package_.rank); }

    static std::string targets(const std::vector<std::string>& names) {
        return names.size() == 1 ? names[0] : "[" + joined(names, ", ") + "]";
    }

    void write_function(const Function& f) {
        const Listing body = list(f);
        for (const program::Line& l : f.program.lines) operations_.insert(l.op);
        std::vector<std::string> arguments;
        for (const std::size_t a : f.arguments) arguments.push_back(package_.arguments[a].name);
        line(fmt::format("\nfunction {} = {}({})", targets(result_names(f)), f.name, joined(arguments, ", ")));
        line("    % " + f.about);
        for (const Result& r : f.results) {
            line(r.is_scalar ? fmt::format("    %   {}: {}", r.name, r.about)
                             : fmt::format("    %   {} ({} x {}): {}", r.name, r.rows, r.columns, r.about));
        }
        line("    % Operations: " + describe(f.operations) + ".");
        for (const Statement& s : body.statements) line(fmt::format("    {} = {};", s.name, s.value));
        std::size_t next = 0;
        for (const Result& r : f.results) {
            if (r.is_scalar) {
                line(fmt::format("    {} = {};", r.name, r.at.empty() ? "0.0" : body.outputs[next++]));
                continue;
            }
            line(fmt::format("    {} = zeros({}, {});", r.name, r.rows, r.columns));
            for (const std::size_t at : r.at) {
                const std::size_t i = at / r.columns + 1, j = at % r.columns + 1;
                const std::string target = is_matrix(r) ? fmt::format("{}({}, {})", r.name, i, j) : fmt::format("{}({})", r.name, i);
                line(fmt::format("    {} = {};", target, body.outputs[next++]));
                if (r.is_symmetric && i != j) line(fmt::format("    {}({}, {}) = {};", r.name, j, i, target));
            }
        }
        line("end");
    }

    void write_by_hand() {
        const bool is_tree = package_.m() == 0, has_speeds = package_.nu() > 0;
        const std::size_t nq = package_.nq(), n = package_.nu(), nx = nq + n;
        if (!is_tree) {
            line("\nfunction [udot, lambda] = accelerations(t, q, u, w, c)");
            line("    % Accelerations and multipliers: M udot + G' lambda = f, G udot = gamma.");
            if (has_speeds) {
                line("    [M, f, G, gamma] = dynamics(t, q, u, w, c);");
                line(fmt::format("    [udot, lambda] = solve_descriptor(M, f, G, gamma, {});", rank()));
                line("    longest = max(sqrt(sum(G.^2, 2)));");
                line("    allowed = 0.01 * (longest * norm(udot) + abs(gamma));     % more than the drift of an integrator");
                line("    allowed = allowed + (1e-6 + 1e-3 * sum(u.^2)) * (longest + (longest == 0));");
                line("    if any(abs(G * udot - gamma) > allowed)");
                line("        error('linkwright:contradiction', 'constraints contradict each other here');");
                line("    end");
            } else {
                line("    udot = zeros(0, 1);");
                line(fmt::format("    lambda = zeros({}, 1);", package_.m()));
            }
            line("end");
        } else if (package_.find("accelerations") == nullptr) {
            line("\nfunction udot = accelerations(t, q, u, w, c)");
            line("    % No accelerations: every motion is given.");
            line("    udot = zeros(0, 1);");
            line("end");
        }
        const std::string split = fmt::format("    q = x(1:{});\n    u = x({}:{});", nq, nq + 1, nx);
        line("\nfunction xdot = rhs(t, x, w, c)");
        line("    % The rate of the state x = [q; u]; for ode45 and its like.");
        line(split);
        line(fmt::format("    xdot = [{}accelerations(t, q, u, w, c)];", package_.find("rates") == nullptr ? "" : "rates(t, q, u, c); "));
        line("end");

        line("\nfunction [A, B] = rhs_jacobian(t, x, w, c)");
        line("    % A = d rhs / d x and B = d rhs / d w.");
        line(split);
        line(fmt::format("    A = zeros({0}, {0});\n    B = zeros({0}, {1});", nx, package_.nw()));
        if (const Function* f = package_.find("rate_jacobians")) {
            line(fmt::format("    {} = rate_jacobians(t, q, u, c);", targets(result_names(*f))));
            if (find_result(f, "qdot_q") != nullptr) line(fmt::format("    A(1:{0}, 1:{0}) = qdot_q;", nq));
            if (find_result(f, "qdot_u") != nullptr) line(fmt::format("    A(1:{}, {}:{}) = qdot_u;", nq, nq + 1, nx));
        }
        const Function* jacobians = package_.find("jacobians");
        if (has_speeds && jacobians != nullptr) {
            if (is_tree) {
                line("    lambda = zeros(0, 1);");
                line("    udot = accelerations(t, q, u, w, c);");
            } else {
                line("    [udot, lambda] = accelerations(t, q, u, w, c);");
            }
            line(fmt::format("    {} = dynamics(t, q, u, w, c);", targets(result_names(*package_.find("dynamics")))));
            line(fmt::format("    {} = jacobians(t, q, u, w, udot, lambda, c);", targets(result_names(*jacobians))));
            const auto stacked = [&](const char* letter) { return "-[" + joined(jacobian_blocks(*jacobians, letter), ", ") + "]"; };
            if (is_tree) {
                line(fmt::format("    slope = M \\ {};", stacked("r")));
            } else {
                line("    % M dudot + G' dlambda = -dr, G dudot = -ds");
                line(fmt::format("    slope = solve_descriptor(M, {}, G, {}, {});", stacked("r"), stacked("s"), rank()));
            }
            line(fmt::format("    A({}:{}, :) = slope(:, 1:{});", nq + 1, nx, nx));
            if (package_.nw() > 0) line(fmt::format("    B({}:{}, :) = slope(:, {}:{});", nq + 1, nx, nx + 1, nx + package_.nw()));
        }
        line("end");
        if (!is_tree && has_speeds) text_ += descriptor_kernel;

        if (package_.quaternions.empty()) return;
        line("\nfunction q = normalise(q)");
        line("    % The coordinates with unit quaternions of length 1.");
        for (const auto& group : package_.quaternions) {
            line(fmt::format("    e = [{}, {}, {}, {}];", group[0] + 1, group[1] + 1, group[2] + 1, group[3] + 1));
            line("    q(e) = q(e) / norm(q(e));");
        }
        line("end");
    }

    const Package& package_;
    std::set<Op> operations_;
    std::string text_;
};

}  // namespace

std::string function_name(const Package& package) {
    const bool is_taken = std::ranges::find(needed, package.identifier) != std::end(needed);
    return is_taken ? package.identifier + "_model" : package.identifier;
}

std::vector<File> write(const Package& package) {
    const Package flat = inlined(package);  // chains that repeat are written out
    return {{function_name(package) + ".m", Writer(flat).write()}};
}

}  // namespace linkwright::codegen::matlab
