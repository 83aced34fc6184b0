#include "linkwright/linear/modes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "linkwright/solve/eigen.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/products.hpp"
#include "linkwright/solve/rank.hpp"
#include "linkwright/solve/zero_chains.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using Complex = std::complex<double>;
using solve::largest, solve::sizes, solve::times, solve::transposed_times;

constexpr double noise = 1e-13;        ///< of the sizes of what was added up, a single entry is worth no more
constexpr double zero_lambda = 1e-11;  ///< of xᵀ|K|x: a point of rest is found to so many digits

/// M δż + C δz + K δy = 0 and what its entries are sums of.
struct Reduced {
    MatrixXd M, C, K, H, N;
    MatrixXd C_size, K_size;
};

MatrixXd full_stiffness_size(const Linearization& l) {
    if (!l.has_geometric_stiffness || l.full.geometric.size() == 0) return sizes(l.full.K);
    return sizes(l.full.K - l.full.geometric) + sizes(l.full.geometric);
}

Reduced reduced(const Linearization& l) {
    const FullLinear& f = l.full;
    const Index ny = l.Y.cols(), nz = l.Z.cols();
    Reduced r;
    const MatrixXd az = sizes(l.Z);
    r.M = solve::congruent(f.M, l.Z);
    r.C = transposed_times(l.Z, times(f.C, l.Z) + times(f.M, l.Q_z));
    r.K = transposed_times(l.Z, times(f.K, l.Y) + times(f.C, l.P) + times(f.M, l.Q_y));
    const auto size = [](const MatrixXd& a, const MatrixXd& b) { return times(sizes(a), sizes(b)); };
    r.C_size = transposed_times(az, size(f.C, l.Z) + size(f.M, l.Q_z));
    r.K_size = transposed_times(az, size(full_stiffness_size(l), l.Y) + size(f.C, l.P) + size(f.M, l.Q_y));
    drop_rounding(r.C, r.C_size), drop_rounding(r.K, r.K_size);
    r.H = l.state_space.A.topLeftCorner(ny, ny);
    r.N = l.state_space.A.topRightCorner(ny, nz);
    return r;
}

/// Why the linear model is not K x = λ M x alone; empty when it is.
std::vector<std::string> beyond_lambda(const Linearization& l) {
    std::vector<std::string> why;
    const SecondOrder& o = l.second_order;
    if (!l.is_holonomic) why.emplace_back("nonholonomic");
    if (!l.point.is_at_rest) why.emplace_back("moving");
    if (!o.is_mechanical) {
        if (why.empty()) why.emplace_back("of speeds that are not rates of coordinates");
        return why;
    }
    const Index n = o.M.rows();
    const VectorXd root = o.M.diagonal().cwiseAbs().cwiseSqrt().cwiseMax(1e-150);
    const MatrixXd scale = root.cwiseInverse().asDiagonal();
    const double stiff = largest(times(scale, o.K, scale)), fast = std::sqrt(stiff);
    const auto matters = [&](const MatrixXd& a, double beside) { return n > 0 && largest(times(scale, a, scale)) > beside; };
    if (matters(o.damping, 1e-12 * fast)) why.emplace_back("damped");
    if (matters(o.gyroscopic, 1e-12 * fast)) why.emplace_back("gyroscopic");
    const double size = largest(stiffness_size(l));
    if (matters(o.circulatory, 1e-9 * stiff) && largest(o.circulatory) > 1e-10 * size) why.emplace_back("circulatory");
    if (why.empty() && largest(l.P) > 1e-12 * fast) why.emplace_back("with constraints that move");
    return why;
}

/// Poles and what belongs to them, whatever way they were found.
struct Found {
    VectorXcd poles;
    MatrixXcd s, u;  ///< columns
    MatrixXd parts;  ///< columns of participation
    VectorXd error;
    std::vector<std::size_t> level{};  ///< of poles at zero, in their chains
};

/// Pairs together, sorted by |Im|, then Re.
std::vector<Index> in_order(const VectorXcd& poles) {
    std::vector<Index> order(static_cast<std::size_t>(poles.size()));
    std::iota(order.begin(), order.end(), Index{0});
    const auto key = [&](Index i) { return std::pair(std::abs(poles[i].imag()), poles[i].real()); };
    std::ranges::stable_sort(order, [&](Index a, Index b) {
        const auto ka = key(a), kb = key(b);
        return ka != kb ? ka < kb : poles[a].imag() > poles[b].imag();
    });
    return order;
}

