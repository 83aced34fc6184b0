#include "linkwright/linear/linearize.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "linkwright/eom/residual.hpp"
#include "linkwright/linear/singular_position.hpp"
#include "linkwright/numeric/motion_in_words.hpp"
#include "linkwright/numeric/not_finite.hpp"
#include "linkwright/numeric/quaternions.hpp"
#include "linkwright/numeric/rounding.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/independent.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/products.hpp"
#include "linkwright/solve/scale.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using List = std::vector<Index>;
using solve::largest, solve::sizes, solve::times, solve::transposed_times;

constexpr double rank_tolerance = 1e-9;

/// What a row or a column belongs to.
enum class Axis : std::uint8_t { carried, motion, speed, input, constraint, output };

struct Member {
    const char* name;
    Matrix LinearForm::* entries;
    MatrixXd FullLinear::* matrix;
    Axis rows, columns;
};
constexpr std::array<Member, 22> members{{
    {"S", &LinearForm::S, &FullLinear::S, Axis::carried, Axis::motion},
    {"N", &LinearForm::N, &FullLinear::N, Axis::motion, Axis::speed},
    {"H", &LinearForm::H, &FullLinear::H, Axis::motion, Axis::motion},
    {"W", &LinearForm::W, &FullLinear::W, Axis::motion, Axis::input},
    {"M", &LinearForm::M, &FullLinear::M, Axis::speed, Axis::speed},
    {"C", &LinearForm::C, &FullLinear::C, Axis::speed, Axis::speed},
    {"K", &LinearForm::K, &FullLinear::K, Axis::speed, Axis::motion},
    {"geometric", &LinearForm::geometric, &FullLinear::geometric, Axis::speed, Axis::motion},
    {"B", &LinearForm::B, &FullLinear::B, Axis::speed, Axis::input},
    {"Phi", &LinearForm::Phi, &FullLinear::Phi, Axis::constraint, Axis::motion},
    {"G", &LinearForm::G, &FullLinear::G, Axis::constraint, Axis::speed},
    {"D", &LinearForm::D, &FullLinear::D, Axis::constraint, Axis::motion},
    {"E", &LinearForm::E, &FullLinear::E, Axis::constraint, Axis::speed},
    {"F", &LinearForm::F, &FullLinear::F, Axis::constraint, Axis::motion},
    {"Phi_w", &LinearForm::Phi_w, &FullLinear::Phi_w, Axis::constraint, Axis::input},
    {"D_w", &LinearForm::D_w, &FullLinear::D_w, Axis::constraint, Axis::input},
    {"F_w", &LinearForm::F_w, &FullLinear::F_w, Axis::constraint, Axis::input},
    {"O_s", &LinearForm::O_s, &FullLinear::O_s, Axis::output, Axis::motion},
    {"O_u", &LinearForm::O_u, &FullLinear::O_u, Axis::output, Axis::speed},
    {"O_a", &LinearForm::O_a, &FullLinear::O_a, Axis::output, Axis::speed},
    {"O_lambda", &LinearForm::O_lambda, &FullLinear::O_lambda, Axis::output, Axis::constraint},
    {"O_w", &LinearForm::O_w, &FullLinear::O_w, Axis::output, Axis::input},
}};

List all(Index n) {
    List list(static_cast<std::size_t>(n));
    std::iota(list.begin(), list.end(), Index{0});
    return list;
}

/// The columns of A x + b = 0 solved for the dependent ones, by least squares: A is as in a Partition.
class Dependent {
public:
    Dependent(const MatrixXd& A, const solve::Partition& p) : scale_(solve::row_scale(A)), dependent_(p.dependent), columns_(A.cols()) {
        if (!dependent_.empty()) qr_.compute(scale_.asDiagonal() * solve::take_columns(A, dependent_));
    }
    /// X with A X = −b and zero rows for what is independent.
    MatrixXd operator()(const MatrixXd& b) const {
        MatrixXd X = MatrixXd::Zero(columns_, b.cols());
        if (dependent_.empty() || b.cols() == 0) return X;
        const MatrixXd solved = qr_.solve(MatrixXd(scale_.asDiagonal() * b));
        for (std::size_t k = 0; k < dependent_.size(); ++k) X.row(dependent_[k]) = -solved.row(k);
        return X;
    }

private:
    VectorXd scale_;
    List dependent_;
    Index columns_;
    solve::PivotedQr qr_;
};

solve::Partition split(const MatrixXd& A, const List& wished) {
    if (A.rows() > 0) return solve::choose_independent(A, wished, {.rank_tolerance = rank_tolerance});
    solve::Partition p{.dependent = {}, .independent = all(A.cols()), .refused = {}, .ok = true, .why = {}};
    return p;
}

/// Independent motions first: columns of the identity in that order, the others follow from A x = 0.
MatrixXd freedoms(const MatrixXd& A, const Dependent& solve_for, const List& independent) {
    const MatrixXd part = solve::take_columns(A, independent);
    MatrixXd Z = solve_for(part);
    for (std::size_t k = 0; k < independent.size(); ++k) Z(independent[k], static_cast<Index>(k)) = 1;
    return Z;
}

