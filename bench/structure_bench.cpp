// Structures of many elements, and frequencies along a parameter with and without retained parameters.
//
//     structure_bench              the tables
//
// Times are the least of several runs, on one core.

#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "linkwright/session/structure_sweep.hpp"

namespace {

using namespace linkwright;
using Clock = std::chrono::steady_clock;

double least_time(int rounds, const std::function<void()>& f) {
    double best = 1e9;
    for (int round = 0; round < rounds; ++round) {
        const auto begin = Clock::now();
        f();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return best;
}

/// Two beams at a right angle, in the plane or in space, with so many elements in all.
structure::Structure l_shaped(std::size_t elements, bool is_spatial, bool is_clamped) {
    structure::Structure s;
    s.bodies.resize(3);
    s.bodies[0].is_ground = true;
    for (const std::size_t b : {std::size_t{1}, std::size_t{2}}) {
        structure::Body& body = s.bodies[b];
        body.name = b == 1 ? "A" : "B";
        flex::SectionNumbers section{.mass_per_length = 1, .bending_y = 100, .axial = 1e6};
        if (is_spatial) section.bending_z = 150, section.torsion = 80, section.torsion_inertia = 0.001;
        flex::BeamNumbers beam;
        beam.length = b == 1 ? 1.0 : 0.8;
        beam.pieces = {{beam.length, section}};
        body.beam = beam;
        body.elements = elements / 2;
    }
    s.bodies[1].R << 0, -1, 0, 1, 0, 0, 0, 0, 1;
    s.bodies[2].p = {0, 1, 0};
    structure::Joint base, corner;
    base.name = "base", base.child.body = 1, base.is_open = !is_clamped;
    corner.name = "corner", corner.point = {0, 1, 0}, corner.parent = {.body = 1, .is_section = true, .at = 1}, corner.child.body = 2;
    s.joints = {base, corner};
    return s;
}

void measure_growth() {
    fmt::print(
        "lowest 20 frequencies of an L-shaped beam, seconds\n\n| elements | plane, clamped | freedoms | f1, Hz | space, floating | "
        "freedoms |\n|---:|---:|---:|---:|---:|---:|\n");
    for (const std::size_t n : {100, 300, 1000, 3000, 10000, 30000}) {
        std::array<double, 2> seconds{};
        std::array<structure::NaturalModes, 2> found;
        for (const bool is_spatial : {false, true}) {
            seconds[is_spatial] = least_time(n < 5000 ? 3 : 1, [&] {
                const structure::Assembly a = structure::assemble(l_shaped(n, is_spatial, !is_spatial));
                found[is_spatial] = structure::full_modes(a, structure::rigid_modes(a), 20);
            });
        }
        fmt::print("| {} | {:.3f} | {} | {:.10f} | {:.3f} | {} |\n", n, seconds[0], found[0].freedoms, found[0].frequencies()[0],
                   seconds[1], found[1].freedoms);
    }
}

/// The yardsticks are all elements, and a synthesis with six shapes a beam, at every value.
void measure_sweeps() {
    const auto session = linkwright::open(LINKWRIGHT_ROOT "/models/l_shaped_beam/model.toml");
    fmt::print(
        "\n1000 intervals of a sweep of the L-shaped beam, six frequencies; seconds\n\n| sweep | elements a beam | all elements | "
        "synthesis | "
        "small model, made and used | used | synthesis / made and used | synthesis / used | freedoms | largest difference "
        "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (const int elements : {20, 200}) {
        for (const char* along : {"EI=50:200:1000", "LA=0.8:1.3:1000"}) {
            const std::string name = std::string(along).substr(0, 2);
            session::StructureOptions full{.elements = elements}, synthesis = full;
            synthesis.method = structure::Method::loaded, synthesis.modes = "6";
            std::optional<session::SweptStructure> whole, small;
            const auto run = [&](const session::StructureOptions& how, const std::vector<std::string>& retain) {
                return *session::sweep_structure(*session, {.structure = how, .retain = retain, .along = along});
            };
            const double anew = least_time(1, [&] { whole = run(full, {}); });
            const double synthesised = least_time(1, [&] { run(synthesis, {}); });
            const double retained = least_time(3, [&] { small = run(full, {name}); });
            const double used = least_time(3, [&] {
                for (const Eigen::VectorXd& row : whole->table.rows) small->retained.omega2({row[0]}, 6);
            });
            double most = 0;
            for (std::size_t i = 0; i < whole->table.rows.size(); ++i) {
                const Eigen::VectorXd &a = small->table.rows[i], &b = whole->table.rows[i];
                most = std::max(most, (a.array() / b.array() - 1).abs().maxCoeff());
            }
            fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.3f} | {:.3f} | {:.0f} | {:.0f} | {} | {:.1e} |\n", along, elements, anew,
                       synthesised, retained, used, synthesised / retained, synthesised / used, small->retained.size(), most);
        }
    }
}

}  // namespace

int main() {
    measure_growth();
    measure_sweeps();
}
