#include "linkwright/model/component_shapes.hpp"

#include "linkwright/model/beam_numbers.hpp"

namespace linkwright::model {

std::string find_component_shapes(BeamShapes& s, const Beam& beam, const ParameterValues& value,
                                  const std::vector<flex::InterfaceLoad>& loads) {
    constexpr std::size_t usual = 20;
    const std::size_t elements = s.elements > 0 ? s.elements : beam.elements > 0 ? beam.elements : usual;
    const flex::BeamNumbers numbers = beam_numbers(beam, [&](const Expr& e) { return value(e); });
    if (!(numbers.length > numbers.start + numbers.end)) return "the beam has no length";
    flex::ComponentShapes found = flex::component_shapes(numbers, static_cast<flex::ComponentDirection>(s.direction),
                                                         static_cast<flex::ComponentInterface>(s.interface), s.count, elements, loads);
    if (!found.ok) return found.why;
    s.given = {.file = {}, .x = std::move(found.x), .phi = std::move(found.phi), .slope = std::move(found.slope)};
    return {};
}

}  // namespace linkwright::model
