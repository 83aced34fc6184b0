#include "linkwright/perturb/form_family.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "linkwright/perturb/coefficient_family.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::perturb {

namespace {

/// The parameter that Ω is a function of, when there is just one.
std::optional<std::size_t> parameter_behind(const sym::Expr& Omega, const eom::EquationsOfMotion& e) {
    std::optional<std::size_t> only;
    for (std::size_t i = 0; i < e.parameters.size(); ++i) {
        if (!sym::depends_on(Omega, e.parameters[i].symbol)) continue;
        if (only) return std::nullopt;
        only = i;
    }
    return only;
}

/// Sets p so that Ω(p) = wanted: Newton's method in logarithms, which is exact at once for Ω = c pʳ.
bool tune(numeric::CompiledEquations& numbers, std::size_t p, const sym::Expr& Omega, double wanted) {
    for (int step = 0; step < 30; ++step) {
        const double value = numbers.parameters()[p], here = std::abs(numbers.constant(Omega));
        if (std::abs(here - wanted) <= 1e-13 * wanted) return true;
        if (value == 0 || !(here > 0) || !std::isfinite(here)) return false;
        numbers.set(p, value * (1 + 1e-5));
        const double above = std::abs(numbers.constant(Omega));
        numbers.set(p, value * (1 - 1e-5));
        const double below = std::abs(numbers.constant(Omega));
        const double power = std::log(above / below) / 2e-5, nearest = std::round(power);
        const double r = nearest != 0 && std::abs(power - nearest) < 1e-6 ? nearest : power;
        if (!(std::abs(r) > 1e-6)) return false;
        numbers.set(p, value * std::exp(std::clamp(std::log(wanted / here) / r, -2.0, 2.0)));
    }
    return false;
}

}  // namespace

FormAt with_fixed_coefficients(const ModalForm<double>& form) {
    return [form](double Omega) {
        ModalForm<double> at = form;
        at.Omega = at.Omega_value = Omega;
        return at;
    };
}

bool set_frequency(numeric::CompiledEquations& numbers, const Expansion& expansion, double Omega) {
    const auto parameter = expansion.Omega ? parameter_behind(*expansion.Omega, numbers.equations()) : std::nullopt;
    if (!parameter) return false;
    const double before = numbers.parameters()[*parameter];
    if (tune(numbers, *parameter, *expansion.Omega, Omega)) return true;
    return numbers.set(*parameter, before), false;
}

FormFamily form_family(numeric::CompiledEquations& numbers, const linear::Operating& what, const numeric::OperatingPoint& at,
                       const Expansion& expansion, const ExpansionOptions& options, double from, double until) {
    FormFamily family;
    const ModalForm<double> form = *expansion.numeric;
    family.form = with_fixed_coefficients(form);
    if (!expansion.Omega) return family;
    const auto parameter = parameter_behind(*expansion.Omega, numbers.equations());
    if (!parameter) {
        family.notes.push_back(fmt::format(
            "the frequency of the excitation is not a function of one parameter alone: forces are those at {:.6g} rad/s throughout",
            form.Omega_value));
        return family;
    }
    const double before = numbers.parameters()[*parameter];
    const linear::OperatingPoints points(numbers, what);
    ExpansionOptions plain = options;
    plain.symbolic = false;
    std::string why;
    const auto values_at = [&](double Omega) -> std::optional<CoefficientFamily::Values> {
        const auto fail = [&](const std::string& reason) {
            if (why.empty()) why = fmt::format("at {:.6g} rad/s: {}", Omega, reason);
            return std::nullopt;
        };
        if (!why.empty()) return std::nullopt;
        if (!goes_on(options.goes_on)) return fail(interrupted);
        if (!tune(numbers, *parameter, *expansion.Omega, Omega)) return fail("no value of the parameter behind it gives this frequency");
        const numeric::OperatingPoint there = points.find(&at);
        if (!there.is_ok) return fail(there.why);
        const Expansion again = expand(numbers, there, plain);
        if (!again.is_ok) return fail(again.why);
        CoefficientFamily::Values values;
        const ModalForm<double>& f = *again.numeric;
        if (f.omega.size() != form.omega.size()) return fail("there are other modes");
        for (std::size_t k = 0; k < f.omega.size(); ++k) {
            values[{static_cast<int>(k)}] = f.omega_value[k];
            for (const auto& t : f.terms[k]) {
                CoefficientFamily::Key key{static_cast<int>(k), t.harmonic};
                key.insert(key.end(), t.powers.begin(), t.powers.end());
                values[key] += std::complex<double>(t.coefficient.re, t.coefficient.im);
            }
        }
        return values;
    };
    const auto known = std::make_shared<CoefficientFamily>(values_at, from, until);
    numbers.set(*parameter, before);
    if (!known->is_ok()) {
        family.is_ok = false;
        family.why = why.empty() ? "the equations do not change smoothly with the frequency of the excitation in this range" : why;
        return family;
    }
    if (known->is_constant()) return family;
    family.form = [form, known](double Omega) {
        ModalForm<double> f = form;
        f.Omega = f.Omega_value = Omega;
        for (auto& terms : f.terms) terms.clear();
        const Eigen::VectorXcd values = (*known)(Omega);
        for (std::size_t i = 0; i < known->keys().size(); ++i) {
            const auto& key = known->keys()[i];
            const auto k = static_cast<std::size_t>(key[0]);
            const std::complex<double> c = values[i];
            if (key.size() == 1)
                f.omega[k] = f.omega_value[k] = c.real();
            else
                f.terms[k].push_back({{c.real(), c.imag()}, {key.begin() + 2, key.end()}, key[1]});
        }
        return f;
    };
    return family;
}

}  // namespace linkwright::perturb
