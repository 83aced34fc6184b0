#include "linkwright/program/factor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

namespace linkwright::program {

namespace {

constexpr Index none = ~Index{0};
constexpr std::size_t most_terms = 12;  // of a sum, compared each with each
constexpr std::size_t long_sum = 64;    // from there on the order of terms gives way to speed

/// c·x, c a number
struct Term {
    double c;
    Index x;
};

/// What a value is: a sum of terms, a product of factors, or something else.
struct Node {
    enum class Kind : std::uint8_t { leaf, sum, product };
    Kind kind = Kind::leaf;
    bool is_new = false;  ///< not what the line says, or there is no line
    std::vector<Term> terms{};
    std::vector<Index> factors{};
};

std::uint64_t mixed(std::uint64_t h, std::uint64_t x) { return std::rotl((h ^ x) * 0x9E3779B97F4A7C15ULL, 29) * 0xBF58476D1CE4E5B9ULL; }

/// A number without its last bits, so that quotients that should be equal are.
std::uint64_t rounded(double x) { return (std::bit_cast<std::uint64_t>(x) + 32) >> 6; }
bool is_near(double a, double b) { return std::abs(a - b) <= 8e-16 * std::abs(b); }
bool is_one(double c) { return c == 1 || c == -1; }

class Factoring {
public:
    Factoring(const Program& program, std::size_t first_fixed) : p_(program), first_(program.first_line()), first_fixed_(first_fixed) {}

    Program run() {
        represent();
        for (int round = 0; round < 2; ++round) {
            count_uses();
            const std::size_t before = changes_;
            take_factors_out();
            gather_fixed();
            scale_factors();
            share_products();
            share_sums();
            if (changes_ == before) break;
        }
        share_signs();
        return emit();
    }

private:
    bool is_constant(Index v) const { return v >= p_.inputs && v < first_; }
    double number(Index v) const { return p_.constants[v - p_.inputs]; }
    bool is_sum(Index v) const { return nodes_[v].kind == Node::Kind::sum; }
    bool is_product(Index v) const { return nodes_[v].kind == Node::Kind::product; }
    bool is_scaled(Index v) const { return is_sum(v) && nodes_[v].terms.size() == 1; }
    bool is_line(Index v) const { return v >= first_ && v < p_.values(); }

    /// Made of fixed inputs and constants.
    bool is_fixed(Index v) const { return first_fixed_ < p_.inputs && is_fixed_[v]; }
    void find_fixed(Index v) {
        if (first_fixed_ >= p_.inputs) return;
        const auto are = [&](const auto& list, auto of) {
            return std::ranges::all_of(list, [&](const auto& x) { return is_fixed_[of(x)]; });
        };
        const Node& node = nodes_[v];
        if (is_line(v)) {
            const Line& l = line(v);
            is_fixed_[v] = are(std::span(l.args.data(), arity(l.op)), [](Index x) { return x; });
        } else if (v < first_) {
            is_fixed_[v] = v >= first_fixed_;
        } else {
            is_fixed_[v] = are(node.terms, [](const Term& t) { return t.x; }) && are(node.factors, [](Index x) { return x; });
        }
    }

    Index make(Node node, std::uint32_t uses) {
        nodes_.push_back(std::move(node));
        uses_.push_back(uses);
        order_.push_back(static_cast<Index>(nodes_.size() - 1));
        is_fixed_.push_back(false);
        find_fixed(order_.back());
        return order_.back();
    }
    Index make_sum(std::vector<Term> terms, std::uint32_t uses) { return make({Node::Kind::sum, true, std::move(terms), {}}, uses); }
    Index make_product(std::vector<Index> factors, std::uint32_t uses) {
        return make({Node::Kind::product, true, {}, std::move(factors)}, uses);
    }
    void change(Index v) {
        nodes_[v].is_new = true;
        ++changes_;
    }

    // ----------------------------------------------------------------------------------------------------- lines as wholes