void add_wish(List& wished, Index i) {
    if (std::ranges::find(wished, i) == wished.end()) wished.push_back(i);
}

/// Those of `order` that are in `list`, then the others.
List in_order(const List& list, const List& order) {
    List sorted;
    for (const Index i : order) {
        if (std::ranges::find(list, i) != list.end()) add_wish(sorted, i);
    }
    for (const Index i : list) add_wish(sorted, i);
    return sorted;
}

std::optional<Index> find(const std::vector<std::string>& names, const std::string& name) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) return std::nullopt;
    return static_cast<Index>(at - names.begin());
}

MatrixXd rows_of(const MatrixXd& a, const List& list) { return solve::take_columns(a.transpose(), list).transpose(); }
MatrixXd cut(const MatrixXd& a, const List& rows, const List& columns) { return rows_of(solve::take_columns(a, columns), rows); }

std::vector<std::size_t> unsigned_list(const List& list) { return {list.begin(), list.end()}; }

std::optional<std::pair<Index, Index>> not_finite_entry(const MatrixXd& a) {
    if (a.allFinite()) return std::nullopt;
    for (Index i = 0; i < a.rows(); ++i) {
        for (Index j = 0; j < a.cols(); ++j) {
            if (!std::isfinite(a(i, j))) return std::pair(i, j);
        }
    }
    return std::nullopt;
}

/// C and K apart, once the speeds are the rates of y.
void separate(SecondOrder& o) {
    o.damping = (o.C + o.C.transpose()) / 2;
    o.gyroscopic = (o.C - o.C.transpose()) / 2;
    o.stiffness = (o.K + o.K.transpose()) / 2;
    o.circulatory = (o.K - o.K.transpose()) / 2;
}

}  // namespace

void drop_rounding(MatrixXd& a, const MatrixXd& size) {
    constexpr double noise = 1e-13;
    const double most = largest(size);
    for (Index j = 0; j < a.cols(); ++j) {
        for (Index i = 0; i < a.rows(); ++i) {
            if (std::abs(a(i, j)) <= noise * size(i, j) || std::abs(a(i, j)) <= 1e-3 * noise * most) a(i, j) = 0;
        }
    }
}

struct Linearizer::Inside {
    Inside(const numeric::CompiledEquations& n, std::vector<GivenMotion> some)
        : numbers(n), form(linear_form(n.equations())), given(std::move(some)) {
        std::vector<Expr> entries;
        for (const Member& member : members) {
            const Matrix& rows = form.*member.entries;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                for (std::size_t j = 0; j < rows[i].size(); ++j) {
                    if (rows[i][j].is_literally(0)) continue;
                    places.push_back({&member, static_cast<Index>(i), static_cast<Index>(j)});
                    entries.push_back(rows[i][j]);
                }
            }
        }
        function = n.compile_with_accelerations(entries);
        for (const Expr& u : n.equations().u) u_names.push_back(u.symbol().name);
        if (!given.empty()) form.depends_on_time = moves_by_itself();
    }

    FullLinear evaluate(const numeric::OperatingPoint& point) const;
    std::vector<std::string> names_along(Axis axis) const;
    bool is_finite(Linearization& L) const;
    void drop_dust(Linearization& L) const;
    void refuse_overflow(Linearization& L) const;
    void leave_out_kinks(Linearization& L) const;
    struct Wishes {
        List y, z;                         ///< dearest first
        std::size_t onto = 0, onto_z = 0;  ///< so many of either are options.onto; they come first
    };
    std::optional<Wishes> wishes(Linearization& L, const LinearizeOptions& options) const;
    Index motions() const { return static_cast<Index>(form.s.size()) - numbers.layout().nx; }  ///< of s: without auxiliary states
    Index mate_of_coordinate(const MatrixXd& N, Index s) const;
    Index mate_of_speed(const MatrixXd& N, Index u) const;
    void reduce(Linearization& L, const LinearizeOptions& options) const;
    void add_outputs(Linearization& L, const LinearizeOptions& options) const;
    void note_change(Linearization& L, const LinearizeOptions& options) const;
    void keep_only(Linearization& L, const List& y, const List& z) const;
    void replace_speeds(Linearization& L) const;
    bool moves_by_itself() const;
    void part_motions(Linearization& L) const;

    const numeric::CompiledEquations& numbers;
    LinearForm form;
    std::vector<GivenMotion> given;
    numeric::CompiledEquations::Function function;
    struct Place {
        const Member* member;
        Index row, column;
    };
    std::vector<Place> places;
    std::vector<std::string> u_names;
    SingularPositions singular{numbers, form};
};

