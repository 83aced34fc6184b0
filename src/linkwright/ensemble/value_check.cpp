#include "linkwright/ensemble/value_check.hpp"

#include <fmt/format.h>

#include <cmath>

#include "linkwright/model/copy.hpp"
#include "linkwright/model/read.hpp"

namespace linkwright::ensemble {

ValueCheck::ValueCheck(const Problem& problem)
    : problem_(problem), model_(model::copy(problem.session.model(), std::make_shared<sym::Pool>())) {
    values_.emplace(model_);
    for (const Varied& v : problem.varied) {
        symbols_.emplace_back();
        if (v.what == Varied::What::parameter) symbols_.back() = model_.pool->find_symbol(v.name);
    }
}

std::string ValueCheck::operator()(std::span<const double> values) {
    bool has_parameter = false;
    for (std::size_t j = 0; j < values.size(); ++j) {
        if (!std::isfinite(values[j])) return fmt::format("{} is not finite", problem_.varied[j].name);
        if (!symbols_[j]) continue;
        values_->change(*symbols_[j], values[j] * problem_.varied[j].unit);
        has_parameter = true;
    }
    if (!has_parameter) return {};
    for (const Diagnostic& d : model::check_values(model_, *values_)) {
        if (d.severity == Diagnostic::Severity::error) return d.what;
    }
    return {};
}

double reduce_checked(const Collector& collector, std::span<const double> times, std::span<const double> values, std::string& failure) {
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (std::isfinite(values[k])) continue;
        if (failure.empty())
            failure = times.size() > 1 ? fmt::format("{} is not finite at t = {:.6g}", collector.expression, times[k])
                                       : fmt::format("{} is not finite", collector.expression);
        return std::numeric_limits<double>::quiet_NaN();
    }
    return reduce(collector, times, values);
}

}  // namespace linkwright::ensemble