    void represent() {
        nodes_.resize(p_.values());
        nodes_.reserve(p_.values() + p_.values() / 4);
        uses_.assign(p_.values(), 0);
        for (const Line& line : p_.lines) {
            for (std::size_t k = 0; k < arity(line.op); ++k) ++uses_[line.args[k]];
        }
        for (const Index v : p_.outputs) ++uses_[v];
        part_of_.assign(p_.values(), none);
        is_fixed_.assign(p_.values(), false);
        for (std::size_t v = 0; v < p_.values(); ++v) find_fixed(static_cast<Index>(v));
        for (std::size_t k = 0; k < p_.lines.size(); ++k) {
            const Line& line = p_.lines[k];
            const auto v = static_cast<Index>(first_ + k);
            switch (line.op) {
                case Op::neg: add_terms(v, -1, line.args[0]); break;
                case Op::add: add_terms(v, 1, line.args[0]), add_terms(v, 1, line.args[1]); break;
                case Op::sub: add_terms(v, 1, line.args[0]), add_terms(v, -1, line.args[1]); break;
                case Op::mul: multiply(v, line.args[0], line.args[1]); break;
                default: break;
            }
            if (is_sum(v)) collect(v);
        }
        // An inner line is new when the whole is: it is not there at all.
        for (std::size_t v = p_.values(); v-- > first_;) {
            if (part_of_[v] != none) part_of_[v] = root_of(static_cast<Index>(v));
        }
    }

    Index root_of(Index v) const {
        const Index outer = part_of_[v];  // later ones are done
        return part_of_[outer] == none ? outer : part_of_[outer];
    }

    void add_terms(Index v, double sign, Index a) {
        Node& node = nodes_[v];
        node.kind = Node::Kind::sum;
        const bool may_open = is_sum(a) && (uses_[a] == 1 || is_scaled(a));
        if (!may_open) {
            node.terms.push_back({sign, a});
            return;
        }
        if (uses_[a] == 1) part_of_[a] = v;
        Node& inner = nodes_[a];
        node.is_new |= inner.is_new;
        if (uses_[a] == 1 && node.terms.empty()) {
            node.terms = std::move(inner.terms);
            if (sign < 0) std::ranges::for_each(node.terms, [](Term& t) { t.c = -t.c; });
            inner.terms.clear();
            return;
        }
        if (uses_[a] == 1 && inner.terms.size() > long_sum) {  // copied at every line of a long sum, its terms would take n² steps
            std::vector<Term> before = std::exchange(node.terms, std::exchange(inner.terms, {}));
            if (sign < 0) std::ranges::for_each(node.terms, [](Term& t) { t.c = -t.c; });
            node.terms.insert(node.terms.end(), before.begin(), before.end());
            return;
        }
        for (const Term& t : inner.terms) node.terms.push_back({sign * t.c, t.x});
        if (uses_[a] == 1) inner.terms = {};
    }

    void multiply(Index v, Index a, Index b) {
        if (is_constant(b)) std::swap(a, b);
        if (is_constant(a)) {
            if (!std::isfinite(number(a)) || number(a) == 0 || is_constant(b)) return;
            nodes_[v].kind = Node::Kind::sum;
            nodes_[v].terms = {{number(a), b}};
            return;
        }
        double c = 1;
        std::vector<Index> factors;
        bool is_new = false;
        for (Index x : {a, b}) {
            if (is_scaled(x) && uses_[x] == 1 && !is_constant(nodes_[x].terms[0].x)) {  // its number goes with the product
                c *= nodes_[x].terms[0].c;
                part_of_[x] = v;
                is_new = true;
                x = nodes_[x].terms[0].x;
            }
            if (is_product(x) && uses_[x] == 1) {
                is_new |= nodes_[x].is_new;
                if (is_line(x)) part_of_[x] = v;
                factors.insert(factors.end(), nodes_[x].factors.begin(), nodes_[x].factors.end());
            } else {
                factors.push_back(x);
            }
        }
        if (c == 1) {
            nodes_[v].kind = Node::Kind::product;
            nodes_[v].factors = std::move(factors);
            nodes_[v].is_new = is_new;
            return;
        }
        const Index product = make_product(std::move(factors), 1);
        part_of_.push_back(none);
        nodes_[v] = {Node::Kind::sum, true, {{c, product}}, {}};
    }