FullLinear Linearizer::Inside::evaluate(const numeric::OperatingPoint& p) const {
    const numeric::Layout& at = numbers.layout();
    const Index ns = static_cast<Index>(form.s.size()), nu = at.nu, m = at.m, nw = at.nw,
                no = static_cast<Index>(numbers.equations().outputs.size());
    FullLinear full;
    const auto zero = [](MatrixXd& a, Index rows, Index columns) { a.setZero(rows, columns); };
    zero(full.S, at.nq + at.nx, ns), zero(full.N, ns, nu), zero(full.H, ns, ns), zero(full.W, ns, nw);
    zero(full.M, nu, nu), zero(full.C, nu, nu), zero(full.K, nu, ns), zero(full.geometric, nu, ns), zero(full.B, nu, nw);
    zero(full.Phi, m, ns), zero(full.G, m, nu), zero(full.D, m, ns), zero(full.E, m, nu), zero(full.F, m, ns);
    zero(full.Phi_w, m, nw), zero(full.D_w, m, nw), zero(full.F_w, m, nw);
    zero(full.O_s, no, ns), zero(full.O_u, no, nu), zero(full.O_a, no, nu), zero(full.O_lambda, no, m), zero(full.O_w, no, nw);
    const VectorXd in = arguments(at, p.state, p.udot, p.lambda);
    VectorXd out(static_cast<Index>(places.size()));
    function({in.data(), static_cast<std::size_t>(in.size())}, {out.data(), places.size()});
    for (std::size_t k = 0; k < places.size(); ++k) {
        (full.*places[k].member->matrix)(places[k].row, places[k].column) = out[k];
    }
    for (const Index i : numeric::rows_of_rounding(numbers, p.state, full.G))
        full.G.row(i).setZero(), full.Phi.row(i).setZero(), full.Phi_w.row(i).setZero();
    return full;
}

std::vector<std::string> Linearizer::Inside::names_along(Axis axis) const {
    const eom::EquationsOfMotion& e = numbers.equations();
    std::vector<std::string> names;
    switch (axis) {
        case Axis::motion: return form.s;
        case Axis::speed: return u_names;
        case Axis::carried:
            for (const Expr& q : eom::q_and_x(e)) names.push_back(q.symbol().name);
            break;
        case Axis::input:
            for (const eom::Input& w : e.inputs) names.push_back(w.symbol.symbol().name);
            break;
        case Axis::constraint:
            for (const eom::Constraint& c : e.constraints) names.push_back(c.name);
            break;
        case Axis::output:
            for (const eom::Output& o : e.outputs) names.push_back(o.name);
            break;
    }
    return names;
}

bool Linearizer::Inside::is_finite(Linearization& L) const {
    for (const Member& member : members) {
        const auto bad = not_finite_entry(L.full.*member.matrix);
        if (!bad || member.rows == Axis::output) continue;
        const auto [i, j] = *bad;
        const numeric::OperatingPoint& p = L.point;
        const std::string part = numeric::not_finite_part(numbers, (form.*member.entries)[i][j],
                                                          numeric::arguments(numbers.layout(), p.state, p.udot, p.lambda));
        L.is_ok = false;
        L.why = fmt::format("{}[{}, {}] is not finite here: {}", member.name, names_along(member.rows)[i], names_along(member.columns)[j],
                            part.empty() ? "a number on the way to it is too large" : part);
        return false;
    }
    drop_dust(L);
    leave_out_kinks(L);
    return true;
}

/// cos(pi/2) is 6e-17 and no number: an entry that changes by as much as its own size when the coordinates move by their last digits is zero.
/// Coordinates move to and fro, so that differences of them do too.
void Linearizer::Inside::drop_dust(Linearization& L) const {
    constexpr double last_digits = 1e-15, clearly = 8;
    const VectorXd& q = L.point.state.q;
    numeric::OperatingPoint aside = L.point, across = L.point;
    for (Index i = 0; i < q.size(); ++i) {
        const double step = last_digits * std::max(1.0, std::abs(q[i]));
        aside.state.q[i] += step;
        across.state.q[i] += i % 2 == 0 ? step : -step;
    }
    for (const GivenMotion& motion : given) {  // coordinates as well
        aside.state.w[static_cast<Index>(motion.inputs[0])] += last_digits;
        across.state.w[static_cast<Index>(motion.inputs[0])] -= last_digits;
    }
    const FullLinear a = evaluate(aside), b = evaluate(across);
    for (const Member& member : members) {
        if (member.rows == Axis::output) continue;  // some of them have just been left out
        MatrixXd& m = L.full.*member.matrix;
        const MatrixXd change = sizes(a.*member.matrix - m) + sizes(b.*member.matrix - m);
        m = (sizes(m).array() <= clearly * change.array()).select(0.0, m);
    }
}

/// Entries of the full matrices are finite; what was solved and multiplied may have become too large.
void Linearizer::Inside::refuse_overflow(Linearization& L) const {
    const SecondOrder& o = L.second_order;
    const StateSpace& x = L.state_space;
    std::vector<std::string> y, z;
    for (const std::size_t i : L.y) y.push_back(form.s[i]);
    for (const std::size_t i : L.z) z.push_back(u_names[i]);
    std::vector<std::string> states = y;
    states.insert(states.end(), z.begin(), z.end());
    const auto refuse = [&](const char* name, const MatrixXd& a, const std::vector<std::string>& rows,
                            const std::vector<std::string>& columns) {
        const auto bad = not_finite_entry(a);
        if (!bad || !L.is_ok) return;
        L.is_ok = false;
        L.why = fmt::format("{}[{}, {}] is not finite: the forces or masses are too large, or too small, for numbers", name,
                            rows[bad->first], columns[bad->second]);
    };
    refuse("M", o.M, z, z), refuse("C", o.C, z, z), refuse("K", o.K, z, y), refuse("B", o.B, z, L.inputs);
    refuse("A", x.A, states, states), refuse("B", x.B, states, L.inputs);
    refuse("C", x.C, L.outputs, states), refuse("D", x.D, L.outputs, L.inputs);
}

