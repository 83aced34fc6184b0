#pragma once
// A model with live parameters, linearized wherever it is asked for.

#include "linkwright/analysis/operating.hpp"
#include "linkwright/analysis/sensitivity.hpp"
#include "motion/subject.hpp"

namespace linkwright {

struct LiveSubject {
    explicit LiveSubject(const std::string& path) : subject(path) { begin(); }
    explicit LiveSubject(model::Reading reading) : subject(std::move(reading)) { begin(); }

    void begin() {
        numbers = std::make_unique<analysis::Numbers>(subject.equations, test_code(), analysis::Parameters::live);
        linearizer = std::make_unique<analysis::Linearizer>(*numbers);
        sensitivity = std::make_unique<analysis::Sensitivity>(*numbers, *linearizer, test_code());
    }
    void operate(analysis::Operating::At at) {
        analysis::Operating what;
        what.at = at;
        what.start = analysis::assemble(*numbers, analysis::wanted(*numbers)).state;
        points = std::make_unique<analysis::OperatingPoints>(*numbers, what);
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
    analysis::Linearization linear(const analysis::OperatingPoint& at) const { return (*linearizer)(at, {.onto = {}, .checks_rank = false}); }
    analysis::EigenvalueSlopes slopes(std::span<const std::size_t> parameters, analysis::Eigenvalues which = analysis::Eigenvalues::lambda_or_poles) const {
        const analysis::Linearization L = linear(point);
        return sensitivity->eigenvalues(L, analysis::modes(L), points->slopes(point, parameters), parameters, which);
    }

    Subject subject;
    std::unique_ptr<analysis::Numbers> numbers;
    std::unique_ptr<analysis::Linearizer> linearizer;
    std::unique_ptr<analysis::Sensitivity> sensitivity;
    std::unique_ptr<analysis::OperatingPoints> points;
    analysis::OperatingPoint point;
};

}  // namespace linkwright
