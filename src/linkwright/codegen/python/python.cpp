#include "linkwright/codegen/python/python.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "linkwright/codegen/layout.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/codegen/python/kernel.hpp"
#include "linkwright/codegen/statements.hpp"

namespace linkwright::codegen::python {
namespace {

using program::Op;

constexpr std::size_t width = 96;

// Modules of the standard library that NumPy, or what it imports, would find here instead of there.
constexpr std::string_view library[] = {
    "abc",         "argparse",    "ast",       "asyncio",      "atexit",      "base64",
    "bdb",         "binascii",    "bisect",    "builtins",     "bz2",         "calendar",
    "cmath",       "cmd",         "code",      "codecs",       "collections", "colorsys",
    "contextlib",  "contextvars", "copy",      "copyreg",      "csv",         "ctypes",
    "dataclasses", "datetime",    "decimal",   "difflib",      "dis",         "doctest",
    "email",       "encodings",   "errno",     "faulthandler", "filecmp",     "fileinput",
    "fnmatch",     "fractions",   "functools", "gc",           "genericpath", "getopt",
    "getpass",     "glob",        "graphlib",  "gzip",         "hashlib",     "heapq",
    "hmac",        "html",        "http",      "imp",          "importlib",   "inspect",
    "io",          "ipaddress",   "itertools", "json",         "keyword",     "linecache",
    "locale",      "logging",     "lzma",      "marshal",      "mmap",        "multiprocessing",
    "numbers",     "opcode",      "os",        "pathlib",      "pdb",         "pickle",
    "pkgutil",     "platform",    "posix",     "posixpath",    "pprint",      "profile",
    "pwd",         "queue",       "re",        "reprlib",      "resource",    "secrets",
    "selectors",   "shelve",      "shlex",     "shutil",       "site",        "sqlite3",
    "ssl",         "statistics",  "string",    "stringprep",   "subprocess",  "symtable",
    "sys",         "sysconfig",   "tempfile",  "test",         "textwrap",    "threading",
    "timeit",      "token",       "tokenize",  "trace",        "traceback",   "tracemalloc",
    "turtle",      "types",       "typing",    "unicodedata",  "unittest",    "urllib",
    "uuid",        "venv",        "warnings",  "wave",         "weakref",     "xml",
    "zipfile",     "zipimport",   "zlib",      "zoneinfo",
};

/// `lambda` is a word of the language.
std::string spelled(const std::string& name) { return name == "lambda" ? "lam" : name; }

std::string call(Op op, std::span<const std::string> x) {
    switch (op) {
        case Op::asin: return fmt::format("np.arcsin({})", x[0]);
        case Op::acos: return fmt::format("np.arccos({})", x[0]);
        case Op::atan: return fmt::format("np.arctan({})", x[0]);
        case Op::atan2: return fmt::format("np.arctan2({}, {})", x[0], x[1]);
        case Op::pow: return fmt::format("np.power({}, {})", x[0], x[1]);
        case Op::min: return fmt::format("np.where({1} < {0}, {1}, {0})", x[0], x[1]);  // a NaN as in the other languages
        case Op::max: return fmt::format("np.where({0} < {1}, {1}, {0})", x[0], x[1]);
        case Op::select: return fmt::format("np.where({} > 0.0, {}, {})", x[0], x[1], x[2]);
        default: return fmt::format("np.{}({})", program::name(op), x[0]);
    }
}

std::string number(double x) {
    if (std::isnan(x)) return "np.nan";
    if (std::isinf(x)) return x < 0 ? "-np.inf" : "np.inf";
    return shortest(x);
}

std::string result(std::size_t call_number, std::size_t k) { return fmt::format("r{}[{}]", call_number, k); }

class Writer {
public:
    explicit Writer(const Package& package) : package_(package) {}

    std::string write() {
        write_head();
        write_symbols();
        text_ += read_kernel;
        for (const Function& f : package_.routines) {
            if (f.is_called) write_routine(f);
        }
        for (const Function& f : package_.functions) write_function(f);
        if (package_.find("setup") == nullptr) {
            line("\n\ndef setup(p):");
            line("    \"\"\"Nothing here depends on parameters.\"\"\"");
            line("    return np.zeros(0)");
        }
        if (package_.m() > 0) text_ += descriptor_kernel;
        write_by_hand();
        return std::move(text_);
    }

private:
    Listing list(const Function& f) const {
        Spelling spelling{.inputs = {}, .number = number, .call = call, .result = result, .widest = 88};
        for (const std::size_t a : f.arguments) {
            const Argument& argument = package_.arguments[a];
            for (std::size_t i = 0; i < argument.entries.size(); ++i) {
                spelling.inputs.push_back(argument.is_scalar ? argument.name : fmt::format("{}{}", spelled(argument.name), i));
            }
        }
        return write_statements(f.program, spelling);
    }

