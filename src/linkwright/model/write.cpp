#include "linkwright/model/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "linkwright/model/joint_parts.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/model/unit.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/formula.hpp"

namespace linkwright::model {

namespace {

std::string quote(std::string_view text) {
    std::string s = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            s += '\\';
            s += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            s += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
        } else {
            s += c;
        }
    }
    return s + "\"";
}

std::string key(std::string_view name) {
    const bool is_bare = !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
    return is_bare ? std::string(name) : quote(name);
}

/// A number that TOML reads back exactly as a number, otherwise an expression in quotes.
std::string scalar(const Expr& e) {
    if (e.is_number()) {
        const sym::Rational r = e.number();
        if (r.is_integer() && r.small_numerator()) return r.to_string();
        const std::string decimal = fmt::format("{}", r.to_double());
        const bool has_point = decimal.find_first_of(".e") != std::string::npos;
        if (has_point && sym::Rational::from_double(r.to_double()) == r) return decimal;
    }
    return quote(sym::print(e, {.style = sym::Style::text}));
}

template <class List, class F>
std::string list(const List& items, F f) {
    std::string s = "[";
    for (const auto& item : items) s += (s.size() > 1 ? ", " : "") + f(item);
    return s + "]";
}
std::string scalars(const std::vector<Expr>& items) { return list(items, scalar); }
std::string vector(const Vec3& v) { return list(v.e, scalar); }

std::string axis(const Vec3& v) {
    for (std::size_t k = 0; k < 3; ++k) {
        if (v == spatial::unit(k)) return fmt::format("\"{}\"", "xyz"[k]);
        if (v == -spatial::unit(k)) return fmt::format("\"-{}\"", "xyz"[k]);
    }
    return vector(v);
}
std::string axes(const std::vector<Vec3>& all) { return list(all, axis); }

std::string frame(const Rotation& R) {
    return fmt::format("{{ z = {}, x = {} }}", axis(column(R.matrix(), 2)), axis(column(R.matrix(), 0)));
}
bool is_identity(const Rotation& R) { return R.matrix() == spatial::identity(); }

const std::string& name_of(const Expr& symbol) { return symbol.symbol().name; }

class Writer {
public:
    explicit Writer(const Model& model) : m_(model), points_(model.bodies.size()), section_(model.bodies.size(), nullptr) {
        for (std::size_t i = 0; i < m_.bodies.size(); ++i) points_[i] = m_.bodies[i].points;
        for (const Joint& j : m_.joints) {
            if (j.section) section_[j.child] = &j;
        }
        name_points();
    }

    std::string run() {
        line("format", "1");
        if (!m_.name.empty()) line("name", quote(m_.name));
        if (!spatial::is_zero(m_.gravity)) line("gravity", vector(m_.gravity));
        parameters();
        if (!points_[ground].empty()) {
            out_ += "\n[ground]\n";
            points(ground);
        }
        for (std::size_t i = 1; i < m_.bodies.size(); ++i) {
            if (section_[i] == nullptr) body(i);
        }
        for (const Joint& j : m_.joints) {
            if (!j.section) joint(j);
        }
        forces();
        signals();
        constraints();
        motions();
        outputs();
        events();
        values("initial", m_.initial);
        if (m_.elastic_assembles) {
            if (m_.initial.empty()) out_ += "\n[initial]\n";
            line("assemble", "\"elastic\"");
        }
        values("guess", m_.guess);
        shapes();
        symbols();
        return std::move(out_);
    }

private:
    // ------------------------------------------------------------------------------------------------- small pieces
    void begin(std::string_view table) { out_ += fmt::format("\n[[{}]]\n", table); }
    void line(std::string_view k, std::string_view value) { out_ += fmt::format("{} = {}\n", k, value); }
    void unless_zero(std::string_view k, const Expr& e) {
        if (!e.is_literally(0)) line(k, scalar(e));
    }
    void unless_zero(std::string_view k, const Vec3& v) {
        if (!spatial::is_zero(v)) line(k, vector(v));
    }
    std::string body_name(BodyIndex b) const { return quote(m_.bodies[b].name); }
    void unless_ground(std::string_view k, BodyIndex b) {
        if (b != ground) line(k, body_name(b));
    }

