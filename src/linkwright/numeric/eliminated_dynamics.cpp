#include "linkwright/numeric/eliminated_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "linkwright/solve/finite.hpp"

namespace linkwright::numeric {

namespace {

constexpr long first_patience = 16;  ///< evaluations; short motions are over before code is made for them
constexpr std::size_t most_choices = 6;

}  // namespace

EliminatedDynamics::EliminatedDynamics(const CompiledEquations& numbers, program::Program system, Eigen::Index rank,
                                       program::EliminationOptions options)
    : numbers_(numbers),
      system_(std::move(system)),
      n_(numbers.layout().nu),
      m_(numbers.layout().m),
      rank_(rank),
      options_(options),
      patience_(first_patience),
      wait_(first_patience) {
    const program::DescriptorShape shape{static_cast<std::size_t>(n_), static_cast<std::size_t>(m_)};
    row_sizes_.setZero(m_);
    std::size_t others = system_.outputs.size() - shape.entries();
    if (options_.right) others = others - options_.right->places.size() + options_.right->columns * (shape.speeds + shape.rows);
    out_.setZero(2 * n_ + m_ + 2 + static_cast<Eigen::Index>(others));
}

bool EliminatedDynamics::is_within() const {
    return out_[n_ + m_] >= 1 && out_[n_ + m_ + 1] <= program::Elimination::most_growth && solve::is_finite(out_);
}

bool EliminatedDynamics::solve(std::span<const double> in) {
    for (std::size_t k = 0; k < choices_.size(); ++k) {
        const std::size_t i = (current_ + k) % choices_.size();
        choices_[i].run(in, {out_.data(), static_cast<std::size_t>(out_.size())});
        if (!is_within()) continue;
        current_ = i;
        return true;
    }
    return false;
}

void EliminatedDynamics::measure(std::span<const double> numbers) {
    sizes_.resize(static_cast<std::size_t>(n_ * m_));
    const double* row = numbers.data() + n_ * (n_ + 1) / 2 + n_;
    for (Eigen::Index r = 0; r < m_; ++r, row += n_ + 1) {
        for (Eigen::Index j = 0; j < n_; ++j) {
            double& size = sizes_[static_cast<std::size_t>(r * n_ + j)];
            size = std::max(size, std::abs(row[j]));
            row_sizes_[r] = std::max(row_sizes_[r], size);
        }
    }
}

bool EliminatedDynamics::offer(std::span<const double> numbers) {
    measure(numbers);
    if (--wait_ > 0) return false;
    if (choose(numbers)) return true;
    wait_ = patience_ *= 2;
    return false;
}

bool EliminatedDynamics::choose(std::span<const double> numbers) {
    const program::DescriptorShape shape{static_cast<std::size_t>(n_), static_cast<std::size_t>(m_)};
    measure(numbers);
    options_.sizes = sizes_;
    program::Elimination e = program::eliminate(system_, shape, numbers.first(shape.entries()), options_);
    why_ = e.why;
    if (e.is_ok() && static_cast<Eigen::Index>(e.rank()) != rank_) why_ = "the constraints have another rank than at the start";
    if (!why_.empty()) return false;
    if (choices_.size() == most_choices) choices_.erase(choices_.begin() + static_cast<std::ptrdiff_t>((current_ + 1) % most_choices));
    CompiledEquations::Function run = numbers_.compile(std::move(e.program));
    e.program = {};
    choices_.push_back({std::move(e), std::move(run)});
    current_ = choices_.size() - 1;
    patience_ = wait_ = first_patience;
    ++choices;
    return true;
}

}  // namespace linkwright::numeric
