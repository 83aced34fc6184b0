#pragma once
// Numbers at many states at once, by compiled code on all cores: what learning, sampling and search ask for.
//
//     const auto f = compile_batch(crane, {.what = {"accelerations"}});
//     std::vector<double> udot(4096 * f->outputs());
//     (*f)({.points = 4096, .q = q, .u = u}, udot);        // row by row: the state, then what was asked for
//
// Of a tree everything is straight-line code, four or eight states at a time. So are accelerations and multipliers of closed chains, by elimination with pivots
// that are good at the initial state; states outside the domain of these, and chains with redundant rows, are solved for one by one, with the rank of the
// constraints that the mechanism has at its initial state, as in emitted code. States are taken as they stand: nothing is closed here, and loops that are open give
// what the equations give there.

#include <span>

#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct BatchOptions {
    std::vector<std::string> what{"accelerations"};  ///< of batch_quantities()
    bool interpret = false;                          ///< no native code
};
/// What can be said without a model.
Diagnostics check(const BatchOptions& options);

/// accelerations multipliers mass_matrix forcing coordinate_rates auxiliary_rates constraint_jacobian constraint_bias energy
std::span<const std::string_view> batch_quantities();

/// One quantity in the row of a state: `rows` × `columns` numbers, a matrix by rows, a vector with one column.
struct BatchPart {
    std::string name;
    std::size_t at = 0, rows = 0, columns = 1;
    bool is_matrix = false;
    std::size_t size() const { return rows * columns; }
};

/// States, each quantity with a row for each of them.
struct BatchStates {
    std::size_t points = 0;
    std::span<const double> t{};  ///< one for each, or one for all; empty: 0
    std::span<const double> q{}, u{};
    std::span<const double> x{};       ///< empty: 0
    std::span<const double> w{};       ///< a row for each, or one for all; empty: the inputs' own values
    std::span<const double> packed{};  ///< or all in one: t, q, x, u, w in a row (numeric::Layout), read where they stand
};

/// States without accelerations: their numbers are NaN.
struct BatchFailures {
    std::size_t count = 0, first = 0;  ///< how many, and the first of them
    std::string why;                   ///< of that
};

/// Threads may share one, and it outlives its session.
class BatchFunction {
public:
    const Names& names() const;
    const numeric::Layout& layout() const;
    const std::vector<BatchPart>& parts() const;
    std::size_t inputs() const;   ///< numbers of a packed state
    std::size_t outputs() const;  ///< numbers of a state's row
    bool is_native() const;

    /// `out` has points · outputs() numbers, which do not depend on `threads` (0: all cores). Spans of another size are a mistake of the calling
    /// program: std::invalid_argument, with the name and the length that it should have.
    BatchFailures operator()(const BatchStates& states, std::span<double> out, unsigned threads = 0) const;

    struct Inside;
    explicit BatchFunction(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}

private:
    std::shared_ptr<const Inside> inside_;
};

/// By the session's formulation, or the recursive one.
Result<BatchFunction> compile_batch(const Session& session, const BatchOptions& options = {});

}  // namespace linkwright::session
