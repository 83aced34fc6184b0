#include "linkwright/program/elimination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace linkwright::program {

namespace {

// At the reference state.
constexpr double threshold = 0.25;  ///< a pivot's size against the largest entry of its row
constexpr double sound = 0.02;      ///< a row's size, after others were used, against its own length
constexpr double redundant = 1e-9;  ///< below this it is implied by others; between the two nobody can tell
constexpr double massless = 1e-8;   ///< the inertia of a freedom against the largest
// And what may become of it.
constexpr double kept_length = 0.3, kept_inertia = 1e-3;
constexpr double implied = 1e-4;  ///< square of what a redundant row may become, against its length

/// A value of the program, and what it is at the reference state.
struct Quantity {
    Index at = 0;
    double x = 0;
};

/// A program that grows at its end.
class Sheet {
public:
    Sheet(const Program& program, std::span<const double> outputs) : program_(program) {
        for (std::size_t k = 0; k < program.outputs.size() && k < outputs.size(); ++k) given_.push_back({program.outputs[k], outputs[k]});
    }

    std::size_t new_lines() const { return lines_.size(); }
    const Quantity& output(std::size_t k) const { return given_[k]; }

    Quantity constant(double x) {
        const auto [at, is_new] = constants_.try_emplace(x, 0);
        if (is_new) at->second = push({.kind = Kind::constant, .number = x});
        return {at->second, x};
    }
    std::optional<double> known(const Quantity& a) const {
        if (a.at < program_.inputs) return std::nullopt;
        if (a.at < program_.first_line()) return program_.constants[a.at - program_.inputs];
        if (a.at < program_.values()) return std::nullopt;
        const New& n = lines_[a.at - program_.values()];
        return n.kind == Kind::constant ? std::optional(n.number) : std::nullopt;
    }
    /// One more input.
    Quantity input() { return {push({.kind = Kind::input}), 0}; }
    bool is(const Quantity& a, double x) const { return known(a) == x; }

    Quantity add(const Quantity& a, const Quantity& b) {
        if (is(a, 0)) return b;
        if (is(b, 0)) return a;
        return make(Op::add, a, b, a.x + b.x);
    }
    Quantity sub(const Quantity& a, const Quantity& b) {
        if (is(b, 0)) return a;
        if (is(a, 0)) return make(Op::neg, b, {}, -b.x);
        return make(Op::sub, a, b, a.x - b.x);
    }
    Quantity mul(const Quantity& a, const Quantity& b) {
        if (is(a, 0) || is(b, 1)) return a;
        if (is(b, 0) || is(a, 1)) return b;
        if (is(a, -1)) return make(Op::neg, b, {}, -b.x);
        if (is(b, -1)) return make(Op::neg, a, {}, -a.x);
        return make(Op::mul, a, b, a.x * b.x);
    }
    Quantity inverse(const Quantity& a) { return make(Op::div, constant(1), a, 1 / a.x); }
    Quantity size(const Quantity& a) { return make(Op::abs, a, {}, std::abs(a.x)); }
    Quantity larger(const Quantity& a, const Quantity& b) { return make(Op::max, a, b, std::max(a.x, b.x)); }
    Quantity smaller(const Quantity& a, const Quantity& b) { return make(Op::min, a, b, std::min(a.x, b.x)); }

    /// From here on these values stand for inputs of the given program, which are inputs no more. Its lines that need them come later.
    void substitute(std::size_t first_input, std::vector<Index> values) {
        late_from_ = lines_.size();
        first_instead_ = first_input;
        instead_ = std::move(values);
    }

