#pragma once
// Linear models in numbers: the matrices of linear_form.hpp at one operating point, and what is left of them on independent
// coordinates.
//
//     δs = Y δy + Y_w δw                          Φ δs + Φ_w δw = 0
//     δu = Z δz + P δy + P_w δw                   G δu + D δs + D_w δw = 0
//     δu̇ = Z δż + Q_z δz + Q_y δy + Q_w δw        G δu̇ + E δu + F δs + F_w δw = 0
//
// y and z are some of s and u themselves, so they mean something and A is the exact derivative of the vector field on them, at
// an equilibrium or not. Nonholonomic constraints make z fewer than y. Projected by Zᵀ, which the constraint forces do not pass:
//
//     M δż + C δz + K δy = B δw                   M = ZᵀM Z, C = Zᵀ(C Z + M Q_z), K = Zᵀ(K Y + C P + M Q_y), B = Zᵀ(B − K Y_w − C P_w − M Q_w)
//     δẏ = N δz + H δy + W δw
//
// Y_w, P_w, Q_w vanish unless a motion that closes a loop, or moves a part of one, deviates from what is given.
//
// Auxiliary states are among y, always independent; with them the second-order form is not square, and the state space is what serves.
//
// Given motions. Where the equations have deviations of given motions among their inputs (model/excitation.hpp), these stand apart: value z,
// rate ż and acceleration z̈ of each, as if they were independent,
//
//     δẋ = A δx + B δw + B_0 z + B_1 ż + B_2 z̈,     δo = C δx + D δw + D_0 z + D_1 ż + D_2 z̈

#include <array>

#include "linkwright/linear/linear_form.hpp"
#include "linkwright/numeric/operating_point.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

/// The matrices of LinearForm, evaluated; names as there.
struct FullLinear {
    MatrixXd S, N, H, W, M, C, K, geometric, B, Phi, G, D, E, F, Phi_w, D_w, F_w, O_s, O_u, O_a, O_lambda, O_w;
};

/// A given motion that may deviate: its coordinate's name, and where value, rate and acceleration of the deviation stand among the inputs of
/// the equations. What is an input at all stands before all of them.
struct GivenMotion {
    std::string name;
    std::array<std::size_t, 3> inputs;
};

/// What deviations do: z of every motion, then every ż, then every z̈.
struct ByMotions {
    std::vector<std::string> names{};  ///< of the motions; columns are three times as many
    MatrixXd state{}, outputs{};       ///< B_0 B_1 B_2 and D_0 D_1 D_2
    MatrixXd second_order{};           ///< the same in M ÿ + C ẏ + K y = …
    MatrixXd s{}, u{};                 ///< Y_w and P_w: of all small motions and speeds
    /// "base", "base'", "base''" of every column.
    std::vector<std::string> columns() const;
};

struct SecondOrder {
    MatrixXd M, C, K, B, N, H;  ///< as above
    /// The speeds are the rates of y, one for one: N = 1, H = 0. Then C = damping + gyroscopic, K = stiffness + circulatory,
    /// symmetric and skew.
    bool is_mechanical = false;
    /// Where other speeds z serve as well (a free body's in its own axes, the user's), they have been replaced by ẏ, which
    /// changes neither poles nor inputs: with T = N⁻¹, M = TᵀMT, C = Tᵀ(C T − M T H), K = Tᵀ(K − C T H), B = TᵀB. The state
    /// space keeps z.
    bool has_replaced_speeds = false;
    MatrixXd damping, gyroscopic, stiffness, circulatory;
    MatrixXd geometric;  ///< the part of K that constraint forces make by turning; with [lynch88 (6.6)] it is not contained in K
};

struct StateSpace {
    MatrixXd A, B, C, D;  ///< states y, z; inputs w; outputs of the equations (all of s, then all of u where they have none)
};

struct Linearization {
    numeric::OperatingPoint point;
    FullLinear full;
    std::vector<std::string> s, u;  ///< names of all small motions (auxiliary states after them) and speeds
    std::vector<std::size_t> y, z;  ///< which of s and u are independent
    MatrixXd Y, Z, P, Q_z, Q_y;
    SecondOrder second_order;
    StateSpace state_space;
    std::vector<std::string> inputs, outputs;  ///< names
    MatrixXd Y_w, P_w, Q_w;                    ///< columns are the inputs
    ByMotions by_motions;
    std::vector<std::string> notes;  ///< what was chosen, what was left out
    bool has_constraints = false, is_holonomic = true, has_geometric_stiffness = true;
    bool is_ok = true;
    std::string why;  ///< a singular mass matrix (with the motion that has no inertia), a rank that changes nearby, not finite
};

struct LinearizeOptions {
    std::vector<std::string> onto{};  ///< names of coordinates (or speeds) wished independent, in that order; others follow after
    /// y and z keep nothing but them, and so do second_order and state_space; the accelerations of the others are eliminated, so A
    /// is that of the whole without the rows and columns of the others. What couples to those is said in notes.
    bool only_onto = false;
    bool geometric_stiffness = true;  ///< false: as in [lynch88 (6.6)]
    /// Look beside the point whether the constraints have the same rank there; costs a closing.
    bool checks_rank = true;
    /// Look further along a steady motion whether A is the same there, and note which rows are not; costs another reduction.
    bool checks_steadiness = false;
    /// C and D have all of s and u before the outputs. Equations have outputs that nobody asked for (coordinates of cut joints, tensions of
    /// rods, contact points): where the model itself names none, this is what is meant.
    bool lists_motions = false;
};

/// Evaluates the matrices at any number of points: compiled once.
class Linearizer {
public:
    explicit Linearizer(const numeric::CompiledEquations& numbers, std::vector<GivenMotion> given = {});
    ~Linearizer();
    Linearizer(const Linearizer&) = delete;
    Linearizer& operator=(const Linearizer&) = delete;

    const LinearForm& form() const;
    FullLinear evaluate(const numeric::OperatingPoint& point) const;
    Linearization operator()(const numeric::OperatingPoint& point, const LinearizeOptions& options = {}) const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

/// Zeros for entries that are nothing but rounding; `size` is what each is a sum of, absolute values added.
void drop_rounding(MatrixXd& entries, const MatrixXd& size);

/// Once.
Linearization linearize(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& point,
                        const LinearizeOptions& options = {});

}  // namespace linkwright::linear
