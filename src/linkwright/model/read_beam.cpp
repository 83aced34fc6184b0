// [[body]] of type "beam".

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "linkwright/model/component_shapes.hpp"
#include "linkwright/model/form_beam.hpp"
#include "linkwright/model/read_modes.hpp"
#include "linkwright/model/reader.hpp"
#include "linkwright/model/values.hpp"

namespace linkwright::model {

namespace {

constexpr std::array<std::pair<std::string_view, BeamDirection>, 4> directions{
    {{"y", BeamDirection::y}, {"z", BeamDirection::z}, {"x", BeamDirection::x}, {"twist", BeamDirection::twist}}};
constexpr std::array<std::pair<std::string_view, BeamInterface>, 3> interfaces{
    {{"fixed", BeamInterface::fixed}, {"free", BeamInterface::free}, {"loaded", BeamInterface::loaded}}};
constexpr std::array<std::pair<std::string_view, BeamFamily>, 7> families{{{"component", BeamFamily::component},
                                                                           {"clamped-mass", BeamFamily::clamped_mass},
                                                                           {"pinned-pinned", BeamFamily::pinned_pinned},
                                                                           {"clamped-free", BeamFamily::clamped_free},
                                                                           {"clamped-pinned", BeamFamily::clamped_pinned},
                                                                           {"free-free", BeamFamily::free_free},
                                                                           {"polynomial", BeamFamily::polynomial}}};
constexpr std::array<std::pair<std::string_view, flex::Frame>, 3> frames{
    {{"tangent", flex::Frame::tangent}, {"chord", flex::Frame::chord}, {"mean", flex::Frame::mean}}};
constexpr std::array<std::pair<std::string_view, BeamNormalise>, 3> normalisations{
    {{"unit", BeamNormalise::unit}, {"tip", BeamNormalise::tip}, {"mass", BeamNormalise::mass}}};
constexpr std::array<std::pair<std::string_view, BeamOrder>, 2> orders{{{"all", BeamOrder::all}, {"second", BeamOrder::second}}};

/// How many shapes keep their digits: of eigenfunctions by their wave numbers, of polynomials by their coefficients.
std::size_t most_shapes(BeamFamily family) { return family == BeamFamily::polynomial ? 12 : family == BeamFamily::clamped_mass ? 8 : 40; }

/// A word of a list at a key; what it says already when the key is absent or wrong.
template <class T, std::size_t n>
void choose(Reader& r, const Value& table, std::string_view key, const std::array<std::pair<std::string_view, T>, n>& words, T& choice) {
    const Value* value = table.find(key);
    if (value == nullptr || !r.expect(*value, Value::Kind::string, key)) return;
    for (const auto& [word, meaning] : words) {
        if (value->string == word) {
            choice = meaning;
            return;
        }
    }
    r.unknown(key, value->string, value->content, [&] {
        std::vector<std::string> all;
        for (const auto& [word, meaning] : words) all.emplace_back(word);
        return all;
    });
}

bool bends(BeamDirection d) { return d == BeamDirection::y || d == BeamDirection::z; }

std::string_view end_conditions(flex::Frame frame, BeamDirection direction) {
    if (frame == flex::Frame::mean) return bends(direction) ? "∫φ dm = ∫xφ dm = 0" : "∫φ dm = 0";
    if (!bends(direction)) return "φ(0) = 0";
    return frame == flex::Frame::tangent ? "φ(0) = φ'(0) = 0" : "φ(0) = φ(L) = 0";
}

void read_given(Reader& r, const Value& table, BeamShapes s, flex::Frame frame, Beam& beam);

/// Names of parameters; whether there are such is known when all are declared, and they are by now.
void read_retained(Reader& r, const Value& table, std::vector<std::string>& retain) {
    const Value* value = table.find("retain");
    if (value == nullptr || !r.expect(*value, Value::Kind::array, "retain")) return;
    for (const Value& item : value->items) {
        if (!r.expect(item, Value::Kind::string, "retain")) return;
        const auto named = r.names.find(item.string);
        if (named == r.names.end() || named->second.kind != use_parameters) {
            r.error(item.content, fmt::format("'retain' names parameters, and {} is not one", quoted(item.string)));
            continue;
        }
        retain.push_back(item.string);
    }
}

void read_elements(Reader& r, const Value& table, std::size_t& elements) {
    const Value* value = table.find("elements");
    if (value == nullptr || !r.expect(*value, Value::Kind::integer, "elements")) return;
    constexpr std::int64_t most = 100'000;
    if (value->integer < 1 || value->integer > most) {
        r.error(value->where, fmt::format("'elements' must be from 1 to {}, not {}", most, value->integer), "20 will do for most beams");
        return;
    }
    elements = static_cast<std::size_t>(value->integer);
}

void read_shapes_of(Reader& r, const Value& table, BeamDirection direction, flex::Frame frame, Beam& beam) {
    if (!r.expect(table, Value::Kind::table, to_string(direction))) return;
    r.check_keys(table, "shapes", {"family", "count", "normalise", "tip_mass", "tip_inertia", "given", "interface", "elements"});
    BeamShapes s;
    s.direction = direction;
    s.where = table.where;
    if (table.find("given") != nullptr) return read_given(r, table, std::move(s), frame, beam);
    const Value* family = r.required(table, "family", "shapes");
    choose(r, table, "family", families, s.family);
    choose(r, table, "normalise", normalisations, s.normalise);
    choose(r, table, "interface", interfaces, s.interface);
    read_elements(r, table, s.elements);
    for (const char* key : {"interface", "elements"}) {
        const Entry* entry = s.family == BeamFamily::component ? nullptr : table.find_entry(key);
        if (entry != nullptr) r.error(entry->where, fmt::format("'{}' is only for shapes of the family 'component'", key));
    }
    if (const Value* count = table.find("count"); count != nullptr && r.expect(*count, Value::Kind::integer, "count")) {
        if (count->integer < 1 || count->integer > static_cast<std::int64_t>(most_shapes(s.family))) {
            r.error(count->where, fmt::format("'count' must be from 1 to {}, not {}", most_shapes(s.family), count->integer),
                    count->integer < 1 ? "leave the direction out if the beam does not move that way"
                                       : "more shapes of this family cannot be told apart in double precision");
        } else {
            s.count = static_cast<std::size_t>(count->integer);
        }
    }
    if (family == nullptr) return;
    const auto may = fitting(frame, direction);
    if (s.family != BeamFamily::component && std::ranges::find(may, s.family) == may.end()) {
        std::string list;
        for (const BeamFamily f : may) list += (list.empty() ? "" : ", ") + std::string(to_string(f));
        r.error(family->content,
                fmt::format("shapes of the family {} do not fit a {} frame, which requires {}", quoted(to_string(s.family)),
                            to_string(frame), end_conditions(frame, direction)),
                "choose from " + list);
    }
    const bool ends_at_zero = s.family == BeamFamily::pinned_pinned || s.family == BeamFamily::clamped_pinned ||
                              (bends(direction) && frame == flex::Frame::chord);
    if (s.normalise == BeamNormalise::tip && ends_at_zero) {
        r.error(table.find_entry("normalise")->where, "these shapes vanish at the tip and cannot be made 1 there",
                "write \"unit\" or \"mass\"");
        s.normalise = BeamNormalise::unit;
    }
    beam.shapes.push_back(s);
}

/// { given = "modes.json" }: values and slopes of shapes at places of the beam.
void read_given(Reader& r, const Value& table, BeamShapes s, flex::Frame frame, Beam& beam) {
    const Value& name = *table.find("given");
    if (!r.expect(name, Value::Kind::string, "given")) return;
    for (const char* key : {"family", "normalise", "tip_mass", "tip_inertia", "interface", "elements"}) {
        if (const Entry* entry = table.find_entry(key)) r.error(entry->where, fmt::format("'{}' cannot be combined with 'given'", key));
    }
    s.family = BeamFamily::given;
    std::string problem;
    auto modes = read_modes(name.string.starts_with('/') ? name.string : r.folder + name.string, problem);
    if (!modes) {
        r.error(name.content, fmt::format("{}: {}", quoted(name.string), problem),
                "a file of shapes has \"x\": [0, ..], \"phi\": [[..], ..] and \"slope\": [[..], ..]");
        return;
    }
    s.given = std::move(*modes);
    s.given.file = name.string;
    s.count = s.given.phi.size();
    if (const Value* count = table.find("count"); count != nullptr && r.expect(*count, Value::Kind::integer, "count")) {
        if (count->integer < 1 || count->integer > static_cast<std::int64_t>(s.count)) {
            r.error(count->where, fmt::format("'count' must be from 1 to {}: the file has so many shapes", s.count));
        } else {
            s.count = static_cast<std::size_t>(count->integer);
        }
    }
    for (std::size_t i = 0; i < s.count; ++i) {
        const std::vector<double>&phi = s.given.phi[i], &slope = s.given.slope[i];
        double most = 0;
        for (const double x : phi) most = std::max(most, std::abs(x));
        const double length = s.given.x.back(), little = 1e-6 * most;
        const bool is_held = std::abs(phi.front()) <= little &&
                             (!bends(s.direction) || frame != flex::Frame::tangent || std::abs(slope.front()) * length <= little) &&
                             (!bends(s.direction) || frame != flex::Frame::chord || std::abs(phi.back()) <= little);
        if (frame != flex::Frame::mean && !is_held) {
            r.error(name.content, fmt::format("shape {} of {} does not fit a {} frame, which requires {}", i + 1, quoted(name.string),
                                              to_string(frame), end_conditions(frame, s.direction)));
        }
    }
    beam.shapes.push_back(std::move(s));
}

/// Directions with stiffness, as far as the keys tell.
bool has_stiffness(const Value& body, BeamDirection direction) {
    const auto given = [&](const Value& table) {
        if (direction == BeamDirection::x) return table.find("axial") != nullptr;
        if (direction == BeamDirection::twist) return table.find("torsion") != nullptr;
        const Value* bending = table.find("bending");
        return bending != nullptr && bending->is(Value::Kind::table) && bending->find(to_string(direction)) != nullptr;
    };
    const Value* pieces = body.find("pieces");
    if (pieces != nullptr && pieces->is(Value::Kind::array) && std::ranges::any_of(pieces->items, given)) return true;
    return given(body);
}

void read_shapes(Reader& r, const Value& body, Beam& beam) {
    const Value* shapes = r.required(body, "shapes", "a beam");
    if (shapes == nullptr || !r.expect(*shapes, Value::Kind::table, "shapes")) return;
    const bool is_for_all = shapes->find("family") != nullptr || shapes->find("given") != nullptr;
    if (!is_for_all) r.check_keys(*shapes, "shapes", {"y", "z", "x", "twist"});
    for (const auto& [word, direction] : directions) {
        const bool is_stiff = has_stiffness(body, direction);
        const Entry* entry = is_for_all ? nullptr : shapes->find_entry(word);
        if (is_for_all && is_stiff) read_shapes_of(r, *shapes, direction, beam.frame, beam);
        if (entry == nullptr) {
            if (is_stiff && !is_for_all) {
                r.warning(shapes->where,
                          fmt::format("the beam has stiffness along {} and no shapes: it does not move that way", quoted(word)),
                          fmt::format("give shapes = {{ {} = {{ family = .., count = .. }} }}", word));
            }
            continue;
        }
        if (!is_stiff) {
            r.error(entry->where, fmt::format("shapes along {} have no stiffness", quoted(word)),
                    direction == BeamDirection::x       ? "give axial = \"EA\""
                    : direction == BeamDirection::twist ? "give torsion = \"GJ\""
                                                        : fmt::format("give bending = {{ {} = \"EI\" }}", word));
        }
        read_shapes_of(r, entry->value, direction, beam.frame, beam);
    }
    const auto has = [&](BeamFamily f) { return std::ranges::find(beam.shapes, f, &BeamShapes::family) != beam.shapes.end(); };
    if (has(BeamFamily::component) && has(BeamFamily::clamped_mass)) {
        r.error(shapes->where, "shapes from finite elements cannot be combined with shapes of the family 'clamped-mass' in one beam",
                "shapes of the family 'component' account for masses as well: use them in every direction");
    }
    if (has(BeamFamily::given) && has(BeamFamily::clamped_mass)) {
        r.error(shapes->where, "shapes that are given cannot be combined with shapes of the family 'clamped-mass' in one beam",
                "their wave numbers depend on parameters, numbers from a file do not; give both from files, or use polynomials");
    }
    if (beam.shapes.empty() && !r.has_error) {
        r.error(shapes->where, "a beam needs shapes in at least one direction",
                "shapes = { y = { family = \"clamped-free\", count = 2 } }");
    }
}

/// What stands at one place of the beam; keys that are absent are as in `otherwise`.
BeamSection read_section(Reader& r, const Value& table, const Scope& scope, const BeamSection& otherwise) {
    BeamSection s = otherwise;
    s.mass_per_length = r.scalar(table, "mass_per_length", use_geometry, scope, s.mass_per_length);
    s.axial = r.scalar(table, "axial", use_geometry, scope, s.axial);
    s.torsion = r.scalar(table, "torsion", use_geometry, scope, s.torsion);
    s.torsion_inertia = r.scalar(table, "torsion_inertia", use_geometry, scope, s.torsion_inertia);
    s.rotary = r.scalar(table, "rotary", use_geometry, scope, s.rotary);
    if (const Value* bending = table.find("bending"); bending != nullptr && r.expect(*bending, Value::Kind::table, "bending")) {
        r.check_keys(*bending, "bending", {"y", "z"});
        s.bending_y = r.scalar(*bending, "y", use_geometry, scope, s.bending_y);
        s.bending_z = r.scalar(*bending, "z", use_geometry, scope, s.bending_z);
    }
    return s;
}

/// Numbers that must be positive.
class Numbers {
public:
    explicit Numbers(Reader& r) : r_(r), value_(r.values()) {}
    double operator()(const Expr& e) const { return value_(e); }