/// What rounding, and the noise of A's entries, may have done to each pole: A itself is not good to the last digit. Noise counts to first
/// order, which says too much where poles have met: there no more than their splitting.
VectorXd worth(const solve::Spectrum& s, const MatrixXd& noise_of_A) {
    VectorXd error = 500 * s.error;
    for (Index i = 0; i < error.size(); ++i) {
        if (s.values[i] == 0.0) continue;
        const VectorXd x = s.right.col(i).cwiseAbs(), y = s.left.col(i).cwiseAbs();
        const double along = std::abs(s.left.col(i).dot(s.right.col(i))), by_noise = y.dot(noise_of_A * x);
        const double most = 1e-5 * std::abs(s.values[i]);
        error[i] = std::max(error[i], by_noise < most * along ? by_noise / along : most * (by_noise > 0 ? 1 : 0));
    }
    return error;
}

/// What is zero up to rounding is zero.
void snap(Found& f, double norm, std::vector<std::string>& notes) {
    std::size_t zeros = 0;
    double most = 0;
    for (Index i = 0; i < f.poles.size(); ++i) {
        const double worth = f.error[i];
        if (f.poles[i] == 0.0) continue;
        if (std::abs(f.poles[i]) <= worth) {
            ++zeros, most = std::max(most, std::abs(f.poles[i]));
            f.poles[i] = 0;
        } else if (std::abs(f.poles[i].real()) <= worth) {
            f.poles[i].real(0);
        }
    }
    if (zeros > 0 && most > 1e-9 * std::max(norm, 1e-300))
        notes.push_back(fmt::format("{} pole{} of at most {:.2g} {} zero up to rounding", zeros, zeros == 1 ? "" : "s", most,
                                    zeros == 1 ? "is" : "are"));
}

/// The lengths of chains, where they account for every pole at zero; else each by itself is all that is known.
std::vector<std::size_t> chains_of(const VectorXcd& poles, const solve::ZeroChains& chains) {
    const auto zeros = static_cast<Index>(std::ranges::count(poles, Complex(0)));
    if (zeros == chains.count()) return {chains.lengths.begin(), chains.lengths.end()};
    return std::vector<std::size_t>(static_cast<std::size_t>(zeros), 1);
}

/// Columns of what belongs to the poles at zero, level by level.
void take_chains(const Linearization& l, const solve::ZeroChains& chains, Found& f) {
    const Index ny = l.Y.cols(), nz = l.Z.cols();
    f.level.assign(static_cast<std::size_t>(f.poles.size()), 0);
    if (std::ranges::count(f.poles, Complex(0)) != chains.count()) return;
    Index next = 0;
    for (Index i = 0; i < f.poles.size(); ++i) {
        if (f.poles[i] != 0.0) continue;
        const VectorXd x = chains.basis.col(next), y = x.head(ny), z = x.tail(nz);
        f.s.col(i) = (l.Y * y).cast<Complex>();
        f.u.col(i) = (l.P * y + l.Z * z).cast<Complex>();
        f.parts.col(i) = x.cwiseAbs2() / x.squaredNorm();
        f.level[i] = static_cast<std::size_t>(chains.levels[next]);
        ++next;
    }
}

/// "the pole 0 occurs 12 times, in chains of 4, 4, 2, 2: …"
void tell_chains(const std::vector<std::size_t>& lengths, std::vector<std::string>& notes) {
    const std::size_t count = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
    if (count < 2) return;
    if (lengths.front() == 1) {
        notes.push_back(fmt::format("the pole 0 occurs {} times: its shapes are any combinations of those listed", count));
        return;
    }
    notes.push_back(fmt::format(
        "the pole 0 occurs {} times and is defective: in {} of {}; one of 1 stays where it is put, one of k drifts with t^(k-1)", count,
        lengths.size() == 1 ? "a chain" : "chains", fmt::join(lengths, ", ")));
}

void normalise(Mode& m) {
    const double s = m.s.size() == 0 ? 0 : m.s.cwiseAbs().maxCoeff(), u = m.u.size() == 0 ? 0 : m.u.cwiseAbs().maxCoeff();
    const VectorXcd& by = s > (m.level > 1 ? 1 : 1e-9) * u ? m.s : m.u;
    if (by.size() == 0 || by.cwiseAbs().maxCoeff() == 0) return;
    Index at = 0;
    const double most = by.cwiseAbs().maxCoeff();
    while (std::abs(by[at]) < most * (1 - 1e-9)) ++at;  // the first of equals
    const Complex factor = by[at];
    m.s /= factor, m.u /= factor;
    const auto tidy = [](VectorXcd& v) {  // a phase of zero or half a turn up to rounding
        for (Complex& x : v) {
            if (std::abs(x.imag()) < 1e-13 * std::abs(x.real())) x.imag(0);
            if (std::abs(x.real()) < 1e-13 * std::abs(x.imag())) x.real(0);
            if (std::abs(x) < 1e-15) x = 0;
        }
    };
    tidy(m.s), tidy(m.u);
}

