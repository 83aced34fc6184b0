#include "linkwright/exchange/translation.hpp"

#include <algorithm>
#include <tuple>

namespace linkwright::exchange {

Diagnostics at_origins(Diagnostics problems, const Translation& translation) {
    for (Diagnostic& d : problems) {
        d.file = translation.files.empty() ? "" : translation.files.front();
        if (d.where.line == 0) continue;
        const std::size_t line = d.where.line - 1;
        const Origin origin = line < translation.origins.size() ? translation.origins[line] : Origin{};
        d.where = origin.where;
        if (origin.file < translation.files.size()) d.file = translation.files[origin.file];
    }
    std::ranges::stable_sort(problems, [](const Diagnostic& a, const Diagnostic& b) {
        return std::tie(a.file, a.where.line, a.where.column) < std::tie(b.file, b.where.line, b.where.column);
    });
    return problems;
}

namespace {

/// The places of everything in the model, which later problems are told at.
void move_places(model::Model& m, const Translation& translation) {
    const auto move = [&](Position& where) {
        const std::size_t line = where.line == 0 ? translation.origins.size() : where.line - 1;
        const Origin origin = line < translation.origins.size() ? translation.origins[line] : Origin{};
        where = origin.file == 0 ? origin.where : Position{0, 0};  // a model knows one file
    };
    const auto move_all = [&](auto&... lists) { (std::ranges::for_each(lists, [&](auto& item) { move(item.where); }), ...); };
    move_all(m.parameters, m.inputs, m.states, m.motors, m.filters, m.trajectories, m.bodies, m.joints, m.springs, m.forces, m.torques,
             m.rods, m.constraints, m.gears, m.rollings, m.motions, m.joint_motions, m.speeds, m.outputs, m.events, m.initial, m.guess,
             m.symbols, m.shapes);
}

}  // namespace

model::Reading read(const Translation& translation) {
    model::Reading reading;
    if (translation.text) {
        reading = model::read(*translation.text, translation.files.empty() ? "" : translation.files.front());
        reading.problems = at_origins(std::move(reading.problems), translation);
        if (reading.model) move_places(*reading.model, translation);
    }
    reading.sha256 = translation.sha256;
    reading.problems.insert(reading.problems.begin(), translation.problems.begin(), translation.problems.end());
    return reading;
}

}  // namespace linkwright::exchange
