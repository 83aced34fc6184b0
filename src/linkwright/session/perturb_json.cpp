#include "linkwright/session/perturb_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/session/perturb_pen.hpp"

namespace linkwright::session {

namespace {

using sym::Expr;

Json value(double x) { return x + 0.0; }
Json value(const Expr& x) { return write_readable(x, Style::text); }

template <class Real>
Json value(const perturb::Complex<Real>& x) {
    return {{"re", value(x.re)}, {"im", value(x.im)}};
}

Json value(std::complex<double> x) { return {{"re", x.real() + 0.0}, {"im", x.imag() + 0.0}}; }

template <class List>
Json part(const List& powers, std::size_t from, std::size_t count) {
    Json j = Json::array();
    for (std::size_t i = 0; i < count; ++i) j.push_back(static_cast<int>(powers[from + i]));
    return j;
}

template <class Real>
Json harmonic(const std::vector<perturb::HarmonicTerm<Real>>& terms, std::size_t n) {
    Json j = Json::array();
    for (const auto& t : terms) {
        j.push_back({{"coefficient", value(t.coefficient)},
                     {"A", part(t.powers, 0, n)},
                     {"conjugate", part(t.powers, n, n)},
                     {"harmonic", t.harmonic},
                     {"order", t.order}});
    }
    return j;
}

template <class Real>
Json polar(const std::vector<perturb::PolarTerm<Real>>& terms, std::size_t n) {
    Json j = Json::array();
    for (const auto& t : terms) {
        bool is_still = t.harmonic == 0;
        for (const int p : t.phases) is_still = is_still && p == 0;
        j.push_back({{"coefficient", value(t.coefficient)},
                     {"a", part(t.powers, 0, n)},
                     {"phases", part(t.phases, 0, n)},
                     {"harmonic", t.harmonic},
                     {"function", is_still    ? "1"
                                  : t.is_sine ? "sin"
                                              : "cos"},
                     {"order", t.order}});
    }
    return j;
}

template <class Real>
void put(Json& j, const Forms<Real>& f, bool orders) {
    const std::size_t n = f.modal.omega.size();
    Json frequencies = Json::array(), equations = Json::array(), modes = Json::array(), modulation = Json::array(), rates = Json::array(),
         solution = Json::array(), motion;
    for (const Real& w : f.modal.omega) frequencies.push_back(value(w));
    j["frequencies"] = frequencies;
    j["excitation"] = f.modal.Omega_value == 0 ? Json() : value(f.modal.Omega);
    for (std::size_t i = 0; i < f.modal.coordinates.size(); ++i) {
        Json terms = Json::array();
        for (const auto& t : f.modal.shapes[i]) terms.push_back({{"coefficient", value(t.coefficient)}, {"powers", part(t.powers, 0, n)}});
        modes.push_back({{"coordinate", f.modal.coordinates[i]}, {"terms", terms}});
    }
    j["modes"] = modes;
    j["reference"] = Json::array();
    for (const std::size_t r : f.modal.reference)
        j["reference"].push_back(r < f.modal.coordinates.size() ? Json(f.modal.coordinates[r]) : Json());
    for (const auto& terms : f.modal.terms) {
        Json list = Json::array();
        for (const auto& t : terms) {
            list.push_back({{"coefficient", value(t.coefficient)},
                            {"eta", part(t.powers, 0, n)},
                            {"rate", part(t.powers, n, n)},
                            {"acceleration", part(t.powers, 2 * n, n)},
                            {"harmonic", t.harmonic}});
        }
        equations.push_back(list);
    }
    j["equations"] = equations;
    for (std::size_t k = 0; k < n; ++k) {
        modulation.push_back(harmonic(f.scales.modulation[k], n));
        solution.push_back(harmonic(f.scales.solution[k], n));
        rates.push_back({{"amplitude", polar(f.polar.amplitude[k], n)}, {"phase", polar(f.polar.phase[k], n)}});
    }
    j["modulation"] = modulation;
    j["polar"] = rates;
    motion = Json::object();
    for (std::size_t i = 0; i < f.modal.coordinates.size(); ++i) {
        Json list = Json::array();
        for (const auto& w : waves(composed(f.modal.shapes[i], f.scales.solution))) {
            list.push_back({{"cos", value(w.cosine)},
                            {"sin", value(w.sine)},
                            {"a", part(w.powers, 0, n)},
                            {"phases", part(w.phases, 0, n)},
                            {"harmonic", w.harmonic},
                            {"order", w.order}});
        }
        motion[f.modal.coordinates[i]] = list;
    }
    j["solution"] = {{"modal", solution}, {"coordinates", motion}};
    if (!orders) return;
    j["orders"] = Json::array();
    for (const auto& o : f.scales.orders) {
        Json right = Json::array(), secular = Json::array();
        for (std::size_t k = 0; k < n; ++k) right.push_back(harmonic(o.right[k], n)), secular.push_back(harmonic(o.secular[k], n));
        j["orders"].push_back({{"order", o.order}, {"right", right}, {"secular", secular}});
    }
}

const char* word(perturb::Resonance::Kind kind) {
    using Kind = perturb::Resonance::Kind;
    switch (kind) {
        case Kind::internal: return "internal";
        case Kind::primary: return "primary";
        case Kind::subharmonic: return "subharmonic";
        case Kind::superharmonic: return "superharmonic";
        case Kind::combination: return "combination";
        case Kind::parametric: return "parametric";
    }
    return "";
}

}  // namespace

Json to_json(const perturb::SteadyState& s) {
    Json exponents = Json::array();
    for (const auto& z : s.exponents) exponents.push_back(value(z));
    return {{"Omega", s.Omega},
            {"a", to_json(s.a)},
            {"beta", to_json(s.beta)},
            {"frequencies", to_json(s.frequencies)},
            {"reach", to_json(s.reaches)},
            {"stable", s.is_stable},
            {"exponents", exponents}};
}

Json to_json(const perturb::FrequencyResponse& response) {
    Json branches = Json::array();
    for (const auto& b : response.branches) {
        Json states = Json::array();
        for (const auto& s : b.states) states.push_back(to_json(s));
        branches.push_back({{"states", states}, {"folds", b.folds}});
    }
    return {{"branches", branches}, {"notes", response.notes}};
}

Json perturbation_json(const Study& study, bool orders) {
    Json j;
    j["model"] = study.name;
    j["equilibrium"] = Json::object();
    const Eigen::VectorXd& centre =
        study.numbers.modal.centre.size() == study.at.state.q.size() ? study.numbers.modal.centre : study.at.state.q;
    for (std::size_t i = 0; i < study.coordinates.size(); ++i) j["equilibrium"][study.coordinates[i]] = centre[i] + 0.0;
    j["degree"] = study.numbers.modal.degree;
    put(j, study.numbers, orders);
    j["frequencies_hz"] = Json::array();
    for (const double w : study.numbers.modal.omega_value) j["frequencies_hz"].push_back(w / (2 * std::numbers::pi));
    j["resonances"] = Json::array();
    for (const perturb::Resonance& r : study.numbers.scales.resonances) {
        j["resonances"].push_back({{"kind", word(r.kind)},
                                   {"words", r.words},
                                   {"multiples", r.multiples},
                                   {"harmonic", r.harmonic},
                                   {"detuning", r.detuning},
                                   {"symbol", r.symbol},
                                   {"order", r.order},
                                   {"active", r.is_active}});
    }
    const auto& scales = study.numbers.scales;
    j["ordering"] = {{"damping", scales.damping}, {"forcing", scales.forcing}, {"parametric", scales.parametric}};
    j["backbones"] = Json::array();
    for (const perturb::Backbone& b : study.backbones)
        j["backbones"].push_back({{"mode", b.mode + 1}, {"exists", b.exists}, {"coefficients", b.coefficients}, {"why", b.why}});
    j["steady_states"] = Json::array();
    for (const perturb::SteadyState& s : study.steady) j["steady_states"].push_back(to_json(s));
    if (study.formulas) {
        const sym::PoolScope scope(*study.pool);
        Json symbolic;
        symbolic["definitions"] = Json::array();
        for (const auto& d : study.formulas->modal.definitions) {
            symbolic["definitions"].push_back({{"symbol", value(d.symbol)},
                                               {"meaning", d.meaning ? value(*d.meaning) : Json()},
                                               {"value", d.value + 0.0},
                                               {"about", d.about}});
        }
        put(symbolic, *study.formulas, orders);
        j["symbolic"] = symbolic;
    } else {
        j["symbolic"] = nullptr;
    }
    Json notes = study.notes;
    for (const perturb::ScalesNote& note : scales.notes) notes.push_back(note.text);
    j["notes"] = notes;
    return j;
}

}  // namespace linkwright::session
