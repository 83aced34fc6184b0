#include "linkwright/exchange/mjcf_compiler.hpp"

#include <algorithm>
#include <string_view>

namespace linkwright::exchange::mjcf {

namespace {

void read_angles(const xml::Element& e, AngleRules& rules, Problems& problems) {
    if (const auto unit = e.attribute("angle")) {
        rules.degree = *unit == "degree";
        if (*unit != "degree" && *unit != "radian")
            problems.error(e.origin_of("angle"), "'angle' is neither degree nor radian: '" + *unit + "'");
    }
    const auto sequence = e.attribute("eulerseq");
    if (!sequence) return;
    if (sequence->size() == 3 && sequence->find_first_not_of("xyzXYZ") == std::string::npos)
        rules.sequence = *sequence;
    else
        problems.error(e.origin_of("eulerseq"), "'eulerseq' is not three letters of xyzXYZ: '" + *sequence + "'");
}

void read_inertia(const xml::Element& e, Compiler& c, Problems& problems) {
    if (const auto word = e.attribute("inertiafromgeom")) {
        if (*word == "auto")
            c.inertia_from_geoms = InertiaFromGeoms::where_missing;
        else if (*word == "true")
            c.inertia_from_geoms = InertiaFromGeoms::always;
        else if (*word == "false")
            c.inertia_from_geoms = InertiaFromGeoms::never;
        else
            problems.error(e.origin_of("inertiafromgeom"), "'inertiafromgeom' is none of auto, true, false: '" + *word + "'");
    }
    if (const auto range = xml::numbers(e, "inertiagrouprange", 2, problems))
        c.inertia_groups = {static_cast<int>(std::clamp((*range)[0], -1e6, 1e6)), static_cast<int>(std::clamp((*range)[1], -1e6, 1e6))};
    c.balance_inertia = xml::boolean(e, "balanceinertia", problems).value_or(c.balance_inertia);
    c.least_mass = xml::number(e, "boundmass", problems).value_or(c.least_mass);
    c.least_inertia = xml::number(e, "boundinertia", problems).value_or(c.least_inertia);
    c.exact_meshes = xml::boolean(e, "exactmeshinertia", problems).value_or(c.exact_meshes);
    if (const auto total = xml::number(e, "settotalmass", problems)) c.total_mass = *total > 0 ? total : std::nullopt;
}

void read_section(const xml::Element& e, Compiler& c, Problems& problems) {
    read_angles(e, c.angles, problems);
    read_inertia(e, c, problems);
    if (const auto word = e.attribute("coordinate")) {
        c.is_global = *word == "global";
        if (*word != "global" && *word != "local")
            problems.error(e.origin_of("coordinate"), "'coordinate' is neither local nor global: '" + *word + "'");
    }
    c.strip_path = xml::boolean(e, "strippath", problems).value_or(c.strip_path);
    if (const auto folder = e.attribute("assetdir")) c.mesh_folder = *folder;
    if (const auto folder = e.attribute("meshdir")) c.mesh_folder = *folder;
    if (xml::boolean(e, "fusestatic", problems).value_or(false))
        problems.note(e.origin_of("fusestatic"),
                      "bodies without joints are kept and welded, though fusestatic would join them to their parents");
    if (xml::boolean(e, "alignfree", problems).value_or(false))
        problems.note(e.origin_of("alignfree"),
                      "the frames of free bodies stay where they are, though alignfree would move them to the centre of mass");
}

void read_option(Source& source, const xml::Element& e, Compiler& c, Problems& problems) {
    if (const auto g = xml::vector(e, "gravity", problems)) {
        c.gravity = to_vector(*g);
        c.gravity_origin = e.origin_of("gravity");
    }
    for (const xml::Element& flag : source.children(e))
        if (flag.name() == "flag" && flag.attribute("gravity").value_or("") == "disable") c.gravity.setZero();
    for (const std::string_view fluid : {"density", "viscosity"})
        if (xml::number(e, fluid, problems).value_or(0) != 0)
            problems.warning(e.origin_of(fluid),
                             "the medium around the bodies has no force here: '" + std::string(fluid) + "' is left out");
    if (e.has("integrator")) problems.note(e.origin_of("integrator"), "'integrator' is not used: simulate has its own, see --method");
}

}  // namespace

Compiler read_compiler(Source& source, Problems& problems) {
    Compiler c;
    c.gravity_origin = source.root().origin();
    for (const xml::Element& e : source.children(source.root())) {
        if (e.name() == "compiler") read_section(e, c, problems);
        if (e.name() == "option") read_option(source, e, c, problems);
    }
    return c;
}

}  // namespace linkwright::exchange::mjcf
