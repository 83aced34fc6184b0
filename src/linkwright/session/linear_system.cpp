#include "linkwright/session/linear_system.hpp"

#include <fmt/format.h>

#include "linkwright/session/excited.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

std::optional<NamedSystem> linear_system(const Session& session, const OperatingWords& operating, const std::vector<std::string>& from,
                                         const std::vector<std::string>& to, Watch& watch, Report& report) {
    const auto with_motions = excited(session, report);
    if (!with_motions) return std::nullopt;
    const Lease bench = borrow(with_motions->session, "recursive", report);
    if (!bench || !can_linearize(bench->equations(), report)) return std::nullopt;
    const eom::EquationsOfMotion& e = bench->equations();
    if (session.model().inputs.empty() && with_motions->motions.empty()) {
        report.error("the model has no inputs and no given motions, so there is nothing to excite it with",
                     "declare an input, [inputs] tau = 0, and use it, for example as actuator = \"tau\" of a joint; or move a base by a "
                     "[[motion]]");
        return std::nullopt;
    }
    const numeric::CompiledEquations& numbers = bench->numbers(Code::native, report);
    const auto at = operating_state(operating, numbers, watch, report);
    if (!at) return std::nullopt;
    const linear::Linearization linear = linear::Linearizer(numbers, with_motions->motions)(at->point);
    if (!linear.is_ok) return report.fail(linear.why), std::nullopt;
    linear::Ports ports = connect(e, linear, from, to.empty() && session.model().outputs.empty() ? linear.s : to);
    if (ports.unknown.empty()) return NamedSystem{names_of(e), std::move(ports.system)};
    const char* pushes = with_motions->motions.empty() ? "input" : "input or given motion";
    report.error(fmt::format("{}: no {} '{}'", ports.is_input ? "--from" : "--to", ports.is_input ? pushes : "output, coordinate or speed",
                             ports.unknown),
                 hint_for(ports.unknown, ports.known, "there are "));
    return std::nullopt;
}

}  // namespace linkwright::session
