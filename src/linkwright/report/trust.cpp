#include "linkwright/report/trust.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "linkwright/report/momentum.hpp"
#include "linkwright/report/reason.hpp"
#include "linkwright/session/prove.hpp"

namespace linkwright::report {

namespace {

/// "2⁻⁷²"
std::string bound_of(double log2) {
    constexpr std::array<const char*, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string out = "2⁻";
    for (const char c : fmt::format("{:.0f}", -log2)) out += digits[static_cast<std::size_t>(c - '0')];
    return out;
}

Json certificate_json(const session::Proof& p) {
    const proof::Certificate& c = p.certificate;
    std::vector<std::string> formulations;
    for (const proof::Pair& pair : c.pairs) {
        for (const std::string& name : {pair.a, pair.b}) {
            const std::string formulation = name.substr(0, name.find(','));  // "kane, readable form"
            if (std::ranges::find(formulations, formulation) == formulations.end()) formulations.push_back(formulation);
        }
    }
    const bool is_proved = c.is_proved();
    std::string text = fmt::format("{} pairs of formulations, readable form and programs were compared, entry by entry.", c.pairs.size());
    if (is_proved && c.log2_error() < -1000)
        text += " Every entry was compared exactly.";
    else if (is_proved)
        text += fmt::format(" The probability that different functions would have passed is below {}.", bound_of(c.log2_error()));
    else
        text += " Some entries agree as numbers only, or without a bound: linkwright prove says which.";
    return {{"verdict", to_string(p.verdict())},
            {"proved", is_proved},
            {"bound", is_proved && c.log2_error() > -1000 ? bound_of(c.log2_error()) : ""},
            {"text", text},
            {"formulations", formulations},
            {"not_proved", session::limits_of(p)}};
}

/// The largest absolute value in columns from `first` on.
double largest(const std::vector<Eigen::VectorXd>& rows, std::size_t first, std::size_t count) {
    double most = 0;
    for (const Eigen::VectorXd& row : rows) {
        const auto part = row.segment(static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(count));
        if (part.size() > 0) most = std::max(most, part.lpNorm<Eigen::Infinity>());
    }
    return most;
}

/// What the tolerance of a step promises for the whole motion. An integrator keeps what it adds to a state x in a step below δ|x| + α, and errors of
/// steps add up at most; so after n steps
///
///     |E − E₀ − ∫P dt| ≤ n (δ + α/|u|) · 2T + n (δ|W| + α) + n ε |V|     T = ½ uᵀM u changes by 2T for a relative change 1 of u; W = ∫P dt
///                                                                      is a state like others where anything feeds in; ε of rounding
///     |φ| ≤ δ|q| + α,  |φ̇| ≤ δ|u| + α                        where every step ends on the constraints; otherwise n times as much
struct Promise {
    double energy = 0, position = 0, velocity = 0;
};
Promise promise_of(const session::Simulation& s, const session::SimulateOptions& how) {
    using Keep = motion::ConstraintStabilization;
    const motion::Motion& m = s.motion;
    const std::size_t nq = s.names.coordinates.size(), nu = s.names.speeds.size(), energies = 1 + nq + nu + s.names.auxiliary.size();
    const double delta = how.tolerance, alpha = how.absolute.value_or(delta / 100),
                 steps = static_cast<double>(std::max(1L, m.statistics.steps));
    const double q = largest(m.rows, 1, nq), u = largest(m.rows, 1 + nq, nu), potential = largest(m.rows, energies + 1, 1);
    const Keep keep = how.constraints.value_or(Keep::projection);
    const double together = keep == Keep::baumgarte || keep == Keep::none ? steps : 1;
    const double relative = u > 0 ? delta + alpha / u : 0;
    constexpr double rounding = std::numeric_limits<double>::epsilon();
    double work = 0;
    const auto total = static_cast<Eigen::Index>(energies + 2), error = static_cast<Eigen::Index>(energies + 5);
    for (const Eigen::VectorXd& row : m.rows) work = std::max(work, std::abs(row[total] - m.rows.front()[total] - row[error]));
    const bool has_work = work > steps * rounding * (potential + m.statistics.largest_kinetic);
    const double of_work = has_work ? delta * work + alpha : 0;
    return {.energy = steps * (2 * relative * m.statistics.largest_kinetic + of_work + rounding * potential),
            .position = together * (delta * q + alpha),
            .velocity = together * (delta * u + alpha)};
}

Json checks_json(const session::Session& session, const session::Simulation& s, const session::SimulateOptions& how) {
    const motion::Statistics& k = s.motion.statistics;
    const Promise promise = promise_of(s, how);
    const double drift = k.largest_kinetic > 0 ? k.energy_error / k.largest_kinetic : 0;
    Json out = Json::array();
    out.push_back(
        {{"name", "energy balance"},
         {"value", k.energy_error},
         {"text", fmt::format("E − E₀ − ∫P dt is at most {:.2g} J, {:.1g} of the largest kinetic energy; {} steps of tolerance {:g} "
                              "may add up to {:.2g} J",
                              k.energy_error, drift, k.steps, how.tolerance, promise.energy)},
         {"ok", k.energy_error <= promise.energy}});
    if (!s.names.constraints.empty())
        out.push_back(
            {{"name", "constraints"},
             {"value", k.position},
             {"text",
              fmt::format("position residuals are at most {:.2g}, velocity residuals {:.2g}; tolerance {:g} allows {:.2g} and {:.2g}",
                          k.position, k.velocity, how.tolerance, promise.position, promise.velocity)},
             {"ok", k.position <= promise.position && k.velocity <= promise.velocity}});
    for (const KeptMomentum& p : kept_momenta(session, s, how))
        out.push_back({{"name", p.name},
                       {"value", p.drift},
                       {"text", fmt::format("along {}, where nothing outside acts, it is off its first value by at most {:.2g}; {} steps "
                                            "of tolerance {:g} may add up to {:.2g}",
                                            fmt::join(p.components, ", "), p.drift, k.steps, how.tolerance, p.promise)},
                       {"ok", p.drift <= p.promise}});
    return out;
}

/// How far the end is away from that of a motion a hundred times as accurate.
Json tolerances_json(const session::Session& session, const session::SimulateOptions& how) {
    Json out = Json::array();
    std::vector<std::pair<double, Eigen::VectorXd>> ends;
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
        session::SimulateOptions other = how;
        other.tolerance = tolerance;
        other.rows.samples = 1;
        const auto r = session::simulate(session, other);
        if (!r || r.status != session::Status::done || r->motion.rows.size() < 2) return out;
        const auto n = static_cast<Eigen::Index>(r->names.coordinates.size() + r->names.speeds.size());
        ends.emplace_back(tolerance, r->motion.rows.back().segment(1, n));
    }
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        const double away = (ends[i].second - ends.back().second).lpNorm<Eigen::Infinity>();
        out.push_back({{"tolerance", ends[i].first}, {"difference", away}});
    }
    return out;
}

}  // namespace