/// Outputs that have no derivative here (an angle or a distance at zero).
void Linearizer::Inside::leave_out_kinks(Linearization& L) const {
    const eom::EquationsOfMotion& e = numbers.equations();
    FullLinear& f = L.full;
    const std::array<MatrixXd*, 5> parts{&f.O_s, &f.O_u, &f.O_a, &f.O_lambda, &f.O_w};
    List kept;
    std::vector<std::string> lost;
    for (Index i = 0; i < static_cast<Index>(e.outputs.size()); ++i) {
        const std::string& name = e.outputs[i].name;
        if (std::ranges::all_of(parts, [&](const MatrixXd* a) { return a->row(i).allFinite(); })) {
            kept.push_back(i);
            L.outputs.push_back(name);
        } else {
            lost.push_back(name);
        }
    }
    if (lost.empty()) return;
    for (MatrixXd* a : parts) *a = rows_of(*a, kept);
    L.notes.push_back(fmt::format("without outputs that have no derivative at this state: {}", fmt::join(lost, ", ")));
}

Index Linearizer::Inside::mate_of_coordinate(const MatrixXd& N, Index s) const {
    Index at = -1;
    if (s >= motions()) return at;
    if (N.cols() > 0 && N.row(s).cwiseAbs().maxCoeff(&at) == 0) at = -1;
    return at;
}

Index Linearizer::Inside::mate_of_speed(const MatrixXd& N, Index u) const {
    Index at = -1;
    if (motions() > 0 && N.col(u).head(motions()).cwiseAbs().maxCoeff(&at) == 0) at = -1;
    return at;
}

/// First what is wished by name, then what the model itself gives at the beginning: people hold what they think of as free.
std::optional<Linearizer::Inside::Wishes> Linearizer::Inside::wishes(Linearization& L, const LinearizeOptions& options) const {
    const eom::EquationsOfMotion& e = numbers.equations();
    Wishes w;
    for (const std::string& name : options.onto) {
        if (const auto s = find(form.s, name)) {
            add_wish(w.y, *s);
            if (const Index u = mate_of_coordinate(L.full.N, *s); u >= 0) add_wish(w.z, u);
        } else if (const auto u = find(u_names, name)) {
            add_wish(w.z, *u);
            if (const Index s2 = mate_of_speed(L.full.N, *u); s2 >= 0) add_wish(w.y, s2);
        } else {
            L.is_ok = false;
            L.why = fmt::format("there is no coordinate or speed '{}'", name);
            return std::nullopt;
        }
    }
    w.onto = w.y.size();
    w.onto_z = w.z.size();
    for (const eom::Initial& initial : e.initial) {
        if (!initial.is_held || !initial.what.is_symbol()) continue;
        const std::string name = initial.what.symbol().name;
        if (const auto s = find(form.s, name)) add_wish(w.y, *s);
        if (const auto u = find(u_names, name)) add_wish(w.z, *u);
    }
    return w;
}

