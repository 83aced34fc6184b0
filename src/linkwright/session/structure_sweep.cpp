#include "linkwright/session/structure_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/model/values.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/structure_parts.hpp"
#include "linkwright/session/sweep.hpp"
#include "linkwright/session/watch.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/structure/gather.hpp"
#include "linkwright/sym/formula.hpp"

namespace linkwright::session {

using Eigen::Index;
using Eigen::VectorXd;
using structure::Assembly;
using structure::RetainedParameter;

namespace {

/// The structure with other values of parameters: the model's own state is closed again each time.
class Putting {
public:
    Putting(const StructureSweepOptions& options, const JointWords& joints, const Session& session, Workbench& bench, Report& report)
        : options_(options), joints_(joints), session_(session), model_(bench.model()), numbers_(bench.live_numbers(report)) {}

    std::optional<Assembly> operator()(const std::vector<std::string>& names, const std::vector<double>& values, Report& report) {
        const sym::PoolScope scope(*model_.pool);
        model::Model changed = model_;
        for (std::size_t i = 0; i < names.size(); ++i) {
            for (model::Parameter& p : changed.parameters) {
                if (p.symbol.symbol().name == names[i]) p.value = values[i];
            }
            const auto& all = numbers_.equations().parameters;
            for (std::size_t k = 0; k < all.size(); ++k) {
                if (all[k].symbol.symbol().name == names[i]) numbers_.set(k, values[i]);
            }
        }
        auto how = structure_state(options_.structure.state, changed, numbers_, report);
        if (!how) return std::nullopt;
        how->hold = joints_.all, how->joints = joints_.some;
        if (options_.structure.elements) how->elements = static_cast<std::size_t>(*options_.structure.elements), how->overrides = true;
        structure::Gathered gathered = structure::gather(changed, session_.topology(), *how);
        report.add(gathered.problems);
        if (!report.is_ok()) return std::nullopt;
        return structure::assemble(std::move(gathered.structure));
    }

private:
    const StructureSweepOptions& options_;
    const JointWords& joints_;
    const Session& session_;
    const model::Model& model_;
    numeric::CompiledEquations numbers_;
};

std::vector<std::string> retained_names(const StructureSweepOptions& options, const model::Model& model, Report& report) {
    std::vector<std::string> names = split_list(options.retain);
    if (names.empty()) {
        for (const model::Body& b : model.bodies) {
            if (b.beam) names.insert(names.end(), b.beam->retain.begin(), b.beam->retain.end());
        }
    }
    std::vector<std::string> once, known;
    for (const model::Parameter& p : model.parameters) {
        if (!p.is_shape_constant) known.push_back(p.symbol.symbol().name);
    }
    for (const std::string& name : names) {
        if (std::ranges::find(known, name) == known.end())
            report.error(fmt::format("--retain: there is no parameter '{}'", name), hint_for(name, known, "the model has no parameters"));
        else if (std::ranges::find(once, name) == once.end())
            once.push_back(name);
    }
    constexpr std::size_t most = 4;
    if (once.size() > most)
        report.error(fmt::format("--retain: {} parameters are more than can be covered by modes at a few points", once.size()),
                     fmt::format("name up to {}", most));
    return once;
}

/// Of all elements, or of a synthesis that is done anew.
structure::NaturalModes modes_by(const StructureOptions& options, const Assembly& a, const structure::RigidModes& rigid, Index count) {
    if (options.method == structure::Method::full) return structure::full_modes(a, rigid, count);
    return structure::synthesize(a, rigid, options.method, options.modes.empty() ? 2 : std::stol(options.modes), count).modes;
}

VectorXd hertz(const VectorXd& omega2) { return omega2.cwiseMax(0).cwiseSqrt() / (2 * std::numbers::pi); }

}  // namespace

Diagnostics check(const StructureSweepOptions& options) {
    Report report;
    report.add(check(options.structure));
    const bool is_full = options.structure.method == structure::Method::full;
    if (!is_full && !options.retain.empty())
        report.error("--retain requires --method full", "leave --method out: the reduced model is made of modes of the full model");
    if (!is_full && options.structure.modes.find(':') != std::string::npos)
        report.error(fmt::format("--modes {}: a sweep takes one number of modes", options.structure.modes), "--modes 4");
    if (options.along.empty() && options.retain.empty())
        report.error("no parameter is given to be retained", "--retain EI, or --sweep EI=50:200:100");
    return report.problems;
}

Result<SweptStructure> sweep_structure(const Session& session, const StructureSweepOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const auto joints = read_joint_words(options.structure.joints, session.model(), report);
    const std::vector<std::string> names = retained_names(options, session.model(), report);
    if (!joints || !report.is_ok()) return report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench) return report;
    Watch watch(options.structure.on_step, "values");
    std::optional<SweepWords> along;
    double unit = 1;
    if (!options.along.empty()) {
        along = read_sweep("--sweep", options.along, bench->equations(), report);
        if (!along) return report;
        const auto checked = checked_unit(session, *along, "--sweep", options.along, watch, report);
        if (!checked) return report;
        unit = *checked;
    }
    const bool is_full = options.structure.method == structure::Method::full;
    const Index count = options.structure.modes.empty() || !is_full ? 6 : std::stol(options.structure.modes);
    Putting put(options, *joints, session, *bench, report);
    const auto assembly = put({}, {}, report);
    if (!assembly) return report;
    const structure::RigidModes rigid = structure::rigid_modes(*assembly);
    if (rigid.count() > 0 && !joints->says_free) {
        report.error(fmt::format("the structure is a mechanism: {} rigid-body modes", rigid.count()),
                     "--joints locked holds every joint; --joints free keeps rigid-body modes");
        return report;
    }
    if (!is_full && !has_interfaces(*assembly, *assembly->of, options.structure.method, bench->model(), report)) return report;
    const structure::NaturalModes modes = modes_by(options.structure, *assembly, rigid, count);
    if (!modes.ok && !is_full) {
        report.error(fmt::format("--modes {}: {}", options.structure.modes, modes.why), "use fewer modes, or more --elements");
        return report;
    }
    if (!modes.ok) return report.fail("no modes of the structure: " + modes.why), report;
    SweptStructure r;
    r.model = session.model().name, r.frequencies = modes.frequencies();

