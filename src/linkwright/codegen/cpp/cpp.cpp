#include "linkwright/codegen/cpp/cpp.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linkwright/codegen/cpp/kernel.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/codegen/statements.hpp"
#include "linkwright/program/elimination.hpp"
#include "linkwright/sym/functions.hpp"

namespace linkwright::codegen::cpp {
namespace {

using program::Op;

constexpr std::size_t stack_numbers = 4096;  // more than this is allocated
constexpr std::size_t argument_p = 4, argument_c = 5, argument_lambda = 7;

std::string number(double x) {
    if (std::isnan(x)) return "S(std::numeric_limits<double>::quiet_NaN())";
    return std::isinf(x) ? "S(std::numeric_limits<double>::infinity())" : "S(" + shortest(x) + ")";
}
std::string shared(std::size_t place) { return fmt::format("s[{}]", place); }
std::string result(std::size_t call, std::size_t k) { return fmt::format("r{}[{}]", call, k); }
std::string call(Op op, std::span<const std::string> a) {
    const auto plain = [&](std::string_view name) { return fmt::format("{}({})", name, fmt::join(a, ", ")); };
    switch (op) {
        case Op::abs: return plain("detail::magnitude<S>");
        case Op::sign: return plain("detail::sign<S>");
        case Op::min: return plain("detail::smaller<S>");
        case Op::max: return plain("detail::larger<S>");
        case Op::select: return plain("detail::choose<S>");
        case Op::atan2: return fmt::format("detail::angle(S({}), S({}))", a[0], a[1]);
        case Op::pow: return fmt::format("detail::power<S>({}, {})", a[0], replace(a[1], "S(", "("));
        default: return plain(name(op));
    }
}

/// Names that members of a struct cannot have.
constexpr std::string_view reserved[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    // macros that headers or compilers bring along, and the scalar
    "linux",
    "unix",
    "i386",
    "errno",
    "assert",
    "signbit",
    "isnan",
    "isinf",
    "isfinite",
    "isnormal",
    "fpclassify",
    "NULL",
    "NAN",
    "INFINITY",
    "HUGE_VAL",
    "EOF",
    "OVERFLOW",
    "UNDERFLOW",
    "DOMAIN",
    "SING",
    "PLOSS",
    "TLOSS",
    "I",
    "S",
    "Parameters",
    "Setup",
};

/// One member for each entry: letters, digits, underscores, none twice.
std::vector<std::string> members(const std::vector<Entry>& entries) {
    std::vector<std::string> names;
    std::set<std::string> taken(std::begin(reserved), std::end(reserved));
    for (const Entry& e : entries) {
        std::string name;
        for (const char x : e.name) {
            const bool is_word = (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9');
            if (is_word) name += x;
            if (!is_word && !name.empty() && name.back() != '_') name += '_';
        }
        if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name = "p" + name;
        const bool is_macro_like = name.size() > 1 && std::ranges::none_of(name, [](char x) { return x >= 'a' && x <= 'z'; });
        if (is_macro_like && name.back() != '_') name += '_';  // M_PI, EOF, DOMAIN: headers have macros of such names
        while (!taken.insert(name).second) name += name.back() == '_' ? "2" : "_";
        names.push_back(name);
    }
    return names;
}

std::string harmless(const std::string& text) {  // a line must not end with a backslash
    std::string line = replace(one_line(text), "?\?", "? ?");
    if (!line.empty() && line.back() == '\\') line += '.';
    return line;
}

std::string type_name(const std::string& function) {  // rate_jacobians → RateJacobians
    std::string name;
    bool is_first = true;
    for (const char x : function) {
        if (x != '_') name += is_first ? static_cast<char>(x - 'a' + 'A') : x;
        is_first = x == '_';
    }
    return name;
}

class Writer {
public:
    explicit Writer(const Package& package)
        : k_(package), p_(members(package.arguments[argument_p].entries)), c_(members(package.arguments[argument_c].entries)) {}

    std::vector<File> write() const {
        std::string text = write_head();
        for (const Function& f : k_.routines) {
            if (f.is_called) text += define(f);
        }
        for (const Function& f : k_.functions) text += declare_result(f) + define(f);
        if (k_.find("setup") == nullptr) {
            text +=
                "\n/// Nothing: this model has no constants.\ntemplate <class S>\nSetup<S> setup(const Parameters<S>&) { return {}; }\n";
        }
        if (k_.nu() > 0) {
            text += definite_kernel;
            if (k_.m() > 0) text += std::string(descriptor_kernel) + accelerations();
            text += rhs() + rhs_jacobian();
        }
        text += normalise();
        return {{k_.identifier + ".hpp", text + fmt::format("\n}}  // namespace {}\n", k_.identifier)}};
    }

private:
    static std::string size_name(std::size_t argument) {
        constexpr const char* names[] = {"", "nq", "nu", "nw", "np", "nc", "nu", "nm"};
        return names[argument];
    }

    std::string type(std::size_t a) const {
        if (a == 0) return "const typename detail::Same<S>::type&";
        if (a == argument_p) return "const Parameters<S>&";
        if (a == argument_c) return "const Setup<S>&";
        if (a > argument_lambda) return fmt::format("const std::array<S, {}>&", k_.arguments[a].entries.size());
        return fmt::format("const std::array<S, {}>&", size_name(a));
    }

    std::string type(const Result& r) const {
        if (r.is_scalar) return "S";
        return is_matrix(r) ? fmt::format("Matrix<S, {}, {}>", r.rows, r.columns) : fmt::format("std::array<S, {}>", r.rows);
    }
    static bool is_matrix(const Result& r) { return r.is_matrix; }

    std::string result_type(const Function& f) const {
        if (f.name == "setup") return "Setup<S>";
        return f.results.size() == 1 ? type(f.results[0]) : type_name(f.name) + "<S>";
    }

    std::string declare_result(const Function& f) const {
        if (f.results.size() == 1) return "";
        std::string text = fmt::format("\ntemplate <class S>\nstruct {} {{\n", type_name(f.name));
        for (const Result& r : f.results) text += fmt::format("    {} {}{{}};  ///< {}\n", type(r), r.name, r.about);
        return text + "};\n";
    }

    std::vector<std::string> inputs(const Function& f) const {
        std::vector<std::string> names;
        for (const std::size_t a : f.arguments) {
            const Argument& x = k_.arguments[a];
            for (std::size_t i = 0; i < x.entries.size(); ++i) {
                names.push_back(x.is_scalar       ? x.name
                                : a == argument_p ? "p." + p_[i]
                                : a == argument_c ? "c." + c_[i]
                                                  : fmt::format("{}[{}]", x.name, i));
            }
        }
        return names;
    }

    std::string place(const Function& f, const Result& r, std::size_t at) const {
        if (f.name == "setup") return "out." + c_[at];
        const std::string name = f.results.size() == 1 ? "out" : "out." + r.name;
        if (r.is_scalar) return name;
        return is_matrix(r) ? fmt::format("{}[{}][{}]", name, at / r.columns, at % r.columns) : fmt::format("{}[{}]", name, at);
    }

    std::vector<std::string> targets(const Function& f) const {
        std::vector<std::string> list;
        for (const Result& r : f.results) {
            for (const std::size_t at : r.at) {
                const std::size_t mirrored = (at % r.columns) * r.columns + at / r.columns;
                list.push_back(place(f, r, at) + (r.is_symmetric && mirrored != at ? " = " + place(f, r, mirrored) : ""));
            }
        }
        return list;
    }

    /// Arguments that are not used have no name.
    std::string parameters(const Function& f, const std::vector<bool>& uses_input) const {
        std::vector<std::string> list;
        std::size_t k = 0;
        for (const std::size_t a : f.arguments) {
            const std::size_t size = k_.arguments[a].entries.size();
            const auto first = uses_input.begin() + static_cast<std::ptrdiff_t>(k), last = first + static_cast<std::ptrdiff_t>(size);
            const bool is_used = std::find(first, last, true) != last;
            list.push_back(type(a) + (is_used ? " " + k_.arguments[a].name : " /*" + k_.arguments[a].name + "*/"));
            k += size;
        }
        return fmt::format("{}", fmt::join(list, ", "));
    }

    /// Breaks only after a whole argument, not inside std::array<S, nq>.
    static std::string in_one_piece(const std::string& parameters) {
        std::string text;
        int depth = 0;
        for (const char x : parameters) {
            depth += x == '<' ? 1 : x == '>' ? -1 : 0;
            const bool is_inside = x == ' ' && (depth > 0 || text.empty() || text.back() != ',');
            text += is_inside ? held : std::string(1, x);
        }
        return text;
    }

    static std::string head_of(const std::string& result, const std::string& name, const std::string& parameters) {
        std::string text = "template <class S>\n";
        for (const std::string& line :
             wrap(fmt::format("{} {}({}){}{{", replace(result, " ", held), name, in_one_piece(parameters), held), 116, 4))
            text += line + "\n";
        return replace(std::move(text), held, " ");
    }

    std::string call_of(const Call& call) const {
        std::vector<std::string> arguments;
        for (const std::string& x : call.arguments) arguments.push_back(unbroken("S(" + x + ")"));
        const std::string name = call.is_shared ? "r" : fmt::format("r{}", call.number);
        const std::string line =
            fmt::format("const auto {} = {}<S>({{{}}});", unbroken(name), k_.routines[call.routine].name, fmt::join(arguments, ", "));
        std::string text;
        for (const std::string& l : wrap(std::string(call.is_shared ? "        " : "    ") + line, 116, 8)) text += l + "\n";
        text = replace(std::move(text), held, " ");
        if (!call.is_shared) return text;
        return "    {\n" + text + fmt::format("        for (std::size_t i = 0; i < r.size(); ++i) s[{} + i] = r[i];\n    }}\n", call.place);
    }

    std::string body(const Part& part, const std::vector<std::string>& to) const {
        std::string text;
        std::set<std::string> functions;
        for (const Assignment& assignment : part.assignments) {
            Assignment a = assignment;
            if (a.call) a.value = fmt::format("{}", fmt::join(a.call->arguments, " "));
            const auto note = [&](std::string_view name) {
                const std::string word = std::string(name) + "(";
                for (std::size_t at = a.value.find(word); at != std::string::npos; at = a.value.find(word, at + 1)) {
                    if (at == 0 || std::isalnum(static_cast<unsigned char>(a.value[at - 1])) == 0)
                        functions.insert("std::" + std::string(name));
                }
            };
            note("sqrt");
            for (const sym::ElementaryFunction& f : sym::elementary_functions) {
                if (f.libm != nullptr) note(f.name);
            }
        }
        if (!functions.empty()) text += fmt::format("    using {};\n", fmt::join(functions, ", "));
        for (std::size_t i = 0; i < part.assignments.size(); ++i) {
            const Assignment& s = part.assignments[i];
            const bool is_joined = i + 1 < part.assignments.size() && part.assignments[i + 1].joins;
            if (s.call) {
                text += call_of(*s.call);
            } else if (s.output != no_output) {
                text += fmt::format("    {} = {};\n", to[s.output], s.value);
            } else if (s.is_shared) {
                text += fmt::format("    {} = {};\n", s.name, s.value);
            } else {
                text += fmt::format("{}{} = {}{}", s.joins ? ", " : "    const S ", s.name, s.value, is_joined ? "" : ";\n");
            }
        }
        return text;
    }

    std::string define(const Function& f) const {
        const Parts parts =
            write_parts(f.program, {.inputs = inputs(f), .number = number, .call = call, .shared = shared, .result = result});
        const std::vector<std::string> to = targets(f);
        const bool is_whole = parts.list.size() == 1;
        std::string text, calls, names;
        std::vector<bool> used = parts.list[0].uses_input;
        if (!is_whole) {
            std::fill(used.begin(), used.end(), true);
            for (const std::size_t a : f.arguments) names += k_.arguments[a].name + ", ";
            text += "\nnamespace detail {\n";
            for (std::size_t i = 0; i < parts.list.size(); ++i) {
                const Part& part = parts.list[i];
                const bool delivers = std::ranges::any_of(part.assignments, [](const Assignment& a) { return a.output != no_output; });
                const std::string name = fmt::format("{}_{}", f.name, i + 1);
                text += "\n" + head_of("void", name,
                                       parameters(f, part.uses_input) + ", " + result_type(f) + (delivers ? "& out" : "& /*out*/") +
                                           (part.uses_shared ? ", S* s" : ", S* /*s*/"));
                text += body(part, to) + "}\n";
                calls += fmt::format("    detail::{}<S>({}out, s);\n", name, names);
            }
            text += "\n}  // namespace detail\n";
        }
        text += "\n";
        std::string about = f.about;
        if (f.results.size() == 1 && f.name != "setup") about += " Returns " + f.results[0].about + ".";
        for (const std::string& line : wrap(about + " Operations: " + describe(f.operations) + ".", 110)) text += "/// " + line + "\n";
        text += head_of(result_type(f), f.name, names_unused_zero(f, used, !is_whole));
        text += fmt::format("    {} out{{}};\n", result_type(f));
        if (is_whole) {
            text += body(parts.list[0], to);
        } else if (parts.shared > stack_numbers) {
            text += fmt::format("    std::vector<S> shared({});\n    S* s = shared.data();\n", parts.shared) + calls;
        } else {
            text += fmt::format("    std::array<S, {}> shared{{}};\n    S* s = shared.data();\n", std::max<std::size_t>(parts.shared, 1)) +
                    calls;
        }
        return text + "    return out;\n}\n";
    }

    /// In a function of several parts every argument is passed on, those without entries too.
    std::string names_unused_zero(const Function& f, const std::vector<bool>& used, bool passes_all) const {
        std::string text = parameters(f, used);
        if (passes_all) text = replace(replace(text, "/*", ""), "*/", "");
        return text;
    }

    std::string write_head() const {
        std::string text;
        for (const std::string& line : head(k_)) text += line.empty() ? "//\n" : "// " + harmless(line) + "\n";
        text +=
            "//\n// S is any scalar: float, double, std::complex<double> (for the complex step), a type of automatic "
            "differentiation.\n//\n";
        std::string example =
            "    const auto c = ID::setup(ID::Parameters<double>{});   // again whenever a parameter changes\n"
            "    std::array<double, ID::nx> x = ID::start<double>();\n";
        if (k_.nu() > 0) {
            example +=
                "    for (int step = 0; step < 1000; ++step) {    // Euler's method, the simplest there is\n"
                "        const auto [xdot, status] = ID::rhs(1e-3*step, x, ID::INPUTS, c);\n"
                "        if (status != ID::Status::ok) break;\n"
                "        for (std::size_t i = 0; i < ID::nx; ++i) x[i] += 1e-3*xdot[i];\n"
                "        ID::normalise(x);\n"
                "    }\n";
        }
        example = replace(example, "INPUTS", k_.find("input_values") == nullptr ? "inputs<double>()" : "input_values(1e-3*step, c)");
        for (std::size_t at = 0; at < example.size();) {
            const std::size_t end = example.find('\n', at);
            text += "// " + replace(example.substr(at, end - at), "ID", k_.identifier) + "\n";
            at = end + 1;
        }
        if (k_.m() > 0)
            text +=
                "//\n// Start where the constraints are satisfied, as start does with the parameters of the model; residuals gives their "
                "violation.\n";
        text +=
            "\n#pragma once\n\n#include <array>\n#include <cmath>\n#include <complex>\n#include <cstddef>\n#include <limits>\n#include "
            "<utility>\n#include <vector>\n\n";
        text += fmt::format("namespace {} {{\n\n", k_.identifier);
        text += fmt::format(
            "inline constexpr std::size_t nq = {};  ///< coordinates\ninline constexpr std::size_t nu = {};  ///< speeds\n"
            "inline constexpr std::size_t nw = {};  ///< inputs\ninline constexpr std::size_t np = {};  ///< parameters\n"
            "inline constexpr std::size_t nc = {};  ///< constants, from setup\ninline constexpr std::size_t nm = {};  ///< constraints\n"
            "inline constexpr std::size_t ny = {};  ///< outputs\ninline constexpr std::size_t nx = {};  ///< states x = [q; u]\n",
            k_.nq(), k_.nu(), k_.nw(), k_.np(), k_.nc(), k_.m(), k_.outputs.size(), k_.nq() + k_.nu());
        if (k_.nu() > 0 && k_.m() > 0) {
            text += k_.rank == Package::undecided
                        ? "inline constexpr int rank = -1;  ///< independent constraints: counted at every call\n"
                        : fmt::format("inline constexpr int rank = {};  ///< independent constraints, at the start\n", k_.rank);
        }
        text += "\n";
        text +=
            "/// By rows.\ntemplate <class S, std::size_t rows, std::size_t columns>\nusing Matrix = std::array<std::array<S, columns>, "
            "rows>;\n\n";
        text +=
            "enum class Status {\n    ok,\n    no_inertia,     ///< a motion that the constraints allow has no inertia\n"
            "    contradiction,  ///< constraints contradict each other here; the result meets them as closely as possible\n"
            "    not_finite,     ///< something is infinite or not a number\n};\n\n";
        text += "/// Values of the model.\ntemplate <class S>\nstruct Parameters {\n";
        const auto& p = k_.arguments[argument_p].entries;
        for (std::size_t i = 0; i < p.size(); ++i) {
            std::string about = p[i].name == p_[i] ? "" : p[i].name;
            for (const std::string& word : {p[i].unit, p[i].about}) {
                if (!word.empty()) about += (about.empty() ? "" : ", ") + word;
            }
            text += fmt::format("    S {} = {}{};{}\n", p_[i], std::signbit(p[i].value) ? "-" : "", number(std::abs(p[i].value)),
                                about.empty() ? "" : "  ///< " + harmless(about));
        }
        text += "};\n\n/// What depends on parameters only: computed by setup.\ntemplate <class S>\nstruct Setup {\n";
        const auto& c = k_.arguments[argument_c].entries;
        for (std::size_t i = 0; i < c.size(); ++i)
            text += fmt::format("    S {}{{}};{}\n", c_[i], c[i].about.empty() ? "" : "  ///< " + harmless(c[i].about));
        text += "};\n";
        const auto array = [&](const char* about, const char* size, const char* name, std::initializer_list<std::size_t> arguments) {
            std::vector<std::string> values;
            for (const std::size_t a : arguments) {
                for (const Entry& e : k_.arguments[a].entries)
                    values.push_back((std::signbit(e.value) ? "-" : "") + number(std::abs(e.value)));
            }
            text += fmt::format("\n/// {}\ntemplate <class S>\nstd::array<S, {}> {}() {{\n    return {{", about, size, name);
            text += values.empty() ? "};\n}\n" : fmt::format("{{{}}}}};\n}}\n", fmt::join(values, ", "));
        };
        array("Default values of the inputs.", "nw", "inputs", {3});
        array("Initial coordinates and speeds.", "nx", "start", {1, 2});
        return text + scalar_kernel;
    }

    std::string accelerations() const {
        if (k_.find("elimination") == nullptr) return replace(accelerations_by_kernel(), "ELIMINATE", "");
        const std::string domain = fmt::format(R"(
/// The state was in the domain of the pivots that `elimination` was written with; otherwise its results mean nothing, and `accelerations` goes on in general.
template <class S>
bool is_valid(const Elimination<S>& e) {{
    const bool is_outside = detail::less(e.weakest, S(1.0)) || detail::less(S({}), e.growth);
    return !is_outside && detail::is_finite(e.udot) && detail::is_finite(e.lambda);
}}
)",
                                               number(program::Elimination::most_growth));
        const char* const first =
            "    if (const Elimination<S> e = elimination<S>(t, q, u, w, c); is_valid(e)) {\n"
            "        out.udot = e.udot;\n        out.lambda = e.lambda;\n        return out;\n    }\n";
        return domain + replace(accelerations_by_kernel(), "ELIMINATE", first);
    }

    static std::string accelerations_by_kernel() {
        return R"(
template <class S>
struct Accelerations {
    std::array<S, nu> udot{};    ///< accelerations
    std::array<S, nm> lambda{};  ///< multipliers; those of smallest norm where constraints are redundant
    Status status = Status::ok;
};

/// Accelerations and multipliers.
template <class S>
Accelerations<S> accelerations(const typename detail::Same<S>::type& t, const std::array<S, nq>& q, const std::array<S, nu>& u,
    const std::array<S, nw>& w, const Setup<S>& c) {
    Accelerations<S> out{};
ELIMINATE    auto [M, f, G, gamma] = dynamics<S>(t, q, u, w, c);
    if (!detail::is_finite(M) || !detail::is_finite(f) || !detail::is_finite(G) || !detail::is_finite(gamma)) {
        out.status = Status::not_finite;
        return out;
    }
    Matrix<S, nu, 1> X{};
    Matrix<S, nm, 1> L{};
    for (std::size_t i = 0; i < nu; ++i) X[i][0] = f[i];
    for (std::size_t i = 0; i < nm; ++i) L[i][0] = gamma[i];
    const Matrix<S, nm, nu> rows = G;
    if (!detail::solve_descriptor<S, nu, nm, 1>(M, G, X, L, rank)) out.status = Status::no_inertia;
    for (std::size_t i = 0; i < nu; ++i) out.udot[i] = X[i][0];
    for (std::size_t i = 0; i < nm; ++i) out.lambda[i] = L[i][0];
    if (!detail::is_finite(out.udot) || !detail::is_finite(out.lambda)) out.status = Status::not_finite;
    const S length = detail::norm(out.udot);
    S drift(1e-6 + 8*detail::Rounding<S>::epsilon), longest(0.0);
    for (const S& x : u) drift = drift + S(1e-3)*x*x;
    for (const auto& row : rows) longest = detail::larger(longest, detail::norm(row));
    for (std::size_t i = 0; i < nm && out.status == Status::ok; ++i) {
        S left = -gamma[i];
        for (std::size_t j = 0; j < nu; ++j) left = left + rows[i][j]*out.udot[j];
        const S floor = drift*(detail::less(S(0.0), longest) ? longest : S(1.0));
        const S allowed = S(0.01)*(longest*length + detail::magnitude(gamma[i])) + floor;  // more than the drift of an integrator
        if (detail::less(allowed, detail::magnitude(left))) out.status = Status::contradiction;
    }
    return out;
}
)";
    }