    void line(const std::string& text) { text_ += text + "\n"; }

    void write_head() {
        const std::string module = module_name(package_);
        std::string text = joined(head(package_, 0), "\n");
        text += "\n\nUse\n\n";
        text += "    import numpy as np\n    from scipy.integrate import solve_ivp\n";
        text += fmt::format("    import {} as model\n\n", module);
        if (package_.np() > 0) {
            text += fmt::format("    p = model.values(model.PARAMETERS, {{{}: {}}})    # the others as in the table\n",
                                in_quotes(package_.arguments[4].entries[0].name), number(package_.arguments[4].entries[0].value));
        } else {
            text += "    p = model.values(model.PARAMETERS)\n";
        }
        const bool follows = package_.find("input_values") != nullptr;
        text += "    c = model.setup(p)\n";
        text += follows ? "    w = model.input_values(0.0, c)\n" : "    w = model.values(model.INPUTS)\n";
        text += "    x = np.concatenate([model.values(model.COORDINATES), model.values(model.SPEEDS)])";
        text += package_.m() > 0 ? "    # must close the loops\n" : "\n";
        text += fmt::format("    motion = solve_ivp(lambda t, x: model.rhs(t, x, {}, c), (0.0, 10.0), x, rtol=1e-8)\n",
                            follows ? "model.input_values(t, c)" : "w");
        text += "    A, B = model.rhs_jacobian(0.0, x, w, c)\n";
        text += "\nShapes: q has the shape (NQ,) for one state or (NQ, N) for N of them, and likewise u, w, udot, lam;\n";
        text += "t is a number or has the shape (N,). Results then end in N as well: M has the shape (NU, NU, N).\n";
        if (package_.m() > 0) {
            text +=
                "\nA state must fulfil the constraints (see residuals); accelerations keep it there up to the drift "
                "of\n";
            text += "the integrator. Rows may be redundant: of all multipliers those of smallest norm are returned. Rows that\n";
            text += "contradict each other by more than drift explains, and motions without inertia, raise LinAlgError.\n";
        }
        std::string escaped;  // three quotes would end it
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\\' || text.compare(i, 3, "\"\"\"") == 0) escaped += '\\';
            escaped += text[i];
        }
        text_ += "\"\"\"" + escaped + "\"\"\"\n\n";
        line("from typing import NamedTuple\n\nimport numpy as np\n");
        line(fmt::format("NAME = {}", in_quotes(package_.name)));
        line(fmt::format("FORMULATION = {}", in_quotes(package_.formulation)));
        line(fmt::format("NQ, NU, NW, NP, NC, NM = {}, {}, {}, {}, {}, {}", package_.nq(), package_.nu(), package_.nw(), package_.np(),
                         package_.nc(), package_.m()));
        if (package_.m() > 0) {
            line(package_.rank == Package::undecided ? "RANK = None  # independent constraints: counted at every call"
                                                     : fmt::format("RANK = {}  # independent constraints, at the start", package_.rank));
        }
    }

    void write_symbols() {
        text_ += symbol_kernel;
        const auto list = [&](const std::string& name, const std::vector<Entry>& entries) {
            if (entries.empty()) return line(name + " = ()");
            line(name + " = (");
            for (const Entry& e : entries) {
                line(fmt::format("    Symbol({}, {}, {}, {}),", in_quotes(e.name), in_quotes(e.unit), in_quotes(e.about), number(e.value)));
            }
            line(")");
        };
        list("COORDINATES", package_.arguments[1].entries);
        list("SPEEDS", package_.arguments[2].entries);
        list("INPUTS", package_.arguments[3].entries);
        list("PARAMETERS", package_.arguments[4].entries);
        list("CONSTRAINTS", package_.constraints);
        list("OUTPUTS", package_.outputs);
    }

    static std::string shape(const Result& r) {
        if (r.is_scalar) return "()";
        return r.columns == 1 && !is_matrix(r) ? fmt::format("({},)", r.rows) : fmt::format("({}, {})", r.rows, r.columns);
    }

    std::string parameters_of(const Function& f) const {
        std::vector<std::string> names;
        for (const std::size_t a : f.arguments) names.push_back(spelled(package_.arguments[a].name));
        return joined(names, ", ");
    }