    // ------------------------------------------------------------------------------------------------------- points
    /// Every point that is used and not among those of its body joins them.
    void name_points() {
        const auto add = [&](const PointOf& p) {
            if (known(p)) return;
            const bool is_on_beam = section_[p.body] != nullptr;
            auto& list_of_body = points_[is_on_beam ? section_[p.body]->parent : p.body];
            std::size_t number = list_of_body.size();
            std::string name;
            do name = fmt::format("point{}", ++number);
            while (std::ranges::find(list_of_body, name, &Point::name) != list_of_body.end());
            list_of_body.push_back({name, p.at, is_on_beam ? std::optional(p.body) : std::nullopt});
        };
        for (const Spring& s : m_.springs) add(s.from), add(s.to);
        for (const Force& f : m_.forces) {
            add(f.on);
            if (f.from) add(*f.from);
        }
        for (const Rod& r : m_.rods) add(r.from), add(r.to);
        for (const Torque& t : m_.torques) {
            if (section_[t.on] != nullptr) add({t.on, {}, ""});
            if (t.from && section_[*t.from] != nullptr) add({*t.from, {}, ""});
        }
        for (const Rolling& r : m_.rollings) add(r.on);
        for (const Output& o : m_.outputs) {
            add(o.point);
            if (o.relative_to) add(*o.relative_to);
        }
    }
    std::optional<std::string> known(const PointOf& p) const {
        if (const Joint* section = section_[p.body]) {
            const std::string& beam = m_.bodies[section->parent].name;
            if (is_moving_com(*section)) return beam + ".com_now";
            for (const Point& q : points_[section->parent]) {
                if (q.on == p.body && q.at == p.at) return beam + "." + q.name;
            }
            return std::nullopt;
        }
        const Body& b = m_.bodies[p.body];
        for (const Point& q : points_[p.body]) {  // the name it was given, if it stands for this point
            if (p.name == b.name + "." + q.name && q.at == p.at) return p.name;
        }
        if (spatial::is_zero(p.at)) return b.name;
        if (p.at == b.com) return b.name + ".com";
        const auto at = std::ranges::find(points_[p.body], p.at, &Point::at);
        if (at == points_[p.body].end()) return std::nullopt;
        return b.name + "." + at->name;
    }
    std::string point(const PointOf& p) const { return quote(*known(p)); }
    void points(BodyIndex b) {
        std::string s;
        for (const Point& p : points_[b]) {
            s += fmt::format("{}{} = {}", s.empty() ? "" : ", ", key(p.name), p.on ? place(*section_[*p.on], p.at) : vector(p.at));
        }
        line("points", "{ " + s + " }");
    }
    static bool is_moving_com(const Joint& section) { return section.name.ends_with(".com_now"); }
    /// A place on a beam.
    std::string place(const Joint& section, const Vec3& offset) const {
        std::string s = "{ at = " + scalar(section.section->at);
        if (!spatial::is_zero(offset)) s += ", offset = " + vector(offset);
        if (!section.section->turns) s += ", turns = false";
        return s + " }";
    }

    // ----------------------------------------------------------------------------------------------------- sections
    /// A number goes back to the unit it was given in; what is made of other quantities is in SI units.
    void quantity(const Expr& symbol, const Expr& value, const std::string& unit, const std::string& about, const std::optional<Expr>& min,
                  const std::optional<Expr>& max) {
        const auto factor = unit.empty() ? std::nullopt : unit_factor(unit).factor;
        bool keeps_unit = factor.has_value();
        for (const auto& e : {std::optional(value), min, max}) {
            keeps_unit = keeps_unit && (!e || factor->is_literally(1) || symbols_in(*e).empty());
        }
        const auto in_unit = [&](const Expr& e) { return scalar(keeps_unit ? e / *factor : e); };
        std::string s = in_unit(value);
        if (keeps_unit || !about.empty() || min || max) {
            s = "{ value = " + s;
            if (keeps_unit) s += ", unit = " + quote(unit);
            if (!about.empty()) s += ", about = " + quote(about);
            if (min) s += ", min = " + in_unit(*min);
            if (max) s += ", max = " + in_unit(*max);
            s += " }";
        }
        line(key(name_of(symbol)), s);
    }

