#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen {
namespace {

constexpr std::size_t longest = 40;  // Fortran has room for 63, suffixes included

// Words that some language keeps for itself, names its library has at global scope, and names that emitted code uses.
constexpr std::string_view reserved[] = {
    // C, C++
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "linux", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator",
    "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast", "std", "struct", "switch", "template", "this",
    "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unix", "unsigned", "using",
    "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    // the C library, as C++ headers may declare it globally
    "abort", "abs", "access", "acos", "acosh", "alarm", "asin", "asinh", "assert", "atan", "atan2", "atanh", "atexit",
    "atof", "atoi", "atol", "bsearch", "cbrt", "ceil", "chmod", "clock", "close", "connect", "copysign", "cos", "cosh",
    "creat", "div", "drem", "dup", "erf", "erfc", "errno", "exit", "exp", "exp2", "expm1", "fabs", "fdim", "finite",
    "float_t", "floor", "fma", "fmax", "fmin", "fmod", "fork", "fread", "free", "frexp", "gamma", "getc", "gets", "gmtime",
    "hypot", "ilogb", "index", "isinf", "isnan", "j0", "j1", "jn", "kill", "labs", "ldexp", "ldiv", "lgamma", "link",
    "listen", "localtime", "lock", "log", "log10", "log1p", "log2", "logb", "lrint", "lround", "main", "malloc",
    "memcpy", "mktime", "modf", "nan", "nice", "open", "pause", "perror", "pipe", "poll", "pow", "printf", "putc", "puts",
    "qsort", "raise", "rand", "random", "read", "remainder", "remove", "remquo", "rename", "rewind", "rint", "rindex",
    "round", "scalb", "scanf", "select", "send", "setbuf", "shutdown", "signal", "signbit", "significand", "sin", "sinh",
    "sleep", "socket", "sqrt", "srand", "stat", "stderr", "stdin", "stdout", "strcat", "strlen", "swab", "sync",
    "system", "tan", "tanh", "tgamma", "time", "timer_t", "trunc", "ungetc", "unlink", "wait", "write", "y0", "y1", "yn",
    // headers that a file of ours beside others would hide
    "algorithm", "any", "arpa", "bit", "bitset", "charconv", "chrono", "ciso646", "codecvt", "compare", "concepts", "coroutine",
    "ctype", "cassert", "cctype", "cerrno", "cfenv", "cfloat", "climits", "clocale", "cmath", "csignal", "cstdarg", "cstddef",
    "cstdint", "cstdio", "cstdlib", "cstring", "ctime", "cwchar", "cwctype", "deque", "dirent", "dlfcn", "endian", "exception",
    "execution", "expected", "fcntl", "features", "fenv", "filesystem", "fstream", "functional", "future", "getopt", "glob", "grp",
    "iconv", "ieee754", "initializer_list", "inttypes", "iomanip", "ios", "iosfwd", "iostream", "iso646", "istream", "iterator",
    "latch", "libintl", "limits", "locale", "malloc", "map", "memory", "mutex", "netdb", "numbers", "numeric", "ostream",
    "pthread", "pwd", "queue", "ranges", "ratio", "regex", "sched", "semaphore", "set", "setjmp", "signal", "source_location",
    "span", "spawn", "sstream", "stack", "stdalign", "stdarg", "stdatomic", "stdbit", "stdbool", "stdckdint", "stddef",
    "stdexcept", "stdint", "stdio", "stdlib", "stdnoreturn", "string", "string_view", "strings", "syslog", "tar", "termios",
    "tgmath", "thread", "threads", "tuple", "type_traits", "typeindex", "typeinfo", "uchar", "ucontext", "unistd", "utility",
    "valarray", "values", "variant", "vector", "version", "wchar", "wctype", "windows", "winsock", "assert", "float",
    // Fortran: what a module could be mistaken for
    "allocatable", "allocate", "associate", "block", "call", "character", "complex", "contains", "cycle", "data",
    "deallocate", "dimension", "elemental", "end", "entry", "equivalence", "exit", "external", "forall", "format",
    "function", "ieee_arithmetic", "implicit", "import", "include", "integer", "intent", "interface", "intrinsic",
    "iso_c_binding", "iso_fortran_env", "logical", "module", "none", "only", "optional", "parameter", "pointer", "procedure",
    "program", "pure", "real", "recursive", "result", "save", "stop", "submodule", "subroutine", "target", "then", "type",
    "use", "where",
    // Python
    "array", "as", "async", "await", "def", "del", "elif", "except", "finally", "from", "global", "in", "is", "lambda",
    "len", "list", "math", "nonlocal", "np", "numpy", "pass", "print", "range", "scipy", "self", "with", "yield",
    // Julia, MATLAB
    "abstract", "base", "begin", "baremodule", "core", "elseif", "endfunction", "endif", "endwhile", "eps", "eval",
    "feval", "inf", "isa", "let", "linearalgebra", "local", "macro", "methods", "missing", "nargin", "nargout", "ones",
    "otherwise", "parfor", "persistent", "pi", "primitive", "properties", "quote", "rank", "size", "spmd", "unwind_protect",
    "zeros", "cross", "dot", "norm", "inv", "diag", "null", "tic", "toc", "disp", "plot", "figure", "gca", "clc", "ans", "i", "j",
    // Modelica
    "algorithm", "annotation", "cardinality", "connector", "constant", "constrainedby", "der", "discrete", "each",
    "elsewhen", "encapsulated", "equation", "expandable", "extends", "final", "flow", "initial", "inner", "input", "loop",
    "modelica", "outer", "output", "package", "partial", "record", "redeclare", "replaceable", "stream", "terminal", "when",
    "within",
    // names of emitted code
    "t", "q", "u", "w", "p", "c", "m", "f", "g", "x", "y", "a", "b", "k", "l", "n", "r", "s", "v", "z", "d", "e", "h", "o", "dp", "nq", "nu", "nw", "np_",
    "nc", "nx", "ny", "np1", "udot", "qdot", "xdot", "linear", "angular", "phi", "rate", "setup", "rates", "dynamics",
    "accelerations", "rate_jacobians", "jacobians", "inverse", "energy", "momentum", "residuals", "outputs", "rhs",
    "rhs_jacobian", "normalise", "inputs", "input_values", "derived", "nr", "square_root", "logarithm", "arcsine", "arccosine", "raised", "values", "check", "number_type", "kinetic", "potential", "status", "lambda", "model", "parameters", "start", "kernel", "solve", "solve_tree", "solve_descriptor", "detail", "scalar",
};

bool is_numbered(std::string_view word) {  // v0, c12: temporaries and constants
    return word.size() > 1 && (word[0] == 'v' || word[0] == 'c') &&
           std::ranges::all_of(word.substr(1), [](char x) { return x >= '0' && x <= '9'; });
}

}  // namespace

std::string identifier(const std::string& name) {
    std::string word;
    for (const char x : name) {
        const auto byte = static_cast<unsigned char>(x);
        if (byte < 128 && std::isalnum(byte) != 0) {
            word += static_cast<char>(std::tolower(byte));
        } else if (!word.empty() && word.back() != '_') {
            word += '_';
        }
    }
    if (word.size() > longest) word.resize(longest);
    while (!word.empty() && word.back() == '_') word.pop_back();
    if (word.empty()) return "unnamed_model";
    if (word[0] >= '0' && word[0] <= '9') word = "model_" + word;
    if (std::ranges::find(reserved, word) != std::end(reserved) || is_numbered(word)) word += "_model";
    return word;
}

}  // namespace linkwright::codegen
