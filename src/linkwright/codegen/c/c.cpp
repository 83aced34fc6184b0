#include "linkwright/codegen/c/c.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linkwright/codegen/c/kernel.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/codegen/statements.hpp"
#include "linkwright/program/elimination.hpp"

namespace linkwright::codegen::c {
namespace {

using program::Op;

constexpr std::size_t stack_numbers = 16384;  // 128 KiB; more than this is kept in static, thread-local storage

std::string number(double x) { return std::isnan(x) ? "NAN" : std::isinf(x) ? "HUGE_VAL" : shortest(x); }

std::string shared(std::size_t place) { return fmt::format("s[{}]", place); }
std::string result(std::size_t call, std::size_t k) { return fmt::format("r{}[{}]", call, k); }

/// Calls of helpers are told by their NAME_.
std::string call(Op op, std::span<const std::string> a) {
    switch (op) {
        case Op::abs: return fmt::format("fabs({})", a[0]);
        case Op::sign:
        case Op::min:
        case Op::max: return fmt::format("NAME_{}({})", name(op), fmt::join(a, ", "));
        case Op::select: return fmt::format("({} > 0 ? {} : {})", a[0], a[1], a[2]);
        default: return fmt::format("{}({})", name(op), fmt::join(a, ", "));
    }
}

/// The model's own words may contain what is replaced at the end: a mark in the middle, removed last, protects them.
std::string own_words(const std::string& text) {
    return replace(replace(replace(one_line(text), "NAME", "NA\x01ME"), "SCRATCH", "SC\x01RATCH"), "THREAD", "TH\x01READ");
}

/// Inside a comment.
std::string harmless(const std::string& text) { return replace(replace(replace(own_words(text), "*/", "* /"), "/*", "/ *"), "?\?", "? ?"); }

std::string quoted(const std::string& text) {
    std::string s = "\"";
    for (const char x : own_words(text)) {
        if (x == '"' || x == '\\' || x == '?') s += '\\';
        s += x;
    }
    return s + "\"";
}

std::string comment(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += text.empty() ? "/*" : " *";
        if (!line.empty()) text += " " + harmless(line);
        text += "\n";
    }
    return text + " */\n";
}

constexpr const char* thread_local_storage = R"(/* Large arrays are static, one copy for each thread. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define NAME_thread _Thread_local
#elif defined(__GNUC__)
#define NAME_thread __thread
#elif defined(_MSC_VER)
#define NAME_thread __declspec(thread)
#else
#define NAME_thread
#endif

)";

class Writer {
public:
    explicit Writer(const Package& package) : k_(package), id_(package.identifier) {
        const std::size_t n = k_.nu(), m = k_.m(), x = k_.nq() + n, right = x + k_.nw();
        is_large_ = n * n + 2 * m * n + (n + m) * (2 * x + 2 * right) + 2 * m * m > stack_numbers;
    }

    std::vector<File> write() const {
        std::string source = replace(write_source(), "SCRATCH", is_large_ ? "static NAME_thread " : "");
        const bool is_static = source.find("static NAME_thread") != std::string::npos;
        source = replace(std::move(source), "THREAD\n", is_static ? thread_local_storage : "");
        return {{id_ + ".h", name_it(write_header())}, {id_ + ".c", name_it(std::move(source))}};
    }

private:
    std::string name_it(std::string text) const { return replace(replace(std::move(text), "NAME", id_), "\x01", ""); }

    // ---- the functions of the package ----

    std::string parameters(const Function& f, const char* restrict_) const {
        std::vector<std::string> list;
        for (const std::size_t a : f.arguments) {
            const Argument& x = k_.arguments[a];
            list.push_back(x.is_scalar ? "double " + x.name : fmt::format("const double *{}{}", restrict_, x.name));
        }
        for (const Result& r : f.results) list.push_back(fmt::format("double *{}{}", restrict_, r.name));
        return fmt::format("{}", fmt::join(list, ", "));
    }

    static std::string head_of(const std::string& name, const std::string& parameters, const char* end) {
        std::string text;
        for (const std::string& line : wrap(fmt::format("void NAME_{}({}){}", name, unbroken(parameters), end), 110, 4))
            text += line + "\n";
        return replace(std::move(text), held, " ");
    }

