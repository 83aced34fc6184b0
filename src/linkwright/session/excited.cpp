#include "linkwright/session/excited.hpp"

#include "linkwright/model/copy.hpp"
#include "linkwright/model/excitation.hpp"

namespace linkwright::session {

std::optional<Excited> excited(const Session& session, Report& report) {
    model::Model model = model::copy(session.model(), std::make_shared<sym::Pool>());
    std::vector<linear::GivenMotion> motions;
    for (const model::Excitation& e : model::excite(model)) motions.push_back({e.name, e.inputs});
    if (motions.empty()) return Excited{session, {}};
    const Result<Session> opened = open_model(model, {.formulation = session.options().formulation});
    if (!opened) return report.add(opened.problems), std::nullopt;  // warnings have been told when the model was opened
    return Excited{*opened, std::move(motions)};
}

}  // namespace linkwright::session
