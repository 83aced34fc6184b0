#pragma once
// The pool: where expressions live. Nodes are immutable, unique and numbered; an argument always has a smaller number
// than the node that uses it, so ascending numbers are a topological order and no walk over the graph needs recursion.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "linkwright/sym/rational.hpp"
#include "linkwright/sym/residue.hpp"

namespace linkwright::sym {

class Expr;
using NodeId = std::uint32_t;

/// What a node is. `select(c, a, b)` is written if(c > 0, a, b).
enum class Op : std::uint8_t {
    undefined,
    number,
    pi,
    symbol,
    add,
    mul,
    pow,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    exp,
    log,
    tanh,
    abs,
    sign,
    atan2,
    min,
    max,
    select,
};

/// What a symbol stands for in a mechanism.
enum class Role : std::uint8_t { parameter, coordinate, speed, acceleration, input, multiplier, auxiliary, time, state };

/// 32 bytes. Arguments a, b, c are node numbers; a number keeps its value there, a symbol its index, a power its
/// exponent's node in b. The residue is the node's value at the pool's random point in both fields.
struct Node {
    enum Flag : std::uint8_t {
        opaque = 1,      ///< some part has a hash for a residue (or an angle like x*(y+z)): unequal residues prove nothing
        no_residue = 2,  ///< some denominator vanished at the random point, or the node is undefined
        monomial = 4,    ///< a product of symbols and their integer powers: linearly independent of the other ones
    };
    Op op;
    std::uint8_t flags;
    NodeId a, b, c;
    Residue residue;
};
static_assert(sizeof(Node) == 32);

struct SymbolInfo {
    std::string name;
    Role role;
    NodeId node;
    std::int32_t quaternion;  ///< index of its unit-quaternion group, or −1
};

/// A group of four symbols e0 e1 e2 e3 with |e|² = 1 (Euler parameters).
///
/// The random point puts them on the sphere, so the builder may fold |e|² to 1. That is right for values and for
/// derivatives *along* the sphere (Nᵀ ∂/∂e), which is all that mechanics uses; ∂/∂e0 alone is only known up to a
/// multiple of e0.
struct Quaternion {
    std::array<NodeId, 4> e;
};

/// Hash-consing storage with fingerprints.
///
/// - Equal expressions are one node, so equality is one comparison of handles.
/// - With `fold` on, the builder also uses fingerprints: a node that is zero or a rational constant in disguise becomes
///   that number, one that equals an existing node (or its negative) becomes that node. Off, only the local rewrites of
///   expr.hpp apply; proofs use such a pool, so that they do not trust the points that built the graph.
/// - `seed` fixes the random point: the same seed and names give the same residues in every pool, on every machine.
/// - The destructor frees chunks, not nodes.
///
/// Threads: a pool belongs to one thread at a time. Different pools on different threads do not disturb each other.
/// Reading a pool that nobody builds in is safe from any thread. Expressions must not outlive their pool.
class Pool {
public:
    struct Options {
        bool fold = true;
        std::uint64_t seed = 20'260'131;
    };
    struct Statistics {
        std::uint64_t calls = 0;             ///< build calls that reached the tables
        std::uint64_t folded_to_number = 0;  ///< hidden zeros and constants
        std::uint64_t merged = 0;            ///< hidden duplicates of another shape
        std::uint64_t merged_negated = 0;    ///< hidden duplicates up to sign
    };

    Pool() : Pool(Options{}) {}
    explicit Pool(Options options);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// The pool in which this thread makes numbers and symbols out of nothing: the innermost PoolScope's, else the
    /// thread's own default pool.
    static Pool& current();

    /// The symbol of that name, made when new. It must be a name of the expression language (is_name() in parse.hpp) and
    /// has one role: another spelling, or asking again with another role, throws std::invalid_argument.
    Expr symbol(std::string_view name, Role role = Role::parameter);
    std::optional<Expr> find_symbol(std::string_view name) const;
    /// Four coordinates on the unit sphere. All four names must be new, otherwise std::invalid_argument.
    std::array<Expr, 4> quaternion(const std::array<std::string, 4>& names);

    const Options& options() const { return options_; }
    const Statistics& statistics() const { return statistics_; }
    std::size_t size() const { return size_; }  ///< nodes, numbers and symbols included
    std::size_t bytes() const;                  ///< memory for nodes and tables
    std::span<const SymbolInfo> symbols() const { return symbols_; }
    std::span<const Quaternion> quaternions() const { return quaternions_; }

    // From here on: the floor below Expr, for walks over the graph.
    static constexpr NodeId undefined_id = 0, zero_id = 1, one_id = 2, minus_one_id = 3, pi_id = 4;

