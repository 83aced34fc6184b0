// Debian's libasmjit.a is compiled for programs, not for shared objects: it reads the address of stderr as if that were near. The linker is told to
// take __wrap_stderr wherever stderr is meant (--wrap=stderr), and that is near.
#include <cstdio>

extern "C" {
extern FILE* __real_stderr;                                           // NOLINT(bugprone-reserved-identifier): the linker's name for it
__attribute__((visibility("hidden"))) FILE* __wrap_stderr = nullptr;  // NOLINT(bugprone-reserved-identifier)
}

namespace {

__attribute__((constructor)) void find_stderr() { __wrap_stderr = __real_stderr; }

}  // namespace
