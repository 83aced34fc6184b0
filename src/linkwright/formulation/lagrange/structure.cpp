#include "linkwright/formulation/lagrange/structure.hpp"

#include <algorithm>
#include <unordered_map>

#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::formulation::lagrange {

namespace {

/// Where C_jk(i) stands among those with j ≤ k.
std::size_t place(std::size_t n, std::size_t i, std::size_t j, std::size_t k) {
    if (j > k) std::swap(j, k);
    return i * (n * (n + 1) / 2) + j * n - j * (j + 1) / 2 + k;
}

/// X_i M_jk of every i, j, k. Most are zero: those are neither kept nor built.
class PointDerivatives {
public:
    PointDerivatives(const Matrix& M, const QuasiSpeeds& speeds) : n_(M.size()) {
        std::vector<Expr> entries;
        std::vector<std::size_t> at;
        for (std::size_t j = 0; j < n_; ++j) {
            for (std::size_t k = j; k < n_; ++k) {
                if (!M[j][k].is_literally(0)) entries.push_back(M[j][k]), at.push_back(j * n_ + k);
            }
        }
        for (std::size_t i = 0; i < n_; ++i) {
            if (speeds.direction(i).empty()) continue;  // cyclic
            sym::Tangent along(speeds.direction(i));
            for (std::size_t e = 0; e < entries.size(); ++e) {
                const Expr derivative = along(entries[e]);
                if (is_zero(derivative) != sym::Verdict::equal) derivatives_.emplace(at[e] * n_ + i, derivative);
            }
        }
    }
    Expr operator()(std::size_t i, std::size_t j, std::size_t k) const {
        const auto found = derivatives_.find((std::min(j, k) * n_ + std::max(j, k)) * n_ + i);
        return found == derivatives_.end() ? Expr(0) : found->second;
    }
    bool vanish(std::size_t i, std::size_t j, std::size_t k) const {
        return !derivatives_.contains((std::min(j, k) * n_ + std::max(j, k)) * n_ + i);
    }

private:
    std::size_t n_;
    std::unordered_map<std::size_t, Expr> derivatives_;
};

}  // namespace

std::size_t Structure::count(Fate fate) const { return static_cast<std::size_t>(std::ranges::count(symbols, fate, &Symbol::fate)); }

const Symbol& Structure::at(std::size_t j, std::size_t k, std::size_t i) const { return symbols[place(freedoms, i, j, k)]; }

Structure velocity_coupling(const Matrix& M, const QuasiSpeeds& speeds) {
    const std::size_t n = M.size();
    const PointDerivatives X(M, speeds);
    Structure s{n, {}};
    std::unordered_map<Expr, std::size_t> known;
    const auto settle = [&](std::size_t i, std::size_t j, std::size_t k) -> Symbol {
        Symbol c{i, j, k};
        if (i == j || i == k) {
            const std::size_t other = i == j ? k : j;
            if (X.vanish(other, i, i)) return c.fate = Fate::non_interacting, c;
            c.value = X(other, i, i) / 2;
        } else {
            if (X.vanish(k, i, j) && X.vanish(j, i, k) && X.vanish(i, j, k)) return c.fate = Fate::independent, c;
            c.value = (X(k, i, j) + X(j, i, k) - X(i, j, k)) / 2;
        }
        return c;
    };
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t k = j; k < n; ++k) {
                // C_jk(i) = −C_ji(k), and with j and k exchanged, of one that has been settled before
                const auto reflect = [&](std::size_t stays, std::size_t goes) -> bool {
                    const std::size_t other = place(n, goes, stays, i);
                    if (other >= s.symbols.size() || !X.vanish(stays, i, goes)) return false;
                    const Symbol& from = s.symbols[other];
                    if (from.fate == Fate::left) {
                        s.symbols.push_back({i, j, k, Fate::reflected, -from.value, other, true});
                    } else if (from.fate == Fate::reflected) {
                        s.symbols.push_back({i, j, k, Fate::reflected, -from.value, from.of, !from.is_opposite});
                    } else {
                        return false;
                    }
                    return true;
                };
                if (reflect(j, k) || reflect(k, j)) continue;
                Symbol c = settle(i, j, k);
                if (c.fate == Fate::left && is_zero(c.value) == sym::Verdict::equal) c.fate = Fate::cancelled, c.value = 0;
                if (c.fate == Fate::left) {
                    const auto same = known.find(c.value), opposite = known.find(-c.value);
                    if (same != known.end()) {
                        c.fate = Fate::repeated, c.of = same->second;
                    } else if (opposite != known.end()) {
                        c.fate = Fate::repeated, c.of = opposite->second, c.is_opposite = true;
                    } else {
                        known.emplace(c.value, s.symbols.size());
                    }
                }
                s.symbols.push_back(std::move(c));
            }
        }
    }
    return s;
}

}  // namespace linkwright::formulation::lagrange