Mode make_mode(const Linearization& l, Complex pole, double error, VectorXcd s, VectorXcd u, VectorXd parts, std::size_t level = 0) {
    Mode m{.pole = pole, .s = std::move(s), .u = std::move(u), .q = {}, .participation = std::move(parts), .error = error, .words = {}};
    m.frequency_hz = std::abs(pole.imag()) / (2 * std::numbers::pi);
    m.natural_hz = pole.imag() == 0 ? 0 : std::abs(pole) / (2 * std::numbers::pi);
    m.damping_ratio = std::abs(pole) == 0 ? 0 : -pole.real() / std::abs(pole) + 0.0;
    m.level = level;
    normalise(m);
    m.q = (l.full.S * m.s).head(l.point.state.q.size());
    m.words = words_of(pole, error);
    return m;
}

std::string of_pole(Complex p) {
    return p.imag() == 0 ? fmt::format("{:.6g}", p.real()) : fmt::format("{:.6g} ± {:.6g}i", p.real(), std::abs(p.imag()));
}

/// Left and right vectors of A bring each state's part.
MatrixXd parts_of(const solve::Spectrum& s) {
    MatrixXd parts = s.left.cwiseProduct(s.right.conjugate()).cwiseAbs();
    for (Index j = 0; j < parts.cols(); ++j) {
        const double sum = parts.col(j).sum();
        if (sum > 0) {
            parts.col(j) /= sum;
        } else {
            parts.col(j) = s.right.col(j).cwiseAbs2();  // defective: the left vector knows nothing of the right one
        }
    }
    return parts;
}

void note_repeated(const Found& f, const std::vector<Index>& order, std::vector<std::string>& notes) {
    std::vector<bool> told(order.size(), false);
    for (std::size_t a = 0; a < order.size(); ++a) {
        if (told[a] || f.poles[order[a]].imag() < 0 || f.poles[order[a]] == 0.0) continue;
        const Complex p = f.poles[order[a]];
        std::vector<Index> group{order[a]};
        for (std::size_t b = a + 1; b < order.size(); ++b) {
            const Complex other = f.poles[order[b]];
            if (other.imag() < 0 || told[b]) continue;
            if (std::abs(other - p) >
                std::max(repeated_tolerance * std::abs(p), std::min(f.error[order[a]] + f.error[order[b]], 1e-4 * std::abs(p))))
                continue;
            group.push_back(order[b]);
            told[b] = true;
        }
        if (group.size() < 2) continue;
        MatrixXcd shapes(f.s.rows() + f.u.rows(), static_cast<Index>(group.size()));
        for (std::size_t k = 0; k < group.size(); ++k) {
            shapes.col(k) << f.s.col(group[k]), f.u.col(group[k]);
            shapes.col(k).normalize();
        }
        const auto independent = static_cast<std::size_t>(solve::ComplexFullLu(shapes).rank(1e-5));
        std::string note = fmt::format("the pole {} occurs {} times", of_pole(p), group.size());
        if (independent < group.size()) {
            note += fmt::format(" and is defective: {} shape{} belong{} to it, the others grow with time besides", independent,
                                independent == 1 ? "" : "s", independent == 1 ? "s" : "");
            note += "; as a number it is good to about " + fmt::format("{:.1g}", std::max(f.error[group.front()], 1e-16));
        } else {
            note += ": its shapes are any combinations of those listed";
        }
        notes.push_back(std::move(note));
    }
}

// ---- K x = λ M x

/// M, K and Φ in terms of s: with T = N⁻¹, s̈ takes the place of u̇ at rest. Where a closed chain rests for a moment only, its
/// accelerations turn with the links like its constraint forces: K has M Q_y beside ∂r/∂q.
struct Undamped {
    MatrixXd M, K, K_size, Phi;
    bool ok = true;
};

Undamped undamped(const Linearization& l) {
    Undamped r;
    const FullLinear& f = l.full;
    r.Phi = f.Phi;
    if (f.N.rows() != f.N.cols()) return r.ok = false, r;
    const Index n = f.N.rows();
    r.M = f.M, r.K = f.K, r.K_size = full_stiffness_size(l);
    if (largest(l.Q_y) > 0) {
        const MatrixXd turned = times(f.M, l.Q_y), size = times(sizes(f.M), sizes(l.Q_y));
        for (std::size_t k = 0; k < l.y.size(); ++k) {
            r.K.col(l.y[k]) += turned.col(k);
            r.K_size.col(l.y[k]) += size.col(k);
        }
    }
    if (n == 0 || f.N.isIdentity(0)) return r;
    const solve::FullLu lu(f.N);
    if (!(lu.rcond() > 1e-10)) return r.ok = false, r;
    const MatrixXd T = lu.inverse();
    r.M = solve::congruent(f.M, T), r.K = transposed_times(T, f.K), r.K_size = transposed_times(sizes(T), r.K_size);
    return r;
}

