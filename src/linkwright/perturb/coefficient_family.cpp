#include "linkwright/perturb/coefficient_family.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace linkwright::perturb {

namespace {

/// l_i(x) of the second barycentric formula.
std::vector<double> shares(const std::vector<double>& nodes, const std::vector<double>& weights, double x) {
    std::vector<double> s(nodes.size(), 0);
    double sum = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (x == nodes[i]) {
            std::ranges::fill(s, 0.0);
            s[i] = 1;
            return s;
        }
        sum += s[i] = weights[i] / (x - nodes[i]);
    }
    for (double& v : s) v /= sum;
    return s;
}

constexpr int nodes_of_piece = 9, most_halvings = 9;

}  // namespace

auto CoefficientFamily::between(const Piece& piece, double x) -> Values {
    Values sum;
    const auto share = shares(piece.nodes, piece.weights, x);
    for (std::size_t i = 0; i < share.size(); ++i) {
        for (const auto& [key, c] : piece.samples[i]) sum[key] += share[i] * c;
    }
    return sum;
}

CoefficientFamily::CoefficientFamily(const std::function<std::optional<Values>(double)>& at, double from, double until) {
    const auto sample = [&](Piece& piece) {
        for (const double x : piece.nodes) {
            auto values = at(x);
            if (!values) return false;
            piece.samples.push_back(std::move(*values));
        }
        return true;
    };
    const auto is_right = [&](const Piece& piece, double x) {
        const auto there = at(x);
        if (!there) return false;
        std::map<Key, double> size;
        double largest = 0;
        for (const auto& values : piece.samples) {
            for (const auto& [key, c] : values) largest = std::max(largest, size[key] = std::max(size[key], std::abs(c)));
        }
        Values difference = between(piece, x);
        for (const auto& [key, c] : *there) difference[key] -= c;
        return std::ranges::all_of(difference,
                                   [&](const auto& d) { return std::abs(d.second) <= std::max(1e-10 * size[d.first], 1e-13 * largest); });
    };
    const auto divide = [&](auto&& self, double a, double b, int halvings) -> bool {
        Piece piece{a, b, {}, {}, {}, {}};
        for (int i = 0; i < nodes_of_piece; ++i) {
            const double angle = std::numbers::pi * (2 * i + 1) / (2.0 * nodes_of_piece);
            piece.nodes.push_back((a + b) / 2 - (b - a) / 2 * std::cos(angle));
            piece.weights.push_back((i % 2 == 0 ? 1 : -1) * std::sin(angle));
        }
        const bool has_all = sample(piece);
        if (has_all && is_right(piece, a) && is_right(piece, a + 0.613 * (b - a))) {
            pieces_.push_back(std::move(piece));
            return true;
        }
        return halvings < most_halvings && self(self, a, (a + b) / 2, halvings + 1) && self(self, (a + b) / 2, b, halvings + 1);
    };
    Piece one{from, until, {(from + until) / 2}, {1}, {}, {}};
    if (sample(one) && is_right(one, from) && is_right(one, until)) {
        pieces_.push_back(std::move(one));
    } else {
        is_ok_ = divide(divide, from, until, 0);
    }
    if (!is_ok_) return;
    std::set<Key> all;
    for (const Piece& piece : pieces_) {
        for (const Values& values : piece.samples) {
            for (const auto& [key, c] : values) all.insert(key);
        }
    }
    keys_.assign(all.begin(), all.end());
    for (Piece& piece : pieces_) {
        piece.values.setZero(keys_.size(), static_cast<Eigen::Index>(piece.nodes.size()));
        for (std::size_t i = 0; i < piece.samples.size(); ++i) {
            for (std::size_t k = 0; k < keys_.size(); ++k) {
                if (const auto found = piece.samples[i].find(keys_[k]); found != piece.samples[i].end())
                    piece.values(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) = found->second;
            }
        }
        piece.samples.clear();
    }
}

Eigen::VectorXcd CoefficientFamily::operator()(double x) const {
    const auto after = std::ranges::upper_bound(pieces_, x, {}, &Piece::from);
    const Piece& piece = after == pieces_.begin() ? pieces_.front() : *(after - 1);
    Eigen::VectorXcd sum = Eigen::VectorXcd::Zero(keys_.size());
    const auto share = shares(piece.nodes, piece.weights, x);
    for (std::size_t i = 0; i < share.size(); ++i) sum += share[i] * piece.values.col(i);
    return sum;
}

}  // namespace linkwright::perturb