    /// What these need, in order; new inputs stand before the one that was in the place `at`.
    Program finish(std::span<const Index> outputs, std::size_t at) const {
        const std::size_t before = program_.values(), all = before + lines_.size();
        const auto is_replaced = [&](std::size_t i) { return i >= first_instead_ && i - first_instead_ < instead_.size(); };
        const auto meant = [&](std::size_t i) { return is_replaced(i) ? instead_[i - first_instead_] : i; };
        const auto line_of = [&](std::size_t i) -> const Line& {
            return i < before ? program_.lines[i - program_.first_line()] : lines_[i - before].line;
        };
        const auto kind_of = [&](std::size_t i) {
            if (i >= before) return lines_[i - before].kind;
            return i < program_.inputs ? Kind::input : i < program_.first_line() ? Kind::constant : Kind::line;
        };
        // Lines of the program, those appended, and where values were substituted: lines that need them, and what was appended since.
        std::vector<std::size_t> order, late;
        std::vector<bool> is_late(before);
        for (std::size_t i = 0; i < instead_.size(); ++i) is_late[first_instead_ + i] = true;
        for (std::size_t i = program_.first_line(); i < before; ++i) {
            const Line& line = line_of(i);
            for (std::size_t k = 0; k < arity(line.op); ++k) is_late[i] = is_late[i] || is_late[line.args[k]];
            (is_late[i] ? late : order).push_back(i);
        }
        const std::size_t middle = instead_.empty() ? all : before + late_from_;
        for (std::size_t i = before; i < middle; ++i) order.push_back(i);
        order.insert(order.end(), late.begin(), late.end());
        for (std::size_t i = middle; i < all; ++i) order.push_back(i);
        std::vector<bool> is_live(all);
        for (const Index i : outputs) is_live[meant(i)] = true;
        for (std::size_t o = order.size(); o-- > 0;) {
            const std::size_t i = order[o];
            if (!is_live[i] || kind_of(i) != Kind::line) continue;
            const Line& line = line_of(i);
            for (std::size_t k = 0; k < arity(line.op); ++k) is_live[meant(line.args[k])] = true;
        }
        Program result;
        std::vector<Index> place(all);
        const auto place_inputs = [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) {
                if (kind_of(i) == Kind::input && !is_replaced(i)) place[i] = static_cast<Index>(result.inputs++);
            }
        };
        place_inputs(0, at), place_inputs(before, all), place_inputs(at, program_.inputs);
        for (std::size_t i = program_.inputs; i < all; ++i) {
            if (!is_live[i] || kind_of(i) != Kind::constant) continue;
            place[i] = static_cast<Index>(result.first_line());
            result.constants.push_back(i < before ? program_.constants[i - program_.inputs] : lines_[i - before].number);
        }
        for (const std::size_t i : order) {
            if (!is_live[i] || kind_of(i) != Kind::line) continue;
            Line line = line_of(i);
            for (std::size_t k = 0; k < arity(line.op); ++k) line.args[k] = place[meant(line.args[k])];
            place[i] = static_cast<Index>(result.values());
            result.lines.push_back(line);
        }
        for (const Index i : outputs) result.outputs.push_back(place[meant(i)]);
        return result;
    }

private:
    enum class Kind : std::uint8_t { input, constant, line };
    struct New {
        Kind kind = Kind::line;
        Line line{};
        double number = 0;
    };

    Index push(const New& n) {
        lines_.push_back(n);
        return static_cast<Index>(program_.values() + lines_.size() - 1);
    }
    Quantity make(Op op, const Quantity& a, const Quantity& b, double x) {
        if (known(a) && (arity(op) < 2 || known(b))) return constant(x);
        return {push({.line = {op, {a.at, arity(op) < 2 ? 0 : b.at, 0}}}), x};
    }

    const Program& program_;
    std::vector<Quantity> given_;
    std::vector<New> lines_;
    std::unordered_map<double, Index> constants_;
    std::vector<Index> instead_;  ///< of inputs
    std::size_t first_instead_ = 0;
    std::size_t late_from_ = 0;  ///< lines appended since
};

using Row = std::map<std::size_t, Quantity>;

/// The system on its way to nothing.
class Reduction {
public:
    Reduction(Sheet& sheet, std::size_t speeds) : sheet_(sheet), zero_(sheet.constant(0)), M_(speeds), f_(speeds, zero_), column_(speeds) {}

    void set_inertia(std::size_t i, std::size_t j, const Quantity& x) {
        if (!sheet_.is(x, 0)) M_[i][j] = M_[j][i] = x;
    }
    void set_force(std::size_t i, const Quantity& x) { f_[i] = x; }
    void add_row(Row row, const Quantity& gamma) {
        for (const auto& entry : row) column_[entry.first].insert(G_.size());
        combination_.push_back({{G_.size(), sheet_.constant(1)}});
        G_.push_back(std::move(row));
        gamma_.push_back(gamma);
    }
    void keep_combinations() { keeps_combinations_ = true; }