    std::string rhs() const {
        std::string text = R"(
namespace detail {

template <class S>
std::array<S, nq> coordinates(const std::array<S, nx>& x) {
    std::array<S, nq> q{};
    for (std::size_t i = 0; i < nq; ++i) q[i] = x[i];
    return q;
}
template <class S>
std::array<S, nu> speeds(const std::array<S, nx>& x) {
    std::array<S, nu> u{};
    for (std::size_t i = 0; i < nu; ++i) u[i] = x[nq + i];
    return u;
}

}  // namespace detail

template <class S>
struct Rhs {
    std::array<S, nx> xdot{};
    Status status = Status::ok;
};

/// The rate of the state x = [q; u].
template <class S>
Rhs<S> rhs(const typename detail::Same<S>::type& t, const std::array<S, nx>& x, const std::array<S, nw>& w, const Setup<S>& c) {
    Rhs<S> out{};
    const std::array<S, nq> q = detail::coordinates(x), qdot = rates<S>(t, q, detail::speeds(x), c);
)";
        text += k_.m() > 0
                    ? "    const auto [udot, lambda, status] = accelerations<S>(t, q, detail::speeds(x), w, c);\n    out.status = status;\n"
                    : "    const std::array<S, nu> udot = accelerations<S>(t, q, detail::speeds(x), w, c);\n";
        return text + R"(    for (std::size_t i = 0; i < nq; ++i) out.xdot[i] = qdot[i];
    for (std::size_t i = 0; i < nu; ++i) out.xdot[nq + i] = udot[i];
    if (!detail::is_finite(out.xdot)) out.status = Status::not_finite;
    return out;
}
)";
    }

    std::string rhs_jacobian() const {
        std::string text = R"(
template <class S>
struct RhsJacobian {
    Matrix<S, nx, nx> A{};  ///< by x
    Matrix<S, nx, nw> B{};  ///< by w
    Status status = Status::ok;
};

)";
        text += "/// Derivatives of the rate of the state.";
        if (k_.m() > 0) text += " Columns of A have a meaning only along motions that the constraints allow.";
        text += R"(
