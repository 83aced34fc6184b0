// Debian's asmjit is a static library whose objects may stand in a shared one, all but the one with these three functions: it reaches for stderr as
// only programs can. Defined here they keep that object out. asmjit calls them when its own assertions fail, which release builds of it have not.

#include <asmjit/core.h>

#include <cstdio>
#include <cstdlib>

ASMJIT_BEGIN_SUB_NAMESPACE(DebugUtils)

const char* errorAsString(Error) noexcept { return "an error of asmjit"; }

void debugOutput(const char* text) noexcept { std::fputs(text, stderr); }

void assertionFailed(const char* file, int line, const char* message) noexcept {
    std::fprintf(stderr, "asmjit, %s:%d: %s\n", file, line, message);
    std::abort();
}

ASMJIT_END_SUB_NAMESPACE