    const Row& row(std::size_t r) const { return G_[r]; }
    const Row& inertia(std::size_t j) const { return M_[j]; }
    const std::set<std::size_t>& rows_with(std::size_t j) const { return column_[j]; }
    const Row& combination(std::size_t r) const { return combination_[r]; }

    /// Row r gives speed d; the shares a_j of the others in it are returned.
    const Row& eliminate_pair(std::size_t d, std::size_t r) {
        Step step{.speed = d, .row = r, .inverse = sheet_.inverse(G_[r].at(d)), .inertia = M_[d]};
        for (const auto& [j, g] : G_[r]) {
            if (j != d) step.shares[j] = sheet_.mul(g, step.inverse);
            column_[j].erase(r);
        }
        step.rest = sheet_.mul(gamma_[r], step.inverse);
        const Quantity own = M_[d].contains(d) ? M_[d].at(d) : zero_;
        // M − a vᵀ − M_d aᵀ with v = M_d − M_dd a
        Row v;
        for (const auto& [j, x] : M_[d]) {
            if (j != d) v[j] = x;
        }
        for (const auto& [j, a] : step.shares) less(v, j, sheet_.mul(own, a));
        for (const auto& [i, a] : step.shares) {
            for (const auto& [j, x] : v) {
                if (j <= i || !step.shares.contains(j)) take(i, j, sheet_.mul(a, x));
            }
        }
        for (const auto& [j, a] : step.shares) {
            for (const auto& [i, x] : M_[d]) {
                if (i != d && (j <= i) && step.shares.contains(i)) take(i, j, sheet_.mul(x, a));
            }
        }
        // f − M_d c − a (f_d − M_dd c)
        step.force = f_[d];
        const Quantity pull = sheet_.sub(f_[d], sheet_.mul(own, step.rest));
        for (const auto& [i, x] : M_[d]) {
            if (i != d) f_[i] = sheet_.sub(f_[i], sheet_.mul(x, step.rest));
        }
        for (const auto& [i, a] : step.shares) f_[i] = sheet_.sub(f_[i], sheet_.mul(a, pull));
        for (const std::size_t s : column_[d]) {
            const Quantity g = G_[s].at(d);
            step.held.emplace_back(s, g);
            G_[s].erase(d);
            for (const auto& [j, a] : step.shares) {
                less(G_[s], j, sheet_.mul(g, a));
                if (G_[s].contains(j)) {
                    column_[j].insert(s);
                } else {
                    column_[j].erase(s);
                }
            }
            gamma_[s] = sheet_.sub(gamma_[s], sheet_.mul(g, step.rest));
            if (!keeps_combinations_) continue;
            const Quantity share = sheet_.mul(g, step.inverse);
            for (const auto& [k, x] : combination_[r]) less(combination_[s], k, sheet_.mul(share, x));
        }
        forget(d);
        column_[d].clear();
        G_[r].clear();
        steps_.push_back(std::move(step));
        return steps_.back().shares;
    }

    void eliminate_freedom(std::size_t d) {
        Step step{.speed = d, .inverse = sheet_.inverse(M_[d].at(d)), .inertia = M_[d]};
        for (const auto& [j, x] : M_[d]) {
            if (j != d) step.shares[j] = sheet_.mul(x, step.inverse);
        }
        step.rest = sheet_.mul(f_[d], step.inverse);
        for (const auto& [i, x] : M_[d]) {
            if (i == d) continue;
            for (const auto& [j, l] : step.shares) {
                if (j <= i) take(i, j, sheet_.mul(x, l));
            }
            f_[i] = sheet_.sub(f_[i], sheet_.mul(x, step.rest));
        }
        forget(d);
        steps_.push_back(std::move(step));
    }

    void drop_row(std::size_t r) {
        for (const auto& entry : G_[r]) column_[entry.first].erase(r);
        G_[r].clear();
    }

