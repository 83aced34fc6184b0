#include "linkwright/sym/pool.hpp"

#include <cassert>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "linkwright/sym/expr.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::sym {

namespace {

thread_local Pool* current_pool = nullptr;

constexpr std::uint64_t symbol_key = 0x73796D626F6CULL;
constexpr std::size_t first_capacity = 64;

constexpr std::uint64_t spread(std::uint64_t x) { return (x ^ (x >> 31)) * 0x9E3779B97F4A7C15ULL; }

/// x and −x share a key, so that one look-up finds both.
std::uint64_t value_key(Residue r) { return spread(std::min(r.r1, Field1::neg(r.r1))); }

std::uint64_t hash_of_name(std::string_view name) {
    std::uint64_t h = symbol_key ^ name.size();
    for (; name.size() > 8; name.remove_prefix(8)) {
        std::uint64_t word = 0;
        std::memcpy(&word, name.data(), 8);
        h = keyed_hash(h, word);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, name.data(), name.size());
    return keyed_hash(h, word);
}

// A table is a list of pairs: a node, and the part of its key by which its place was found. So neither a look past other nodes nor growing has to
// fetch them; with a million of them nearly every fetch would be a miss of the caches.
std::size_t places(std::span<const NodeId> slots) { return slots.size() / 2; }
std::uint32_t shortened(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 20); }

/// The first node with this key that `is_it`, or 0.
template <class IsIt>
NodeId find(std::span<const NodeId> slots, std::uint64_t key, IsIt is_it) {
    const std::uint32_t hash = shortened(key);
    const std::size_t mask = places(slots) - 1;
    for (std::size_t i = hash & mask; slots[2 * i] != 0; i = (i + 1) & mask) {
        if (slots[2 * i + 1] == hash && is_it(slots[2 * i])) return slots[2 * i];
    }
    return 0;
}

/// Puts `id` into the slots, which grow to stay at most 3/4 full.
void insert(std::vector<NodeId>& slots, std::size_t& used, NodeId id, std::uint64_t key) {
    const auto put = [&](NodeId node, std::uint32_t hash) {
        const std::size_t mask = places(slots) - 1;
        std::size_t i = hash & mask;
        while (slots[2 * i] != 0) i = (i + 1) & mask;
        slots[2 * i] = node, slots[2 * i + 1] = hash;
    };
    if (++used * 4 >= places(slots) * 3) {
        const std::vector<NodeId> old = std::exchange(slots, std::vector<NodeId>(slots.size() * 2, 0));
        for (std::size_t i = 0; i < old.size(); i += 2) {
            if (old[i] != 0) put(old[i], old[i + 1]);
        }
    }
    put(id, shortened(key));
}

}  // namespace

Pool::Pool(Options options) : options_(options) {
    by_shape_.slots.assign(2 * first_capacity, 0);
    if (options_.fold) by_value_.slots.assign(2 * first_capacity, 0);
    append({.op = Op::undefined, .flags = Node::no_residue | Node::opaque, .a = 0, .b = 0, .c = 0, .residue = {}});
    for (const int n : {0, 1, -1}) make_number(n);
    const Residue pi = hashed_residue(options_.seed, {hash_of_name("pi"), symbol_key});
    append({.op = Op::pi, .flags = Node::monomial, .a = 0, .b = 0, .c = 0, .residue = pi});
    insert_shape(pi_id);
    insert_value(pi_id);
}

Pool::~Pool() = default;

Pool& Pool::current() {
    if (current_pool == nullptr) {
        thread_local Pool default_pool;
        return default_pool;
    }
    return *current_pool;
}

PoolScope::PoolScope(Pool& pool) : before_(current_pool) { current_pool = &pool; }
PoolScope::~PoolScope() { current_pool = before_; }

std::size_t Pool::bytes() const {
    return chunks_.size() * (sizeof(Node) << chunk_bits) + (by_value_.slots.capacity() + by_shape_.slots.capacity()) * sizeof(NodeId) +
           big_numbers_.capacity() * sizeof(Rational) + angles_.size() * (sizeof(AngleValue) + 24);
}

NodeId Pool::append(const Node& node) {
    if ((size_ & chunk_mask) == 0) {
        if (size_ >= UINT32_MAX - chunk_mask) throw std::length_error("an expression pool holds at most 2^32 nodes");
        chunks_.push_back(std::make_unique_for_overwrite<Node[]>(std::size_t{1} << chunk_bits));
    }
    chunks_.back()[size_ & chunk_mask] = node;
    return static_cast<NodeId>(size_++);
}

