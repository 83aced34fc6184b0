#include "linkwright/report/scene.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "linkwright/model/beam_section.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/report/base64.hpp"
#include "linkwright/report/mesh.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::report {

namespace {

using model::Model, model::PointOf, model::DrawnShape;
using spatial::Mat3, spatial::Vec3;
using sym::Expr;

class SceneMaker {
public:
    SceneMaker(const Model& model, const std::vector<bool>& is_cut, const std::vector<Expr>& live, std::string folder)
        : m_(model), is_cut_(is_cut), value_(model), folder_(std::move(folder)) {
        // what is made of live parameters is live
        live_ = live;
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            for (const model::Parameter& p : model.parameters) {
                if (is_live(p.symbol) || !is_live(p.value)) continue;
                live_.push_back(p.symbol);
                goes_on = true;
            }
        }
    }

    Scene make() {
        Json& j = scene_.json;
        const Vec3& g = m_.gravity;
        const std::array<double, 3> gravity{value_(g.e[0]), value_(g.e[1]), value_(g.e[2])};
        j["up"] = up(gravity);
        j["gravity"] = finite(gravity);
        j["size"] = 1;
        list("bodies", m_.bodies, [this](std::size_t i) { return body(i); });
        list("joints", m_.joints, [this](std::size_t i) { return joint(i); });
        beams();
        list("springs", m_.springs, [this](std::size_t i) {
            const model::Spring& s = m_.springs[i];
            Json out{{"name", s.name}};
            out["from"] = point(s.from, {"from"}), out["to"] = point(s.to, {"to"}), out["rest"] = number(s.rest, {"rest"});
            return out;
        });
        list("rods", m_.rods, [this](std::size_t i) {
            const model::Rod& r = m_.rods[i];
            Json out{{"name", r.name}};
            out["from"] = point(r.from, {"from"}), out["to"] = point(r.to, {"to"});
            return out;
        });
        list("gears", m_.gears, [this](std::size_t i) {
            const model::Gear& g = m_.gears[i];
            return Json{{"name", g.name},
                        {"drive", g.drive.symbol().name},
                        {"driven", g.driven.symbol().name},
                        {"ratio", number(g.ratio, {"ratio"})}};
        });
        list("wheels", m_.rollings, [this](std::size_t i) { return wheel(m_.rollings[i]); });
        rotors();
        list("forces", m_.forces, [this](std::size_t i) {
            const model::Force& f = m_.forces[i];
            Json out = point(f.on, {});
            out["name"] = f.name, out["in"] = body_name(f.in);
            out["from"] = f.from ? point(*f.from, {"from"}) : Json();
            return out;
        });
        list("torques", m_.torques, [this](std::size_t i) {
            const model::Torque& t = m_.torques[i];
            return Json{{"name", t.name}, {"body", body_name(t.on)}, {"in", body_name(t.in)}};
        });
        reactions();
        list("shapes", m_.shapes, [this](std::size_t i) { return shape(m_.shapes[i]); });
        j["loads"] = Json::array();  // who writes the code knows
        j["geometry"] = std::move(paths_);
        return std::move(scene_);
    }

private:
    /// Against gravity; where there is none, or it points nowhere, z.
    static Json up(const std::array<double, 3>& gravity) {
        const double size = std::hypot(gravity[0], gravity[1], gravity[2]);
        if (!(size > 0) || !std::isfinite(size)) return {0.0, 0.0, 1.0};
        Json out = Json::array();
        for (const double x : gravity) out.push_back(x == 0 ? 0.0 : -x / size);
        return out;
    }
    static Json finite(const std::array<double, 3>& v) {
        Json out = Json::array();
        for (const double x : v) out.push_back(std::isfinite(x) ? x : 0.0);
        return out;
    }

    template <class F>
    void list(const char* name, const auto& items, F f) {
        Json out = Json::array();
        for (std::size_t i = 0; i < items.size(); ++i) {
            here_ = Json::array({name, i});
            out.push_back(f(i));
        }
        scene_.json[name] = std::move(out);
    }

    bool is_live(const Expr& e) const {
        for (const Expr& s : sym::symbols_in(e)) {
            if (std::ranges::find(live_, s) != live_.end()) return true;
        }
        return false;
    }
    /// Its value; what depends on live parameters is remembered with its place.
    Json number(const Expr& e, const Json& place) {
        const double x = value_(e);
        if (!std::isfinite(x)) return 0.0;  // depends on the state, or has no value: drawn at zero
        if (is_live(e)) {
            Json path = here_;
            for (const Json& key : place) path.push_back(key);
            paths_.push_back(std::move(path));
            scene_.expressions.push_back(e);
        }
        return x;
    }
    static Json with(Json place, const Json& key) {
        place.push_back(key);
        return place;
    }
    Json vector(const Vec3& v, const Json& place) {
        Json out = Json::array();
        for (std::size_t i = 0; i < 3; ++i) out.push_back(number(v.e[i], with(place, i)));
        return out;
    }
    Json matrix(const Mat3& a, const Json& place) {
        Json out = Json::array();
        for (std::size_t i = 0; i < 9; ++i) out.push_back(number(a.e[i / 3][i % 3], with(place, i)));
        return out;
    }
    Json point(const PointOf& p, const Json& place) { return {{"body", body_name(p.body)}, {"at", vector(p.at, with(place, "at"))}}; }

    const std::string& body_name(std::size_t i) const { return m_.bodies[i].name; }