template <class S>
RhsJacobian<S> rhs_jacobian(const typename detail::Same<S>::type& t, const std::array<S, nx>& x, const std::array<S, nw>& w,
    const Setup<S>& c) {
    constexpr std::size_t k = nx + nw;
    RhsJacobian<S> out{};
    const std::array<S, nq> q = detail::coordinates(x);
    const std::array<S, nu> u = detail::speeds(x);
)";
        if (k_.m() > 0) {
            text +=
                "    const auto [udot, lambda, status] = accelerations<S>(t, q, u, w, c);\n"
                "    out.status = status == Status::contradiction ? Status::ok : status;\n    if (out.status != Status::ok) return out;\n";
        } else {
            text += "    const std::array<S, nu> udot = accelerations<S>(t, q, u, w, c);\n    const std::array<S, nm> lambda{};\n";
        }
        text +=
            "    auto d = dynamics<S>(t, q, u, w, c);\n    const auto rate = rate_jacobians<S>(t, q, u, c);\n"
            "    const auto J = jacobians<S>(t, q, u, w, udot, lambda, c);\n    Matrix<S, nu, k> X{};\n";
        const auto gather = [&](const char* to, const char* rows, const char* of) {
            text += fmt::format("    for (std::size_t i = 0; i < {}; ++i) {{\n", rows);
            text += fmt::format("        for (std::size_t j = 0; j < nq; ++j) {}[i][j] = -J.{}_q[i][j];\n", to, of);
            text += fmt::format("        for (std::size_t j = 0; j < nu; ++j) {}[i][nq + j] = -J.{}_u[i][j];\n", to, of);
            if (k_.nw() > 0) text += fmt::format("        for (std::size_t j = 0; j < nw; ++j) {}[i][nx + j] = -J.{}_w[i][j];\n", to, of);
            text += "    }\n";
        };
        gather("X", "nu", "r");
        if (k_.m() > 0) {
            text += "    Matrix<S, nm, k> L{};\n";
            gather("L", "nm", "s");
            text += "    if (!detail::solve_descriptor<S, nu, nm, k>(d.M, d.G, X, L, rank)) out.status = Status::no_inertia;\n";
        } else {
            text +=
                "    std::array<S, nu> size{};\n    for (std::size_t i = 0; i < nu; ++i) size[i] = detail::magnitude(d.M[i][i]);\n"
                "    if (!detail::solve_definite<S, nu, k>(0, d.M, size, X)) out.status = Status::no_inertia;\n";
        }
        text += R"(    for (std::size_t i = 0; i < nq; ++i) {
        for (std::size_t j = 0; j < nq; ++j) out.A[i][j] = rate.qdot_q[i][j];
        for (std::size_t j = 0; j < nu; ++j) out.A[i][nq + j] = rate.qdot_u[i][j];
    }
    for (std::size_t i = 0; i < nu; ++i) {
        for (std::size_t j = 0; j < nx; ++j) out.A[nq + i][j] = X[i][j];
)";
        if (k_.nw() > 0) text += "        for (std::size_t j = 0; j < nw; ++j) out.B[nq + i][j] = X[i][nx + j];\n";
        return text + R"(    }
    if (out.status == Status::ok && !detail::is_finite(out.A)) out.status = Status::not_finite;
    return out;
}
)";
    }

    std::string normalise() const {
        std::string text = "\n/// Normalises the unit quaternions among the coordinates.\ntemplate <class S, std::size_t n>\n";
        if (k_.quaternions.empty()) return text + "void normalise(std::array<S, n>&) {}\n";
        std::vector<std::string> groups;
        for (const auto& g : k_.quaternions) groups.push_back(fmt::format("{{{}}}", fmt::join(g, ", ")));
        text +=
            fmt::format("void normalise(std::array<S, n>& q) {{\n    using std::sqrt;\n    constexpr std::size_t group[{}][4] = {{{}}};\n",
                        groups.size(), fmt::join(groups, ", "));
        return text + R"(    for (const auto& e : group) {
        S square(0.0);
        for (const std::size_t i : e) square = square + q[i]*q[i];
        if (!detail::less(S(0.0), square)) continue;
        const S length = sqrt(square);
        for (const std::size_t i : e) q[i] = q[i]/length;
    }
}
)";
    }

    const Package& k_;
    std::vector<std::string> p_, c_;
};

}  // namespace

std::vector<File> write(const Package& package) { return Writer(package).write(); }

}  // namespace linkwright::codegen::cpp