    void parameters() {
        if (!m_.parameters.empty()) out_ += "\n[parameters]\n";
        for (const Parameter& p : m_.parameters) {
            if (!p.is_shape_constant) quantity(p.symbol, p.value, p.unit, p.about, p.min, p.max);
        }
        if (!m_.inputs.empty()) out_ += "\n[inputs]\n";
        for (const Input& w : m_.inputs) quantity(w.symbol, w.value, w.unit, w.about, {}, {});
        if (!m_.speeds.empty()) out_ += "\n[speeds]\n";
        for (const UserSpeed& s : m_.speeds) line(key(name_of(s.symbol)), scalar(s.definition));
    }

    void body(BodyIndex index) {
        const Body& b = m_.bodies[index];
        begin("body");
        line("name", quote(b.name));
        if (b.beam) return beam(index, *b.beam);
        unless_zero("mass", b.mass);
        const Mat3& I = b.inertia;
        std::vector<Expr> moments{I[0][0], I[1][1], I[2][2]};
        const std::vector<Expr> products{I[0][1], I[0][2], I[1][2]};
        const auto is_zero = [](const Expr& e) { return e.is_literally(0); };
        const bool is_diagonal = std::ranges::all_of(products, is_zero);
        if (!is_diagonal || !std::ranges::all_of(moments, is_zero)) {
            if (!is_diagonal) moments.insert(moments.end(), products.begin(), products.end());
            line("inertia", scalars(moments));
        }
        unless_zero("com", b.com);
        if (!points_[index].empty()) points(index);
        const auto rotor = [](const Rotor& r) {
            return fmt::format("{{ axis = {}, inertia = {}, {} = {} }}", axis(r.axis), scalar(r.inertia), r.speed ? "speed" : "torque",
                               scalar(r.speed ? *r.speed : r.torque.value_or(0)));
        };
        if (b.rotors.size() == 1) line("rotor", rotor(b.rotors[0]));
        if (b.rotors.size() > 1) line("rotor", list(b.rotors, rotor));
    }

    static std::string inertia_of(const Mat3& I) {
        std::vector<Expr> moments{I[0][0], I[1][1], I[2][2]};
        const std::vector<Expr> products{I[0][1], I[0][2], I[1][2]};
        if (!std::ranges::all_of(products, [](const Expr& e) { return e.is_literally(0); }))
            moments.insert(moments.end(), products.begin(), products.end());
        return scalars(moments);
    }
    static std::string section_of(const BeamSection& s, std::string_view between) {
        std::string out;
        const auto add = [&](std::string_view k, const std::string& value) {
            out += fmt::format("{}{} = {}", out.empty() ? "" : between, k, value);
        };
        const auto unless = [&](std::string_view k, const Expr& e) {
            if (!e.is_literally(0)) add(k, scalar(e));
        };
        unless("mass_per_length", s.mass_per_length);
        std::string bending;
        for (const auto& [k, e] : {std::pair("y", &s.bending_y), std::pair("z", &s.bending_z)}) {
            if (!e->is_literally(0)) bending += fmt::format("{}{} = {}", bending.empty() ? "" : ", ", k, scalar(*e));
        }
        if (!bending.empty()) add("bending", "{ " + bending + " }");
        unless("axial", s.axial), unless("torsion", s.torsion), unless("torsion_inertia", s.torsion_inertia), unless("rotary", s.rotary);
        return out;
    }