    /// u̇, and λ of the rows that were used.
    void solve(std::vector<Quantity>& udot, std::vector<Quantity>& lambda) {
        std::vector<Right> rest;
        for (const Step& step : steps_) rest.push_back({step.rest, step.force});
        substitute_back(rest, udot, lambda);
    }
    /// The same for another right-hand side, when nothing is left to eliminate.
    void solve(std::vector<Quantity> f, std::vector<Quantity> gamma, std::vector<Quantity>& udot, std::vector<Quantity>& lambda) {
        std::vector<Right> all;
        for (const Step& step : steps_) {
            const std::size_t d = step.speed;
            const Row& inertia = step.inertia;
            const bool is_pair = step.row != Pivot::freedom;
            const Quantity rest = sheet_.mul(is_pair ? gamma[step.row] : f[d], step.inverse);
            all.push_back({rest, f[d]});
            const Quantity pull = is_pair && inertia.contains(d) ? sheet_.sub(f[d], sheet_.mul(inertia.at(d), rest)) : f[d];
            for (const auto& [i, x] : inertia) {
                if (i != d) f[i] = sheet_.sub(f[i], sheet_.mul(x, rest));
            }
            if (!is_pair) continue;
            for (const auto& [i, a] : step.shares) f[i] = sheet_.sub(f[i], sheet_.mul(a, pull));
            for (const auto& [s, g] : step.held) gamma[s] = sheet_.sub(gamma[s], sheet_.mul(g, rest));
        }
        substitute_back(all, udot, lambda);
    }

private:
    struct Right {
        Quantity rest, force;
    };
    void substitute_back(const std::vector<Right>& right, std::vector<Quantity>& udot, std::vector<Quantity>& lambda) {
        udot.assign(M_.size(), zero_), lambda.assign(G_.size(), zero_);
        auto of_step = right.rbegin();
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step, ++of_step) {
            Quantity sum = of_step->rest;
            for (const auto& [j, a] : step->shares) sum = sheet_.sub(sum, sheet_.mul(a, udot[j]));
            udot[step->speed] = sum;
            if (step->row == Pivot::freedom) continue;
            sum = of_step->force;
            for (const auto& [j, x] : step->inertia) sum = sheet_.sub(sum, sheet_.mul(x, udot[j]));
            for (const auto& [s, g] : step->held) sum = sheet_.sub(sum, sheet_.mul(g, lambda[s]));
            lambda[step->row] = sheet_.mul(sum, step->inverse);
        }
    }

    struct Step {
        std::size_t speed = 0, row = Pivot::freedom;
        Quantity inverse{}, rest{}, force{};
        Row shares{}, inertia{};
        std::vector<std::pair<std::size_t, Quantity>> held{};  ///< what later rows had of this speed
    };

    void less(Row& row, std::size_t j, const Quantity& x) {
        if (sheet_.is(x, 0)) return;
        const auto at = row.find(j);
        if (at == row.end()) {
            row[j] = sheet_.sub(zero_, x);
        } else if (at->second = sheet_.sub(at->second, x); sheet_.is(at->second, 0)) {
            row.erase(at);
        }
    }
    void take(std::size_t i, std::size_t j, const Quantity& x) {
        less(M_[i], j, x);
        if (i == j) return;
        const auto at = M_[i].find(j);
        if (at == M_[i].end()) {
            M_[j].erase(i);
        } else {
            M_[j][i] = at->second;
        }
    }
    void forget(std::size_t d) {
        for (const auto& entry : M_[d]) {
            if (entry.first != d) M_[entry.first].erase(d);
        }
        M_[d].clear();
    }

    Sheet& sheet_;
    Quantity zero_;
    std::vector<Row> M_;
    std::vector<Quantity> f_;
    std::vector<std::set<std::size_t>> column_;  ///< rows in which a speed stands
    std::vector<Row> G_, combination_;           ///< a row is this combination of those at the beginning, where that is kept
    std::vector<Quantity> gamma_;
    std::vector<Step> steps_;
    bool keeps_combinations_ = false;
};

