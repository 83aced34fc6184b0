#pragma once
// A model with live parameters, linearized wherever it is asked for.

#include "linkwright/linear/design/sensitivity.hpp"
#include "linkwright/linear/equilibrium/operating.hpp"
#include "motion/subject.hpp"

namespace linkwright {

struct LiveSubject {
    explicit LiveSubject(const std::string& path) : subject(path) { begin(); }
    explicit LiveSubject(model::Reading reading) : subject(std::move(reading)) { begin(); }

    void begin() {
        numbers = std::make_unique<numeric::CompiledEquations>(subject.equations, test_code(), numeric::Parameters::live);
        linearizer = std::make_unique<linear::Linearizer>(*numbers);
        sensitivity = std::make_unique<linear::Sensitivity>(*numbers, *linearizer, test_code());
    }
    void operate(linear::Operating::At at) {
        linear::Operating what;
        what.at = at;
        what.start = numeric::assemble(*numbers, numeric::wanted(*numbers)).state;
        points = std::make_unique<linear::OperatingPoints>(*numbers, what);
        point = points->find();
    }
    std::size_t find(const std::string& name) const {
        const auto& all = subject.equations.parameters;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].symbol.symbol().name == name) return i;
        }
        ADD_FAILURE() << name;
        return 0;
    }
    std::vector<std::size_t> find(const std::vector<std::string>& names) const {
        std::vector<std::size_t> list;
        for (const std::string& name : names) list.push_back(find(name));
        return list;
    }
    linear::Linearization linear(const numeric::OperatingPoint& at) const { return (*linearizer)(at, {.onto = {}, .checks_rank = false}); }
    linear::EigenvalueSensitivity derivatives(std::span<const std::size_t> parameters,
                                              linear::Eigenvalues which = linear::Eigenvalues::lambda_or_poles) const {
        const linear::Linearization L = linear(point);
        return sensitivity->eigenvalues(L, linear::modes(L), points->derivatives(point, parameters), parameters, which);
    }

    Subject subject;
    std::unique_ptr<numeric::CompiledEquations> numbers;
    std::unique_ptr<linear::Linearizer> linearizer;
    std::unique_ptr<linear::Sensitivity> sensitivity;
    std::unique_ptr<linear::OperatingPoints> points;
    numeric::OperatingPoint point;
};

}  // namespace linkwright
