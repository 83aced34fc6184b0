#include "linkwright/report/page_code.hpp"

#include <fmt/format.h>

#include "linkwright/base/sha256.hpp"
#include "linkwright/codegen/javascript/javascript.hpp"
#include "linkwright/codegen/statements.hpp"
#include "linkwright/report/loads.hpp"
#include "linkwright/session/generate.hpp"

namespace linkwright::report {

namespace {

std::string start_of(const codegen::Package& package) {
    std::string out;
    const auto values = [&](const char* list, const std::vector<codegen::Entry>& entries) {
        for (std::size_t i = 0; i < entries.size(); ++i)
            out += fmt::format("linkwrightModel.{}[{}].value = {};\n", list, i, codegen::shortest(entries[i].value));
    };
    values("COORDINATES", package.arguments[1].entries);
    values("SPEEDS", package.arguments[2].entries);
    return out;
}

}  // namespace

PageCode make_page_code(session::Workbench& bench, const std::vector<sym::Expr>& geometry, session::Report& report) {
    const eom::EquationsOfMotion& e = bench.equations();
    const Loads loads = make_loads(bench.model(), e);
    const codegen::Extras extras{.poses = true,
                                 .geometry = sym::transplant(geometry, *e.pool),
                                 .loads = loads.expressions,
                                 .sampling = codegen::sampling_numbers(e)};
    codegen::Package package = codegen::make_package(e, nullptr, codegen::UseRoutines::never, extras);
    codegen::Package started = package;
    session::put_in_start(started, bench.numbers(session::Code::interpreted, report), report);
    package.rank = started.rank;
    PageCode out;
    out.text = codegen::javascript::script(package);
    out.sha256 = sha256(out.text);
    out.start = start_of(started);
    out.loads = loads.is_known;
    return out;
}

}  // namespace linkwright::report