/// Chooses pivots by numbers and has them eliminated.
class Choice {
public:
    Choice(const Program& system, const DescriptorShape& shape, std::span<const double> reference, const EliminationOptions& options,
           bool keeps_combinations)
        : system_(system),
          n_(shape.speeds),
          m_(shape.rows),
          options_(options),
          sheet_(system, reference),
          reduction_(sheet_, n_),
          scale_(n_, 1),
          is_left_(n_, true),
          weakest_(sheet_.constant(std::numeric_limits<double>::max())),
          growth_(sheet_.constant(0)) {
        std::size_t k = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j <= i; ++j) reduction_.set_inertia(i, j, sheet_.output(k++));
        }
        for (std::size_t i = 0; i < n_; ++i, ++k) {
            if (!options.gamma_inputs) reduction_.set_force(i, sheet_.output(k));
        }
        scale_speeds();
        for (std::size_t r = 0; r < m_; ++r) {
            Row row;
            for (std::size_t j = 0; j < n_; ++j) {
                if (const Quantity& x = sheet_.output(k++); !sheet_.is(x, 0)) row[j] = x;
            }
            length_.push_back(largest(row));
            for (std::size_t j = 0; j < n_ && !options.sizes.empty(); ++j)
                length_.back() = std::max(length_.back(), options.sizes[r * n_ + j] * scale_[j]);
            if (!row.empty()) rows_.insert(r);
            reduction_.add_row(std::move(row), options.gamma_inputs ? sheet_.input() : sheet_.output(k));
            ++k;
        }
        first_other_ = k;
        if (keeps_combinations) reduction_.keep_combinations();
    }

    Elimination operator()() {
        for (std::size_t left = n_; left > 0; --left) {
            if (sheet_.new_lines() > options_.most_lines) return refuse("the elimination is longer than it is worth");
            const std::optional<Pivot> pivot = choose();
            if (!pivot) return refuse(why_);
            put(*pivot);
        }
        if (!rows_.empty() && !leave_redundant()) return refuse(why_);
        finish();
        return std::move(result_);
    }