/// Shapes of eigenvalues that lie together, made orthogonal in M, each of length 1 in M and its largest entry positive.
void orthogonalise(MatrixXd& x, const MatrixXd& M, const std::vector<double>& lambda) {
    for (Index j = 0; j < x.cols(); ++j) {
        for (int pass = 0; pass < 2; ++pass) {
            for (Index i = j - 1; i >= 0; --i) {
                const double a = lambda[i], b = lambda[j];
                if (std::abs(a - b) > 1e-6 * std::max(std::abs(a), std::abs(b)) + 1e-300) break;
                x.col(j) -= x.col(i) * x.col(i).dot(M * x.col(j));
            }
        }
        const double length = std::sqrt(std::max(x.col(j).dot(M * x.col(j)), 0.0));
        if (length > 0) x.col(j) /= length;
        Index at = 0;
        x.col(j).cwiseAbs().maxCoeff(&at);
        if (x(at, j) < 0) x.col(j) *= -1;
    }
}

/// λ and shapes over s by the null space of Φ.
bool by_null_space(const Undamped& u, const solve::NullSpace& allowed, Modes& m) {
    const MatrixXd& Z = allowed.z;
    const solve::SymmetricSpectrum s =
        solve::symmetric_spectrum(solve::congruent(u.K, Z), solve::congruent(u.M, Z), solve::congruent(u.K_size, sizes(Z)));
    if (!s.ok) return m.is_ok = false, m.why = s.why, false;
    m.lambda.assign(s.lambda.begin(), s.lambda.end());
    m.vectors = times(Z, s.x);
    return true;
}

/// The same by QZ of the full pencil.
bool by_pencil(const Undamped& u, const solve::NullSpace& allowed, Modes& m) {
    const Index n = u.K.rows(), rows = allowed.rank;
    MatrixXd A = MatrixXd::Zero(n + rows, n + rows), B = A;
    A.topLeftCorner(n, n) = u.K, B.topLeftCorner(n, n) = u.M;
    for (Index i = 0; i < rows; ++i) {
        A.row(n + i).head(n) = u.Phi.row(allowed.independent[i]);
        A.col(n + i).head(n) = A.row(n + i).head(n).transpose();
    }
    const solve::PencilSpectrum s = solve::pencil_spectrum(A, B);
    if (!s.ok) return m.is_ok = false, m.why = "QZ: " + s.why, false;
    m.infinite = static_cast<std::size_t>(s.infinite);
    std::vector<std::pair<double, VectorXd>> list;
    for (Index i = 0; i < s.values.size(); ++i) {
        // A pair is a repeated λ that rounding has split: its plane is what counts.
        const VectorXcd x = s.right.col(i).head(n);
        Index at = 0;
        x.cwiseAbs().maxCoeff(&at);
        const VectorXcd turned = x / (x[at] / std::abs(x[at]));
        list.emplace_back(s.values[i].real(), s.values[i].imag() == 0  ? VectorXd(turned.real())
                                              : s.values[i].imag() > 0 ? VectorXd(x.real())
                                                                       : VectorXd(x.imag()));
    }
    std::ranges::stable_sort(list, {}, [](const auto& e) { return e.first; });
    m.vectors.resize(n, static_cast<Index>(list.size()));
    for (std::size_t i = 0; i < list.size(); ++i) m.lambda.push_back(list[i].first), m.vectors.col(i) = list[i].second;
    orthogonalise(m.vectors, u.M, m.lambda);
    return true;
}

void tell_repeated(const std::vector<double>& lambda, std::vector<std::string>& notes) {
    for (std::size_t i = 0; i < lambda.size();) {
        std::size_t end = i + 1;
        while (end < lambda.size() &&
               std::abs(lambda[end] - lambda[i]) <= repeated_tolerance * std::max(std::abs(lambda[i]), std::abs(lambda[end])))
            ++end;
        if (end - i > 1) {
            notes.push_back(fmt::format("λ = {:.6g} occurs {} times: its shapes are any combinations of those listed", lambda[i], end - i));
        }
        i = end;
    }
}