    const Node& node(NodeId id) const { return chunks_[id >> chunk_bits][id & chunk_mask]; }
    Op op(NodeId id) const { return node(id).op; }
    Residue residue(NodeId id) const { return node(id).residue; }
    bool is_number(NodeId id) const { return node(id).op == Op::number; }
    Rational number(NodeId id) const;  ///< of a number node
    const SymbolInfo& symbol_info(NodeId id) const { return symbols_[node(id).a]; }

    NodeId make_number(const Rational& value);
    NodeId add(NodeId a, NodeId b);
    NodeId mul(NodeId a, NodeId b);
    NodeId neg(NodeId a) { return mul(minus_one_id, a); }
    NodeId pow(NodeId base, const Rational& exponent);
    NodeId unary(Op op, NodeId a);
    NodeId binary(Op op, NodeId a, NodeId b);  ///< atan2, min, max
    NodeId select(NodeId condition, NodeId a, NodeId b);

    struct AngleTerm {
        NodeId atom;
        Rational factor;
    };
    /// x = Σ factor·atom: sums and rational factors opened, numbers gathered on the atom 1, π an atom, zero terms gone;
    /// atoms ascend. Linear in the sums below x, however shared.
    std::vector<AngleTerm> linear_terms(NodeId x) const;

private:
    static constexpr unsigned chunk_bits = 8;
    static constexpr NodeId chunk_mask = (NodeId{1} << chunk_bits) - 1;

    /// Open addressing over node numbers; 0 is "empty" (the undefined node is never looked up).
    struct Table {
        std::vector<NodeId> slots;
        std::size_t used = 0;
    };
    struct AngleValue {
        Angle angle{};
        std::uint8_t flags = 0;
        /// What is known as a point and not as an exponent: atan2(y, x) with x² + y² = 1 is the point (x, y).
        CosSin beside{residue_of(1), {}};
        AngleValue operator+(const AngleValue& other) const;
        AngleValue operator*(std::int64_t n) const;
        CosSin point() const { return point_of(angle) * beside; }
    };

    // storage
    NodeId append(const Node& node);
    NodeId intern(Op op, NodeId a, NodeId b, NodeId c, Residue r, std::uint8_t flags);
    std::optional<NodeId> find_shape(Op op, NodeId a, NodeId b, NodeId c) const;
    std::uint64_t shape_hash(const Node& node) const;
    void insert_shape(NodeId id);
    void insert_value(NodeId id);
    bool is_keyed_by_shape(Op op) const { return !options_.fold || (op != Op::add && op != Op::mul); }
    NodeId make_symbol(std::string_view name, Role role, Residue r, std::int32_t quaternion);

    // rewrites (build.cpp)
    struct Scaled {  ///< coefficient · rest
        NodeId coefficient, rest;
    };
    struct Powered {  ///< base ^ exponent
        NodeId base, exponent;
    };
    Scaled scaled(NodeId id) const;
    Powered powered(NodeId id) const;
    std::optional<NodeId> add_numbers(NodeId a, NodeId b);
    std::optional<NodeId> mul_numbers(NodeId a, NodeId b);
    NodeId pow_number(const Rational& base, const Rational& exponent);
    NodeId raw_pow(NodeId base, const Rational& exponent);
    std::optional<NodeId> exact_sine(NodeId angle, bool cosine);
    std::optional<NodeId> rewrite_unary(Op op, NodeId a);

    // residues (build.cpp)
    Residue unary_residue(Op op, NodeId a, std::uint8_t& flags);
    Residue power_residue(NodeId base, const Rational& exponent, std::uint8_t& flags) const;
    AngleValue angle_of(NodeId x);
    AngleValue atom_angle(NodeId atom, const Rational& factor);
    std::optional<CosSin> direction(NodeId y, NodeId x);

    Options options_;
    Statistics statistics_;
    std::vector<std::unique_ptr<Node[]>> chunks_;
    std::size_t size_ = 0;
    Table by_value_, by_shape_;
    std::vector<SymbolInfo> symbols_;
    std::unordered_map<std::string, std::uint32_t> symbol_index_;
    std::vector<Quaternion> quaternions_;
    std::vector<Rational> big_numbers_;
    std::unordered_map<NodeId, AngleValue> angles_;  ///< of sums: angle of q1 + … + qn from that of q1 + … + q(n−1)
    NodeId last_angle_ = 0;                          ///< sin and cos of one angle are asked for together
    AngleValue last_angle_value_{};
    CosSin last_point_;
};

/// Makes `pool` this thread's current one while it lives.
class PoolScope {
public:
    explicit PoolScope(Pool& pool);
    ~PoolScope();
    PoolScope(const PoolScope&) = delete;
    PoolScope& operator=(const PoolScope&) = delete;

private:
    Pool* before_;
};

}  // namespace linkwright::sym
