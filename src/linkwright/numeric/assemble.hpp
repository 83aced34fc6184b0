#pragma once
// A consistent state from a rough one: loops closed, speeds that fit, what was held kept exactly.

#include <functional>

#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/solve/assemble.hpp"

namespace linkwright::numeric {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

struct AssembledState {
    enum class Outcome : std::uint8_t {
        closed,
        overconstrained,  ///< the values held cannot be met together; without them the mechanism closes: the user's input is wrong
        not_closed,       ///< no position was found that closes the mechanism
    };
    State state;
    Outcome outcome = Outcome::closed;
    std::string why;                    ///< empty when closed
    double position = 0, velocity = 0;  ///< largest residuals that remain
    std::vector<std::string> moved;     ///< coordinates that differ from where assembly started, by more than 1e-9
    std::string unsettled;              ///< why auxiliary states that should begin steady do not; mostly empty
    bool is_ok() const { return outcome == Outcome::closed; }
};

/// Sets inputs at a time, some or all of them.
using InputsAt = std::function<void(double t, VectorXd& w)>;

/// A value for a coordinate, a speed, or an expression of them.
struct Wanted {
    std::string name;
    Expr what;
    double value = 0;
    bool is_held = true;
    bool is_speed = false;
};

/// What [initial] and [guess] want.
std::vector<Wanted> wanted(const CompiledEquations& numbers);

/// u = B s + b at one place, for equations with a reduction: how the speeds of the joints move the bodies.
struct SpeedMap {
    MatrixXd B;
    VectorXd b;
};
SpeedMap speed_map(const CompiledEquations& numbers, const State& state);

/// Positions first: the coordinates nearest to `from` that close all holonomic rows and meet what is held. Then speeds
/// likewise; where the equations have more speeds than the joints, those of the joints are what is wanted and what is near. Positions on a wrong branch (a joint closed with its axes opposite) are not accepted. Auxiliary states that
/// begin steady do so with the inputs of `inputs`, otherwise with those of the model.
AssembledState assemble(const CompiledEquations& numbers, const std::vector<Wanted>& wanted, double t = 0, const InputsAt& inputs = {});

/// Closes positions again and again, as along a motion: what has to be compiled is compiled once.
class Closing {
public:
    /// `followed`: expressions of q and t beside the constraints, each of which is to have a value.
    explicit Closing(const CompiledEquations& numbers, const std::vector<Wanted>& followed = {});
    ~Closing();
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;

    /// The q nearest to that of `guess`, at its time, that fulfils all holonomic rows; the coordinates `held` keep their
    /// values. Tries no other starts.
    solve::Assembly operator()(const State& guess, std::span<const Eigen::Index> held) const;
    /// The same with what is followed at these values. Angles (atan2) are met up to whole turns.
    solve::Assembly operator()(const State& guess, std::span<const Eigen::Index> held, const VectorXd& values) const;
    /// A constraint's name, or that of what is followed, for the row that stays open.
    std::string name(Eigen::Index row) const;

private:
    struct Rows;
    std::unique_ptr<Rows> rows_;
};

}  // namespace linkwright::numeric