void undamped_modes(const Linearization& l, ModesBy by, Modes& m) {
    const Undamped full = undamped(l);
    if (!full.ok) {
        m.is_ok = false;
        m.why = "speeds and rates of coordinates do not determine one another here";
        return;
    }
    const solve::NullSpace allowed = solve::null_space_by_qr(solve::scaled_rows(full.Phi), 1e-9);
    if (!allowed.ok) return void((m.is_ok = false, m.why = allowed.why));
    if (by == ModesBy::qz && !allowed.dependent.empty()) {
        m.notes.push_back(
            fmt::format("{} of {} constraint equations are redundant; with them the full pencil is singular, so they were left out",
                        allowed.dependent.size(), full.Phi.rows()));
    }
    if (!(by == ModesBy::qr ? by_null_space(full, allowed, m) : by_pencil(full, allowed, m))) return;

    const SecondOrder& o = l.second_order;
    const Index ny = l.Y.cols();
    const MatrixXd H = l.state_space.A.topLeftCorner(ny, ny), N = l.state_space.A.topRightCorner(ny, l.Z.cols());
    const solve::Lu lu(ny > 0 ? N : MatrixXd::Identity(1, 1));
    std::size_t zeros = 0;
    double snapped = 0;
    std::vector<double> errors;
    const bool is_indefinite = !m.lambda.empty() && m.lambda.front() < 0;
    for (std::size_t i = 0; i < m.lambda.size(); ++i) {
        const VectorXd x = m.vectors.col(i).cwiseAbs();
        const double size = x.dot(full.K_size * x);
        errors.push_back(std::max(noise * size, 1e-15 * std::abs(m.lambda.back())));
        // QZ, and any method once some λ is negative, knows small ones only beside the largest.
        const double most = std::max(std::abs(m.lambda.back()), std::abs(m.lambda.front()));
        const double zero = std::max(zero_lambda * size, by == ModesBy::qz ? 1e-13 * most : is_indefinite ? 1e-14 * most : 0);
        m.lambda[i] += 0.0;
        if (m.lambda[i] != 0 && std::abs(m.lambda[i]) <= zero) {
            snapped = std::max(snapped, std::abs(m.lambda[i]));
            m.lambda[i] = 0, ++zeros;
        }
    }
    if (zeros > 0)
        m.notes.push_back(fmt::format("λ of {} mode{}, at most {:.2g}, {} zero up to rounding", zeros, zeros == 1 ? "" : "s", snapped,
                                      zeros == 1 ? "is" : "are"));
    std::vector<Complex> poles;
    for (std::size_t i = 0; i < m.lambda.size(); ++i) {
        const double lambda = m.lambda[i];
        const Complex pole = lambda >= 0 ? Complex(0, std::sqrt(lambda)) : Complex(std::sqrt(-lambda), 0);
        poles.push_back(pole), poles.push_back(-pole);
        const VectorXd s = m.vectors.col(i);
        VectorXd y(ny);
        for (Index k = 0; k < ny; ++k) y[k] = s[l.y[k]];
        const VectorXcd z = ny == 0 ? VectorXcd(0) : lu.solve(pole * y - H * y);
        const double error = std::abs(pole) > 0 ? 0.5 * errors[i] / std::abs(pole) : std::sqrt(errors[i]);
        Mode mode = make_mode(l, pole, error, s.cast<Complex>(), l.Z * z + l.P * y, y.cwiseProduct(o.M * y));
        if (lambda == 0) mode.words = "rigid motion", m.zero_chains.push_back(2);
        if (lambda < 0) mode.words = fmt::format("grows, doubles in {:.3g} s; no oscillation", std::numbers::ln2 / pole.real());
        m.modes.push_back(std::move(mode));
    }
    for (Complex& p : poles) p = {p.real() + 0.0, p.imag() + 0.0};
    VectorXcd all = Eigen::Map<const VectorXcd>(poles.data(), static_cast<Index>(poles.size()));
    m.poles.resize(all.size());
    const auto order = in_order(all);
    for (std::size_t i = 0; i < order.size(); ++i) m.poles[i] = all[order[i]];
    tell_repeated(m.lambda, m.notes);
}

// ---- ẋ = A x

bool by_state_matrix(const Linearization& l, const solve::Spectrum& s, Found& f) {
    const Index ny = l.Y.cols(), nz = l.Z.cols();
    f.poles = s.values;
    f.s = l.Y * s.right.topRows(ny);
    f.u = l.P * s.right.topRows(ny) + l.Z * s.right.bottomRows(nz);
    f.parts = parts_of(s);
    f.error = s.error;
    return true;
}

/// Rows of constraints that say something: holonomic ones first.
struct Rows {
    std::vector<Index> holonomic, others;
    std::size_t left_out = 0;
};

Rows rows_of(const Linearization& l) {
    Rows rows;
    const solve::NullSpace positions = solve::null_space_by_qr(solve::scaled_rows(l.full.Phi), 1e-9);
    rows.holonomic = positions.independent;
    const Index all = solve::null_space_by_qr(solve::scaled_rows(l.full.G), 1e-9).rank;
    const auto with = [&](Index extra) {
        std::vector<Index> list = rows.holonomic;
        list.insert(list.end(), rows.others.begin(), rows.others.end());
        if (extra >= 0) list.push_back(extra);
        MatrixXd part(static_cast<Index>(list.size()), l.full.G.cols());
        for (std::size_t i = 0; i < list.size(); ++i) part.row(i) = l.full.G.row(list[i]);
        return solve::null_space_by_qr(solve::scaled_rows(part), 1e-9).rank;
    };
    Index rank = with(-1);
    for (const Index i : positions.dependent) {
        if (rank == all) break;
        if (with(i) <= rank) continue;
        rows.others.push_back(i), ++rank;
    }
    rows.left_out = static_cast<std::size_t>(l.full.G.rows()) - rows.holonomic.size() - rows.others.size();
    return rows;
}

