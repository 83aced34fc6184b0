#include "linkwright/codegen/julia/julia.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "linkwright/codegen/julia/kernel.hpp"
#include "linkwright/codegen/layout.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/codegen/statements.hpp"

namespace linkwright::codegen::julia {
namespace {

using program::Op;

// Names of Base and LinearAlgebra that the module needs, and those that its users would miss.
constexpr std::string_view taken[] = {
    "Any",
    "ArgumentError",
    "Array",
    "Base",
    "Bool",
    "Cholesky",
    "ColumnNorm",
    "Complex",
    "Core",
    "Dict",
    "DimensionMismatch",
    "Float64",
    "I",
    "Inf",
    "Int",
    "LinearAlgebra",
    "Main",
    "Matrix",
    "Module",
    "NaN",
    "Number",
    "Pair",
    "QR",
    "Real",
    "Set",
    "String",
    "Symmetric",
    "Tuple",
    "Type",
    "UpperTriangular",
    "Vector",
};

std::string number(double x) {
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x < 0 ? "-Inf" : "Inf";
    return shortest(x);
}

std::string call(Op op, std::span<const std::string> x) {
    switch (op) {
        case Op::atan2: return fmt::format("atan({}, {})", x[0], x[1]);
        case Op::sqrt: return fmt::format("square_root({})", x[0]);
        case Op::log: return fmt::format("logarithm({})", x[0]);
        case Op::asin: return fmt::format("arcsine({})", x[0]);
        case Op::acos: return fmt::format("arccosine({})", x[0]);
        case Op::pow: return fmt::format("raised({}, {})", x[0], x[1]);
        case Op::min: return fmt::format("ifelse({1} < {0}, {1}, {0})", x[0], x[1]);  // a NaN as in the other languages
        case Op::max: return fmt::format("ifelse({0} < {1}, {1}, {0})", x[0], x[1]);
        case Op::select: return fmt::format("ifelse({} > 0, {}, {})", x[0], x[1], x[2]);
        default: return fmt::format("{}({})", program::name(op), x[0]);
    }
}

class Writer {
public:
    explicit Writer(const Package& package) : package_(package) {}

    std::string write() {
        write_head();
        write_symbols();
        text_ += common_kernel;
        for (const Function& f : package_.functions) write_function(f);
        if (package_.find("setup") == nullptr) {
            line("\n\"Nothing here depends on parameters.\"");
            line("setup(p) = zeros(number_type(p), 0)");
        }
        write_by_hand();
        line("\nend # module");
        return std::move(text_);
    }

private:
    void line(const std::string& text) { text_ += text + "\n"; }

    static std::string quoted(const std::string& words) { return in_quotes(words, "\"$"); }

    void write_head() {
        const std::string module = module_name(package_);
        for (const std::string& l : head(package_, 1)) line(l.empty() ? "#" : "# " + l);
        line("#");
        line("# Use");
        line("#");
        line(fmt::format("#     include(\"{}.jl\")", package_.identifier));
        line("#     using OrdinaryDiffEq");
        line(fmt::format("#     const Model = {}", module));
        line("#");
        const std::vector<Entry>& p = package_.arguments[4].entries;
        line(p.empty() ? "#     p = Model.values(Model.parameters)"
                       : fmt::format("#     p = Model.values(Model.parameters, {} => {})    # the others as in the table",
                                     quoted(p[0].name), number(p[0].value)));
        const bool follows = package_.find("input_values") != nullptr;
        line(follows ? "#     c = Model.setup(p)\n#     w = Model.input_values(0.0, c)"
                     : "#     c, w = Model.setup(p), Model.values(Model.inputs)");
        line(fmt::format("#     x = [Model.values(Model.coordinates); Model.values(Model.speeds)]{}",
                         package_.m() > 0 ? "    # must close the loops" : ""));
        line(fmt::format("#     problem = ODEProblem((xdot, x, p, t) -> Model.rhs!(xdot, t, x, {}, c), x, (0.0, 10.0))",
                         follows ? "Model.input_values(t, c)" : "w"));
        line("#     motion = solve(problem, Tsit5(); reltol = 1e-8)");
        line("#     A, B = Model.rhs_jacobian(0.0, x, w, c)");
        line("#");
        line(
            "# Every function f(arguments...) that returns arrays has a companion f!(results..., arguments...) that "
            "fills them.");
        line("# Numbers may be of any real type. Roots, powers, logarithms and arcs are NaN outside their domain: nothing is thrown.");
        if (package_.m() > 0) {
            line(
                "# A state must fulfil the constraints (see residuals). Rows may be redundant: of all admissible "
                "multipliers");
            line("# those of smallest norm are returned.");
        }
        line("");
        line(fmt::format("module {}\n", module));
        line("using LinearAlgebra\n");
        line(fmt::format("const name = {}", quoted(package_.name)));
        line(fmt::format("const formulation = {}", quoted(package_.formulation)));
        line(fmt::format("const nq, nu, nw, np, nc, nm = {}, {}, {}, {}, {}, {}", package_.nq(), package_.nu(), package_.nw(),
                         package_.np(), package_.nc(), package_.m()));
        if (package_.m() > 0) {
            line(package_.rank == Package::undecided ? "const nr = -1 # independent constraints: counted at every call"
                                                     : fmt::format("const nr = {} # independent constraints, at the start", package_.rank));
        }
    }

