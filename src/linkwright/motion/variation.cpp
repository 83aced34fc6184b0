#include "linkwright/motion/variation.hpp"

#include "linkwright/eom/residual.hpp"
#include "linkwright/numeric/operating_point.hpp"

namespace linkwright::motion {

namespace {

using Index = Eigen::Index;

double largest(const MatrixXd& m) { return m.size() == 0 ? 0 : m.cwiseAbs().maxCoeff(); }

/// r, s, q̇, φ, φ̇ as in the header.
std::vector<Expr> rows_of(const eom::EquationsOfMotion& e) {
    std::vector<Expr> rows = eom::force_residual(e);
    const std::vector<Expr> held = eom::acceleration_residual(e);
    rows.insert(rows.end(), held.begin(), held.end());
    const std::vector<Expr> first_order = eom::qdot_and_xdot(e);
    rows.insert(rows.end(), first_order.begin(), first_order.end());
    for (const eom::Constraint& c : e.constraints) rows.push_back(c.phi);
    for (const eom::Constraint& c : e.constraints) rows.push_back(c.rate);
    return rows;
}

}  // namespace

Variation::Variation(MotionSystem& system, const SimulateOptions& options, std::span<const std::size_t> parameters,
                     std::span<const Expr> observed)
    : system_(system),
      nq_(system.coordinates()),
      n_(system.speeds()),
      m_(system.rows()),
      p_(static_cast<Index>(parameters.size())),
      tree_factor_(options.solver.method),
      holonomic_factor_(options.solver.method) {
    const numeric::CompiledEquations& numbers = system.numbers();
    const eom::EquationsOfMotion& e = numbers.equations();
    const sym::PoolScope scope(*e.pool);

    MatrixXd follow(static_cast<Index>(e.parameters.size()), p_);
    for (Index k = 0; k < p_; ++k) follow.col(k) = parameter_derivatives(numbers, parameters[k]);
    std::vector<Expr> matter;
    std::vector<Index> which;
    for (Index i = 0; i < follow.rows(); ++i) {
        if (p_ == 0 || follow.row(i).isZero(0)) continue;
        matter.push_back(e.parameters[i].symbol);
        which.push_back(i);
    }
    const Index involved = static_cast<Index>(matter.size()), nw = static_cast<Index>(e.inputs.size());
    follow_.resize(involved, p_);
    for (Index i = 0; i < involved; ++i) follow_.row(i) = follow.row(which[i]);

    const auto make = [&](std::span<const Expr> rows, std::span<const Expr> columns, bool with_accelerations) {
        Jacobian s{numeric::JacobianFunction(numbers, rows, columns, with_accelerations), {}, {}};
        s.by.setZero(s.function.rows(), s.function.columns());
        return s;
    };
    std::vector<Expr> columns = eom::q_and_x(e);
    columns.insert(columns.end(), e.u.begin(), e.u.end());
    for (const eom::Input& w : e.inputs) columns.push_back(w.symbol);
    columns.insert(columns.end(), matter.begin(), matter.end());
    rows_ = make(rows_of(e), columns, true);
    columns.insert(columns.end(), e.udot.begin(), e.udot.end());
    for (const eom::Constraint& c : e.constraints) columns.push_back(c.lambda);
    observed_ = make(observed, columns, true);
    values_ = numbers.compile_with_accelerations(observed);
    observations_ = static_cast<Index>(observed.size());
    direct_.setZero(nw + involved, p_);
    direct_.bottomRows(involved) = follow_;
    if (nw > 0 && involved > 0 && !options.drive && !options.hold_inputs) {
        std::vector<Expr> values;
        for (const eom::Input& w : e.inputs) values.push_back(w.value);
        inputs_ = make(values, matter, false);
        inputs_follow_ = !inputs_.function.is_zero();
    }
    a_.setZero(n_), l_.setZero(m_);
}

bool Variation::factor() {
    factor_ = &system_.factor();
    if (m_ > 0) return true;
    if (!system_.calc_dynamics()) return false;
    factor_ = &tree_factor_;
    return tree_factor_.factor(system_.dynamics().M, system_.dynamics().G, 0) || system_.refuse(tree_factor_.why());
}

bool Variation::at(double t, const double* x) {
    const Index size = nq_ + n_;
    if (is_known_ && t == t_ && std::equal(x_.begin(), x_.end(), x)) return true;
    is_known_ = false;
    system_.put(t, x, x + nq_);
    if (!system_.calc_rates() || !factor()) return false;
    if (!rows_.calc(system_.in(true))) return system_.refuse("a derivative of the equations is not finite");
    if (inputs_follow_) {
        if (!inputs_.calc(system_.in())) return system_.refuse("a derivative of the inputs is not finite");
        direct_.topRows(inputs_.by.rows()) = inputs_.by * follow_;
    }
    t_ = t;
    x_ = Eigen::Map<const VectorXd>(x, size);
    return is_known_ = true;
}

void Variation::rates(const Eigen::Ref<const MatrixXd>& S, Eigen::Ref<MatrixXd> rate) {
    const Index size = nq_ + n_;
    MatrixXd change = rows_.by.topRows(n_ + m_ + nq_).leftCols(size) * S;
    change.leftCols(p_) += rows_.by.topRows(n_ + m_ + nq_).rightCols(direct_.rows()) * direct_;
    rate.topRows(nq_) = change.bottomRows(nq_);
    udot_.resize(n_, S.cols()), lambda_.resize(m_, S.cols());
    for (Index k = 0; k < S.cols(); ++k) {
        r_ = -change.col(k).head(n_);
        s_ = -change.col(k).segment(n_, m_);
        factor_->solve(r_, s_, a_, l_);
        udot_.col(k) = a_;
        if (m_ > 0) lambda_.col(k) = l_;
    }
    rate.bottomRows(n_) = udot_;
}

MatrixXd Variation::open(Index row, const Eigen::Ref<const MatrixXd>& S) const {
    MatrixXd change = rows_.by.middleRows(row, m_).leftCols(nq_ + n_) * S;
    change.leftCols(p_) += rows_.by.middleRows(row, m_).rightCols(direct_.rows()) * direct_;
    return change;
}

bool Variation::project(Eigen::Ref<MatrixXd> S) {
    const auto& quaternions = system_.numbers().equations().quaternions;
    const auto make_tangent = [&] {
        for (const auto& group : quaternions) {
            Eigen::RowVectorXd along = Eigen::RowVectorXd::Zero(S.cols());
            for (const std::size_t i : group) along += x_[i] * S.row(i);
            for (const std::size_t i : group) S.row(i) -= x_[i] * along;
        }
    };
    make_tangent();
    if (m_ == 0) return true;
    const std::vector<Index>& holonomic = system_.holonomic();
    const Index mh = holonomic.size();
    const VectorXd none = VectorXd::Zero(n_);
    if (mh > 0) {
        solve::DescriptorFactor* f = factor_;
        if (mh < m_) {
            MatrixXd G(mh, n_);
            for (Index i = 0; i < mh; ++i) G.row(i) = system_.dynamics().G.row(holonomic[i]);
            f = &holonomic_factor_;
            if (!f->factor(system_.dynamics().M, G, system_.holonomic_rank())) return system_.refuse(f->why());
        }
        const MatrixXd gap = open(n_ + m_ + nq_, S);
        const auto coordinates = system_.numbers().layout().nq;  // what constraints hold: auxiliary states stay
        const auto N = rows_.by.middleRows(n_ + m_, coordinates).middleCols(nq_, n_);
        VectorXd g(mh), unused(mh);
        for (Index k = 0; k < S.cols(); ++k) {
            for (Index i = 0; i < mh; ++i) g[i] = -gap(holonomic[i], k);
            if (g.isZero(0)) continue;
            f->solve(none, g, a_, unused);
            S.col(k).head(coordinates) += N * a_;
        }
        make_tangent();
    }
    const MatrixXd gap = open(n_ + 2 * m_ + nq_, S);
    for (Index k = 0; k < S.cols(); ++k) {
        s_ = -gap.col(k);
        factor_->solve(none, s_, a_, l_);
        S.col(k).tail(n_) += a_;
    }
    return true;
}

double Variation::position_residual(const Eigen::Ref<const MatrixXd>& S) const { return m_ == 0 ? 0 : largest(open(n_ + m_ + nq_, S)); }
double Variation::velocity_residual(const Eigen::Ref<const MatrixXd>& S) const { return m_ == 0 ? 0 : largest(open(n_ + 2 * m_ + nq_, S)); }

VectorXd Variation::observe() const {
    VectorXd out(observations_);
    values_(system_.in(true), {out.data(), static_cast<std::size_t>(out.size())});
    return out;
}

MatrixXd Variation::observe(const Eigen::Ref<const MatrixXd>& S) {
    MatrixXd unused(nq_ + n_, S.cols());
    rates(S, unused);
    observed_.calc(system_.in(true));
    const Index direct = direct_.rows();
    MatrixXd change =
        observed_.by.leftCols(nq_ + n_) * S + observed_.by.middleCols(nq_ + n_ + direct, n_) * udot_ + observed_.by.rightCols(m_) * lambda_;
    change.leftCols(p_) += observed_.by.middleCols(nq_ + n_, direct) * direct_;
    return change;
}

}  // namespace linkwright::motion
