#include "linkwright/model/beam_numbers.hpp"

namespace linkwright::model {

flex::BeamNumbers beam_numbers(const Beam& beam, const std::function<double(const Expr&)>& value) {
    flex::BeamNumbers out;
    out.length = value(beam.length), out.start = value(beam.sleeves.start), out.end = value(beam.sleeves.end);
    for (const BeamPiece& p : beam.pieces) {
        const BeamSection& s = p.section;
        out.pieces.push_back({value(p.to),
                              {.mass_per_length = value(s.mass_per_length),
                               .bending_y = value(s.bending_y),
                               .bending_z = value(s.bending_z),
                               .axial = value(s.axial),
                               .torsion = value(s.torsion),
                               .torsion_inertia = value(s.torsion_inertia),
                               .rotary = value(s.rotary)}});
    }
    const BeamSleeves& s = beam.sleeves;
    out.start_mass = s.start_mass ? value(*s.start_mass) : out.pieces.front().section.mass_per_length * out.start;
    out.end_mass = s.end_mass ? value(*s.end_mass) : out.pieces.back().section.mass_per_length * out.end;
    for (const BeamMass& m : beam.masses) {
        flex::BeamNumbers::Mass x{.at = value(m.at), .mass = value(m.mass)};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) x.inertia(i, j) = value(m.inertia[i][j]);
        }
        out.masses.push_back(x);
    }
    out.frame = beam.frame;
    return out;
}

}  // namespace linkwright::model