std::uint64_t Pool::shape_hash(const Node& n) const {
    if (n.op == Op::number && n.c == 0) return spread(big_numbers_[n.a].hash());
    const std::uint64_t ab = (std::uint64_t{n.a} << 32) | n.b;
    const std::uint64_t co = (std::uint64_t{n.c} << 8) | static_cast<std::uint64_t>(n.op);
    return spread(spread(ab) + co * 0xC2B2AE3D27D4EB4FULL);
}

std::optional<NodeId> Pool::find_shape(Op op, NodeId a, NodeId b, NodeId c) const {
    const std::uint64_t key = shape_hash({.op = op, .flags = 0, .a = a, .b = b, .c = c, .residue = {}});
    const NodeId found = find(by_shape_.slots, key, [&](NodeId id) {
        const Node& n = node(id);
        return n.op == op && n.a == a && n.b == b && n.c == c;
    });
    return found == 0 ? std::nullopt : std::optional(found);
}

void Pool::insert_shape(NodeId id) { insert(by_shape_.slots, by_shape_.used, id, shape_hash(node(id))); }

void Pool::insert_value(NodeId id) {
    if (options_.fold) insert(by_value_.slots, by_value_.used, id, value_key(residue(id)));
}

namespace {

/// The rational n/d whose residue this is, for d a divisor of 2⁴·3²·5³·7 and small n; so for every short decimal.
std::optional<Rational> small_rational(Residue r) {
    constexpr std::int64_t denominators = 126'000, window = std::int64_t{1} << 34;
    const std::uint64_t t = Field1::mul(r.r1, denominators);
    const bool negative = t > Field1::p / 2;
    const std::uint64_t size = negative ? Field1::p - t : t;
    if (size >= static_cast<std::uint64_t>(window)) return std::nullopt;
    const auto n = static_cast<std::int64_t>(size) * (negative ? -1 : 1);
    if (Field2::mul(r.r2, denominators) != residue_of(n).r2) return std::nullopt;
    return Rational(n, denominators);
}

}  // namespace

NodeId Pool::intern(Op op, NodeId a, NodeId b, NodeId c, Residue r, std::uint8_t flags) {
    ++statistics_.calls;
    const bool has_residue = (flags & Node::no_residue) == 0;
    if (options_.fold && has_residue) {
        const Residue negated = -r;
        NodeId opposite = 0;
        const NodeId found = find(by_value_.slots, value_key(r), [&](NodeId id) {
            const Residue other = residue(id);
            if (other == negated) opposite = id;
            return other == r;
        });
        if (found != 0) {
            const Node& n = node(found);
            const bool same = n.op == op && n.a == a && n.b == b;
            if (!same) ++(n.op == Op::number ? statistics_.folded_to_number : statistics_.merged);
            return found;
        }
        if (const auto constant = small_rational(r)) {
            ++statistics_.folded_to_number;
            return make_number(*constant);
        }
        const bool is_scaled = op == Op::mul && is_number(a);  // the negative of a node must be let in
        if (opposite != 0 && !is_scaled) {
            ++statistics_.merged_negated;
            return neg(opposite);
        }
    } else if (is_keyed_by_shape(op) || !has_residue) {
        if (const auto found = find_shape(op, a, b, c)) return *found;
    }
    const NodeId id = append({.op = op, .flags = flags, .a = a, .b = b, .c = c, .residue = r});
    if (is_keyed_by_shape(op) || !has_residue) insert_shape(id);
    if (has_residue) insert_value(id);
    return id;
}

Rational Pool::number(NodeId id) const {
    const Node& n = node(id);
    assert(n.op == Op::number);
    if (n.c == 0) return big_numbers_[n.a];
    const auto numerator = static_cast<std::int64_t>((std::uint64_t{n.a} << 32) | n.b);
    Rational r;
    r.words()[0] = numerator;
    r.words()[1] = n.c;
    return r;
}