private:
    Elimination refuse(const std::string& why) {
        result_.why = why;
        return std::move(result_);
    }

    /// Of the size of 1/√M_jj, powers of two within bounds, so that metres and radians can be compared.
    void scale_speeds() {
        double sum = 0;
        int count = 0;
        const auto own = [&](std::size_t j) {
            const auto at = reduction_.inertia(j).find(j);
            return at == reduction_.inertia(j).end() ? 0.0 : at->second.x;
        };
        for (std::size_t j = 0; j < n_; ++j) {
            if (const double x = own(j); x > 0 && std::isfinite(x)) sum += std::log2(x), ++count;
        }
        for (std::size_t j = 0; j < n_; ++j) {
            const double x = own(j);
            if (!(x > 0) || !std::isfinite(x)) continue;
            scale_[j] = std::exp2(std::clamp(std::round((sum / count - std::log2(x)) / 2), -13.0, 13.0));
            heaviest_ = std::max(heaviest_, x * scale_[j] * scale_[j]);
        }
    }

    double largest(const Row& row) const {
        double most = 0;
        for (const auto& [j, x] : row) {
            if (const double size = std::abs(x.x) * scale_[j]; !(size <= most)) most = size;
        }
        return most;
    }

    /// What costs least among what is good enough.
    std::optional<Pivot> choose() {
        std::optional<Pivot> best;
        double least_cost = std::numeric_limits<double>::infinity(), best_size = 0;
        const auto offer = [&](const Pivot& pivot, double cost, double size) {
            if (cost > least_cost || (cost == least_cost && size <= best_size)) return;
            best = pivot, least_cost = cost, best_size = size;
        };
        for (std::size_t j = 0; j < n_; ++j) {
            if (!is_left_[j] || !reduction_.rows_with(j).empty()) continue;
            const auto others = static_cast<double>(reduction_.inertia(j).size());
            offer({.speed = j}, others * (others + 1) / 2, 0);
        }
        for (const double enough : {5 * sound, sound}) {  // rows that others nearly imply wait as long as they can
            for (const std::size_t r : rows_) {
                const Row& row = reduction_.row(r);
                const double most = largest(row);
                if (!(most >= enough * length_[r]) || !(most > 0)) continue;
                const auto shares = static_cast<double>(row.size() - 1);
                for (const auto& [d, x] : row) {
                    const double size = std::abs(x.x) * scale_[d] / most;
                    if (size < threshold) continue;
                    const auto others = static_cast<double>(reduction_.inertia(d).size()),
                               held = static_cast<double>(reduction_.rows_with(d).size());
                    offer({.speed = d, .row = r}, shares * (shares + 1) / 2 + shares * others + held * shares, size);
                }
            }
            if (best) break;
        }
        if (best || !leave_redundant()) return best;
        return rows_.empty() ? choose() : std::nullopt;
    }

    /// The rows that are left say nothing new; false when that is not clear.
    bool leave_redundant() {
        for (const std::size_t r : rows_) {
            if (!(largest(reduction_.row(r)) <= redundant * length_[r])) {
                why_ = "rows of constraints are close to depending on each other";
                return false;
            }
            if (length_[r] > 0) {
                Quantity sum = sheet_.constant(0);
                const double allowed = length_[r] * length_[r] * implied / Elimination::most_growth;
                for (const auto& [j, x] : reduction_.row(r)) {
                    const Quantity part = sheet_.mul(sheet_.constant(scale_[j] / std::sqrt(allowed)), x);
                    sum = sheet_.add(sum, sheet_.mul(part, part));
                }
                growth_ = sheet_.larger(growth_, sum);
            }
            reduction_.drop_row(r);
            result_.redundant.push_back(r);
        }
        rows_.clear();
        return true;
    }

    void put(Pivot pivot) {
        const std::size_t d = pivot.speed;
        is_left_[d] = false;
        if (pivot.is_pair()) {
            const Quantity p = reduction_.row(pivot.row).at(d);
            pivot.value = p.x;
            pivot.least = kept_length * std::min(std::abs(p.x), 2 * sound * length_[pivot.row] / scale_[d]);
            demand(p, pivot.least);
            rows_.erase(pivot.row);
            for (const auto& [j, a] : reduction_.eliminate_pair(d, pivot.row)) {
                const Quantity share = sheet_.mul(sheet_.constant(scale_[j] / scale_[d]), a);
                growth_ = sheet_.larger(growth_, sheet_.mul(share, share));
            }
        } else {
            const auto at = reduction_.inertia(d).find(d);
            pivot.value = at == reduction_.inertia(d).end() ? 0 : at->second.x;
            if (!(pivot.value * scale_[d] * scale_[d] > massless * heaviest_)) {
                lacks_inertia_ = true;
                return;
            }
            pivot.least = kept_inertia * pivot.value;
            demand(at->second, pivot.least);
            reduction_.eliminate_freedom(d);
        }
        result_.pivots.push_back(pivot);
    }

    void demand(const Quantity& pivot, double least) {
        pivots_.push_back(pivot.at);
        weakest_ = sheet_.smaller(weakest_, sheet_.mul(sheet_.constant(1 / least), sheet_.size(pivot)));
    }

    /// Of all λ that serve, the shortest: less their part along what Gᵀ does not see, the combinations of rows that vanish.
    void shorten(std::vector<Quantity>& lambda) {
        const std::size_t spare = result_.redundant.size();
        if (spare == 0) return;
        const auto silent = [&](std::size_t i) -> const Row& { return reduction_.combination(result_.redundant[i]); };
        const bool is_first = !along_;
        if (is_first) along_.emplace(sheet_, spare);
        std::vector<Quantity> parts;
        for (std::size_t i = 0; i < spare; ++i) {
            Quantity part = sheet_.constant(0);
            for (const auto& [r, x] : silent(i)) part = sheet_.add(part, sheet_.mul(x, lambda[r]));
            parts.push_back(part);
            if (!is_first) continue;
            along_->set_force(i, part);
            for (std::size_t j = 0; j <= i; ++j) {
                Quantity product = sheet_.constant(0);
                for (const auto& [r, x] : silent(i)) {
                    if (const auto at = silent(j).find(r); at != silent(j).end()) product = sheet_.add(product, sheet_.mul(x, at->second));
                }
                along_->set_inertia(i, j, product);
            }
        }
        std::vector<Quantity> size, none;
        if (is_first) {
            for (std::size_t i = 0; i < spare; ++i) along_->eliminate_freedom(i);
            along_->solve(size, none);
        } else {
            along_->solve(parts, {}, size, none);
        }
        for (std::size_t i = 0; i < spare; ++i) {
            for (const auto& [r, x] : silent(i)) lambda[r] = sheet_.sub(lambda[r], sheet_.mul(x, size[i]));
        }
    }

    /// Solutions for further right-hand sides, row by row.
    std::vector<Index> solve_others(const std::vector<Quantity>& udot, const std::vector<Quantity>& lambda) {
        const RightHandSides& right = *options_.right;
        std::vector<Index> accelerations;
        for (const auto* list : {&udot, &lambda}) {
            for (const Quantity& x : *list) accelerations.push_back(x.at);
        }
        sheet_.substitute(right.first_input, std::move(accelerations));
        std::vector<std::vector<Quantity>> column(right.columns, std::vector<Quantity>(n_ + m_, sheet_.constant(0)));
        const std::size_t first = system_.outputs.size() - right.places.size();
        for (std::size_t k = 0; k < right.places.size(); ++k) {
            Quantity entry{system_.outputs[first + k]};
            entry.x = sheet_.known(entry).value_or(0);  // nothing is chosen by the others
            column[right.places[k].column][right.places[k].row] = entry;
        }
        std::vector<Index> solutions((n_ + m_) * right.columns);
        for (std::size_t c = 0; c < right.columns; ++c) {
            const auto middle = column[c].begin() + static_cast<std::ptrdiff_t>(n_);
            std::vector<Quantity> a, l;
            reduction_.solve({column[c].begin(), middle}, {middle, column[c].end()}, a, l);
            shorten(l);
            for (std::size_t i = 0; i < n_; ++i) solutions[i * right.columns + c] = a[i].at;
            for (std::size_t i = 0; i < m_; ++i) solutions[(n_ + i) * right.columns + c] = l[i].at;
        }
        return solutions;
    }

    void finish() {
        if (lacks_inertia_) {
            result_.why = "a motion that the constraints allow has no inertia";
            return;
        }
        std::vector<Quantity> udot, lambda;
        reduction_.solve(udot, lambda);
        if (options_.gamma_inputs) {
            lambda.assign(m_, sheet_.constant(0));
        } else {
            shorten(lambda);
        }
        std::vector<Index> outputs;
        for (const Quantity& x : udot) outputs.push_back(x.at);
        for (const Quantity& x : lambda) outputs.push_back(x.at);
        outputs.push_back(weakest_.at);
        outputs.push_back(growth_.at);
        outputs.insert(outputs.end(), pivots_.begin(), pivots_.end());
        const std::size_t entries = options_.right == nullptr ? 0 : options_.right->places.size();
        outputs.insert(outputs.end(), system_.outputs.begin() + static_cast<std::ptrdiff_t>(first_other_),
                       system_.outputs.end() - static_cast<std::ptrdiff_t>(entries));
        if (options_.right != nullptr) {
            const std::vector<Index> solutions = solve_others(udot, lambda);
            outputs.insert(outputs.end(), solutions.begin(), solutions.end());
        }
        result_.program = sheet_.finish(outputs, options_.gamma_inputs.value_or(system_.inputs));
        std::ranges::sort(result_.redundant);
    }

    const Program& system_;
    std::size_t n_, m_;
    const EliminationOptions& options_;
    Sheet sheet_;
    Reduction reduction_;
    std::optional<Reduction> along_;  ///< what makes λ shortest
    std::vector<double> scale_, length_;
    std::vector<bool> is_left_;
    std::set<std::size_t> rows_;  ///< that may still give a speed
    Quantity weakest_, growth_;
    std::vector<Index> pivots_;
    double heaviest_ = 0;
    bool lacks_inertia_ = false;
    std::size_t first_other_ = 0;
    std::string why_;
    Elimination result_;
};

}  // namespace

std::size_t Elimination::rank() const { return static_cast<std::size_t>(std::ranges::count_if(pivots, &Pivot::is_pair)); }

std::vector<std::size_t> Elimination::independent() const {
    std::vector<std::size_t> speeds;
    for (const Pivot& p : pivots) {
        if (!p.is_pair()) speeds.push_back(p.speed);
    }
    std::ranges::sort(speeds);
    return speeds;
}

Elimination eliminate(const Program& system, const DescriptorShape& shape, std::span<const double> reference,
                      const EliminationOptions& options) {
    Elimination lean = Choice(system, shape, reference, options, false)();
    return lean.redundant.empty() || options.gamma_inputs ? lean : Choice(system, shape, reference, options, true)();
}

}  // namespace linkwright::program