    /// Terms with the same x are one.
    void collect(Index v) {
        std::vector<Term>& terms = nodes_[v].terms;
        if (terms.size() < 2 || terms.size() > most_terms) return;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            for (std::size_t j = i + 1; j < terms.size();) {
                if (terms[j].x != terms[i].x || is_constant(terms[i].x)) {
                    ++j;
                    continue;
                }
                terms[i].c += terms[j].c;
                terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
                nodes_[v].is_new = true;
            }
        }
        std::erase_if(terms, [](const Term& t) { return t.c == 0; });
    }

    /// How often each value is wanted, by what the outputs need.
    void count_uses() {
        uses_.assign(nodes_.size(), 0);
        std::vector<Index> open;
        const auto use = [&](Index v) {
            if (uses_[v]++ == 0) open.push_back(v);
        };
        for (const Index v : p_.outputs) use(v);
        while (!open.empty()) {
            const Index v = open.back();
            open.pop_back();
            switch (nodes_[v].kind) {
                case Node::Kind::sum:
                    for (const Term& t : nodes_[v].terms) use(t.x);
                    break;
                case Node::Kind::product:
                    for (const Index x : nodes_[v].factors) use(x);
                    break;
                case Node::Kind::leaf:
                    if (!is_line(v)) break;
                    for (std::size_t k = 0; k < arity(line(v).op); ++k) use(line(v).args[k]);
                    break;
            }
        }
        order_.clear();
        for (std::size_t v = 0; v < nodes_.size(); ++v) {
            if (uses_[v] != 0) order_.push_back(static_cast<Index>(v));
        }
        scaled_.assign(std::bit_ceil(8 * order_.size() + 64), 0);
        for (const Index v : order_) {
            for (const Term& t : nodes_[v].terms) {
                if (!is_one(t.c)) scaled(t) = std::min<std::uint8_t>(2, scaled(t) + 1);
            }
        }
    }
    /// A small note on |c|·x; two of them may share one, which costs nothing but a chance.
    std::uint8_t& scaled(const Term& t) {
        return scaled_[(mixed(std::bit_cast<std::uint64_t>(std::abs(t.c)), t.x) >> 16) & (scaled_.size() - 1)];
    }
    const Line& line(Index v) const { return p_.lines[v - first_]; }

    /// A product that only this sum wants.
    bool is_own_product(Index v) const { return is_product(v) && uses_[v] == 1; }

    // ------------------------------------------------------------------------------------------------------- a·b + a·c

    void take_factors_out() {
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const Index v = order_[i];
            if (!is_sum(v) || nodes_[v].terms.size() < 2 || nodes_[v].terms.size() > 4 * most_terms) continue;
            while (take_one_out(v)) {
            }
        }
    }