void Linearizer::Inside::reduce(Linearization& L, const LinearizeOptions& options) const {
    const FullLinear& f = L.full;
    const auto wished = wishes(L, options);
    if (!wished) return;
    const solve::Partition by_position = split(f.Phi, wished->y);
    if (!by_position.ok) {
        L.is_ok = false, L.why = by_position.why;
        return;
    }
    const List y = in_order(by_position.independent, {wished->y.begin(), wished->y.begin() + static_cast<std::ptrdiff_t>(wished->onto)});
    List wished_z = wished->z;
    if (L.is_holonomic) wished_z.resize(wished->onto_z);  // otherwise speeds are fewer than coordinates: those held come next
    for (const Index s : y) {
        if (const Index u = mate_of_coordinate(f.N, s); u >= 0) add_wish(wished_z, u);
    }
    const solve::Partition by_speed = split(f.G, wished_z);
    if (!by_speed.ok) {
        L.is_ok = false, L.why = by_speed.why;
        return;
    }
    List order_z;
    for (const Index s : y) {
        if (const Index u = mate_of_coordinate(f.N, s); u >= 0) add_wish(order_z, u);
    }
    const List z = in_order(by_speed.independent, order_z);
    L.y = unsigned_list(y), L.z = unsigned_list(z);

    const Dependent of_positions(f.Phi, by_position), of_speeds(f.G, by_speed);
    L.Y = freedoms(f.Phi, of_positions, y);
    L.Z = freedoms(f.G, of_speeds, z);
    L.P = of_speeds(times(f.D, L.Y));
    L.Q_z = of_speeds(times(f.E, L.Z));
    L.Q_y = of_speeds(times(f.E, L.P) + times(f.F, L.Y));
    L.Y_w = of_positions(f.Phi_w);
    L.P_w = of_speeds(times(f.D, L.Y_w) + f.D_w);
    L.Q_w = of_speeds(times(f.E, L.P_w) + times(f.F, L.Y_w) + f.F_w);
    if (options.checks_rank && L.has_constraints) {
        if (auto why = singular.why(L, by_position.rank, by_speed.rank)) {
            L.is_ok = false, L.why = std::move(*why);
            return;
        }
    }

    SecondOrder& o = L.second_order;
    VectorXd size;  // of M's diagonal before anything cancelled
    if (L.has_constraints) {
        o.M = solve::congruent(f.M, L.Z);
        o.C = transposed_times(L.Z, times(f.C, L.Z) + times(f.M, L.Q_z));
        o.K = transposed_times(L.Z, times(f.K, L.Y) + times(f.C, L.P) + times(f.M, L.Q_y));
        o.B = transposed_times(L.Z, f.B - times(f.K, L.Y_w) - times(f.C, L.P_w) - times(f.M, L.Q_w));
        o.geometric = times(transposed_times(L.Z, f.geometric), L.Y);
        o.N = times(rows_of(f.N, y), L.Z);
        o.H = times(rows_of(f.N, y), L.P) + times(rows_of(f.H, y), L.Y);
        size = solve::congruent(sizes(f.M), sizes(L.Z)).diagonal();
    } else {  // Y and Z only put in order
        o.M = cut(f.M, z, z), o.C = cut(f.C, z, z), o.K = cut(f.K, z, y), o.B = rows_of(f.B, z);
        o.geometric = MatrixXd::Zero(o.K.rows(), o.K.cols());
        o.N = cut(f.N, y, z), o.H = cut(f.H, y, y);
    }
    const solve::Definite inertia = solve::factor_definite(o.M, -1, size);
    if (!inertia.ok) {
        L.is_ok = false;
        L.why = inertia.direction.size() > 0 ? fmt::format("the mass matrix is singular: the motion {} has no inertia",
                                                           numeric::motion_in_words(L.Z * inertia.direction, u_names))
                                             : inertia.why;
        return;
    }
    const solve::Ldlt ldlt(o.M);
    const auto by_inertia = [&](const MatrixXd& b) { return b.size() == 0 ? b : ldlt.solve(b); };
    const Index ny = L.Y.cols(), nz = L.Z.cols(), nw = f.B.cols(), n = ny + nz;
    StateSpace& x = L.state_space;
    x.A.setZero(n, n);
    x.A << o.H, o.N, -by_inertia(o.K), -by_inertia(o.C);
    x.B.setZero(n, nw);
    x.B.topRows(ny) = rows_of(f.W + times(f.N, L.P_w) + times(f.H, L.Y_w), y);
    x.B.bottomRows(nz) = by_inertia(o.B);

    add_outputs(L, options);

    List refused;
    for (std::size_t k = 0; k < wished->onto; ++k) {
        if (std::ranges::find(y, wished->y[k]) == y.end()) refused.push_back(wished->y[k]);
    }
    for (const Index s : refused) {
        const std::string sentence = fmt::format("{} cannot be independent here: it follows from the others", form.s[s]);
        if (options.only_onto) {
            L.is_ok = false, L.why = sentence;
            return;
        }
        L.notes.push_back(sentence);
    }
    for (std::size_t k = 0; k < wished->onto_z && options.only_onto; ++k) {
        if (std::ranges::find(z, wished->z[k]) != z.end()) continue;
        L.is_ok = false;
        L.why = fmt::format("{} cannot be independent here: it follows from the others", u_names[wished->z[k]]);
        return;
    }
    if (options.only_onto) {
        keep_only(L, {wished->y.begin(), wished->y.begin() + static_cast<std::ptrdiff_t>(wished->onto)},
                  {wished->z.begin(), wished->z.begin() + static_cast<std::ptrdiff_t>(wished->onto_z)});
    }
    replace_speeds(L);
    refuse_overflow(L);
}