    void write_symbols() {
        line("\n# names, SI units, meanings and values by default");
        const auto list = [&](const std::string& name, const std::vector<Entry>& entries) {
            if (entries.empty()) return line(fmt::format("const {} = ()", name));
            line(fmt::format("const {} = (", name));
            for (const Entry& e : entries) {
                line(fmt::format("    (name = {}, unit = {}, about = {}, value = {}),", quoted(e.name), quoted(e.unit), quoted(e.about),
                                 number(e.value)));
            }
            line(")");
        };
        list("coordinates", package_.arguments[1].entries);
        list("speeds", package_.arguments[2].entries);
        list("inputs", package_.arguments[3].entries);
        list("parameters", package_.arguments[4].entries);
        list("constraints", package_.constraints);
        list("output_names", package_.outputs);
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

    std::string arguments_of(const Function& f) const {
        std::vector<std::string> names;
        for (const std::size_t a : f.arguments) names.push_back(package_.arguments[a].name);
        return joined(names, ", ");
    }

    static std::string dimensions(const Result& r) {
        return is_matrix(r) ? fmt::format("{}, {}", r.rows, r.columns) : std::to_string(r.rows);
    }

    static std::string docstring(const Function& f, const std::string& call) {
        std::string text = fmt::format("\n\"\"\"\n    {}\n\n{}\n\n", call, f.about);
        for (const Result& r : f.results) text += fmt::format("- {} ({}): {}\n", r.name, r.is_scalar ? "number" : dimensions(r), r.about);
        return text + fmt::format("\nOperations: {}.\n\"\"\"", describe(f.operations));
    }

    void write_function(const Function& f) {
        const Listing body = list(f);
        const std::string arguments = arguments_of(f), results = joined(result_names(f), ", ");
        const bool fills = !f.results.front().is_scalar;
        const std::string name = fills ? f.name + "!" : f.name, parameters = fills ? results + ", " + arguments : arguments;
        line(docstring(f, fmt::format("{} = {}({})", results, f.name, arguments)));
        line(fmt::format("function {}({})", name, parameters));
        for (const Result& r : f.results) {
            if (fills) line(fmt::format("    check(:{0}, {0}, {1})", r.name, dimensions(r)));
        }
        for (const std::size_t a : f.arguments) {
            const Argument& argument = package_.arguments[a];
            if (!argument.is_scalar) line(fmt::format("    check(:{0}, {0}, {1})", argument.name, argument.entries.size()));
        }
        line("    @inbounds begin");
        for (std::size_t k = 0; k < body.statements.size(); ++k) {
            const std::string &local = body.statements[k].name, &value = body.statements[k].value;
            if (k + 1 < body.statements.size() && body.statements[k + 1].joins) {
                line(fmt::format("        {}, {} = sincos{}", local, body.statements[k + 1].name, value.substr(3)));
                ++k;
            } else {
                line(fmt::format("        {} = {}", local, value));
            }
        }
        std::size_t next = 0;
        for (const Result& r : f.results) {
            if (r.is_scalar) {
                line(fmt::format("        {} = {}", r.name,
                                 r.at.empty() ? fmt::format("zero(number_type({}))", arguments) : body.outputs[next++]));
                continue;
            }
            const std::size_t entries = r.is_symmetric ? r.rows * (r.rows + 1) / 2 : r.rows * r.columns;
            if (r.at.size() < entries) line(fmt::format("        fill!({}, 0)", r.name));
            for (const std::size_t at : r.at) {
                const std::size_t i = at / r.columns + 1, j = at % r.columns + 1;
                const std::string target = is_matrix(r) ? fmt::format("{}[{}, {}]", r.name, i, j) : fmt::format("{}[{}]", r.name, i);
                line(fmt::format("        {} = {}", target, body.outputs[next++]));
                if (r.is_symmetric && i != j) line(fmt::format("        {}[{}, {}] = {}", r.name, j, i, target));
            }
        }
        line("    end");
        line("    return " + results);
        line("end");
        if (!fills) return;
        line(fmt::format("\nfunction {}({})", f.name, arguments));
        line(fmt::format("    T = number_type({})", arguments));
        std::vector<std::string> arrays;
        for (const Result& r : f.results) arrays.push_back(fmt::format("zeros(T, {})", dimensions(r)));
        std::vector<std::string> pieces = separated(arrays, ",");
        pieces.front() = fmt::format("return {}({}", name, pieces.front());
        pieces.back() += fmt::format(", {})", arguments);
        for (const std::string& l : fill(pieces, 92, "    ")) line("    " + l);
        line("end");
    }

    void write_by_hand() {
        const bool is_tree = package_.m() == 0, has_speeds = package_.nu() > 0, has_rates = package_.find("rates") != nullptr;
        if (!is_tree && has_speeds) {
            text_ += descriptor_kernel;
        } else if (!is_tree) {
            line("\n\"No accelerations, as there are no speeds, and multipliers that are zero.\"");
            line(
                "accelerations(t, q, u, w, c) = (zeros(number_type(t, q, w, c), 0), zeros(number_type(t, q, w, c), "
                "nm))");
        } else if (!has_speeds) {
            line("\n\"No accelerations: every motion is given.\"");
            line("accelerations(t, q, u, w, c) = zeros(number_type(t, q, w, c), 0)");
        }
        line("\n\"\"\"\n    rhs!(xdot, t, x, w, c)\n\nThe rate of the state x = [q; u].\n\"\"\"");
        line("function rhs!(xdot, t, x, w, c)");
        line("    check(:xdot, xdot, nq + nu)");
        line("    check(:x, x, nq + nu)");
        line("    q, u = view(x, 1:nq), view(x, nq+1:nq+nu)");
        if (has_rates) line("    rates!(view(xdot, 1:nq), t, q, u, c)");
        if (has_speeds && is_tree) line("    accelerations!(view(xdot, nq+1:nq+nu), t, q, u, w, c)");
        if (has_speeds && !is_tree) line("    xdot[nq+1:nq+nu] = accelerations(t, q, u, w, c)[1]");
        line("    return xdot");
        line("end");
        line("\n\"The rate of the state x = [q; u], a new vector.\"");
        line("rhs(t, x, w, c) = rhs!(zeros(number_type(t, x, w, c), nq + nu), t, x, w, c)");

        line("\n\"\"\"\n    A, B = rhs_jacobian(t, x, w, c)\n\nA = d rhs / d x and B = d rhs / d w.\n\"\"\"");
        line("function rhs_jacobian(t, x, w, c)");
        line("    check(:x, x, nq + nu)");
        line("    T = number_type(t, x, w, c)");
        line("    q, u = x[1:nq], x[nq+1:nq+nu]");
        line("    A, B = zeros(T, nq + nu, nq + nu), zeros(T, nq + nu, nw)");
        if (const Function* f = package_.find("rate_jacobians")) {
            line(fmt::format("    {} = rate_jacobians(t, q, u, c)", joined(result_names(*f), ", ")));
            if (find_result(f, "qdot_q") != nullptr) line("    A[1:nq, 1:nq] = qdot_q");
            if (find_result(f, "qdot_u") != nullptr) line("    A[1:nq, nq+1:nq+nu] = qdot_u");
        }
        const Function* jacobians = package_.find("jacobians");
        if (has_speeds && jacobians != nullptr) {
            line(is_tree ? "    udot, lambda = accelerations(t, q, u, w, c), zeros(T, 0)"
                         : "    udot, lambda = accelerations(t, q, u, w, c)");
            line(fmt::format("    {} = dynamics(t, q, u, w, c)", joined(result_names(*package_.find("dynamics")), ", ")));
            line(fmt::format("    {} = jacobians(t, q, u, w, udot, lambda, c)", joined(result_names(*jacobians), ", ")));
            const auto stacked = [&](const char* letter) { return "-hcat(" + joined(jacobian_blocks(*jacobians, letter), ", ") + ")"; };
            if (is_tree) {
                line(fmt::format("    slope = cholesky(Symmetric(M)) \\ {}", stacked("r")));
            } else {
                line("    # M dudot + G' dlambda = -dr, G dudot = -ds");
                line(fmt::format("    slope, _ = solve_descriptor(M, {}, G, {}, nr)", stacked("r"), stacked("s")));
            }
            line("    A[nq+1:nq+nu, :] = slope[:, 1:nq+nu]");
            line("    B[nq+1:nq+nu, :] = slope[:, nq+nu+1:end]");
        }
        line("    return A, B");
        line("end");

        if (package_.quaternions.empty()) return;
        line("\n\"Gives the unit quaternions among the coordinates the length 1, in place.\"");
        line("function normalise!(q)");
        line("    check(:q, q, nq)");
        for (const auto& group : package_.quaternions) {
            line(fmt::format("    e = view(q, [{}, {}, {}, {}])", group[0] + 1, group[1] + 1, group[2] + 1, group[3] + 1));
            line("    e ./= sqrt(sum(abs2, e))");
        }
        line("    return q");
        line("end");
    }

    const Package& package_;
    std::string text_;
};

}  // namespace

std::string module_name(const Package& package) {
    std::string name;
    bool starts = true;
    for (const char x : package.identifier) {
        if (x == '_') {
            starts = true;
            continue;
        }
        name += starts ? static_cast<char>(std::toupper(static_cast<unsigned char>(x))) : x;
        starts = false;
    }
    return std::ranges::find(taken, name) != std::end(taken) ? name + "Model" : name;
}

std::vector<File> write(const Package& package) {
    const Package flat = inlined(package);  // chains that repeat are written out
    return {{package.identifier + ".jl", Writer(flat).write()}};
}

}  // namespace linkwright::codegen::julia