    void beam(BodyIndex index, const Beam& b) {
        line("type", "\"beam\"");
        line("length", scalar(b.length));
        if (b.pieces.size() == 1) {
            out_ += section_of(b.pieces[0].section, "\n") + "\n";
        } else {
            line("pieces", list(b.pieces, [](const BeamPiece& p) {
                     return fmt::format("{{ to = {}, {} }}", scalar(p.to), section_of(p.section, ", "));
                 }));
        }
        line("frame", quote(to_string(b.frame)));
        std::string shapes;
        for (const BeamShapes& s : b.shapes) {
            if (s.family == BeamFamily::given) {
                shapes += fmt::format("{}{} = {{ given = {}, count = {} }}", shapes.empty() ? "" : ", ", to_string(s.direction),
                                      quote(s.given.file), s.count);
                continue;
            }
            const char* normalise = s.normalise == BeamNormalise::tip    ? ", normalise = \"tip\""
                                    : s.normalise == BeamNormalise::mass ? ", normalise = \"mass\""
                                                                         : "";
            std::string component;
            if (s.family == BeamFamily::component) {
                constexpr std::array<std::string_view, 3> words{"fixed", "free", "loaded"};
                component = fmt::format(", interface = \"{}\"", words[static_cast<std::size_t>(s.interface)]);
                if (s.elements > 0) component += fmt::format(", elements = {}", s.elements);
            }
            shapes +=
                fmt::format("{}{} = {{ family = \"{}\", count = {}{}{}{}{} }}", shapes.empty() ? "" : ", ", to_string(s.direction),
                            to_string(s.family), s.count, component, normalise, s.tip_mass ? ", tip_mass = " + scalar(*s.tip_mass) : "",
                            s.tip_inertia ? ", tip_inertia = " + scalar(*s.tip_inertia) : "");
        }
        line("shapes", "{ " + shapes + " }");
        if (!b.retain.empty()) line("retain", list(b.retain, [](const std::string& name) { return quote(name); }));
        if (b.elements > 0) line("elements", std::to_string(b.elements));
        if (!b.shortening && std::ranges::any_of(b.shapes, [](const BeamShapes& s) { return s.direction < BeamDirection::x; }))
            line("shortening", "false");
        if (b.order == BeamOrder::second) line("order", "\"second\"");
        if (b.damping.size() == 1) line("damping", scalar(b.damping[0]));
        if (b.damping.size() > 1) line("damping", scalars(b.damping));
        if (!b.masses.empty()) {
            line("masses", list(b.masses, [](const BeamMass& x) {
                     const bool has_inertia = x.inertia != Mat3{};
                     return fmt::format("{{ at = {}, mass = {}{} }}", scalar(x.at), scalar(x.mass),
                                        has_inertia ? ", inertia = " + inertia_of(x.inertia) : "");
                 }));
        }
        std::string rigid;
        const auto end = [&](std::string_view k, const Expr& length, const std::optional<Expr>& mass) {
            if (length.is_literally(0)) return;
            rigid += fmt::format("{}{} = {}", rigid.empty() ? "" : ", ", k, scalar(length));
            if (mass) rigid += fmt::format(", {}_mass = {}", k, scalar(*mass));
        };
        end("start", b.sleeves.start, b.sleeves.start_mass), end("end", b.sleeves.end, b.sleeves.end_mass);
        if (!rigid.empty()) line("rigid", "{ " + rigid + " }");
        if (!points_[index].empty()) points(index);
    }

    void joint_end(std::string_view side, BodyIndex body, const Vec3& at) {
        const Joint* section = section_[body];
        line(side, body_name(section != nullptr ? section->parent : body));
        const std::string place_key = std::string(side) + "_at";
        if (section == nullptr)
            unless_zero(place_key, at);
        else if (const auto name = known({body, at, ""}))
            line(place_key, quote(name->substr(name->rfind('.') + 1)));
        else
            line(place_key, place(*section, at));
    }