/// C and D: δs = s δx + Y_w δw, δu = u δx + P_w δw, δu̇ = a δx + a_w δw, Gᵀδλ = B δw − M δu̇ − C δu − K δs.
void Linearizer::Inside::add_outputs(Linearization& L, const LinearizeOptions& options) const {
    const FullLinear& f = L.full;
    StateSpace& x = L.state_space;
    const Index ns = f.N.rows(), nu = f.N.cols(), no = f.O_s.rows(), nz = L.Z.cols(), n = L.Y.cols() + nz, nw = f.B.cols();
    MatrixXd motions(ns + nu, n), D = MatrixXd::Zero(no, nw), D_size = D;
    motions << L.Y, MatrixXd::Zero(ns, nz), L.P, L.Z;
    drop_rounding(motions, MatrixXd::Constant(ns + nu, n, 1e-2 * std::max(1.0, largest(motions))));
    const MatrixXd s = motions.topRows(ns), u = motions.bottomRows(nu);
    MatrixXd a(nu, n), C(no, n), C_size(no, n);
    a << L.Q_y, L.Q_z;
    const auto both = [](const MatrixXd& by, const MatrixXd& of) { return std::pair(times(by, of), times(sizes(by), sizes(of))); };
    const auto gather = [&](MatrixXd& sum, MatrixXd& size, std::initializer_list<std::pair<const MatrixXd*, const MatrixXd*>> products) {
        for (const auto& [by, of] : products) {
            const auto [value, rounding] = both(*by, *of);
            sum += value, size += rounding;
        }
    };
    a += times(L.Z, x.A.bottomRows(nz));
    const MatrixXd a_w = times(L.Z, x.B.bottomRows(nz)) + L.Q_w;
    C.setZero(), C_size.setZero();
    gather(C, C_size, {{&f.O_s, &s}, {&f.O_u, &u}, {&f.O_a, &a}});
    if (nw > 0) D = f.O_w, D_size = sizes(f.O_w), gather(D, D_size, {{&f.O_s, &L.Y_w}, {&f.O_u, &L.P_w}, {&f.O_a, &a_w}});
    if (largest(f.O_lambda) > 0) {
        const VectorXd scale = solve::row_scale(f.G);
        const solve::CompleteOrthogonal Gt((scale.asDiagonal() * f.G).transpose(), rank_tolerance);
        const auto add = [&](MatrixXd& to, MatrixXd& size, const MatrixXd& forces, const MatrixXd& of) {
            if (forces.cols() == 0) return;
            const MatrixXd lambda = scale.asDiagonal() * Gt.solve(forces), rounding = scale.asDiagonal() * sizes(Gt.solve(of));
            to += times(f.O_lambda, lambda), size += times(sizes(f.O_lambda), sizes(lambda).cwiseMax(rounding));
        };
        MatrixXd forces = MatrixXd::Zero(nu, n), of = forces;
        gather(forces, of, {{&f.M, &a}, {&f.C, &u}, {&f.K, &s}});
        add(C, C_size, -forces, of);
        MatrixXd moved = MatrixXd::Zero(nu, nw), of_inputs = sizes(f.B);
        if (nw > 0) {
            gather(moved, of_inputs, {{&f.M, &a_w}, {&f.C, &L.P_w}, {&f.K, &L.Y_w}});
            add(D, D_size, f.B - moved, of_inputs);
        }
    }
    drop_rounding(C, C_size), drop_rounding(D, D_size);
    if (no > 0 && !options.lists_motions) {
        x.C = C, x.D = D;
        return;
    }
    std::vector<std::string> names = form.s;
    names.insert(names.end(), u_names.begin(), u_names.end());
    names.insert(names.end(), L.outputs.begin(), L.outputs.end());
    L.outputs = std::move(names);
    x.C.resize(ns + nu + no, n), x.D.setZero(ns + nu + no, nw);
    x.C << motions, C;
    x.D << L.Y_w, L.P_w, D;
}

/// A steady motion may carry the mechanism to where its linear model is another: a body that turns while its places are told in
/// ground axes. A tenth of a radian (or a metre) later A must be the same.
void Linearizer::Inside::note_change(Linearization& L, const LinearizeOptions& options) const {
    const VectorXd rate = numbers.coordinate_rates(L.point.state);
    if (L.point.is_at_rest || L.point.relative_acceleration > 1e-6 || !rate.allFinite() || rate.size() == 0) return;
    numeric::State later = L.point.state;
    later.q += 0.1 / rate.lpNorm<Eigen::Infinity>() * rate;
    numeric::normalise_quaternions(numbers.equations(), later.q);
    if (L.has_constraints) {
        const solve::Assembly closed = numeric::Closing(numbers)(later, {});
        if (!closed.ok) return;
        later.q = closed.x;
    }
    LinearizeOptions same = options;
    same.checks_rank = same.checks_steadiness = false;
    if (!options.only_onto) {
        same.onto.clear();
        for (const std::size_t i : L.y) same.onto.push_back(form.s[i]);
    }
    Linearization next;
    next.point = operating_point(numbers, later);
    next.has_constraints = L.has_constraints, next.is_holonomic = L.is_holonomic, next.has_geometric_stiffness = L.has_geometric_stiffness;
    if (!next.point.is_ok || next.point.relative_acceleration > 1e-6) return;
    next.full = evaluate(next.point);
    if (!is_finite(next)) return;
    if (!options.geometric_stiffness) next.full.K -= next.full.geometric;
    reduce(next, same);
    if (!next.is_ok || next.y != L.y || next.z != L.z) return;
    const MatrixXd change = next.state_space.A - L.state_space.A;
    std::vector<std::string> rows;
    for (Index i = 0; i < change.rows(); ++i) {
        const double size = std::max(L.state_space.A.row(i).cwiseAbs().maxCoeff(), next.state_space.A.row(i).cwiseAbs().maxCoeff());
        if (change.row(i).cwiseAbs().maxCoeff() <= 1e-6 * size) continue;
        const auto ny = static_cast<Index>(L.y.size());
        rows.push_back(i < ny ? form.s[L.y[i]] : u_names[L.z[i - ny]]);
    }
    if (rows.empty()) return;
    L.notes.push_back(
        fmt::format("along the motion the rows of {} in A change: what A and shapes of modes say of them holds for this instant only",
                    fmt::join(rows, ", ")));
}

