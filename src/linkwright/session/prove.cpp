#include "linkwright/session/prove.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "linkwright/base/goes_on.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/session/digest.hpp"
#include "linkwright/session/names.hpp"

namespace linkwright::session {

using proof::Certificate;
using proof::Pair;
using sym::Verdict;

namespace {

std::vector<std::string> every_formulation() {
    std::vector<std::string> known;
    for (const formulation::Formulation& f : formulation::formulations()) known.emplace_back(f.name);
    return known;
}

}  // namespace

Verdict Proof::verdict() const {
    const bool is_different = std::ranges::any_of(closed.pairs, [](const Pair& p) { return p.verdict == Verdict::different; });
    return is_different ? Verdict::different : certificate.verdict();
}

Diagnostics check(const ProveOptions& options) {
    Report report;
    const std::vector<std::string> known = every_formulation();
    for (const std::string& name : options.only) {
        if (formulation::find_formulation(name) != nullptr) continue;
        report.error(fmt::format("unknown formulation '{}'", name), hint_for(name, known, {}, "there are: "));
    }
    if (!(options.patience >= 0) || options.patience > 3600)
        report.error(fmt::format("--patience {:g} is not a number of seconds from 0 to 3600", options.patience));
    return report.problems;
}

Result<Proof> prove(const Session& session, const ProveOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const std::vector<std::string> known = every_formulation();
    const model::Model& model = session.model();
    proof::Options o;
    if (options.seed) o.seed = *options.seed;
    o.formulations = options.only;
    o.patience = o.reading = std::chrono::milliseconds(std::llround(options.patience * 500));
    o.progress = options.progress;
    Proof r{.model = model.name.empty() ? session.source() : model.name,
            .file = session.source(),
            .sha256 = sha256_of(session),
            .set = session.options().set,
            .version = codegen::made_by(),
            .certificate = proof::prove(model, session.topology(), o),
            .closed = {}};
    const auto goes_on = [&](const std::string& next) { return !options.progress || options.progress(next); };
    if (r.certificate.is_stopped || !goes_on("closed states")) return report.fail(interrupted), report;
    std::vector<std::string> derived = options.only.empty() ? known : options.only;
    std::erase_if(derived, [&](const std::string& name) {
        return std::ranges::find(r.certificate.left_out, name, &proof::LeftOut::formulation) != r.certificate.left_out.end();
    });
    r.closed = at_closed_states(model, session.topology(), derived, r.certificate.seed, goes_on);
    if (r.closed.is_stopped) return report.fail(interrupted), report;
    if (r.certificate.pairs.empty()) {
        if (r.certificate.left_out.empty()) {
            report.error("nothing to compare", fmt::format("name two of {}", fmt::join(known, ", ")));
        } else {
            report.error("no two formulations apply to this model", to_string(r.certificate.left_out.front()));
        }
        return report;
    }
    if (r.is_different()) report.status = Status::numerical_failure;
    return {report, std::move(r)};
}

std::vector<std::string> limits_of(const Proof& proof) {
    std::vector<std::string> all{
        "That the file says what you mean. It is read once, by the same code for every formulation: look at what check and derive print.",
        "The kinematics and the loads. Positions, velocities and constraint equations, springs, forces and gravity are written down once, "
        "and "
        "every formulation starts from them. A mistake there is in all of them.",
        "Rounding. Programs are proved in exact arithmetic; in floating-point numbers they have rounding errors."};
    if (!proof.closed.pairs.empty())
        all.emplace_back(
            "Forces inside loops, and loops cut elsewhere: these agree as numbers at a few assembled states, which is not a proof.");
    return all;
}

Json to_json(const Proof& proof) {
    const Certificate& c = proof.certificate;
    const ClosedStates& closed = proof.closed;
    Json j;
    j["model"] = proof.model;
    j["file"] = proof.file;
    j["sha256"] = proof.sha256.empty() ? Json() : Json(proof.sha256);
    j["set"] = proof.set;
    j["version"] = proof.version;
    j["equal"] = proof.verdict() == Verdict::equal;
    j["verdict"] = to_string(proof.verdict());
    j["witness"] = c.witness();
    const bool is_proved = proof.verdict() == Verdict::equal && c.is_proved();
    j["error_probability"] = is_proved ? Json(std::exp2(c.log2_error())) : Json();
    j["log2_error"] = is_proved && c.log2_error() > -1000 ? Json(c.log2_error()) : Json();
    j["seed"] = c.seed;
    j["pairs"] = Json::array();
    std::vector<Pair> pairs = c.pairs;  // what is proved, then what is compared as numbers
    pairs.insert(pairs.end(), closed.pairs.begin(), closed.pairs.end());
    for (const Pair& p : pairs) {
        Json k;
        k["a"] = p.a;
        k["b"] = p.b;
        k["verdict"] = to_string(p.verdict);
        k["about"] = p.about;
        k["witness"] = p.witness;
        k["entries"] = p.entries;
        k["normal_form"] = p.exact_entries();
        k["numeric"] = p.numeric;
        if (p.numeric > 0) k["numeric_gap"] = p.numeric_gap;
        k["points"] = p.points;
        k["degree"] = p.degree;
        k["heuristic"] = p.is_heuristic();
        k["proved"] = p.is_proved();
        if (p.is_proved()) k["error_probability"] = p.is_exact() ? 0.0 : std::exp2(p.log2_error);
        if (p.is_proved() && !p.is_exact()) k["log2_error"] = p.log2_error;
        k["seconds"] = p.time.count();
        if (!p.note.empty()) k["note"] = p.note;
        if (!p.why.empty()) k["unknown"] = p.why;
        if (p.difference) {
            k["difference"] = {{"entry", p.difference->entry}, {"a", p.difference->a}, {"b", p.difference->b}};
            for (const auto& [name, value] : p.difference->state) k["difference"]["state"][name] = value;
            k["differing"] = p.differing;
        }
        j["pairs"].push_back(std::move(k));
    }
    if (const auto& at = closed.constraints) {
        j["constraints"] = {{"rows", at->rows},
                            {"rank", at->rank},
                            {"freedoms", at->freedoms},
                            {"position_residual", at->position},
                            {"acceleration_residual", at->acceleration}};
    }
    j["left_out"] = Json::array();
    for (const proof::LeftOut& left : c.left_out) j["left_out"].push_back(to_string(left));
    j["remarks"] = c.remarks;
    for (const std::string& remark : closed.remarks) j["remarks"].push_back(remark);
    j["does_not_prove"] = limits_of(proof);
    return j;
}

}  // namespace linkwright::session