/// How many eigenvalues are finite the independent coordinates tell. Stiff beams in a loop leave an infinite one finite by rounding, far beyond all others.
void leave_infinite_ones(solve::PencilSpectrum& s, const solve::Spectrum& reference) {
    constexpr double far_beyond = 100;
    const Index n = reference.values.size(), k = s.values.size();
    if (k <= n || n == 0) return;
    std::vector<Index> by_size(static_cast<std::size_t>(k));
    std::iota(by_size.begin(), by_size.end(), Index{0});
    std::ranges::stable_sort(by_size, {}, [&](Index i) { return std::abs(s.values[i]); });
    const double largest_one = reference.values.cwiseAbs().maxCoeff();
    if (!(std::abs(s.values[by_size[static_cast<std::size_t>(n)]]) > far_beyond * largest_one)) return;  // told by whoever counts
    by_size.resize(static_cast<std::size_t>(n));
    std::ranges::sort(by_size);
    const Eigen::VectorXcd values = s.values;
    const Eigen::MatrixXcd right = s.right;
    s.values.resize(n), s.right.resize(right.rows(), n);
    for (Index i = 0; i < n; ++i)
        s.values[i] = values[by_size[static_cast<std::size_t>(i)]], s.right.col(i) = right.col(by_size[static_cast<std::size_t>(i)]);
    s.infinite += k - n;
}

/// The descriptor form. Unknowns s, u, λ where differentiating Φ δs = 0 gives the rates of the constraints as they are; along a steady
/// motion that changes Φ itself, u̇ too, and every level of the constraints has its rows.
bool by_descriptor(const Linearization& l, const solve::Spectrum& reference, Found& f, Modes& m) {
    const FullLinear& a = l.full;
    const Index ns = a.N.rows(), nu = a.N.cols();
    const Rows rows = rows_of(l);
    if (rows.left_out > 0) {
        m.notes.push_back(
            fmt::format("{} of {} constraint equations are redundant; with them the full pencil is singular, so they were left out",
                        rows.left_out, a.G.rows()));
    }
    std::vector<Index> list = rows.holonomic;
    list.insert(list.end(), rows.others.begin(), rows.others.end());
    const auto nh = static_cast<Index>(rows.holonomic.size()), nc = static_cast<Index>(list.size());
    const auto take = [&](const MatrixXd& x) {
        MatrixXd part(nc, x.cols());
        for (Index i = 0; i < nc; ++i) part.row(i) = x.row(list[i]);
        return part;
    };
    const MatrixXd Phi = take(a.Phi).topRows(nh), G = take(a.G), D = take(a.D), E = take(a.E), F = take(a.F);
    // Φ̇ = 0 on what moves: D = Φ H, E = D N, F = D H.
    const auto agree = [](const MatrixXd& x, const MatrixXd& y, double size) {
        return largest(x - y) <= 1e-10 * (largest(x) + largest(y) + size);
    };
    const double size = largest(G) * std::max(1.0, largest(l.point.state.u.size() > 0 ? MatrixXd(l.point.state.u) : MatrixXd(0, 0))) * 1e-2;
    const bool is_frozen = agree(times(D.topRows(nh), l.Y), times(Phi, a.H, l.Y), size) && agree(times(E, l.Z), times(D, a.N, l.Z), size) &&
                           agree(times(E, l.P) + times(F, l.Y), times(D, times(a.N, l.P) + times(a.H, l.Y)), size);
    const Index n = is_frozen ? ns + nu + nc : ns + 2 * nu + nc;
    MatrixXd A = MatrixXd::Zero(n, n), B = A;
    if (is_frozen) {
        A.block(0, 0, ns, ns) = a.H, A.block(0, ns, ns, nu) = a.N;
        A.block(ns, 0, nu, ns) = -a.K, A.block(ns, ns, nu, nu) = -a.C, A.block(ns, ns + nu, nu, nc) = -G.transpose();
        A.block(ns + nu, 0, nh, ns) = Phi;
        A.block(ns + nu + nh, 0, nc - nh, ns) = D.bottomRows(nc - nh), A.block(ns + nu + nh, ns, nc - nh, nu) = G.bottomRows(nc - nh);
        B.block(0, 0, ns, ns).setIdentity();
        B.block(ns, ns, nu, nu) = a.M;
    } else {
        m.notes.emplace_back("the constraints change along the motion, so the full pencil has the accelerations among its unknowns");
        Index row = 0;
        for (const std::size_t y : l.y) {
            const auto i = static_cast<Index>(y);
            B(row, i) = 1, A.row(row).head(ns) = a.H.row(i), A.row(row).segment(ns, nu) = a.N.row(i), ++row;
        }
        A.block(row, 0, nh, ns) = Phi, row += nh;
        for (const std::size_t z : l.z) B(row, ns + static_cast<Index>(z)) = 1, A(row, ns + nu + static_cast<Index>(z)) = 1, ++row;
        A.block(row, 0, nc, ns) = D, A.block(row, ns, nc, nu) = G, row += nc;
        A.block(row, 0, nu, ns) = a.K, A.block(row, ns, nu, nu) = a.C, A.block(row, ns + nu, nu, nu) = a.M,
                            A.block(row, ns + 2 * nu, nu, nc) = G.transpose(), row += nu;
        A.block(row, 0, nc, ns) = F, A.block(row, ns, nc, nu) = E, A.block(row, ns + nu, nc, nu) = G, row += nc;
        if (row != n) return m.is_ok = false, m.why = "the full pencil is not square here", false;
    }
    solve::PencilSpectrum s = solve::pencil_spectrum(A, B);
    if (!s.ok) return m.is_ok = false, m.why = "QZ: " + s.why, false;
    leave_infinite_ones(s, reference);
    m.infinite = static_cast<std::size_t>(s.infinite);
    f.poles = s.values;
    f.s = s.right.topRows(ns), f.u = s.right.middleRows(ns, nu);
    // Participation and worth are matters of A: those of the pole next to it.
    const MatrixXd parts = parts_of(reference);
    const Index k = s.values.size();
    f.parts.resize(parts.rows(), k), f.error.resize(k);
    std::vector<bool> taken(static_cast<std::size_t>(reference.values.size()), false);
    for (Index i = 0; i < k; ++i) {
        Index best = -1;
        for (Index j = 0; j < reference.values.size(); ++j) {
            if (taken[j]) continue;
            if (best < 0 || std::abs(reference.values[j] - s.values[i]) < std::abs(reference.values[best] - s.values[i])) best = j;
        }
        if (best < 0)
            return m.is_ok = false,
                   m.why =
                       fmt::format("QZ found {} finite eigenvalues where the independent coordinates have {}", k, reference.values.size()),
                   false;
        taken[best] = true;
        f.parts.col(i) = parts.col(best), f.error[i] = reference.error[best];
        // What is zero in A is here the root of rounding.
        if (std::abs(reference.values[best]) <= reference.error[best]) f.error[i] = std::max(f.error[i], 2e-9 * reference.norm);
    }
    // The roots of rounding that stand for zeros: as many as A has, the smallest.
    std::vector<Index> by_size(static_cast<std::size_t>(k));
    std::iota(by_size.begin(), by_size.end(), Index{0});
    std::ranges::stable_sort(by_size, {}, [&](Index i) { return std::abs(f.poles[i]); });
    const auto zeros = std::ranges::count(reference.values, Complex(0));
    for (std::ptrdiff_t i = 0; i < std::min<std::ptrdiff_t>(zeros, k); ++i) f.poles[by_size[i]] = 0;
    return true;
}

