#include "linkwright/session/eliminated.hpp"

#include "linkwright/codegen/elimination.hpp"
#include "linkwright/session/generate.hpp"

namespace linkwright::session {

Eliminated eliminate_at_start(Workbench& bench) {
    const sym::PoolScope scope(*bench.equations().pool);
    Report unread;  // a start that does not close is the business of verbs that start there
    Eliminated e{codegen::make_package(bench.equations()), {}};
    put_in_start(e.package, bench.numbers(Code::interpreted, unread), unread);
    e.why_not = codegen::put_in_elimination(e.package);
    return e;
}

}  // namespace linkwright::session