/// Leaves out all states but these. z̈ of the others is eliminated by their own equations, which is what A does without their rows
/// and columns.
void Linearizer::Inside::keep_only(Linearization& L, const List& y, const List& z) const {
    List yk, zk, zr, xk, xr;  // kept and the rest, as places
    const auto ny = static_cast<Index>(L.y.size());
    const auto place = [](const std::vector<std::size_t>& list, Index i) {
        return static_cast<Index>(std::ranges::find(list, static_cast<std::size_t>(i)) - list.begin());
    };
    for (const Index i : y) yk.push_back(place(L.y, i));
    for (const Index i : z) zk.push_back(place(L.z, i));
    xk = yk;
    for (const Index i : zk) xk.push_back(ny + i);
    for (Index i = 0; i < static_cast<Index>(L.z.size()); ++i) {
        if (std::ranges::find(zk, i) == zk.end()) zr.push_back(i);
    }
    for (Index i = 0; i < L.state_space.A.rows(); ++i) {
        if (std::ranges::find(xk, i) == xk.end()) xr.push_back(i);
    }
    const auto name = [&](Index i) { return i < ny ? form.s[L.y[i]] : u_names[L.z[i - ny]]; };
    const MatrixXd A = L.state_space.A;
    std::vector<std::string> coupled, left_out;
    for (const Index j : xr) {
        left_out.push_back(name(j));
        double most = 0, against = 0;
        Index row = -1;
        for (const Index i : xk) {
            if (std::abs(A(i, j)) > most) most = std::abs(A(i, j)), row = i;
            against = std::max(against, A.row(i).cwiseAbs().maxCoeff());
        }
        if (row >= 0 && most > 1e-10 * std::max(against, 1e-300))
            coupled.push_back(fmt::format("{} acts on the rate of {} by {:.6g}", name(j), name(row), A(row, j)));
    }
    if (!left_out.empty()) L.notes.push_back(fmt::format("left out: {}", fmt::join(left_out, ", ")));
    if (!coupled.empty()) L.notes.push_back(fmt::format("what is left out is coupled to what is kept: {}", fmt::join(coupled, "; ")));

    SecondOrder& o = L.second_order;
    if (!zr.empty()) {  // M_kr M_rr⁻¹
        const MatrixXd gain =
            times(cut(o.M, zk, zr), solve::Ldlt(cut(o.M, zr, zr)).solve(MatrixXd::Identity(zr.size(), static_cast<Index>(zr.size()))));
        const auto eliminate = [&](const MatrixXd& a, const List& columns) {
            return MatrixXd(cut(a, zk, columns) - times(gain, cut(a, zr, columns)));
        };
        const MatrixXd M = eliminate(o.M, zk), C = eliminate(o.C, zk), K = eliminate(o.K, yk), B = eliminate(o.B, all(o.B.cols())),
                       geometric = eliminate(o.geometric, yk);
        const MatrixXd Zr = solve::take_columns(L.Z, zr);
        List zr_rows;
        for (const Index i : zr) zr_rows.push_back(ny + i);
        L.Q_z += times(Zr, rows_of(A, zr_rows).rightCols(L.z.size()));
        L.Q_y += times(Zr, rows_of(A, zr_rows).leftCols(ny));
        o.M = M, o.C = C, o.K = K, o.B = B, o.geometric = geometric;
    } else {
        o.M = cut(o.M, zk, zk), o.C = cut(o.C, zk, zk), o.K = cut(o.K, zk, yk), o.B = rows_of(o.B, zk),
        o.geometric = cut(o.geometric, zk, yk);
    }
    o.N = cut(o.N, yk, zk), o.H = cut(o.H, yk, yk);
    L.state_space.A = cut(A, xk, xk);
    L.state_space.B = rows_of(L.state_space.B, xk);
    L.state_space.C = solve::take_columns(L.state_space.C, xk);
    L.Y = solve::take_columns(L.Y, yk), L.Z = solve::take_columns(L.Z, zk), L.P = solve::take_columns(L.P, yk);
    L.Q_z = solve::take_columns(L.Q_z, zk), L.Q_y = solve::take_columns(L.Q_y, yk);
    L.y = unsigned_list(y), L.z = unsigned_list(z);
}

void Linearizer::Inside::replace_speeds(Linearization& L) const {
    SecondOrder& o = L.second_order;
    const Index n = o.N.rows();
    if (n != o.N.cols()) return;
    const MatrixXd one = MatrixXd::Identity(n, n);
    // ẏ may have deviations of given motions in it: z = T(ẏ − H y − W w), and their rates are deviations too
    const MatrixXd W = L.state_space.B.topRows(n);
    const auto move_deviations = [&](const MatrixXd& T) {
        for (const GivenMotion& motion : given) {
            for (const std::size_t k : {0U, 1U}) {
                const auto at = static_cast<Index>(motion.inputs[k]), next = static_cast<Index>(motion.inputs[k + 1]);
                o.B.col(at) += times(o.C, T, W.col(at)), o.B.col(next) += times(o.M, T, W.col(at));
            }
        }
    };
    o.is_mechanical = largest(o.N - one) <= 1e-12 && largest(o.H) == 0;
    if (o.is_mechanical) move_deviations(one);
    if (!o.is_mechanical && n > 0) {
        const solve::FullLu lu(o.N);
        if (!(lu.rcond() > 1e-8)) return;
        const MatrixXd T = lu.inverse();
        move_deviations(T);
        const MatrixXd M = solve::congruent(o.M, T), C = transposed_times(T, times(o.C, T) - times(o.M, T, o.H)),
                       K = transposed_times(T, o.K - times(o.C, T, o.H));
        o.B = transposed_times(T, o.B);
        o.geometric = transposed_times(T, o.geometric);
        o.M = M, o.C = C, o.K = K;
        o.is_mechanical = o.has_replaced_speeds = true;
    }
    o.N = one;
    o.H = MatrixXd::Zero(n, n);
    separate(o);
}

