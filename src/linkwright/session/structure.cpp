#include "linkwright/session/structure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "linkwright/session/finite.hpp"
#include "linkwright/session/structure_parts.hpp"
#include "linkwright/session/watch.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using structure::Assembly;
using structure::Hold;
using structure::Method;
using structure::RigidModes;

namespace {

constexpr long most_elements = 100'000;
constexpr Index shown = 10;  ///< modes of the whole, unless asked otherwise

std::string_view to_string(Hold hold) {
    switch (hold) {
        case Hold::as_modelled: return "as modelled";
        case Hold::locked: return "locked";
        case Hold::free: return "free";
        default: return "open";
    }
}

/// First and last of --modes.
struct Range {
    long from = 0, to = 0;
    bool is_table = false;
};

std::optional<Range> read_modes(const std::string& word, Method method) {
    if (word.empty()) return Range{method == Method::full ? shown : 2, method == Method::full ? shown : 2};
    const auto number = [](std::string_view text) -> std::optional<long> {
        long n = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
        if (problem != std::errc() || end != text.data() + text.size() || n < 1 || n > 10'000) return std::nullopt;
        return n;
    };
    const auto colon = word.find(':');
    if (colon == std::string::npos) {
        const auto n = number(word);
        return n ? std::optional(Range{*n, *n}) : std::nullopt;
    }
    const auto from = number(std::string_view(word).substr(0, colon)), to = number(std::string_view(word).substr(colon + 1));
    if (!from || !to || *from > *to || method == Method::full) return std::nullopt;
    return Range{*from, *to, true};
}

/// Names that are told in a sentence; not more than a few.
std::string listed(std::vector<std::string> names) {
    constexpr std::size_t most = 6;
    const std::size_t n = names.size();
    if (n > most) names.resize(most), names.push_back(fmt::format("and {} more", n - most));
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string describe(const RigidModes& rigid) {
    std::string text = fmt::format("{} rigid-body {}: {} {}", rigid.count(), rigid.count() == 1 ? "mode" : "modes", listed(rigid.bodies),
                                   rigid.bodies.size() == 1 ? "moves" : "move");
    if (!rigid.joints.empty()) text += fmt::format(" in {}", listed(rigid.joints));
    return text;
}

/// What the structure is worth as one; false when there is nothing to go on with.
bool is_structure(const structure::Structure& s, const Assembly& a, const RigidModes& rigid, const JointWords& words,
                  const model::Model& model, Report& report) {
    const auto at = [&](Position where, std::string what, std::string hint) {
        report.add(Diagnostics{{Diagnostic::Severity::error, model.file, where, std::move(what), std::move(hint)}});
    };
    const bool has_beams = std::ranges::any_of(s.bodies, [](const structure::Body& b) { return b.beam.has_value(); });
    if (!has_beams && a.springs.B.rows() == 0) {
        report.error("nothing in the model is elastic: there are no beams and no springs",
                     "give a body type = \"beam\", or a joint a stiffness");
        return false;
    }
    if (rigid.count() == 0 || words.says_free) return true;
    Position where{0, 0};
    for (const structure::Joint& j : s.joints) {
        if (std::ranges::find(rigid.joints, j.name) != rigid.joints.end() && where.line == 0) where = j.where;
    }
    at(where, "the structure is a mechanism: " + describe(rigid),
       "--joints locked holds every joint; --joints free keeps rigid-body modes");
    return false;
}

std::vector<BodyShape> shape_of(const structure::Structure& s, const Assembly& a, const VectorXd& x) {
    std::vector<BodyShape> all;
    for (std::size_t b = 0; b < s.bodies.size(); ++b) {
        const structure::Body& body = s.bodies[b];
        if (body.is_ground) continue;
        const VectorXd own = x.segment(a.first[b], a.size(b));
        BodyShape shape{.body = body.name, .x = {}, .displacement = {}, .turn = {}};
        if (const auto& mesh = a.meshes[b]) {
            const std::vector<double>& nodes = mesh->nodes();
            shape.x = Eigen::Map<const VectorXd>(nodes.data(), static_cast<Index>(nodes.size()));
            shape.displacement.resize(shape.x.size(), 3), shape.turn.resize(shape.x.size(), 3);
            for (int c = 0; c < 3; ++c)
                shape.displacement.col(c) = mesh->component(own, c), shape.turn.col(c) = mesh->component(own, 3 + c);
        } else {
            shape.displacement = own.head(3).transpose(), shape.turn = own.tail(3).transpose();
        }
        shape.displacement = (shape.displacement * body.R.transpose()).eval();
        shape.turn = (shape.turn * body.R.transpose()).eval();
        all.push_back(std::move(shape));
    }
    return all;
}

VectorXd error_of(const VectorXd& f, const VectorXd& full, Index rigid) {
    VectorXd error = VectorXd::Zero(std::min(f.size(), full.size()));
    for (Index i = rigid; i < error.size(); ++i) error[i] = full[i] > 0 ? 100 * (f[i] / full[i] - 1) : 0;
    return error;
}

}  // namespace

Diagnostics check(const StructureOptions& options) {
    Report report;
    if (options.elements && (*options.elements < 1 || *options.elements > most_elements))
        report.error(fmt::format("--elements must be from 1 to {}, not {}", most_elements, *options.elements), "20 will do for most beams");
    if (!read_modes(options.modes, options.method)) {
        report.error(fmt::format("--modes: '{}' is not a number of modes", options.modes),
                     options.method == Method::full
                         ? "write 10; tables such as 1:8 need component modes: --method fixed, free, free-residual, loaded"
                         : "write 4, or 1:8 for a table");
    }
    report.add(check(options.state));
    return report.problems;
}

Result<FoundStructure> structure(const Session& session, const StructureOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const auto words = read_joint_words(options.joints, session.model(), report);
    if (!words) return report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench) return report;
    auto how = structure_state(options.state, bench->model(), bench->numbers(Code::interpreted, report), report);
    if (!how) return report;
    how->hold = words->all, how->joints = words->some;
    if (options.elements) how->elements = static_cast<std::size_t>(*options.elements), how->overrides = true;
    const model::Model& model = bench->model();
    structure::Gathered gathered = structure::gather(model, session.topology(), *how);
    report.add(gathered.problems);
    if (!report.is_ok()) return report;
    const structure::Structure& s = gathered.structure;
    const Assembly a = structure::assemble(s);
    const RigidModes rigid = structure::rigid_modes(a);
    if (!is_structure(s, a, rigid, *words, model, report)) return report;
    if (options.method != Method::full && !has_interfaces(a, s, options.method, model, report)) return report;

    const Range range = *read_modes(options.modes, options.method);
    FoundStructure r;
    r.model = s.name, r.method = options.method, r.notes = gathered.notes;
    r.moving_bodies = rigid.bodies, r.moving_joints = rigid.joints;
    for (std::size_t b = 0; b < s.bodies.size(); ++b) {
        if (s.bodies[b].is_ground) continue;
        r.bodies.push_back(s.bodies[b].name);
        r.elements.push_back(a.meshes[b] ? a.meshes[b]->elements() : 0);
    }
    for (const structure::Joint& j : s.joints) {
        if (j.freedoms.empty() && !j.is_open) continue;
        const auto at = words->some.find(j.name);
        r.joints.push_back(fmt::format("{}: {}", j.name, to_string(at == words->some.end() ? words->all : at->second)));
    }
    Watch watch(options.on_step, "syntheses");
    const Index count = options.method == Method::full ? range.to : shown;
    structure::NaturalModes full = structure::full_modes(a, rigid, count);
    if (!full.ok) return report.fail("no modes of the structure: " + full.why), report;
    r.full_freedoms = full.freedoms;
    if (options.method == Method::full) {
        if (range.to > full.omega2.size() - full.rigid && !options.modes.empty()) {
            report.error(fmt::format("--modes {}: the structure has {} degrees of freedom, {} of them with a frequency", range.to,
                                     full.freedoms, full.omega2.size() - full.rigid),
                         "use fewer modes, or more --elements");
            return report;
        }
        r.modes = std::move(full);
    } else {
        r.full = full.frequencies();
        const auto rounds = static_cast<std::size_t>(range.to - range.from + 1);
        for (long n = range.from; n <= range.to; ++n) {
            if (!watch(static_cast<std::size_t>(n - range.from), rounds)) return watch.tell(report), report;
            structure::Synthesis found = structure::synthesize(a, rigid, options.method, n, count);
            if (!found.modes.ok) {
                report.error(fmt::format("--modes {}: {}", n, found.modes.why), "use fewer modes, or more --elements");
                return report;
            }
            const VectorXd f = found.modes.frequencies();
            r.table.push_back({n, found.modes.freedoms, f, error_of(f, r.full, found.modes.rigid)});
            r.modes = std::move(found.modes), r.components = std::move(found.components);
        }
    }
    const MatrixXd parts = structure::energy_parts(a, r.modes.shapes);
    r.energy = parts.bottomRows(parts.rows() - 1);  // the ground is first
    for (Index k = 0; k < r.modes.omega2.size(); ++k) r.shapes.push_back(shape_of(s, a, r.modes.shapes.col(k)));
    if (rigid.count() > 0) r.notes.push_back(describe(rigid));
    if (r.modes.omega2.size() > 0 && r.modes.omega2.minCoeff() < 0)
        r.notes.emplace_back(
            "a mode with ω² < 0 does not oscillate: compressed springs exceed the restoring stiffness; its frequency is given as 0");
    return finished(report, std::move(r));
}

Json to_json(const FoundStructure& r) {
    Json j;
    j["model"] = r.model;
    j["method"] = std::string(to_string(r.method));
    j["joints"] = r.joints;
    j["bodies"] = r.bodies;
    j["elements"] = r.elements;
    j["freedoms"] = r.modes.freedoms;
    j["rigid_body_modes"] = {{"count", r.modes.rigid}, {"bodies", r.moving_bodies}, {"joints", r.moving_joints}};
    j["frequencies_hz"] = to_json(r.modes.frequencies());
    j["omega2"] = to_json(r.modes.omega2);
    j["kinetic_energy"] = Json::array();
    for (Index k = 0; k < r.energy.cols(); ++k) j["kinetic_energy"].push_back(to_json(VectorXd(r.energy.col(k))));
    j["shapes"] = Json::array();
    for (const auto& mode : r.shapes) {
        Json shapes = Json::array();
        for (const BodyShape& s : mode) {
            Json one{{"body", s.body}};
            if (s.x.size() > 0) one["x"] = to_json(s.x);
            one["displacement"] = to_json(s.displacement), one["turn"] = to_json(s.turn);
            shapes.push_back(std::move(one));
        }
        j["shapes"].push_back(std::move(shapes));
    }
    if (r.method != Method::full) {
        j["full"] = {{"freedoms", r.full_freedoms}, {"frequencies_hz", to_json(r.full)}};
        j["table"] = Json::array();
        for (const SynthesisRow& row : r.table) {
            j["table"].push_back({{"modes", row.modes},
                                  {"freedoms", row.freedoms},
                                  {"frequencies_hz", to_json(row.frequencies)},
                                  {"error_percent", to_json(row.error)}});
        }
        j["components"] = Json::array();
        for (const structure::ComponentModes& c : r.components) {
            structure::NaturalModes own;
            own.omega2 = c.omega2;
            j["components"].push_back(
                {{"body", c.name}, {"rigid", c.rigid}, {"static", c.statical}, {"frequencies_hz", to_json(own.frequencies())}});
        }
    }
    j["notes"] = r.notes;
    return j;
}

Table table_of(const FoundStructure& r) {
    Table t{{"modes", "freedoms"}, {}};
    Index most = 0;
    for (const SynthesisRow& row : r.table) most = std::max(most, row.error.size());
    for (Index k = 1; k <= most; ++k) t.columns.push_back(fmt::format("f{}", k)), t.columns.push_back(fmt::format("error{}", k));
    for (const SynthesisRow& row : r.table) {
        VectorXd line = VectorXd::Constant(2 + 2 * most, std::nan(""));
        line[0] = static_cast<double>(row.modes), line[1] = static_cast<double>(row.freedoms);
        for (Index k = 0; k < row.error.size(); ++k) line[2 + 2 * k] = row.frequencies[k], line[3 + 2 * k] = row.error[k];
        t.rows.push_back(std::move(line));
    }
    return t;
}

}  // namespace linkwright::session