void pole_modes(const Linearization& l, ModesBy by, Modes& m) {
    const StateMatrix of = state_matrix(l);
    solve::Spectrum s = solve::spectrum(of.A, of.noise);
    if (!s.ok) return void((m.is_ok = false, m.why = s.why));
    s.error = worth(s, of.noise);
    Found f;
    if (!(by == ModesBy::qr ? by_state_matrix(l, s, f) : by_descriptor(l, s, f, m))) return;
    snap(f, s.norm, m.notes);
    const solve::ZeroChains chains = solve::zero_chains(of.A, of.noise);
    m.zero_chains = chains_of(f.poles, chains);
    take_chains(l, chains, f);
    tell_chains(m.zero_chains, m.notes);
    const auto order = in_order(f.poles);
    m.poles.resize(f.poles.size());
    for (std::size_t i = 0; i < order.size(); ++i) m.poles[i] = f.poles[order[i]];
    note_repeated(f, order, m.notes);
    for (const Index i : order) {
        if (f.poles[i].imag() < 0) continue;
        Mode mode = make_mode(l, f.poles[i], f.error[i], f.s.col(i), f.u.col(i), f.parts.col(i), f.level[i]);
        if (mode.level == 2) mode.words = "drifts: goes on at constant speed";
        if (mode.level > 2) mode.words = fmt::format("drifts in proportion to t^{}", mode.level - 1);
        m.modes.push_back(std::move(mode));
    }
    for (const std::size_t i : l.z) m.participants.push_back(l.u[i]);
}