    const bool is_retained = is_full && !names.empty() && (!along || std::ranges::find(names, along->name) != names.end());
    if (is_full && along && !names.empty() && !is_retained)
        report.note(fmt::format("'{}' is not retained: the structure is assembled again at every value", along->name));
    if (is_retained) {
        const model::ParameterValues value(bench->model());
        std::vector<RetainedParameter> parameters;
        for (const std::string& name : names) {
            const auto p =
                std::ranges::find_if(bench->model().parameters, [&](const model::Parameter& x) { return x.symbol.symbol().name == name; });
            RetainedParameter one{.symbol = p->symbol, .value = value(p->symbol)};
            one.from = one.value - options.range * std::abs(one.value), one.to = one.value + options.range * std::abs(one.value);
            if (along && along->name == name) {
                const auto [low, high] = std::ranges::minmax(along->values);
                one.from = low * unit, one.to = high * unit;
            }
            parameters.push_back(one);
        }
        const structure::AssembleAt at = [&](const std::vector<double>& values) {
            Report said;
            return put(names, values, said);
        };
        r.retained = structure::retain(bench->model(), *assembly, std::move(parameters), at, {.count = count, .wanted = options.wanted});
        if (!r.retained.ok) {
            report.error("no reduced model: " + r.retained.why, "retain others, or sweep without --retain");
            return report;
        }
        for (const sym::Expr& c : r.retained.coefficients) r.coefficients.push_back(sym::print(c));
        if (r.retained.error > options.wanted)
            report.warn(fmt::format("the reduced model has a relative frequency error of up to {:.2g}, more than {:.2g}", r.retained.error,
                                    options.wanted));
    }
    if (!along) return finished(report, std::move(r));
    r.table.columns = {along->name};
    for (Index k = 1; k <= r.frequencies.size(); ++k) r.table.columns.push_back(fmt::format("f{}", k));
    std::vector<double> at;
    for (const RetainedParameter& p : r.retained.parameters) at.push_back(p.value);
    for (std::size_t i = 0; i < along->values.size(); ++i) {
        if (!watch(i, along->values.size())) {
            watch.tell(report, fmt::format("{} rows are kept", r.table.rows.size()));
            break;
        }
        const double value = along->values[i] * unit;
        VectorXd omega2;
        if (is_retained) {
            at[static_cast<std::size_t>(std::ranges::find(names, along->name) - names.begin())] = value;
            omega2 = r.retained.omega2(at, count);
        } else {
            const auto here = put({along->name}, {value}, report);
            if (!here) break;
            const structure::NaturalModes found = modes_by(options.structure, *here, structure::rigid_modes(*here), count);
            if (!found.ok) {
                report.fail(fmt::format("{} = {:.6g}: {}", along->name, along->values[i], found.why));
                break;
            }
            omega2 = found.omega2;
        }
        VectorXd row = VectorXd::Zero(static_cast<Index>(r.table.columns.size()));
        row[0] = along->values[i];
        const VectorXd f = hertz(omega2);
        row.segment(1, std::min<Index>(f.size(), row.size() - 1)) = f.head(std::min<Index>(f.size(), row.size() - 1));
        r.table.rows.push_back(std::move(row));
    }
    return finished(report, std::move(r));
}

Json to_json(const SweptStructure& r) {
    Json j;
    j["model"] = r.model;
    j["frequencies_hz"] = to_json(r.frequencies);
    if (!r.retained.parameters.empty()) {
        Json parameters = Json::array(), terms = Json::array();
        for (const RetainedParameter& p : r.retained.parameters)
            parameters.push_back({{"name", p.symbol.symbol().name}, {"value", p.value}, {"from", p.from}, {"to", p.to}});
        for (std::size_t m = 0; m < r.coefficients.size(); ++m)
            terms.push_back({{"coefficient", r.coefficients[m]}, {"K", to_json(r.retained.K[m])}, {"M", to_json(r.retained.M[m])}});
        j["retained"] = {{"parameters", parameters},
                         {"freedoms", r.retained.size()},
                         {"full_freedoms", r.retained.full_freedoms},
                         {"points", r.retained.points},
                         {"checks", r.retained.checks},
                         {"relative_error", r.retained.error},
                         {"terms", terms}};
    }
    if (!r.table.columns.empty()) j["table"] = to_json(r.table);
    return j;
}

}  // namespace linkwright::session