    std::vector<std::string> inputs(const Function& f) const {
        std::vector<std::string> names;
        for (const std::size_t a : f.arguments) {
            const Argument& x = k_.arguments[a];
            for (std::size_t i = 0; i < x.entries.size(); ++i) names.push_back(x.is_scalar ? x.name : fmt::format("{}[{}]", x.name, i));
        }
        return names;
    }

    std::string place(const Result& r, std::size_t at) const {
        if (r.is_scalar) return "*" + r.name;
        if (r.columns == 1) return fmt::format("{}[{}]", r.name, at);
        return fmt::format("{}[{}*{} + {}]", r.name, at / r.columns, r.columns, at % r.columns);
    }

    /// "M[1*3 + 0] = M[0*3 + 1]": where an output goes.
    struct Target {
        std::string place;
        std::size_t result;
    };
    std::vector<Target> targets(const Function& f) const {
        std::vector<Target> list;
        for (std::size_t k = 0; k < f.results.size(); ++k) {
            const Result& r = f.results[k];
            for (const std::size_t at : r.at) {
                const std::size_t mirrored = (at % r.columns) * r.columns + at / r.columns;
                list.push_back({place(r, at) + (r.is_symmetric && mirrored != at ? " = " + place(r, mirrored) : ""), k});
            }
        }
        return list;
    }

    static std::string zeros(const Function& f) {
        std::string text;
        for (const Result& r : f.results) {
            const std::size_t size = r.rows * r.columns, written = r.is_symmetric ? r.rows * (r.rows + 1) / 2 : size;
            if (r.at.size() == written) continue;
            text += r.is_scalar ? fmt::format("    *{} = 0.0;\n", r.name)
                                : fmt::format("    for (int i = 0; i < {}; ++i) {}[i] = 0.0;\n", size, r.name);
        }
        return text;
    }

    /// Statements of a part, with what it has no use for told, so that compilers do not wonder.
    std::string body(const Function& f, const Part& part, const std::vector<Target>& targets, bool is_whole) const {
        std::string text;
        std::size_t k = 0;
        for (const std::size_t a : f.arguments) {
            const std::size_t size = k_.arguments[a].entries.size();
            const auto first = part.uses_input.begin() + static_cast<std::ptrdiff_t>(k);
            if (std::find(first, first + static_cast<std::ptrdiff_t>(size), true) == first + static_cast<std::ptrdiff_t>(size)) {
                text += fmt::format("    (void){};\n", k_.arguments[a].name);
            }
            k += size;
        }
        if (!is_whole) {
            std::set<std::size_t> used;
            for (const Assignment& s : part.assignments) {
                if (s.output != no_output) used.insert(targets[s.output].result);
            }
            for (std::size_t i = 0; i < f.results.size(); ++i) {
                if (!used.contains(i)) text += fmt::format("    (void){};\n", f.results[i].name);
            }
            if (!part.uses_shared) text += "    (void)s;\n";
        }
        for (std::size_t i = 0; i < part.assignments.size(); ++i) {
            const Assignment& s = part.assignments[i];
            const bool is_joined = i + 1 < part.assignments.size() && part.assignments[i + 1].joins;
            if (s.call) {
                text += call_of(*s.call);
            } else if (s.output != no_output) {
                text += fmt::format("    {} = {};{}\n", targets[s.output].place, s.value,
                                    f.name == "setup" ? note(k_.arguments[5].entries[f.results[0].at[s.output]]) : "");
            } else if (s.is_shared) {
                text += fmt::format("    {} = {};\n", s.name, s.value);
            } else {
                text += fmt::format("{}{} = {}{}", s.joins ? ", " : "    const double ", s.name, s.value, is_joined ? "" : ";\n");
            }
        }
        return text;
    }

    std::string call_of(const Call& call) const {
        std::string text, to = fmt::format("r{}", call.number);
        if (call.is_shared)
            to = fmt::format("s + {}", call.place);
        else
            text = fmt::format("    double {}[{}];\n", to, call.results);
        std::vector<std::string> arguments;
        for (const std::string& x : call.arguments) arguments.push_back(unbroken(x));
        const std::string line = fmt::format("    NAME_{}((const double[]){{{}}}, {});", k_.routines[call.routine].name,
                                             fmt::join(arguments, ", "), unbroken(to));
        for (const std::string& l : wrap(replace(line, "(const double[])", "(const" + std::string(held) + "double[])"), 110, 8))
            text += l + "\n";
        return replace(std::move(text), held, " ");
    }