/// Time stands in the equations although no motion deviates.
bool Linearizer::Inside::moves_by_itself() const {
    const eom::EquationsOfMotion& e = numbers.equations();
    const sym::PoolScope scope(*e.pool);
    std::vector<sym::Binding> as_given;
    for (const GivenMotion& motion : given) {
        for (const std::size_t i : motion.inputs) as_given.emplace_back(e.inputs[i].symbol, Expr(0));
    }
    sym::Substitution put_in(as_given);
    std::vector<Expr> rows;
    for (const Expr& r : eom::unconstrained_residual(e)) rows.push_back(put_in(r));
    for (const Expr& rate : eom::qdot_and_xdot(e)) rows.push_back(put_in(rate));
    for (const eom::Constraint& c : e.constraints) rows.push_back(put_in(c.rate)), rows.push_back(put_in(c.phi));
    return std::ranges::any_of(sym::symbols_in(rows), [&](const Expr& s) { return s == e.t; });
}

/// What is an input stays; deviations of given motions go where they have names.
void Linearizer::Inside::part_motions(Linearization& L) const {
    if (given.empty()) return;
    List inputs = all(static_cast<Index>(given.front().inputs[0])), motions;
    for (std::size_t k = 0; k < 3; ++k) {
        for (const GivenMotion& motion : given) motions.push_back(static_cast<Index>(motion.inputs[k]));
    }
    ByMotions& m = L.by_motions;
    for (const GivenMotion& motion : given) m.names.push_back(motion.name);
    m.s = solve::take_columns(L.Y_w, motions), m.u = solve::take_columns(L.P_w, motions);
    m.state = solve::take_columns(L.state_space.B, motions), m.outputs = solve::take_columns(L.state_space.D, motions);
    m.second_order = solve::take_columns(L.second_order.B, motions);
    for (MatrixXd* a : {&L.Y_w, &L.P_w, &L.Q_w, &L.state_space.B, &L.state_space.D, &L.second_order.B, &L.full.W, &L.full.B, &L.full.O_w,
                        &L.full.Phi_w, &L.full.D_w, &L.full.F_w})
        *a = solve::take_columns(*a, inputs);
    L.inputs.resize(inputs.size());
    VectorXd w = L.point.state.w.head(static_cast<Index>(inputs.size()));
    L.point.state.w = std::move(w);
}

std::vector<std::string> ByMotions::columns() const {
    std::vector<std::string> list;
    for (const char* rate : {"", "'", "''"}) {
        for (const std::string& name : names) list.push_back(name + rate);
    }
    return list;
}

Linearizer::Linearizer(const numeric::CompiledEquations& numbers, std::vector<GivenMotion> given)
    : inside_(std::make_unique<Inside>(numbers, std::move(given))) {}
Linearizer::~Linearizer() = default;

const LinearForm& Linearizer::form() const { return inside_->form; }
FullLinear Linearizer::evaluate(const numeric::OperatingPoint& point) const { return inside_->evaluate(point); }

Linearization Linearizer::operator()(const numeric::OperatingPoint& point, const LinearizeOptions& options) const {
    const eom::EquationsOfMotion& e = inside_->numbers.equations();
    Linearization L;
    L.point = point;
    L.s = inside_->form.s;
    L.u = inside_->u_names;
    for (const eom::Input& w : e.inputs) L.inputs.push_back(w.symbol.symbol().name);
    L.has_constraints = !e.constraints.empty();
    L.is_holonomic = std::ranges::all_of(e.constraints, [](const eom::Constraint& c) { return c.is_holonomic; });
    L.has_geometric_stiffness = options.geometric_stiffness;
    if (!point.is_ok) {
        L.is_ok = false;
        L.why = point.why;
        return L;
    }
    L.full = inside_->evaluate(point);
    if (!inside_->is_finite(L)) return L;
    if (!options.geometric_stiffness) {
        L.full.K -= L.full.geometric;
        if (L.has_constraints) L.notes.push_back("without the geometric stiffness of the constraint forces [Lynch 1988, eq. (6.6)]");
    }
    inside_->reduce(L, options);
    if (options.checks_steadiness && L.is_ok) inside_->note_change(L, options);
    if (L.is_ok) inside_->part_motions(L);
    if (inside_->form.depends_on_time) {
        L.notes.push_back(
            fmt::format("the equations depend on time explicitly: it is held at t = {:.6g}, and the linear model is that of this instant",
                        point.state.t));
    }
    return L;
}

Linearization linearize(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& point, const LinearizeOptions& options) {
    return Linearizer(numbers)(point, options);
}

}  // namespace linkwright::linear