NodeId Pool::make_number(const Rational& value) {
    const auto n = value.small_numerator(), d = value.small_denominator();
    const bool is_small = n && d && *d <= INT32_MAX;
    if (is_small && *d == 1 && size_ > pi_id) {  // most numbers are one of these
        if (*n == 0) return zero_id;
        if (*n == 1) return one_id;
        if (*n == -1) return minus_one_id;
    }
    Node node{.op = Op::number, .flags = 0, .a = 0, .b = 0, .c = 0, .residue = {}};
    if (is_small) {
        node.a = static_cast<NodeId>(static_cast<std::uint64_t>(*n) >> 32);
        node.b = static_cast<NodeId>(*n);
        node.c = static_cast<NodeId>(*d);
        if (const auto found = find_shape(Op::number, node.a, node.b, node.c)) return *found;
    } else {
        const NodeId found = find(by_shape_.slots, spread(value.hash()), [&](NodeId id) {
            const Node& old = this->node(id);
            return old.op == Op::number && old.c == 0 && big_numbers_[old.a] == value;
        });
        if (found != 0) return found;
        node.a = static_cast<NodeId>(big_numbers_.size());
        big_numbers_.push_back(value);
    }
    const auto r1 = value.residue(Field1::p), r2 = value.residue(Field2::p);
    if (r1 && r2) node.residue = {*r1, *r2};
    // The primes are fixed, so a large number can look like a small one; then it has no residue to show.
    const auto looks_like = small_rational(node.residue);
    const bool vanishes = (node.residue.r1 == 0 || node.residue.r2 == 0) && !value.is_zero();
    const bool is_honest = r1 && r2 && !vanishes && (!looks_like || *looks_like == value);
    if (!is_honest) node.flags = Node::no_residue | Node::opaque;
    const NodeId id = append(node);
    insert_shape(id);
    if (is_honest) insert_value(id);
    return id;
}

NodeId Pool::make_symbol(std::string_view name, Role role, Residue r, std::int32_t quaternion) {
    if (!is_name(name)) throw std::invalid_argument("'" + std::string(name) + "' cannot be the name of a symbol");
    const auto index = static_cast<std::uint32_t>(symbols_.size());
    const std::uint8_t flags = quaternion < 0 ? Node::monomial : 0;  // squares of a unit quaternion add up to 1
    const NodeId id = append({.op = Op::symbol, .flags = flags, .a = index, .b = 0, .c = 0, .residue = r});
    insert_value(id);
    symbols_.push_back({.name = std::string(name), .role = role, .node = id, .quaternion = quaternion});
    symbol_index_.emplace(name, index);
    return id;
}

Expr Pool::symbol(std::string_view name, Role role) {
    if (const auto found = symbol_index_.find(std::string(name)); found != symbol_index_.end()) {
        const SymbolInfo& known = symbols_[found->second];
        if (known.role != role) throw std::invalid_argument("the symbol '" + known.name + "' exists in another role");
        return {*this, known.node};
    }
    return {*this, make_symbol(name, role, hashed_residue(options_.seed, {hash_of_name(name), symbol_key}), -1)};
}

std::optional<Expr> Pool::find_symbol(std::string_view name) const {
    const auto found = symbol_index_.find(std::string(name));
    if (found == symbol_index_.end()) return std::nullopt;
    return Expr(const_cast<Pool&>(*this), symbols_[found->second].node);
}

std::array<Expr, 4> Pool::quaternion(const std::array<std::string, 4>& names) {
    for (const std::string& name : names) {
        if (symbol_index_.contains(name)) throw std::invalid_argument("the symbol '" + name + "' exists already");
    }
    // A random point t of space, lifted to the sphere: e0 = (1 − |t|²)/(1 + |t|²), e = 2t/(1 + |t|²).
    const Residue one = residue_of(1);
    std::array<Residue, 3> t;
    std::optional<Residue> scale;
    Residue square;
    for (std::uint64_t draw = 0; !scale; ++draw) {
        square = {};
        for (std::size_t i = 0; i < 3; ++i) {
            t[i] = hashed_residue(options_.seed, {hash_of_name(names[i + 1]), symbol_key}, {draw, draw});
            square = square + t[i] * t[i];
        }
        scale = inverse(one + square);
    }
    const auto group = static_cast<std::int32_t>(quaternions_.size());
    std::array<NodeId, 4> e{};
    e[0] = make_symbol(names[0], Role::coordinate, (one - square) * *scale, group);
    for (std::size_t i = 1; i < 4; ++i) {
        e[i] = make_symbol(names[i], Role::coordinate, residue_of(2) * t[i - 1] * *scale, group);
    }
    quaternions_.push_back({e});
    return {Expr(*this, e[0]), Expr(*this, e[1]), Expr(*this, e[2]), Expr(*this, e[3])};
}

}  // namespace linkwright::sym