    bool take_one_out(Index v) {
        std::vector<std::pair<Index, std::size_t>> found;  // factor, term
        const std::vector<Term> terms = nodes_[v].terms;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (!is_own_product(terms[i].x)) continue;
            for (const Index f : nodes_[terms[i].x].factors) found.emplace_back(f, i);
        }
        if (found.size() < 3) return false;
        std::ranges::sort(found);
        found.erase(std::ranges::unique(found).begin(), found.end());  // squares
        std::size_t best = 0, most = 1, most_gain = 1;
        for (std::size_t i = 0; i < found.size();) {
            std::size_t j = i;
            while (j < found.size() && found[j].first == found[i].first) ++j;
            // where fixed factors are left, their sum costs nothing
            std::size_t gain = j - i;
            for (std::size_t k = i; gain > 1 && k < j; ++k) {
                const std::vector<Index>& f = nodes_[terms[found[k].second].x].factors;
                gain += std::ranges::all_of(f, [&](Index x) { return is_fixed(x) || x == found[i].first; }) && !is_fixed(found[i].first)
                            ? 1
                            : 0;
            }
            if (j - i > 1 && gain > most_gain) best = i, most = j - i, most_gain = gain;
            i = j;
        }
        if (most < 2) return false;
        const Index f = found[best].first;
        std::vector<Term> inner, outer;
        std::vector<bool> is_in(terms.size());
        for (std::size_t i = best; i < best + most; ++i) is_in[found[i].second] = true;
        std::size_t at = none;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (!is_in[i]) {
                outer.push_back(terms[i]);
                continue;
            }
            if (at == none) at = outer.size(), outer.push_back({1, 0});
            std::vector<Index> rest = nodes_[terms[i].x].factors;
            rest.erase(std::ranges::find(rest, f));
            const double c = terms[i].c;
            inner.push_back({c, rest.size() == 1 ? rest[0] : make_product(std::move(rest), 1)});
        }
        // a number that all of them have goes outside
        double c = inner[0].c;
        if (!std::ranges::all_of(inner, [&](const Term& t) { return std::abs(t.c) == std::abs(c); })) {
            c = std::ranges::any_of(inner, [](const Term& t) { return t.c > 0; }) ? 1 : -1;
        }
        for (Term& t : inner) t.c /= c;
        const Index sum = make_sum(std::move(inner), 1);
        change(v);
        if (outer.size() == 1 && c == 1) {
            nodes_[v] = {Node::Kind::product, true, {}, {f, sum}};
            return false;
        }
        outer[at] = {c, make_product({f, sum}, 1)};
        nodes_[v].terms = std::move(outer);
        return true;
    }

    // ------------------------------------------------------------------------------------------------------- (2·x)·y

    void scale_factors() {
        struct Place {
            double c;
            Index x;
            Index sum;  // none: c·x itself is wanted
            std::size_t term;
        };
        std::vector<Place> places;
        for (const Index v : order_) {
            if (!is_sum(v)) continue;
            for (std::size_t i = 0; i < nodes_[v].terms.size(); ++i) {
                const Term& t = nodes_[v].terms[i];
                if (is_one(t.c) || is_constant(t.x)) continue;
                if (!is_own_product(t.x)) {
                    places.push_back({std::abs(t.c), t.x, none, 0});
                    continue;
                }
                for (const Index f : nodes_[t.x].factors) places.push_back({std::abs(t.c), f, v, i});
            }
        }
        std::ranges::stable_sort(places, {}, [](const Place& p) { return std::tuple(p.c, p.x); });
        struct Group {
            std::size_t from, to;
        };
        std::vector<Group> groups;
        for (std::size_t i = 0; i < places.size();) {
            std::size_t j = i;
            bool has_product = false;
            while (j < places.size() && places[j].c == places[i].c && places[j].x == places[i].x) has_product |= places[j++].sum != none;
            if (j - i > 1 && has_product) groups.push_back({i, j});
            i = j;
        }
        std::ranges::stable_sort(groups, std::greater{}, [](const Group& g) { return g.to - g.from; });
        for (const Group& g : groups) {
            const double c = places[g.from].c;
            const Index x = places[g.from].x;
            std::vector<std::size_t> valid;
            bool is_wanted = false;
            for (std::size_t i = g.from; i < g.to; ++i) {
                const Place& p = places[i];
                if (p.sum == none) {
                    is_wanted = true;
                    continue;
                }
                const Term& t = nodes_[p.sum].terms[p.term];
                if (std::abs(t.c) == c && is_own_product(t.x) && std::ranges::count(nodes_[t.x].factors, x) > 0 &&
                    (valid.empty() || places[valid.back()].sum != p.sum || places[valid.back()].term != p.term)) {
                    valid.push_back(i);
                }
            }
            if (valid.size() + (is_wanted ? 1 : 0) < 2) continue;
            const Index scaled = make_sum({{c, x}}, 2);
            for (const std::size_t i : valid) {
                Term& t = nodes_[places[i].sum].terms[places[i].term];
                std::vector<Index>& factors = nodes_[t.x].factors;
                *std::ranges::find(factors, x) = scaled;
                t.c = t.c > 0 ? 1 : -1;
                change(t.x);
                change(places[i].sum);
            }
        }
    }

    // ----------------------------------------------------------------------------------------------- (2·p·q)·x, p and q fixed

    void gather_fixed() {
        if (first_fixed_ >= p_.inputs) return;
        std::map<std::pair<double, std::vector<Index>>, Index> known;
        const auto joined = [&](double c, std::vector<Index> fixed) {
            std::ranges::sort(fixed);
            if (c == 1 && fixed.size() == 1) return fixed[0];
            const auto key = std::pair(c, fixed);
            if (const auto at = known.find(key); at != known.end()) return at->second;
            const Index product = fixed.size() == 1 ? fixed[0] : make_product(fixed, 2);
            return known[key] = c == 1 ? product : make_sum({{c, product}}, 2);
        };
        const auto gather = [&](Index v, double c) {
            std::vector<Index> fixed, rest;
            for (const Index x : nodes_[v].factors) (is_fixed(x) ? fixed : rest).push_back(x);
            if (fixed.empty() || rest.empty() || (c == 1 && fixed.size() == 1)) return false;
            rest.insert(rest.begin(), joined(c, fixed));
            nodes_[v].factors = std::move(rest);
            change(v);
            return true;
        };
        for (std::size_t i = 0, n = order_.size(); i < n; ++i) {
            const Index v = order_[i];
            if (is_product(v)) gather(v, 1);
            for (std::size_t k = 0; is_sum(v) && k < nodes_[v].terms.size(); ++k) {
                const Term t = nodes_[v].terms[k];
                if (is_one(t.c) || !is_own_product(t.x) || !gather(t.x, std::abs(t.c))) continue;
                nodes_[v].terms[k].c = t.c > 0 ? 1 : -1;
                change(v);
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ pairs in common

    struct Pair {
        Index x, y;           ///< x < y
        std::uint64_t ratio;  ///< of the coefficients, without last bits
        Index whole;          ///< where it is found
        auto key() const { return std::tuple(x, y, ratio); }
    };

    /// Those that are there more than once, by their keys; `visit(use)` shows them all to `use`, in the order of the wholes. It is asked twice, so that what
    /// can be there but once is never written down.
    template <class Visit>
    std::vector<Pair> repeated(Visit visit) const {
        struct Marks {
            std::uint64_t once = 0, twice = 0;
        };
        std::vector<Marks> seen(nodes_.size());  // by x: what is near in the program is near here
        const auto mark = [](const Pair& p) { return std::uint64_t{1} << (mixed(p.y, p.ratio) >> 58); };
        visit([&](const Pair& p) {
            Marks& m = seen[p.x];
            m.twice |= m.once & mark(p);
            m.once |= mark(p);
        });
        std::vector<Pair> pairs;
        std::vector<std::uint32_t> begin(nodes_.size() + 1);
        visit([&](const Pair& p) {
            if ((seen[p.x].twice & mark(p)) != 0) pairs.push_back(p), ++begin[p.x + 1];
        });
        for (std::size_t x = 1; x < begin.size(); ++x) begin[x] += begin[x - 1];
        std::vector<Pair> sorted(pairs.size());
        for (const Pair& p : pairs) sorted[begin[p.x]++] = p;
        for (std::size_t i = 0; i < sorted.size();) {
            std::size_t j = i;
            while (j < sorted.size() && sorted[j].x == sorted[i].x) ++j;
            sort_few(std::span(sorted).subspan(i, j - i));
            i = j;
        }
        return sorted;
    }
    /// Stable; mostly there are two or three.
    static void sort_few(std::span<Pair> pairs) {
        constexpr std::size_t few = 24;
        if (pairs.size() > few) {
            std::ranges::stable_sort(pairs, {}, &Pair::key);
            return;
        }
        for (std::size_t i = 1; i < pairs.size(); ++i) {
            const Pair p = pairs[i];
            std::size_t j = i;
            for (; j > 0 && p.key() < pairs[j - 1].key(); --j) pairs[j] = pairs[j - 1];
            pairs[j] = p;
        }
    }

    /// Equal ones together; groups in the order in which they are best taken.
    static std::vector<std::span<const Pair>> groups(const std::vector<Pair>& pairs) {
        std::vector<std::span<const Pair>> found;
        for (std::size_t i = 0; i < pairs.size();) {
            std::size_t j = i;
            while (j < pairs.size() && pairs[j].key() == pairs[i].key()) ++j;
            if (j - i > 1) found.emplace_back(pairs.data() + i, j - i);
            i = j;
        }
        std::ranges::stable_sort(found, std::greater{}, [](const auto& g) { return g.size(); });
        return found;
    }

    static std::optional<std::size_t> find(const std::vector<Term>& terms, Index x) {
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (terms[i].x == x) return i;
        }
        return std::nullopt;
    }

    template <class Use>
    void for_each_pair_of_terms(Use use) const {
        for (const Index v : order_) {
            const std::vector<Term>& terms = nodes_[v].terms;
            if (!is_sum(v) || terms.size() < 2) continue;
            for (std::size_t i = 0; i < terms.size(); ++i) {
                for (std::size_t j = i + 1; j < std::min(terms.size(), i + most_terms); ++j) {
                    if (is_constant(terms[i].x) || is_constant(terms[j].x)) continue;
                    if (terms[i].x == terms[j].x) continue;  // what is left of a factor taken out may stand twice: one place, not two
                    const bool is_first = terms[i].x < terms[j].x;
                    const Term &a = is_first ? terms[i] : terms[j], &b = is_first ? terms[j] : terms[i];
                    const double ratio = b.c / a.c;
                    if (std::isnormal(ratio)) use(Pair{a.x, b.x, rounded(ratio), v});
                }
            }
        }
    }

    void share_sums() {
        const std::vector<Pair> pairs = repeated([&](auto use) { for_each_pair_of_terms(use); });
        for (const auto& group : groups(pairs)) share_sum(group);
    }

    void share_sum(std::span<const Pair> group) {
        struct Place {
            Index sum;
            std::size_t i, j;
            double c, d;
        };
        std::vector<Place> places;
        for (const Pair& p : group) {
            const auto i = find(nodes_[p.whole].terms, p.x), j = find(nodes_[p.whole].terms, p.y);
            if (!i || !j || !is_sum(p.whole)) continue;
            const double c = nodes_[p.whole].terms[*i].c, d = nodes_[p.whole].terms[*j].c;
            if (rounded(d / c) != p.ratio) continue;
            if (!places.empty() && !is_near(d / c, places[0].d / places[0].c)) continue;
            if (places.empty() || places.back().sum != p.whole) places.push_back({p.whole, *i, *j, c, d});
        }
        if (places.size() < 2) return;
        // As one of them has it: a sum of these two alone, or the scale that most have.
        std::size_t model = 0, votes = 0;
        std::unordered_map<double, std::size_t> same;
        for (const Place& p : places) ++same[std::abs(p.c)];
        for (std::size_t k = 0; k < places.size(); ++k) {
            const std::size_t weight = 2 * same[std::abs(places[k].c)] + (nodes_[places[k].sum].terms.size() == 2 ? 1 : 0);
            if (weight > votes) votes = weight, model = k;
        }
        const Place m = places[model];
        const auto saved = [&](double c, Index x) { return !is_one(c) && scaled({c, x}) < 2 ? 1 : 0; };
        const Index x = nodes_[m.sum].terms[m.i].x, y = nodes_[m.sum].terms[m.j].x;
        int gain = 0;
        std::vector<Place> taken;
        for (std::size_t k = 0; k < places.size(); ++k) {
            if (k == model) continue;
            const Place& p = places[k];
            const bool is_same = std::abs(p.c) == std::abs(m.c);
            const int one = 1 + (is_same ? 0 : saved(p.c, x) + saved(p.d, y) - 1);
            // where scales are equal the multiplications are shared already
            if (one > 0) gain += one, taken.push_back(p);
        }
        if (gain <= 0) return;
        const bool is_whole = nodes_[m.sum].terms.size() == 2;
        Index shared = m.sum;
        if (!is_whole) {
            shared = make_sum({{m.c, x}, {m.d, y}}, 2);
            taken.push_back(m);
        }
        for (const Place& p : taken) {
            std::vector<Term>& terms = nodes_[p.sum].terms;
            const double scale = std::abs(p.c) == std::abs(m.c) ? (p.c == m.c ? 1 : -1) : p.c / m.c;
            terms[std::min(p.i, p.j)] = {scale, shared};
            terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::max(p.i, p.j)));
            change(p.sum);
        }
    }

    template <class Use>
    void for_each_pair_of_factors(Use use) const {
        for (const Index v : order_) {
            const std::vector<Index>& f = nodes_[v].factors;
            if (!is_product(v)) continue;
            for (std::size_t i = 0; i < f.size(); ++i) {
                for (std::size_t j = i + 1; j < std::min(f.size(), i + most_terms); ++j) {
                    use(Pair{std::min(f[i], f[j]), std::max(f[i], f[j]), 0, v});
                }
            }
        }
    }

    void share_products() {
        const std::vector<Pair> pairs = repeated([&](auto use) { for_each_pair_of_factors(use); });
        for (const auto& group : groups(pairs)) {
            std::vector<Index> places;
            Index shared = none;
            for (const Pair& p : group) {
                if (!places.empty() && places.back() == p.whole) continue;
                const std::vector<Index>& f = nodes_[p.whole].factors;
                const auto enough = std::ranges::count(f, p.x) >= (p.x == p.y ? 2 : 1) && std::ranges::count(f, p.y) >= 1;
                if (!enough) continue;
                places.push_back(p.whole);
                if (f.size() == 2) shared = p.whole;
            }
            if (places.size() < 2) continue;
            const Index x = group[0].x, y = group[0].y;
            if (shared == none) shared = make_product({x, y}, 0);
            for (const Index v : places) {
                if (v == shared) continue;
                std::vector<Index>& f = nodes_[v].factors;
                f.erase(std::ranges::find(f, x));
                *std::ranges::find(f, y) = shared;
                ++uses_[shared];
                change(v);
            }
        }
    }

    /// Where c·x is wanted with both signs, sums that have either are written anew.
    void share_signs() {
        std::ranges::fill(scaled_, 0);
        for (const Index v : order_) {
            for (const Term& t : nodes_[v].terms) {
                if (!is_one(t.c)) scaled(t) |= t.c > 0 ? 1 : 2;
            }
        }
        for (const Index v : order_) {
            for (const Term& t : nodes_[v].terms) {
                if (!is_one(t.c) && scaled(t) == 3) nodes_[v].is_new = true;
            }
        }
    }

    // -------------------------------------------------------------------------------------------------------- and out

    /// Whether the value is written as its line says.
    bool is_kept(Index v) const {
        if (!is_line(v)) return false;
        return !nodes_[part_of_[v] == none ? v : part_of_[v]].is_new;
    }

    Program emit() {
        out_.inputs = p_.inputs;
        is_live_.assign(nodes_.size(), false);
        place_.assign(nodes_.size(), none);
        for (std::size_t i = 0; i < p_.inputs; ++i) place_[i] = static_cast<Index>(i);
        find_live();
        // Constants come before lines: lines are numbered from a place beyond all of them, and moved at the end.
        for (std::size_t v = first_; v < p_.values(); ++v) {
            if (is_live_[v]) static_cast<void>(value(static_cast<Index>(v)));
        }
        std::vector<Index> outputs;
        for (const Index v : p_.outputs) outputs.push_back(value(v));
        const auto moved = [&](Index i) { return i >= far ? static_cast<Index>(i - far + out_.first_line()) : i; };
        for (Line& l : out_.lines) {
            for (std::size_t k = 0; k < arity(l.op); ++k) l.args[k] = moved(l.args[k]);
        }
        for (const Index v : outputs) out_.outputs.push_back(moved(v));
        return std::move(out_);
    }

    void find_live() {
        std::vector<Index> open;
        const auto use = [&](Index v) {
            if (!is_live_[v]) is_live_[v] = true, open.push_back(v);
        };
        for (const Index v : p_.outputs) use(v);
        while (!open.empty()) {
            const Index v = open.back();
            open.pop_back();
            if (is_kept(v) || nodes_[v].kind == Node::Kind::leaf) {
                if (!is_line(v)) continue;
                for (std::size_t k = 0; k < arity(line(v).op); ++k) use(line(v).args[k]);
            } else if (is_sum(v)) {
                for (const Term& t : nodes_[v].terms) use(t.x);
            } else {
                for (const Index x : nodes_[v].factors) use(x);
            }
        }
    }

    /// Where the value is in the result. What it needs is there, or is new, and is written now.
    Index value(Index v) {
        if (place_[v] != none) return place_[v];
        if (is_constant(v)) return place_[v] = constant(number(v));
        if (is_kept(v) || nodes_[v].kind == Node::Kind::leaf) {
            Line l = line(v);
            for (std::size_t k = 0; k < arity(l.op); ++k) l.args[k] = value(l.args[k]);
            return place_[v] = push(l);
        }
        if (is_product(v)) {
            Index r = none;
            for (const Index x : nodes_[v].factors) r = r == none ? value(x) : commuted(Op::mul, r, value(x));
            return place_[v] = r;
        }
        return place_[v] = sum(nodes_[v].terms);
    }

    Index sum(const std::vector<Term>& terms) {
        if (terms.empty()) return constant(0);
        const auto first = static_cast<std::size_t>(std::ranges::find_if(terms, [](const Term& t) { return t.c > 0; }) - terms.begin());
        Index r = none;
        if (first < terms.size()) {
            r = times(terms[first].c, value(terms[first].x));
        } else if (!is_one(terms[0].c) && terms.size() > 1) {  // nothing to subtract from: the first number takes the sign
            r = commuted(Op::mul, constant(terms[0].c), value(terms[0].x));
        } else if (terms.size() == 1 && !is_one(terms[0].c)) {
            return commuted(Op::mul, constant(terms[0].c), value(terms[0].x));
        } else {
            r = push({Op::neg, {value(terms[0].x), 0, 0}});
        }
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (i == (first < terms.size() ? first : 0)) continue;
            const Index x = times(std::abs(terms[i].c), value(terms[i].x));
            r = terms[i].c > 0 ? commuted(Op::add, r, x) : push({Op::sub, {r, x, 0}});
        }
        return r;
    }
    Index times(double c, Index x) { return c == 1 ? x : commuted(Op::mul, constant(c), x); }
    Index commuted(Op op, Index a, Index b) {
        const bool a_is_number = a >= out_.inputs && a < far, b_is_number = b >= out_.inputs && b < far;
        if (a_is_number != b_is_number ? b_is_number : b < a) std::swap(a, b);
        return push({op, {a, b, 0}});
    }

    Index constant(double x) {
        const auto [at, is_new] = constants_.try_emplace(std::bit_cast<std::uint64_t>(x), static_cast<Index>(out_.first_line()));
        if (is_new) out_.constants.push_back(x);
        return at->second;
    }
    Index push(const Line& l) {
        if (2 * (out_.lines.size() + 1) > written_.size()) rehash();
        for (std::size_t i = slot(l);; i = (i + 1) & (written_.size() - 1)) {
            if (written_[i] == none) {
                out_.lines.push_back(l);
                return written_[i] = static_cast<Index>(far + out_.lines.size() - 1);
            }
            if (out_.lines[written_[i] - far] == l) return written_[i];
        }
    }
    std::size_t slot(const Line& l) const {
        return (mixed(mixed(mixed(static_cast<std::uint64_t>(l.op), l.args[0]), l.args[1]), l.args[2]) >> 16) & (written_.size() - 1);
    }
    void rehash() {
        written_.assign(std::bit_ceil(4 * (out_.lines.size() + p_.lines.size()) + 64), none);
        for (std::size_t k = 0; k < out_.lines.size(); ++k) {
            std::size_t i = slot(out_.lines[k]);
            while (written_[i] != none) i = (i + 1) & (written_.size() - 1);
            written_[i] = static_cast<Index>(far + k);
        }
    }

    static constexpr Index far = Index{1} << 31;

    const Program& p_;
    std::size_t first_, first_fixed_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> uses_;
    std::vector<bool> is_fixed_;
    std::vector<Index> part_of_;  // the sum or product that an inner line has become part of
    std::vector<Index> order_;    // what is wanted, and what has been made since
    std::vector<std::uint8_t> scaled_;
    std::size_t changes_ = 0;
    Program out_;
    std::vector<bool> is_live_;
    std::vector<Index> place_;
    std::unordered_map<std::uint64_t, Index> constants_;
    std::vector<Index> written_;  // open addressing
};

}  // namespace

Program factor(const Program& program, std::size_t first_fixed) {
    if (!program.calls.empty()) return program;  // its routines have been through this one by one
    Program shorter = Factoring(program, first_fixed).run();
    return shorter.lines.size() <= program.lines.size() || first_fixed < program.inputs ? shorter : program;
}

}  // namespace linkwright::program