    void expect_positive(const Value& table, std::string_view key, const Expr& e, std::string_view what, std::string_view hint) {
        const Value* at = table.find(key);
        if (at == nullptr || value_(e) > 0 || std::isnan(value_(e)) || is_told(*at)) return;
        r_.error(at->where, fmt::format("{} must be positive, not {:.6g}", what, value_(e)), std::string(hint));
    }

private:
    /// What could not be read is 0, and a problem stands there already.
    bool is_told(const Value& value) const {
        return std::ranges::any_of(r_.problems, [&](const Diagnostic& d) {
            return d.where.line == value.where.line && d.where.column >= value.where.column &&
                   d.where.column <= std::max<std::size_t>(value.where.column, value.content.column + value.string.size());
        });
    }

    Reader& r_;
    const ParameterValues& value_;
};

void check_section(Numbers& number, const Value& table, const BeamSection& s) {
    constexpr std::string_view stiff = "a beam that does not move this way has no key for it", without = "leave it out if there is none";
    number.expect_positive(table, "mass_per_length", s.mass_per_length, "the mass per length", "attached masses belong in 'masses'");
    number.expect_positive(table, "axial", s.axial, "the axial stiffness", stiff);
    number.expect_positive(table, "torsion", s.torsion, "the torsional stiffness", stiff);
    number.expect_positive(table, "torsion_inertia", s.torsion_inertia, "the torsional inertia", without);
    number.expect_positive(table, "rotary", s.rotary, "the rotary inertia", without);
    if (const Value* bending = table.find("bending"); bending != nullptr && bending->is(Value::Kind::table)) {
        number.expect_positive(*bending, "y", s.bending_y, "the bending stiffness", stiff);
        number.expect_positive(*bending, "z", s.bending_z, "the bending stiffness", stiff);
    }
}

/// What a beam with pieces must have in each of them.
void check_piece(Reader& r, const Value& piece, const BeamSection& s, const Beam& beam) {
    const auto expect = [&](const Expr& x, std::string_view what, std::string_view words) {
        if (!x.is_literally(0)) return;
        r.error(piece.where, fmt::format("this piece has no {}", what), fmt::format("write {} here, or once for the whole beam", words));
    };
    expect(s.mass_per_length, "mass per length", "mass_per_length = \"mu\"");
    for (const BeamShapes& shapes : beam.shapes) {
        switch (shapes.direction) {
            case BeamDirection::y: expect(s.bending_y, "stiffness along 'y'", "bending = { y = \"EI\" }"); break;
            case BeamDirection::z: expect(s.bending_z, "stiffness along 'z'", "bending = { z = \"EI\" }"); break;
            case BeamDirection::x: expect(s.axial, "axial stiffness", "axial = \"EA\""); break;
            case BeamDirection::twist: expect(s.torsion, "torsional stiffness", "torsion = \"GJ\""); break;
        }
    }
}

/// Twist needs inertia of its own where shapes are measured by it.
void check_twist(Reader& r, const Beam& beam) {
    for (const BeamShapes& s : beam.shapes) {
        if (s.direction != BeamDirection::twist) continue;
        const bool is_measured = beam.frame == flex::Frame::mean || s.normalise == BeamNormalise::mass;
        const bool has_inertia =
            std::ranges::any_of(beam.pieces, [](const BeamPiece& p) { return !p.section.torsion_inertia.is_literally(0); });
        if (!is_measured || has_inertia) continue;
        r.error(s.where,
                fmt::format("twist has no inertia, and {} requires it",
                            beam.frame == flex::Frame::mean ? "a mean frame" : "normalise = \"mass\""),
                "give torsion_inertia = \"rhoJ\"");
    }
}

void read_pieces(Reader& r, const Value& table, const Scope& scope, Beam& beam, Numbers& number) {
    const BeamSection whole = read_section(r, table, scope, {});
    check_section(number, table, whole);
    const Value* pieces = table.find("pieces");
    if (pieces == nullptr) {
        r.required(table, "mass_per_length", "a beam without pieces");
        beam.pieces = {{beam.length, whole}};
        return;
    }
    if (!r.expect(*pieces, Value::Kind::array, "pieces")) return;
    double from = number(beam.sleeves.start);
    for (const Value& item : pieces->items) {
        if (!r.expect(item, Value::Kind::table, "pieces")) return;
        r.check_keys(item, "a piece", {"to", "mass_per_length", "bending", "axial", "torsion", "torsion_inertia", "rotary"});
        BeamPiece piece;
        piece.to = r.required_scalar(item, "to", use_geometry, scope, "a piece");
        piece.section = read_section(r, item, scope, whole);
        check_section(number, item, piece.section);
        if (item.find("to") == nullptr) return;
        const double to = number(piece.to);
        if (!(to > from)) {
            r.error(item.find("to")->where, fmt::format("the piece ends at {:.6g}, before it begins at {:.6g}", to, from),
                    "pieces follow each other from x = 0 on");
        }
        from = to;
        beam.pieces.push_back(std::move(piece));
    }
    if (!r.has_error) {
        for (std::size_t i = 0; i < beam.pieces.size(); ++i) check_piece(r, pieces->items[i], beam.pieces[i].section, beam);
    }
    const double length = number(beam.length), last = length - number(beam.sleeves.end);
    if (beam.pieces.empty()) {
        r.error(pieces->where, "'pieces' is empty", "write [{ to = \"L\", mass_per_length = \"mu\" }], or leave it out");
    } else if (std::abs(from - length) > 1e-9 * length && std::abs(from - last) > 1e-9 * length) {
        r.error(pieces->items.back().where, fmt::format("the pieces end at {:.6g}, the beam at {:.6g}", from, length),
                "let the last piece go to the end of the beam");
    }
}

void read_sleeves(Reader& r, const Value& table, const Scope& scope, Beam& beam, Numbers& number) {
    const Value* rigid = table.find("rigid");
    if (rigid == nullptr || !r.expect(*rigid, Value::Kind::table, "rigid")) return;
    r.check_keys(*rigid, "rigid", {"start", "start_mass", "end", "end_mass"});
    BeamSleeves& s = beam.sleeves;
    s.start = r.scalar(*rigid, "start", use_geometry, scope);
    s.end = r.scalar(*rigid, "end", use_geometry, scope);
    for (const auto& [key, length, mass_key, mass] :
         {std::tuple("start", &s.start, "start_mass", &s.start_mass), std::tuple("end", &s.end, "end_mass", &s.end_mass)}) {
        number.expect_positive(*rigid, key, *length, "a rigid end", "leave it out if there is none");
        if (rigid->find(mass_key) == nullptr) continue;
        *mass = r.scalar(*rigid, mass_key, use_geometry, scope);
        if (number(**mass) < 0)
            r.error(rigid->find(mass_key)->where, "the mass of a rigid end is negative",
                    "without it the end has the mass per length of the beam");
        if (rigid->find(key) == nullptr) {
            r.error(rigid->find(mass_key)->where, fmt::format("'{}' needs '{}'", mass_key, key), "that is the length of the rigid end");
        }
    }
    if (number(s.start) + number(s.end) >= number(beam.length)) {
        r.error(rigid->where, "the rigid ends leave nothing of the beam that bends", "they lie inside 'length'");
    }
}

Mat3 read_lumped_inertia(Reader& r, const Value& value, const Scope& scope) {
    if (!value.is(Value::Kind::array)) return spatial::diagonal(0, 0, r.expression(value, use_geometry, scope, "inertia").value_or(0));
    Body scratch;
    define_inertia(r, value, scope, scratch);
    return scratch.inertia;
}

/// What clamped-mass shapes have at their tip.
void read_tips(Reader& r, const Value& body, const Scope& scope, Beam& beam, const Numbers& number) {
    const Value* shapes = body.find("shapes");
    if (shapes == nullptr || !shapes->is(Value::Kind::table)) return;
    for (BeamShapes& s : beam.shapes) {
        const Value* table = shapes->find("family") != nullptr ? shapes : shapes->find(to_string(s.direction));
        if (table == nullptr || !table->is(Value::Kind::table)) continue;
        for (const auto& [key, tip] : {std::pair("tip_mass", &s.tip_mass), std::pair("tip_inertia", &s.tip_inertia)}) {
            const Entry* entry = table->find_entry(key);
            if (entry == nullptr) continue;
            if (s.family != BeamFamily::clamped_mass) {
                r.error(entry->where, fmt::format("'{}' is only for shapes of the family 'clamped-mass'", key));
                continue;
            }
            *tip = r.scalar(*table, key, use_geometry, scope);
            if (number(**tip) < 0) r.error(entry->where, fmt::format("'{}' is negative", key));
        }
        if (s.family != BeamFamily::clamped_mass || beam.pieces.empty()) continue;
        double m = s.tip_mass ? number(*s.tip_mass) : 0, J = s.tip_inertia ? number(*s.tip_inertia) : 0;
        for (const BeamMass& x : beam.masses) {
            if (!(x.at == beam.length)) continue;
            if (!s.tip_mass) m += number(x.mass);
            if (!s.tip_inertia) J += number(x.inertia[2][2]) + number(x.inertia[1][1]);
        }
        constexpr double most = 1e9;  // beyond, the equation for the wave numbers has no digits left
        const double length = number(beam.length), mass = number(beam.pieces.back().section.mass_per_length) * length;
        if (mass > 0 && !(m <= most * mass && J <= most * mass * length * length)) {
            r.error(s.where, "what is at the tip is more than 1e9 times the beam: shapes of the family 'clamped-mass' cannot be found",
                    "hold the tip by a joint, with shapes of the family 'clamped-pinned' or 'polynomial'");
        }
    }
}

/// Shapes of the family 'component', from finite elements with the values that the parameters have in the file.
void find_components(Reader& r, const std::string& name, Beam& beam) {
    for (BeamShapes& s : beam.shapes) {
        if (s.family != BeamFamily::component) continue;
        if (s.interface != BeamInterface::free) r.wants_interface_loads = true;
        static const std::vector<flex::InterfaceLoad> nothing;
        const bool is_known = r.interface_loads != nullptr && r.interface_loads->contains(name);
        const std::string problem = find_component_shapes(s, beam, r.values(), is_known ? r.interface_loads->at(name) : nothing);
        if (!problem.empty()) r.error(s.where, "no shapes: " + problem, "use fewer shapes, or more 'elements'");
    }
}

void read_masses(Reader& r, const Value& table, const Scope& scope, Beam& beam, Numbers& number) {
    const Value* masses = table.find("masses");
    if (masses == nullptr || !r.expect(*masses, Value::Kind::array, "masses")) return;
    for (const Value& item : masses->items) {
        if (!r.expect(item, Value::Kind::table, "masses")) continue;
        r.check_keys(item, "a mass", {"at", "mass", "inertia"});
        BeamMass m;
        m.where = item.where;
        m.at = r.required_scalar(item, "at", use_geometry, scope, "a mass");
        m.mass = r.required_scalar(item, "mass", use_geometry, scope, "a mass");
        if (const Value* inertia = item.find("inertia")) m.inertia = read_lumped_inertia(r, *inertia, scope);
        if (number(m.mass) < 0) r.error(item.find("mass")->where, "a mass on the beam is negative", "attached masses are positive");
        if (item.find("at") != nullptr) check_place(r, number(m.at), number(beam.length), item.find("at")->where);
        beam.masses.push_back(std::move(m));
    }
}

void read_damping(Reader& r, const Value& table, const Scope& scope, Beam& beam, const Numbers& number) {
    const Value* value = table.find("damping");
    if (value == nullptr) return;
    const auto check = [&] {
        for (const Expr& ratio : beam.damping) {
            if (number(ratio) < 0)
                r.warning(value->where, "a negative damping ratio: the beam gains energy as it moves", "0.01 is one percent");
        }
    };
    if (!value->is(Value::Kind::array)) {
        beam.damping = {r.expression(*value, use_geometry, scope, "damping").value_or(0)};
        return check();
    }
    beam.damping = r.list(*value, use_geometry, scope, "damping").value_or(std::vector<Expr>{});
    check();
    const std::size_t n = beam.elastic.coordinates.size();
    if (beam.damping.size() != n) {
        r.error(value->where, fmt::format("'damping' must have {} ratios, not {}", n, beam.damping.size()),
                "one for each shape, or one number");
        beam.damping.clear();
    }
}

}  // namespace

void check_place(Reader& r, double x, double length, Position where) {
    if (x >= -1e-9 * length && x <= length * (1 + 1e-9)) return;
    if (std::isnan(x) || std::isnan(length)) return;
    r.error(where, fmt::format("x = {:.6g} is outside the beam, which goes from 0 to {:.6g}", x, length),
            "'at' counts from the origin of the beam");
}

void declare_beam(Reader& r, const Value& table, Body& body, bool is_new) {
    r.check_keys(table, "a beam", {"name",   "type",   "length", "mass_per_length", "bending",    "torsion", "torsion_inertia",
                                   "axial",  "rotary", "frame",  "shapes",          "shortening", "order",   "damping",
                                   "masses", "pieces", "rigid",  "points",          "elements",   "retain"});
    Beam beam;
    choose(r, table, "frame", frames, beam.frame);
    choose(r, table, "order", orders, beam.order);
    if (const Value* s = table.find("shortening"); s != nullptr && r.expect(*s, Value::Kind::boolean, "shortening")) {
        beam.shortening = s->boolean;
    }
    read_elements(r, table, beam.elements);
    read_retained(r, table, beam.retain);
    read_shapes(r, table, beam);
    const bool has_bending = std::ranges::any_of(beam.shapes, [](const BeamShapes& s) { return bends(s.direction); });
    if (const Value* s = table.find("shortening"); s != nullptr && beam.shortening && !has_bending && !beam.shapes.empty()) {
        r.warning(s->where, "'shortening' does nothing: the beam has no shapes that bend it");
    }
    beam.shortening = beam.shortening && has_bending;
    for (const BeamShapes& s : beam.shapes) {
        for (std::size_t i = 1; i <= s.count && is_new; ++i) {
            const std::string name = fmt::format("{}.{}{}", body.name, to_string(s.direction), i);
            const auto q = r.new_symbol(name, sym::Role::coordinate, body.where),
                       u = r.new_symbol(name + "'", sym::Role::speed, body.where);
            beam.elastic.coordinates.push_back(q.value_or(Expr(0)));
            beam.elastic.speeds.push_back(u.value_or(Expr(0)));
        }
    }
    r.declare(body.name + ".elastic", {use_results, body.where, Expr(0)});
    body.beam = std::move(beam);
}

void define_beam(Reader& r, const Element& e) {
    const Value& table = *e.table;
    const Scope& scope = *e.scope;
    Numbers number(r);
    Beam beam = *r.model.bodies[e.index].beam;
    beam.length = r.required_scalar(table, "length", use_geometry, scope, "a beam");
    number.expect_positive(table, "length", beam.length, "the length of a beam", "lengths are in metres, along x");
    read_sleeves(r, table, scope, beam, number);
    read_pieces(r, table, scope, beam, number);
    read_masses(r, table, scope, beam, number);
    read_tips(r, table, scope, beam, number);
    read_damping(r, table, scope, beam, number);
    check_twist(r, beam);
    if (!r.has_error) find_components(r, r.model.bodies[e.index].name, beam);
    r.model.bodies[e.index].beam = beam;
    if (r.has_error) return;  // constants of a beam that is wrong say nothing
    const std::size_t before = r.model.parameters.size();
    form_beam(r.model, e.index);
    declare_constants(r, before);
    r.names.at(r.model.bodies[e.index].name + ".elastic").symbol = elastic_energy(*r.model.bodies[e.index].beam);
    define_beam_points(r, e);
}

void check_orders(Reader& r) {
    const auto cuts = [](const Body& b) { return b.beam && b.beam->order == BeamOrder::second; };
    const auto first = std::ranges::find_if(r.model.bodies, cuts);
    if (first == r.model.bodies.end()) return;
    for (const Body& b : r.model.bodies) {
        if (!b.beam || cuts(b)) continue;
        r.warning(
            b.where,
            fmt::format("the kinetic energy of {} is also kept to second order only: the order given for {} applies to the whole mechanism",
                        quoted(b.name), quoted(first->name)),
            "write order = \"second\" in every beam, or in none");
    }
}

void declare_constants(Reader& r, std::size_t from) {
    for (std::size_t i = from; i < r.model.parameters.size(); ++i) {
        const Parameter& p = r.model.parameters[i];
        r.declare(p.symbol.symbol().name, {use_parameters, p.where, p.symbol});
    }
}

std::optional<PointOf> point_on_beam(Reader& r, BodyIndex index, const Value& table, const Scope& scope, const std::string& name) {
    r.check_keys(table, "a point of a beam", {"at", "offset", "turns"});
    const Value* at = r.required(table, "at", "a point of a beam");
    if (at == nullptr) return std::nullopt;
    const auto x = r.expression(*at, use_geometry, scope, "at");
    const Value* offset_value = table.find("offset");
    const auto offset = offset_value == nullptr ? std::optional(Vec3{}) : r.vector(*offset_value, use_geometry, scope, "offset");
    bool turns = true;
    if (const Value* t = table.find("turns"); t != nullptr && r.expect(*t, Value::Kind::boolean, "turns")) turns = t->boolean;
    if (!x || !offset || !r.model.bodies[index].beam || r.has_error) return std::nullopt;
    const ParameterValues& value = r.values();
    const std::size_t errors = r.problems.size();
    check_place(r, value(*x), value(r.model.bodies[index].beam->length), at->where);
    if (r.problems.size() > errors) return std::nullopt;
    const std::size_t before = r.model.parameters.size();
    const BodyIndex on = section(r.model, index, *x, turns, name);
    declare_constants(r, before);
    return PointOf{on, *offset, r.model.bodies[index].name + "." + name};
}

void define_beam_points(Reader& r, const Element& e) {
    const auto add = [&](const std::string& name, const std::optional<PointOf>& p) {
        if (p) r.model.bodies[e.index].points.push_back({name, p->at, p->body});
    };
    const Value* points = e.table->find("points");
    bool has_tip = false;
    if (points != nullptr && r.expect(*points, Value::Kind::table, "points")) {
        for (const Entry& entry : points->entries) {
            if (entry.key == "origin" || entry.key == "com" || entry.key == "com_now") {
                r.error(entry.where, fmt::format("every beam already has a point {}", quoted(entry.key)), "choose another name");
                continue;
            }
            if (!r.check_name(entry.key, entry.where)) continue;
            if (!entry.value.is(Value::Kind::table)) {
                r.error(entry.value.where,
                        fmt::format("the point {} of a beam must be a table, not {}", quoted(entry.key), describe(entry.value.kind)),
                        "a beam bends: write { at = \"0.5*L\", offset = [0, 0.02, 0] }");
                continue;
            }
            has_tip = has_tip || entry.key == "tip";
            add(entry.key, point_on_beam(r, e.index, entry.value, *e.scope, entry.key));
        }
    }
    if (!has_tip && !r.has_error) {
        const std::size_t before = r.model.parameters.size();
        const BodyIndex on = section(r.model, e.index, r.model.bodies[e.index].beam->length, true, "tip");
        declare_constants(r, before);
        r.model.bodies[e.index].points.push_back({"tip", {}, on});
    }
}

}  // namespace linkwright::model