    std::string define(const Function& f) const {
        const Parts parts =
            write_parts(f.program, {.inputs = inputs(f), .number = number, .call = call, .shared = shared, .result = result});
        const std::vector<Target> to = targets(f);
        std::string text, calls, names;
        for (const std::size_t a : f.arguments) names += k_.arguments[a].name + ", ";
        for (const Result& r : f.results) names += r.name + ", ";
        for (std::size_t i = 0; i < parts.list.size() && parts.list.size() > 1; ++i) {
            text += "\nstatic " + head_of(fmt::format("{}_{}", f.name, i + 1), parameters(f, "restrict ") + ", double *restrict s", "");
            text += "{\n" + body(f, parts.list[i], to, false) + "}\n";
            calls += fmt::format("    NAME_{}_{}({}s);\n", f.name, i + 1, names);
        }
        text += fmt::format(
            "\n/* {} Operations: {}.{} */\n", harmless(f.about), describe(f.operations),
            calls.empty() ? "" : fmt::format("\n   In {} parts, which share s: long functions are slow to compile.", parts.list.size()));
        text += (is_routine(f) ? "static " : "") + head_of(f.name, parameters(f, "restrict "), "") + "{\n";
        if (calls.empty()) {
            const std::string whole = body(f, parts.list[0], to, true);  // what is unused comes first, then zeros
            const std::size_t first = whole.find("    (void)") == 0 ? whole.rfind("    (void)") : std::string::npos;
            const std::size_t at = first == std::string::npos ? 0 : whole.find('\n', first) + 1;
            return text + whole.substr(0, at) + zeros(f) + whole.substr(at) + "}\n";
        }
        text += fmt::format("    {}double s[{}];\n", parts.shared > stack_numbers ? "static NAME_thread " : "",
                            std::max<std::size_t>(parts.shared, 1));
        return text + zeros(f) + calls + "}\n";
    }

    bool is_routine(const Function& f) const { return !f.arguments.empty() && f.arguments[0] >= 8; }

    /// A constant: a parameter's name, or its own with its formula.
    std::string note(const Entry& e) const { return fmt::format("  /* {} */", harmless(formula_of(e, k_))); }

    // ---- what is written by hand ----

    bool moves() const { return k_.nu() > 0; }
    bool is_closed() const { return k_.m() > 0; }

    bool eliminates() const { return k_.find("elimination") != nullptr; }

