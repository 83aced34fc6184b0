#include "linkwright/session/validity.hpp"

#include <fmt/format.h>

#include <map>

namespace linkwright::session {

void warn_beyond_theory(const numeric::CompiledEquations& numbers, std::span<const numeric::State> states, Report& report) {
    const eom::EquationsOfMotion& e = numbers.equations();
    if (e.validity.empty() || states.empty()) return;
    std::vector<sym::Expr> values;
    for (const eom::Validity& v : e.validity) values.push_back(v.value);
    const numeric::CompiledEquations::Function at = numbers.compile(values);
    struct Worst {
        double size = 0, t = 0;
        std::size_t which = 0;
    };
    std::map<std::string, Worst> worst;  // by what it is, wherever on the beam
    for (const numeric::State& state : states) {
        const Eigen::VectorXd x = at(state);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double size = std::abs(x[static_cast<Eigen::Index>(i)]);
            if (!(size > e.validity[i].limit)) continue;
            Worst& w = worst[e.validity[i].what.substr(0, e.validity[i].what.find(" at x"))];
            if (size > w.size) w = {size, state.t, i};
        }
    }
    for (const auto& [what, w] : worst) {
        report.warn(
            fmt::format("{} reaches {:.3g} at t = {:.4g}: beams are bent by small slopes, up to about {:g}, and what follows is beyond "
                        "that theory",
                        e.validity[w.which].what, w.size, w.t, e.validity[w.which].limit));
    }
}

}  // namespace linkwright::session