    Json body(std::size_t i) {
        const model::Body& b = m_.bodies[i];
        Json out{{"name", b.name}, {"mass", 0}, {"com", Json()}, {"points", Json::array()}};
        if (b.beam) {  // integrals over the beam: numbers, not among what follows live parameters
            const sym::PoolScope scope(*m_.pool);
            const Vec3 com = model::straight_com(m_, i);
            out["mass"] = value_(b.mass) + value_(b.beam->elastic.mass);
            out["com"] = finite({value_(com.e[0]), value_(com.e[1]), value_(com.e[2])});
        } else {
            out["mass"] = number(b.mass, {"mass"}), out["com"] = vector(b.com, {"com"});
        }
        for (const model::Point& p : b.points) {
            if (p.on) continue;  // of a section, which has it itself
            const Json at = vector(p.at, {"points", out["points"].size(), "at"});
            out["points"].push_back({{"name", p.name}, {"at", at}});
        }
        const auto is_its_section = [&](const model::Joint& j) { return j.section && j.child == i; };
        out["hidden"] = std::ranges::any_of(m_.joints, is_its_section);
        return out;
    }
    Json joint(std::size_t i) {
        const model::Joint& j = m_.joints[i];
        Json out{{"name", j.name},
                 {"type", j.section ? "section" : model::to_string(j.type)},
                 {"parent", body_name(j.parent)},
                 {"child", body_name(j.child)}};
        out["cut"] = i < is_cut_.size() && is_cut_[i];
        out["parent_at"] = vector(j.parent_at, {"parent_at"}), out["child_at"] = vector(j.child_at, {"child_at"});
        out["parent_axes"] = matrix(j.parent_axes.matrix(), {"parent_axes"});
        out["child_axes"] = matrix(j.child_axes.matrix(), {"child_axes"});
        out["axes"] = Json::array();
        for (const Vec3& a : j.axes) {
            const Json axis = vector(a, {"axes", out["axes"].size()});
            out["axes"].push_back(axis);
        }
        out["coordinates"] = Json::array();
        for (const Expr& q : j.coordinates) out["coordinates"].push_back(q.symbol().name);
        out["springs"] = Json::array();
        for (std::size_t k = 0; k < j.forces.size(); ++k) {
            if (value_(j.forces[k].stiffness) != 0) out["springs"].push_back(k);  // NaN: it depends on the state
        }
        out["loads"] = j.forces.size();
        return out;
    }
    void beams() {
        Json out = Json::array();
        for (std::size_t i = 0; i < m_.bodies.size(); ++i) {
            if (m_.bodies[i].beam) out.push_back({{"body", body_name(i)}, {"count", m_.bodies[i].beam->stations.size()}});
        }
        scene_.json["beams"] = std::move(out);
    }
    Json wheel(const model::Rolling& r) {
        const char* type = r.type == model::RollingType::disk ? "disk" : r.type == model::RollingType::sphere ? "sphere" : "knife_edge";
        Json out{{"name", r.name}, {"type", type}, {"body", body_name(r.on.body)}, {"at", vector(r.on.at, {"at"})}};
        out["axis"] = vector(r.axis, {"axis"}), out["radius"] = number(r.radius, {"radius"});
        out["plane_at"] = vector(r.plane_at, {"plane_at"}), out["normal"] = vector(r.normal, {"normal"});
        return out;
    }
    void rotors() {
        Json out = Json::array();
        for (std::size_t i = 0; i < m_.bodies.size(); ++i) {
            for (const model::Rotor& r : m_.bodies[i].rotors) {
                here_ = Json::array({"rotors", out.size()});
                out.push_back({{"body", body_name(i)}, {"axis", vector(r.axis, {"axis"})}});
            }
        }
        scene_.json["rotors"] = std::move(out);
    }
    void reactions() {
        Json out = Json::array();
        for (const model::Output& o : m_.outputs) {
            if (o.kind == model::Output::Kind::reaction) out.push_back({{"name", o.name}, {"joint", m_.joints[o.joint].name}});
        }
        scene_.json["reactions"] = std::move(out);
    }
    Json shape(const DrawnShape& s) {
        Json out{{"name", s.name}, {"body", body_name(s.on)}, {"type", model::to_string(s.kind)}};
        out["at"] = vector(s.at, {"at"}), out["axes"] = matrix(s.axes.matrix(), {"axes"}), out["size"] = vector(s.size, {"size"});
        out["radius"] = number(s.radius, {"radius"}), out["length"] = number(s.length, {"length"});
        out["points"] = Json::array();
        for (const Vec3& p : s.points) {
            const Json at = vector(p, {"points", out["points"].size()});
            out["points"].push_back(at);
        }
        out["colour"] = nullptr;
        if (s.colour) out["colour"] = fmt::format("#{:02x}{:02x}{:02x}", (*s.colour)[0], (*s.colour)[1], (*s.colour)[2]);
        out["mesh"] = nullptr;
        if (s.kind == DrawnShape::Kind::mesh) {
            const Mesh mesh = read_mesh(folder_ + s.file, value_(s.scale));
            if (mesh.why.empty())
                out["mesh"] = {{"positions", base64(std::as_bytes(std::span(mesh.positions)))}};
            else
                scene_.notes.push_back(fmt::format("the mesh of '{}' is not shown: {}", s.name, mesh.why));
        }
        return out;
    }

    const Model& m_;
    const std::vector<bool>& is_cut_;
    model::ParameterValues value_;
    std::string folder_;
    std::vector<Expr> live_;
    Json here_;  ///< the list and the place in it
    Json paths_ = Json::array();
    Scene scene_;
};

}  // namespace

Scene make_scene(const Model& model, const std::vector<bool>& is_cut, const std::vector<Expr>& live, const std::string& folder) {
    return SceneMaker(model, is_cut, live, folder).make();
}

}  // namespace linkwright::report