    void joint(const Joint& j) {
        begin("joint");
        line("name", quote(j.name));
        line("type", quote(to_string(j.type)));
        joint_end("parent", j.parent, j.parent_at);
        joint_end("child", j.child, j.child_at);
        const bool is_told_by_axes = joint_type(to_string(j.type)) != j.type;
        if (pattern_of(j.type).key == AxesKey::axis) {
            if (j.axes != default_axes(j.type)) line("axis", axis(j.axes[0]));
        } else if (is_told_by_axes || j.axes != default_axes(j.type)) {
            line("axes", axes(j.axes));
        }
        if (!is_identity(j.parent_axes)) line("parent_axes", frame(j.parent_axes));
        if (!is_identity(j.child_axes)) line("child_axes", frame(j.child_axes));
        for (const JointStep& step : joint_steps(j)) {
            if (step.kind == StepKind::screw) line("pitch", scalar(step.pitch));
        }

        const JointNames defaults = joint_names(j.type, j.name, axis_names(j.axes));
        const auto name = [](const Expr& s) { return name_of(s); };
        std::vector<std::string> q, u;
        std::ranges::transform(j.coordinates, std::back_inserter(q), name);
        std::ranges::transform(j.speeds, std::back_inserter(u), name);
        const bool has_new_coordinates = q != defaults.coordinates;
        if (has_new_coordinates) line("coordinates", list(q, quote));
        if (u != renamed(j.type, defaults, has_new_coordinates ? q : std::vector<std::string>{}, {}).speeds) line("speeds", list(u, quote));
        force_parts(j);
        if (j.cut) line("cut", "true");
    }

    void force_parts(const Joint& j) {
        for (const auto& [k, part] : {std::pair("stiffness", &JointForce::stiffness), std::pair("rest", &JointForce::rest),
                                      std::pair("damping", &JointForce::damping), std::pair("actuator", &JointForce::actuator)}) {
            std::vector<Expr> all;
            for (const JointForce& f : j.forces) all.push_back(f.*part);
            if (std::ranges::all_of(all, [](const Expr& e) { return e.is_literally(0); })) continue;
            line(k, all.size() == 1 ? scalar(all[0]) : scalars(all));
        }
        if (std::ranges::all_of(j.armature, [](const Expr& e) { return e.is_literally(0); })) return;
        line("armature", j.armature.size() == 1 ? scalar(j.armature[0]) : scalars(j.armature));
    }

    void forces() {
        for (const Spring& s : m_.springs) {
            begin("spring");
            line("name", quote(s.name));
            line("from", point(s.from));
            line("to", point(s.to));
            unless_zero("stiffness", s.stiffness);
            unless_zero("damping", s.damping);
            unless_zero("rest", s.rest);
            unless_zero("actuator", s.actuator);
        }
        for (const Force& f : m_.forces) {
            begin("force");
            line("name", quote(f.name));
            line("on", point(f.on));
            line("vector", vector(f.vector));
            unless_ground("in", f.in);
            if (f.from) line("from", point(*f.from));
        }
        for (const Torque& t : m_.torques) {
            begin("torque");
            line("name", quote(t.name));
            line("on", section_[t.on] != nullptr ? point({t.on, {}, ""}) : body_name(t.on));
            line("vector", vector(t.vector));
            unless_ground("in", t.in);
            if (t.from) line("from", section_[*t.from] != nullptr ? point({*t.from, {}, ""}) : body_name(*t.from));
        }
    }

    void signals() {
        for (const Trajectory& x : m_.trajectories) trajectory(x);
        for (const Filter& x : m_.filters) filter(x);
        for (const Motor& x : m_.motors) motor(x);
    }

    void trajectory(const Trajectory& x) {
        begin("trajectory");
        line("name", quote(x.name));
        if (x.shape == TrajectoryShape::points) {
            line("points", list(x.points, [](const Trajectory::Knot& k) { return fmt::format("[{}, {}]", scalar(k.t), scalar(k.value)); }));
            if (x.is_natural) line("ends", "\"natural\"");
            return;
        }
        line("from", scalar(x.from));
        line("to", scalar(x.to));
        unless_zero("start", x.start);
        line("duration", scalar(x.duration));
        line("shape", x.shape == TrajectoryShape::cycloid   ? "\"cycloid\""
                      : x.shape == TrajectoryShape::quintic ? "\"quintic\""
                                                            : "\"trapezoid\"");
        if (x.shape == TrajectoryShape::trapezoid) line("acceleration", scalar(x.acceleration));
    }