    /// By straight-line code, and whether the state is in its domain.
    static std::string eliminate() {
        return fmt::format(R"(
int NAME_eliminate(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict c, double *restrict udot, double *restrict lambda)
{{
    double weakest, growth;
    NAME_elimination(t, q, u, w, c, udot, lambda, &weakest, &growth);
    if (!(weakest >= 1 && growth <= {})) return NAME_outside;
    return NAME_is_finite(NAME_nu, udot) && NAME_is_finite(NAME_nm, lambda) ? NAME_ok : NAME_outside;
}}
)",
                           program::Elimination::most_growth);
    }

    std::string accelerations() const {
        return (eliminates() ? eliminate() : "") +
               replace(accelerations_by_kernel(), "ELIMINATE",
                       eliminates() ? "    if (NAME_eliminate(t, q, u, w, c, udot, lambda) == NAME_ok) return NAME_ok;\n" : "");
    }

    static std::string accelerations_by_kernel() {
        return R"(
int NAME_accelerations(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict c, double *restrict udot, double *restrict lambda)
{
    enum { n = NAME_nu, m = NAME_nm };
    SCRATCHdouble M[n*n], G[m*n], G0[m*n], gamma[m];
    double length, longest = 0, drift = 1e-6;
    int status;
ELIMINATE    NAME_dynamics(t, q, u, w, c, M, udot, G, gamma);
    if (!NAME_is_finite(n*n, M) || !NAME_is_finite(n, udot) || !NAME_is_finite(m*n, G) || !NAME_is_finite(m, gamma)) {
        return NAME_not_finite;
    }
    for (int i = 0; i < m*n; ++i) G0[i] = G[i];
    for (int i = 0; i < m; ++i) lambda[i] = gamma[i];
    status = NAME_solve_descriptor(M, G, 1, udot, lambda);
    if (!NAME_is_finite(n, udot) || !NAME_is_finite(m, lambda)) return NAME_not_finite;
    length = NAME_norm(n, udot, 1);
    for (int j = 0; j < n; ++j) drift += 1e-3*u[j]*u[j];
    for (int i = 0; i < m; ++i) {
        const double norm = NAME_norm(n, G0 + i*n, 1);
        longest = norm > longest ? norm : longest;
    }
    for (int i = 0; i < m && status == 0; ++i) {
        double left = -gamma[i];
        for (int j = 0; j < n; ++j) left += G0[i*n + j]*udot[j];
        /* more than the drift of an integrator */
        if (fabs(left) > 0.01*(longest*length + fabs(gamma[i])) + drift*(longest > 0 ? longest : 1)) status = NAME_contradiction;
    }
    return status;
}
)";
    }

    std::string rhs() const {
        std::string text = R"(
int NAME_rhs(double t, const double *restrict x, const double *restrict w, const double *restrict c, double *restrict xdot)
{
)";
        if (is_closed()) {
            text += "    double lambda[NAME_nm];\n";
            text += "    NAME_rates(t, x, x + NAME_nq, c, xdot);\n";
            text += "    return NAME_accelerations(t, x, x + NAME_nq, w, c, xdot + NAME_nq, lambda);\n}\n";
            return text;
        }
        return text + R"(    NAME_rates(t, x, x + NAME_nq, c, xdot);
    NAME_accelerations(t, x, x + NAME_nq, w, c, xdot + NAME_nq);
    return NAME_is_finite(NAME_nx, xdot) ? NAME_ok : NAME_not_finite;
}
)";
    }

    std::string rhs_jacobian() const {
        const bool has_inputs = k_.nw() > 0;
        std::string text = R"(
int NAME_rhs_jacobian(double t, const double *restrict x, const double *restrict w, const double *restrict c,
    double *restrict A, double *restrict B)
{
    enum { nq = NAME_nq, n = NAME_nu, nx = NAME_nx, nw = NAME_nw, m = NAME_nm, k = nx + nw };
    const double *q = x, *u = x + nq;
    SCRATCHdouble M[n*n], f[n], udot[n], qdot_q[nq*nq], qdot_u[nq*n], r_q[n*nq], r_u[n*n], X[n*k];
)";
        if (has_inputs) text += "    SCRATCHdouble r_w[n*nw];\n";
        if (is_closed()) {
            text += "    SCRATCHdouble G[m*n], gamma[m], lambda[m], s_q[m*nq], s_u[m*n], L[m*k];\n";
            if (has_inputs) text += "    SCRATCHdouble s_w[m*nw];\n";
            text += "    int status = NAME_accelerations(t, q, u, w, c, udot, lambda);\n";
            text += "    if (status != NAME_ok && status != NAME_contradiction) return status;\n";
            text += "    NAME_dynamics(t, q, u, w, c, M, f, G, gamma);\n";
        } else {
            text += "    SCRATCHdouble size[n];\n    const double *lambda = 0;\n    int status;\n";
            text += "    NAME_accelerations(t, q, u, w, c, udot);\n";
            text += "    NAME_dynamics(t, q, u, w, c, M, f);\n";
        }
        text += "    NAME_rate_jacobians(t, q, u, c, qdot_q, qdot_u);\n";
        text += fmt::format("    NAME_jacobians(t, q, u, w, udot, lambda, c, r_q, r_u{}{}{});\n", has_inputs ? ", r_w" : "",
                            is_closed() ? ", s_q, s_u" : "", is_closed() && has_inputs ? ", s_w" : "");
        const auto gather = [&](const char* to, const char* rows, const char* of) {
            text += fmt::format("    for (int i = 0; i < {}; ++i) {{\n", rows);
            text += fmt::format("        for (int j = 0; j < nq; ++j) {0}[i*k + j] = -{1}_q[i*nq + j];\n", to, of);
            text += fmt::format("        for (int j = 0; j < n; ++j) {0}[i*k + nq + j] = -{1}_u[i*n + j];\n", to, of);
            if (has_inputs) text += fmt::format("        for (int j = 0; j < nw; ++j) {0}[i*k + nx + j] = -{1}_w[i*nw + j];\n", to, of);
            text += "    }\n";
        };
        gather("X", "n", "r");
        if (is_closed()) {
            gather("L", "m", "s");
            text += "    status = NAME_solve_descriptor(M, G, k, X, L);\n";
        } else {
            text += "    for (int i = 0; i < n; ++i) size[i] = fabs(M[i*n + i]);\n";
            text += "    status = NAME_solve_definite(n, M, n, size, k, X);\n";
        }
        text += R"(    for (int i = 0; i < nq; ++i) {
        for (int j = 0; j < nq; ++j) A[i*nx + j] = qdot_q[i*nq + j];
        for (int j = 0; j < n; ++j) A[i*nx + nq + j] = qdot_u[i*n + j];
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < nx; ++j) A[(nq + i)*nx + j] = X[i*k + j];
    }
)";
        if (has_inputs) {
            text += "    for (int i = 0; i < nq*nw; ++i) B[i] = 0.0;\n";
            text +=
                "    for (int i = 0; i < n; ++i) {\n        for (int j = 0; j < nw; ++j) B[(nq + i)*nw + j] = X[i*k + nx + j];\n    }\n";
        } else {
            text += "    (void)B;\n";
        }
        text += "    if (status == NAME_ok && !NAME_is_finite(nx*nx, A)) status = NAME_not_finite;\n";
        return text + "    return status;\n}\n";
    }

    std::string normalise() const {
        std::string text = "\nvoid NAME_normalise(double *q)\n{\n";
        if (k_.quaternions.empty()) return text + "    (void)q;\n}\n";
        std::vector<std::string> groups;
        for (const auto& g : k_.quaternions) groups.push_back(fmt::format("{{{}}}", fmt::join(g, ", ")));
        text += fmt::format("    static const int group[{}][4] = {{{}}};\n", groups.size(), fmt::join(groups, ", "));
        text += fmt::format("    for (int k = 0; k < {}; ++k) {{\n", groups.size());
        return text + R"(        double square = 0;
        for (int i = 0; i < 4; ++i) square += q[group[k][i]]*q[group[k][i]];
        if (!(square > 0)) continue;
        square = sqrt(square);
        for (int i = 0; i < 4; ++i) q[group[k][i]] /= square;
    }
}
)";
    }

    std::string tables(bool is_header) const {
        struct Names {
            const char* name;
            const std::vector<Entry>* entries;
        };
        const Names all[] = {{"coordinate_names", &k_.arguments[1].entries}, {"speed_names", &k_.arguments[2].entries},
                             {"input_names", &k_.arguments[3].entries},      {"parameter_names", &k_.arguments[4].entries},
                             {"constraint_names", &k_.constraints},          {"output_names", &k_.outputs}};
        std::string text;
        for (const auto& [name, entries] : all) {
            const std::string head = fmt::format("const char *const NAME_{}[{}]", name, entries->size() + 1);
            if (is_header) {
                text += fmt::format("extern {};\n", head);
                continue;
            }
            text += head + " = {\n";
            for (const Entry& e : *entries) text += fmt::format("    {},\n", quoted(e.name));
            text += "    0\n};\n";
        }
        std::vector<Entry> start = k_.arguments[1].entries;
        start.insert(start.end(), k_.arguments[2].entries.begin(), k_.arguments[2].entries.end());
        for (const auto& [name, entries] :
             {Names{"start", &start}, Names{"inputs", &k_.arguments[3].entries}, Names{"parameters", &k_.arguments[4].entries}}) {
            const std::string head = fmt::format("const double NAME_{}[{}]", name, entries->size() + 1);
            if (is_header) {
                text += fmt::format("extern {};\n", head);
                continue;
            }
            text += head + " = {\n";
            for (const Entry& e : *entries) {
                text += fmt::format("    {}{},  /* {}{} */\n", std::signbit(e.value) && !std::isnan(e.value) ? "-" : "",
                                    number(std::abs(e.value)), harmless(e.name), e.unit.empty() ? "" : ", " + harmless(e.unit));
            }
            text += "    0.0\n};\n";
        }
        return text;
    }

    std::vector<std::string> example() const {
        const bool follows = k_.find("input_values") != nullptr;
        std::vector<std::string> lines{
            "",
            "Matrices are dense, row by row. A null pointer may be passed where an array has no entries. Arrays must not overlap.",
            "Nothing is allocated, nothing is kept between calls; threads may call at the same time.",
            "",
            fmt::format("    double c[NAME_nc + 1], x[NAME_nx + 1], xdot[NAME_nx + 1]{};", follows ? ", w[NAME_nw]" : ""),
            "    NAME_setup(NAME_parameters, c);                      /* again whenever a parameter changes */",
            "    for (int i = 0; i < NAME_nx; ++i) x[i] = NAME_start[i];",
        };
        if (moves()) {
            lines.emplace_back("    for (int step = 0; step < 1000; ++step) {            /* Euler's method, the simplest there is */");
            if (follows) lines.emplace_back("        NAME_input_values(1e-3*step, c, w);");
            lines.insert(lines.end(), {
                                          fmt::format("        if (NAME_rhs(1e-3*step, x, {}, c, xdot) != NAME_ok) break;",
                                                      follows ? "w" : "NAME_inputs"),
                                          "        for (int i = 0; i < NAME_nx; ++i) x[i] += 1e-3*xdot[i];",
                                          "        NAME_normalise(x);",
                                          "    }",
                                      });
        }
        if (is_closed()) {
            lines.insert(
                lines.end(),
                {"", "Start where the constraints are satisfied, as NAME_start does with the parameters of the model; NAME_residuals",
                 "gives their violation."});
        }
        return lines;
    }

    std::string write_header() const {
        std::vector<std::string> words = head(k_);
        for (std::string& line : example())
            words.push_back(replace(replace(replace(std::move(line), "/* ", "// "), " */", ""), "NAME", id_));
        std::string text = comment(words);
        text += "#ifndef NAME_h_included\n#define NAME_h_included\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
        text += fmt::format(
            "enum {{\n    NAME_nq = {},  /* coordinates */\n    NAME_nu = {},  /* speeds */\n    NAME_nw = {},  /* inputs */\n"
            "    NAME_np = {},  /* parameters */\n    NAME_nc = {},  /* constants, from setup */\n    NAME_nm = {},  /* constraints */\n{}"
            "    NAME_ny = {},  /* outputs */\n    NAME_nx = {}   /* states x = [q; u] */\n}};\n\n",
            k_.nq(), k_.nu(), k_.nw(), k_.np(), k_.nc(), k_.m(), rank_constant(), k_.outputs.size(), k_.nq() + k_.nu());
        text += fmt::format("/* What {}rhs and rhs_jacobian may return. */\n", is_closed() ? "accelerations, " : "");
        text +=
            "enum {\n    NAME_ok = 0,\n"
            "    NAME_no_inertia = 1,      /* a motion that the constraints allow has no inertia */\n"
            "    NAME_contradiction = 2,   /* constraints contradict each other here; the result meets them as closely as possible "
            "*/\n"
            "    NAME_not_finite = 3";
        if (eliminates()) {
            text +=
                ",      /* something is infinite or not a number */\n"
                "    NAME_outside = 4          /* of eliminate alone: the state is outside the domain of its pivots; accelerations goes on "
                "in general */\n};\n\n";
        } else {
            text += "       /* something is infinite or not a number */\n};\n\n";
        }
        text += "/* Names, each list ended by a null pointer; values of the model, each list ended by a 0. */\n" + tables(true) + "\n";
        if (k_.find("setup") == nullptr)
            text += "/* Nothing: this model has no constants. */\nvoid NAME_setup(const double *p, double *c);\n\n";
        for (const Function& f : k_.functions) {
            std::string about = f.about;
            for (const Result& r : f.results) {
                about += fmt::format(" {}{}: {}.", r.name,
                                     r.columns > 1 ? fmt::format(" ({} x {})", r.rows, r.columns)
                                     : r.is_scalar ? ""
                                                   : fmt::format(" ({})", r.rows),
                                     r.about);
            }
            text += prototype_comment(about + " Operations: " + describe(f.operations) + ".");
            text += head_of(f.name, parameters(f, ""), ";") + "\n";
        }
        if (moves()) {
            if (is_closed()) {
                text +=
                    prototype_comment("Accelerations and multipliers; where constraints are redundant, the multipliers of smallest norm.");
                text +=
                    "int NAME_accelerations(double t, const double *q, const double *u, const double *w, const double *c,\n    double "
                    "*udot, double *lambda);\n\n";
                if (eliminates()) {
                    text += prototype_comment(
                        "The same by straight-line code alone, which accelerations tries first: NAME_ok, or NAME_outside where the pivots "
                        "chosen at the start do not serve; then udot and lambda mean nothing.");
                    text +=
                        "int NAME_eliminate(double t, const double *q, const double *u, const double *w, const double *c,\n    double "
                        "*udot, double *lambda);\n\n";
                }
            }
            text += prototype_comment("The rate of the state x = [q; u].");
            text += "int NAME_rhs(double t, const double *x, const double *w, const double *c, double *xdot);\n\n";
            text += prototype_comment(
                fmt::format("Its derivatives: A ({0} x {0}) by x, B ({0} x {1}) by w.{2}", k_.nq() + k_.nu(), k_.nw(),
                            is_closed() ? " Columns of A have a meaning only along motions that the constraints allow." : ""));
            text += "int NAME_rhs_jacobian(double t, const double *x, const double *w, const double *c, double *A, double *B);\n\n";
        }
        text += prototype_comment("Normalises the unit quaternions in q.");
        text += "void NAME_normalise(double *q);\n\n";
        return text + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    }

    std::string rank_constant() const {
        if (!moves() || !is_closed()) return "";
        if (k_.rank == Package::undecided) return "    NAME_rank = -1,  /* independent constraints: counted at every call */\n";
        return fmt::format("    NAME_rank = {},  /* independent constraints, at the start */\n", k_.rank);
    }

    static std::string prototype_comment(const std::string& text) {
        std::string out;
        for (const std::string& line : wrap("/* " + harmless(text) + held + "*/", 110, 3)) out += line + "\n";
        return replace(std::move(out), held, " ");
    }

    std::string write_source() const {
        std::string text = comment({one_line(k_.name) + ": equations of motion, written by " + made_by() + ".",
                                    "For the meaning of everything see " + id_ + ".h."});
        text += "#include \"NAME.h\"\n\n";
        if (moves()) text += "#include <float.h>\n";
        text += "#include <math.h>\n\n";
        text += "THREAD\n";
        text += tables(false);
        std::set<Op> used;
        for (const auto* list : {&k_.routines, &k_.functions}) {
            for (const Function& f : *list) {
                for (const program::Line& line : f.program.lines) used.insert(line.op);
            }
        }
        if (used.contains(Op::sign)) text += "\nstatic double NAME_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }\n";
        if (used.contains(Op::min)) text += "\nstatic double NAME_min(double x, double y) { return y < x ? y : x; }\n";
        if (used.contains(Op::max)) text += "\nstatic double NAME_max(double x, double y) { return x < y ? y : x; }\n";
        if (k_.find("setup") == nullptr) text += "\nvoid NAME_setup(const double *p, double *c)\n{\n    (void)p;\n    (void)c;\n}\n";
        for (const Function& f : k_.routines) {
            if (f.is_called) text += define(f);
        }
        for (const Function& f : k_.functions) text += define(f);
        if (moves()) {
            text += R"(
static int NAME_is_finite(int size, const double *x)
{
    for (int i = 0; i < size; ++i) {
        if (!isfinite(x[i])) return 0;
    }
    return 1;
}
)";
            text += definite_kernel;
            if (is_closed()) text += descriptor_kernel + accelerations();
            text += rhs() + rhs_jacobian();
        }
        return text + normalise();
    }

    const Package& k_;
    std::string id_;
    bool is_large_ = false;
};

}  // namespace

std::vector<File> write(const Package& package) { return Writer(package).write(); }

}  // namespace linkwright::codegen::c