    void write_docstring(const Function& f) {
        line("    \"\"\"" + f.about + "\n");
        for (const Result& r : f.results) line(fmt::format("    {} {}: {}", r.name, shape(r), r.about));
        line("\n    Operations: " + describe(f.operations) + ".");
        line("    \"\"\"");
    }

    void write_unpacking(const Function& f, const Listing& body) {
        std::size_t next = 0;
        for (const std::size_t a : f.arguments) {
            const Argument& argument = package_.arguments[a];
            std::vector<std::size_t> used;
            for (std::size_t i = 0; i < argument.entries.size(); ++i) {
                if (body.is_input_used[next++]) used.push_back(i);
            }
            const std::string name = spelled(argument.name);
            if (argument.is_scalar || used.empty()) continue;
            if (used.size() == 1) {
                line(fmt::format("    {0}{1} = {0}[{1}]", name, used[0]));
                continue;
            }
            std::vector<std::string> locals, indices;
            for (const std::size_t i : used) locals.push_back(fmt::format("{}{}", name, i)), indices.push_back(std::to_string(i));
            std::string from = name;
            if (used.size() < argument.entries.size()) from += "[[" + joined(indices, ", ") + "]]";
            const std::string short_one = joined(locals, ", ") + " = " + from;
            if (short_one.size() + 4 <= width) {
                line("    " + short_one);
                continue;
            }
            std::vector<std::string> pieces = separated(locals, ",");
            pieces.front() = "(" + pieces.front();
            pieces.back() += ")";
            std::istringstream tail("= " + from);
            for (std::string word; tail >> word;) pieces.push_back(word);
            pieces[locals.size() - 1] += " " + pieces[locals.size()] + " " + pieces[locals.size() + 1];
            pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(locals.size()),
                         pieces.begin() + static_cast<std::ptrdiff_t>(locals.size()) + 2);
            for (const std::string& l : fill(pieces, width - 4, " ")) line("    " + l);
        }
    }

    void write_function(const Function& f) {
        const Listing body = list(f);
        line(fmt::format("\n\ndef {}({}):", f.name, parameters_of(f)));
        write_docstring(f);
        std::vector<std::string> reads;
        for (const std::size_t a : f.arguments) {
            const Argument& argument = package_.arguments[a];
            reads.push_back(argument.is_scalar ? fmt::format("({0}, None, \"{0}\")", argument.name)
                                               : fmt::format("({0}, {1}, \"{0}\")", spelled(argument.name), argument.entries.size()));
        }
        std::vector<std::string> pieces = separated(reads, ",");
        pieces.front() = fmt::format("{}, shape = _read({}", parameters_of(f), pieces.front());
        pieces.back() += ")";
        for (const std::string& l : fill(pieces, width - 4, "    ")) line("    " + l);
        write_unpacking(f, body);
        write_statements_of(body);
        write_results(f, body);
    }

    void write_statements_of(const Listing& body) {
        for (const Statement& s : body.statements) {
            if (!s.call)
                line(fmt::format("    {} = {}", s.name, s.value));
            else
                write_list(fmt::format("r{} = _{}((", s.call->number, package_.routines[s.call->routine].name), s.call->arguments, ",))");
        }
    }

    /// Pieces with commas between them, on as many lines as it takes.
    void write_list(const std::string& before, const std::vector<std::string>& list, const std::string& behind) {
        std::vector<std::string> pieces = separated(list, ",");
        pieces.front() = before + pieces.front();
        pieces.back() += behind;
        for (const std::string& l : fill(pieces, width - 4, "    ")) line("    " + l);
    }

    /// Takes numbers or arrays of one shape, and gives such.
    void write_routine(const Function& f) {
        const Listing body = list(f);
        line(fmt::format("\n\ndef _{}(x):", f.name));
        line(fmt::format("    \"\"\"{}\n\n    Operations: {}.\n    \"\"\"", f.about, describe(f.operations)));
        std::vector<std::string> names;
        for (std::size_t i = 0; i < f.program.inputs; ++i) names.push_back(body.is_input_used[i] ? fmt::format("x{}", i) : "_");
        if (!names.empty()) write_list("(", names, ",) = x");
        write_statements_of(body);
        write_list("return (", body.outputs, ",)");
    }