    void filter(const Filter& x) {
        begin("filter");
        line("name", quote(x.name));
        line("input", scalar(x.input));
        line("numerator", scalars(x.numerator));
        line("denominator", scalars(x.denominator));
        if (x.is_steady) line("initial", "\"steady\"");
        if (x.sample) line("sample", scalar(*x.sample));
        if (x.sample && x.method == SampleMethod::tustin) line("method", "\"tustin\"");
    }

    void motor(const Motor& x) {
        const bool is_electric = x.type == MotorType::electric;
        begin("motor");
        line("name", quote(x.name));
        line("type", is_electric ? "\"electric\"" : "\"hydraulic\"");
        if (x.spring) {
            line("spring", quote(m_.springs[*x.spring].name));
        } else {
            const Joint& j = m_.joints[x.joint];
            const bool is_coordinate = is_rate(j.type, x.freedom);
            line("joint", quote(j.speeds.size() == 1 ? j.name : name_of(is_coordinate ? j.coordinates[x.freedom] : j.speeds[x.freedom])));
        }
        if (!x.gear.is_literally(1)) line("gear", scalar(x.gear));
        line("input", scalar(x.input));
        if (is_electric) {
            line("constants", fmt::format("{{ Kt = {}, Kb = {}, R = {}{} }}", scalar(x.force), scalar(x.back), scalar(x.loss),
                                          x.storage.is_literally(0) ? "" : ", L = " + scalar(x.storage)));
        } else {
            line("constants", fmt::format("{{ Dm = {}, Kq = {}, Kc = {}, V4beta = {} }}", scalar(x.force), scalar(x.gain), scalar(x.loss),
                                          scalar(x.storage)));
        }
        if (x.is_steady) line("initial", "\"steady\"");
    }

    void constraints() {
        for (const Rod& r : m_.rods) {
            begin("rod");
            line("name", quote(r.name));
            line("from", point(r.from));
            line("to", point(r.to));
            line("length", scalar(r.length));
        }
        for (const Constraint& c : m_.constraints) {
            begin("constraint");
            line("name", quote(c.name));
            line(c.is_holonomic ? "holonomic" : "nonholonomic", scalar(c.expression));
        }
        for (const Gear& g : m_.gears) {
            begin("gear");
            line("name", quote(g.name));
            line("drive", quote(name_of(g.drive)));
            line("driven", quote(name_of(g.driven)));
            line("ratio", scalar(g.ratio));
        }
        for (const Rolling& r : m_.rollings) {
            begin("rolling");
            line("name", quote(r.name));
            line("type", r.type == RollingType::disk ? "\"disk\"" : r.type == RollingType::sphere ? "\"sphere\"" : "\"knife-edge\"");
            line("on", point(r.on));
            if (r.type != RollingType::sphere) line("axis", axis(r.axis));
            if (r.type != RollingType::knife_edge) line("radius", scalar(r.radius));
            line("plane", fmt::format("{{ at = {}, normal = {} }}", vector(r.plane_at), axis(r.normal)));
        }
    }

    void motions() {
        for (const Motion& x : m_.motions) {
            begin("motion");
            line("coordinate", quote(name_of(x.coordinate)));
            line("equals", scalar(x.equals));
        }
        for (const JointMotion& x : m_.joint_motions) {
            begin("motion");
            line("joint", quote(m_.joints[x.joint].name));
            if (quaternion_at(m_.joints[x.joint].type) != 1)
                unless_zero("translation", x.translation);
            else if (!x.translation[0].is_literally(0))
                line("translation", scalar(x.translation[0]));
            if (x.axes.empty()) continue;
            line("rotate", axes(x.axes));
            line("by", scalars(x.angles));
        }
    }