Json make_trust(const session::Session& session, const session::Simulation* motion, const session::SimulateOptions& how,
                const TrustWords& words, std::vector<std::string>& notes) {
    Json out{{"certificate", nullptr},  {"checks", Json::array()},   {"tolerances", Json::array()},
             {"hashes", Json::array()}, {"versions", Json::array()}, {"verify", words.verify}};
    session::ProveOptions proving;
    proving.seed = 1;  // the same page from the same model
    proving.progress = [&](const std::string&) { return !words.on_step || words.on_step({}); };
    const auto proof = session::prove(session, proving);
    if (proof)
        out["certificate"] = certificate_json(*proof);
    else
        notes.push_back("nothing was proved: " + reason(proof));
    if (motion != nullptr && motion->motion.rows.size() > 1) {
        out["checks"] = checks_json(session, *motion, how);
        constexpr long most_steps = 20'000;  // five more motions follow, the last of them in several times as many steps
        if (const long steps = motion->motion.statistics.steps; steps > most_steps)
            notes.push_back(fmt::format("the motion took {} steps; it is not repeated with other tolerances", steps));
        else if (motion->motion.stop == motion::Stop::reached)
            out["tolerances"] = tolerances_json(session, how);
    }
    for (const auto& [what, sha] : words.hashes) out["hashes"].push_back({{"what", what}, {"sha256", sha}});
    for (const auto& [name, version] : words.versions) out["versions"].push_back({{"name", name}, {"version", version}});
    return out;
}

}  // namespace linkwright::report
