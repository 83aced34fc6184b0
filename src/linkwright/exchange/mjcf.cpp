#include "linkwright/exchange/mjcf.hpp"

#include <fmt/format.h>

#include <array>
#include <set>
#include <string_view>
#include <tuple>

#include "linkwright/exchange/mjcf_draft.hpp"
#include "linkwright/exchange/mjcf_spring_damper.hpp"
#include "linkwright/exchange/mjcf_words.hpp"

namespace linkwright::exchange {

using namespace mjcf;

namespace {

// Sections that are read, or that say nothing about the mechanism.
void check_sections(Source& source, Tree& tree, Problems& problems) {
    static const std::set<std::string, std::less<>> read{"compiler", "option",   "default", "asset", "worldbody", "tendon", "actuator",
                                                         "equality", "keyframe", "visual",  "size",  "statistic", "custom", "extension"};
    for (const xml::Element& e : source.children(source.root())) {
        if (read.contains(e.name())) continue;
        if (e.name() == "sensor")
            leave_out(tree.left_out, "sensors", e.origin(), source.children(e).size());
        else if (e.name() == "contact")
            for (const xml::Element& pair : source.children(e)) leave_out(tree.left_out, words_for(pair.name()), pair.origin());
        else if (e.name() == "deformable")
            leave_out(tree.left_out, "deformable parts and skins", e.origin(), source.children(e).size());
        else
            problems.note(e.origin(), fmt::format("<{}> is not known here; it is not read", e.name()));
    }
}

void tell_left_out(const LeftOuts& all, ModelText& text, Problems& problems) {
    if (all.empty()) return;
    text.comment("Left out, because it has no smooth equation or none at all:");
    for (const auto& [what, one] : all) {
        problems.note(one.first, fmt::format("left out: {}, {} of them", what, one.count));
        text.comment(fmt::format("  {} ({})", what, one.count));
    }
}

/// A value in a class of defaults is read wherever it is used; its problem is told once.
void tell_once(Problems& problems) {
    std::set<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string>> told;
    std::erase_if(problems.list, [&](const Diagnostic& d) { return !told.insert({d.file, d.where.line, d.where.column, d.what}).second; });
}

}  // namespace

Translation translate_mjcf(const xml::Document& document, Problems problems, const TranslateOptions& options) {
    Source source(document, options, problems);
    ModelText text(source.root().attribute("model").value_or("MuJoCo model"), source.root().origin());
    const Compiler compiler = read_compiler(source, problems);
    const Defaults defaults(source, problems);
    Tree tree = read_tree(source, defaults, compiler, problems);
    Meshes meshes(source, defaults, compiler, problems);
    const std::vector<Inertia> inertias = calc_inertias(tree, meshes, compiler, problems);
    apply_spring_dampers(tree, inertias);
    const Tendons tendons = read_tendons(source, defaults, tree, problems);
    const std::vector<Actuator> actuators = read_actuators(source, defaults, tendons, tree, problems);

    Draft draft{source, compiler, tree, inertias, meshes, options, text, problems};
    draft.claim_names();
    if (!compiler.gravity.isZero(0)) {
        const auto& g = compiler.gravity;
        text.gravity({toml::number(g.x()), toml::number(g.y()), toml::number(g.z())}, compiler.gravity_origin);
    }
    write_forces(draft, tendons, actuators);
    write_bodies(draft);
    write_equalities(draft, defaults, tendons);
    write_start(draft);
    write_shapes(draft);
    check_sections(source, tree, problems);
    if (tree.bodies.size() == 1) problems.error(source.root().origin(), "the model has no bodies", "bodies stand in <worldbody>");
    tell_left_out(tree.left_out, text, problems);
    tell_once(problems);
    return text.finish(std::move(problems));
}

}  // namespace linkwright::exchange