    void outputs() {
        for (const Output& o : m_.outputs) {
            begin("output");
            line("name", quote(o.name));
            switch (o.kind) {
                case Output::Kind::position: line("position", point(o.point)); break;
                case Output::Kind::velocity: line("velocity", point(o.point)); break;
                case Output::Kind::acceleration: line("acceleration", point(o.point)); break;
                case Output::Kind::orientation:
                    line("orientation", section_[o.point.body] != nullptr ? point(o.point) : body_name(o.point.body));
                    break;
                case Output::Kind::reaction: line("reaction", quote(m_.joints[o.joint].name)); break;
                case Output::Kind::expression: line("expression", scalar(o.expression)); break;
            }
            unless_ground("in", o.in);
            if (o.relative_to) line("relative_to", point(*o.relative_to));
        }
    }

    void events() {
        for (const Event& e : m_.events) {
            begin("event");
            line("name", quote(e.name));
            line("when", scalar(e.when));
            if (e.direction != Crossing::both) line("direction", e.direction == Crossing::up ? "\"rising\"" : "\"falling\"");
            if (e.stops) line("action", "\"stop\"");
        }
    }

    void values(std::string_view section, const std::vector<InitialValue>& all) {
        if (!all.empty()) out_ += fmt::format("\n[{}]\n", section);
        for (const InitialValue& x : all) line(key(name_of(x.symbol)), scalar(x.value));
    }

    void shapes() {
        for (const DrawnShape& s : m_.shapes) {
            begin("shape");
            line("name", quote(s.name));
            line("on", body_name(s.on));
            line("type", quote(to_string(s.kind)));
            unless_zero("at", s.at);
            if (!is_identity(s.axes)) line("axes", frame(s.axes));
            if (s.kind == DrawnShape::Kind::box) line("size", vector(s.size));
            unless_zero("radius", s.radius);
            unless_zero("length", s.length);
            if (!s.points.empty()) line("points", list(s.points, vector));
            if (s.kind == DrawnShape::Kind::mesh) line("file", quote(s.file)), line("scale", scalar(s.scale));
            if (s.colour) line("colour", quote(fmt::format("#{:02x}", fmt::join(*s.colour, ""))));
        }
    }

    void symbols() {
        if (!m_.symbols.empty()) out_ += "\n[symbols]\n";
        for (const SymbolText& s : m_.symbols) line(key(s.name), quote(s.latex));
    }

    const Model& m_;
    std::vector<std::vector<Point>> points_;
    std::vector<const Joint*> section_;  ///< what holds a body that is a section of a beam
    std::string out_;
};

}  // namespace

namespace {

/// Constants of beams are not written: a reader makes them. What is made of them is written as what they are; but for wave numbers that are
/// roots (clamped-mass), which every reader of the beam has under the same name and nobody could spell.
Model without_shape_constants(const Model& model) {
    Model m = model;
    std::unordered_set<sym::NodeId> roots;
    for (const Body& body : m.bodies) {
        if (!body.beam) continue;
        for (const BeamShapes& s : body.beam->shapes) {
            for (const Expr& beta : s.wave_numbers) roots.insert(beta.id());
        }
    }
    std::vector<std::string> names;
    for (const Parameter& p : m.parameters) {
        if (p.is_shape_constant && !roots.contains(p.symbol.id())) names.push_back(p.symbol.symbol().name);
    }
    if (!names.empty()) freeze(m, names);
    return m;
}

}  // namespace

std::string write(const Model& model) {
    std::size_t said = 0;  // by motors and filters
    for (const Filter& f : model.filters) said += f.denominator.size() - 1;
    for (const Motor& m : model.motors) said += m.storage.is_literally(0) ? 0 : 1;
    if (model.states.size() != said || !model.sampled.empty())
        throw std::invalid_argument("write: a model file cannot contain auxiliary states that belong to no motor or filter");
    const sym::PoolScope scope(*model.pool);
    return Writer(without_shape_constants(model)).run();
}

}  // namespace linkwright::model