    void write_results(const Function& f, const Listing& body) {
        std::size_t next = 0;
        std::vector<std::string> returned;
        for (const Result& r : f.results) {
            const std::string dimensions = shape(r);
            line(fmt::format("    {} = np.zeros({})", r.name, r.is_scalar ? "shape" : dimensions + " + shape"));
            for (const std::size_t at : r.at) {
                const std::size_t i = at / r.columns, j = at % r.columns;
                const std::string target = r.is_scalar    ? fmt::format("{}[...]", r.name)
                                           : is_matrix(r) ? fmt::format("{}[{}, {}]", r.name, i, j)
                                                          : fmt::format("{}[{}]", r.name, i);
                const bool is_mirrored = r.is_symmetric && i != j;
                line(fmt::format("    {} = {}{}", target, is_mirrored ? fmt::format("{}[{}, {}] = ", r.name, j, i) : "",
                                 body.outputs[next++]));
            }
            returned.push_back(r.is_scalar ? r.name + "[()]" : r.name);
        }
        line("    return " + joined(returned, ", "));
    }

    void write_by_hand() {
        const bool is_tree = package_.m() == 0, has_speeds = package_.nu() > 0;
        const Function* dynamics = package_.find("dynamics");
        if (!is_tree) {
            text_ += has_speeds ? accelerations_kernel : accelerations_without_speeds;
        } else if (package_.find("accelerations") == nullptr) {
            text_ += accelerations_of_nothing;
        }
        line("\n\ndef rhs(t, x, w, c):");
        line("    \"\"\"The rate of the state x = [q; u], of the shape of x; for solve_ivp and its like.\"\"\"");
        line("    x = np.asarray(x, dtype=float)");
        line("    q, u = x[:NQ], x[NQ:]");
        const std::string udot = is_tree ? "accelerations(t, q, u, w, c)" : "accelerations(t, q, u, w, c)[0]";
        const std::string qdot = package_.find("rates") == nullptr ? "x[:0]" : "rates(t, q, u, c)";
        line(fmt::format("    return np.concatenate([{}, {}])", qdot, udot));

        line("\n\ndef rhs_jacobian(t, x, w, c):");
        line("    \"\"\"A = d rhs / d x and B = d rhs / d w at one state.\"\"\"");
        line("    x = np.asarray(x, dtype=float)");
        line("    q, u = x[:NQ], x[NQ:]");
        line("    A, B = np.zeros((NQ + NU, NQ + NU)), np.zeros((NQ + NU, NW))");
        if (const Function* f = package_.find("rate_jacobians")) {
            line(fmt::format("    {} = rate_jacobians(t, q, u, c)", joined(result_names(*f), ", ")));
            if (find_result(f, "qdot_q") != nullptr) line("    A[:NQ, :NQ] = qdot_q");
            if (find_result(f, "qdot_u") != nullptr) line("    A[:NQ, NQ:] = qdot_u");
        }
        const Function* jacobians = package_.find("jacobians");
        if (has_speeds && jacobians != nullptr) {
            if (is_tree) {
                line("    lam = np.zeros(0)");
                line("    udot = accelerations(t, q, u, w, c)");
            } else {
                line("    udot, lam = accelerations(t, q, u, w, c)");
            }
            line(fmt::format("    {} = dynamics(t, q, u, w, c)", joined(result_names(*dynamics), ", ")));
            line(fmt::format("    {} = jacobians(t, q, u, w, udot, lam, c)", joined(result_names(*jacobians), ", ")));
            const auto stacked = [&](const char* letter) {
                return "-np.hstack([" + joined(jacobian_blocks(*jacobians, letter), ", ") + "])";
            };
            if (is_tree) {
                line(fmt::format("    slope = np.linalg.solve(M, {})", stacked("r")));
            } else {
                line("    # M dudot + G' dlambda = -dr, G dudot = -ds");
                line(fmt::format("    slope, _ = _solve_descriptor(M, {}, G, {}, RANK)", stacked("r"), stacked("s")));
            }
            line("    A[NQ:, :] = slope[:, :NQ + NU]");
            line("    B[NQ:, :] = slope[:, NQ + NU:]");
        }
        line("    return A, B");

        if (package_.quaternions.empty()) return;
        line("\n\ndef normalise(q):");
        line("    \"\"\"The coordinates with unit quaternions of length 1.\"\"\"");
        line("    q = np.array(q, dtype=float)");
        for (const auto& group : package_.quaternions) {
            line(fmt::format("    e = [{}, {}, {}, {}]", group[0], group[1], group[2], group[3]));
            line("    q[e] /= np.sqrt(np.sum(q[e]**2, axis=0))");
        }
        line("    return q");
    }

    const Package& package_;
    std::string text_;
};

}  // namespace

std::string module_name(const Package& package) {
    const bool is_taken = std::ranges::find(library, package.identifier) != std::end(library);
    return is_taken ? package.identifier + "_model" : package.identifier;
}

std::vector<File> write(const Package& package) { return {{module_name(package) + ".py", Writer(package).write()}}; }

}  // namespace linkwright::codegen::python