void judge(const Linearization& l, Modes& m) {
    const Mode* worst = nullptr;
    bool has_zero = false, is_damped = true;
    for (const Mode& mode : m.modes) {
        if (mode.pole == 0.0) has_zero = true;
        if (mode.pole.real() >= 0) is_damped = false;
        if (mode.pole.real() > 0 && (worst == nullptr || mode.pole.real() > worst->pole.real())) worst = &mode;
    }
    if (m.modes.empty()) {
        m.stability = "the mechanism cannot move";
    } else if (worst != nullptr) {
        m.stability = fmt::format("unstable: mode {} grows, its amplitude doubles in {:.3g} s", worst - m.modes.data() + 1,
                                  std::numbers::ln2 / worst->pole.real());
    } else if (is_damped) {
        m.stability = "asymptotically stable: every mode decays";
    } else if (has_zero && !m.zero_chains.empty() && m.zero_chains.front() > 2) {
        m.stability =
            fmt::format("neutral: no mode grows, but after a disturbance it drifts in proportion to t^{}, without restoring forces",
                        m.zero_chains.front() - 1);
    } else if (has_zero) {
        m.stability = "neutral: it can be moved along a mode at zero, without restoring forces";
    } else if (m.has_lambda) {
        m.stability = "stable: every mode oscillates";
    } else {
        m.stability = "marginal: no mode grows to first order, and not all decay";
    }
    if (l.point.relative_acceleration > 1e-6 && m.poles.size() > 0)
        m.notes.emplace_back("this is not an equilibrium: the modes are those of the equations frozen at this instant");
}

}  // namespace

StateMatrix state_matrix(const Linearization& l) {
    const Reduced r = reduced(l);
    const Index ny = r.H.rows(), nz = r.M.rows();
    StateMatrix m{l.state_space.A, noise * sizes(l.state_space.A)};
    if (nz == 0) return m;
    const solve::Lu lu(r.M);
    m.A.bottomLeftCorner(nz, ny) = -lu.solve(r.K);
    m.A.bottomRightCorner(nz, nz) = -lu.solve(r.C);
    MatrixXd top = m.A.topRows(ny);
    drop_rounding(top, MatrixXd::Constant(ny, ny + nz, std::max(1.0, largest(top)) * 1e-2));
    m.A.topRows(ny) = top;
    MatrixXd size(nz, ny + nz);
    size << r.K_size, r.C_size;
    const MatrixXd of_mass = 1e-15 / noise * solve::congruent(sizes(l.full.M), sizes(l.Z));
    m.noise.bottomRows(nz) = noise * times(sizes(lu.inverse()), size + times(of_mass, sizes(m.A.bottomRows(nz))));
    return m;
}

MatrixXd cleaned_state_matrix(const Linearization& l) { return state_matrix(l).A; }

Poles poles(const StateMatrix& of) {
    Poles p;
    const solve::Spectrum s = solve::spectrum(of.A, of.noise);
    if (!s.ok) return p.is_ok = false, p.why = s.why, p;
    Found f{.poles = s.values, .s = {}, .u = {}, .parts = {}, .error = worth(s, of.noise)};
    std::vector<std::string> unsaid;
    snap(f, s.norm, unsaid);
    p.values = f.poles;
    p.zero_chains = chains_of(f.poles, solve::zero_chains(of.A, of.noise));
    return p;
}

MatrixXd stiffness_size(const Linearization& l) {
    const Index n = l.second_order.M.rows();
    if (n == 0) return MatrixXd(0, 0);
    const MatrixXd left =
        sizes(l.second_order.has_replaced_speeds ? times(l.Z, solve::Lu(l.state_space.A.topRightCorner(n, n)).inverse()) : l.Z);
    return transposed_times(left, times(full_stiffness_size(l), sizes(l.Y)) + times(sizes(l.full.M), sizes(l.Q_y)));
}

std::string words_of(Complex pole, double error) {
    const double re = std::abs(pole.real()) <= error ? 0 : pole.real();
    const double hz = std::abs(pole.imag()) / (2 * std::numbers::pi);
    const double time = re == 0 ? 0 : std::numbers::ln2 / std::abs(re);
    if (std::abs(pole) <= error || pole == 0.0) return "neutral: neither grows nor returns";
    if (pole.imag() == 0) return re < 0 ? fmt::format("decays, halves in {:.3g} s", time) : fmt::format("grows, doubles in {:.3g} s", time);
    if (re == 0) return fmt::format("{:.4g} Hz, undamped", hz);
    const double ratio = -re / std::abs(pole);
    return re < 0 ? fmt::format("{:.4g} Hz, damped {:.3g} %", hz, 100 * ratio)
                  : fmt::format("{:.4g} Hz, grows, doubles in {:.3g} s", hz, time);
}

Modes modes(const Linearization& linear, ModesBy by) {
    Modes m;
    if (!linear.is_ok) return m.is_ok = false, m.why = linear.why, m;
    const auto beyond = beyond_lambda(linear);
    m.has_lambda = beyond.empty();
    m.why_no_lambda = fmt::format("{}", fmt::join(beyond, ", "));
    for (const std::size_t i : linear.y) m.participants.push_back(linear.s[i]);
    m.has_lambda ? undamped_modes(linear, by, m) : pole_modes(linear, by, m);
    if (m.is_ok) judge(linear, m);
    return m;
}

}  // namespace linkwright::linear
