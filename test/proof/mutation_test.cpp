// Every term of M and f of every formulation is changed, one at a time, and prove must see it. A change that is not seen must be
// one that changes nothing: such survivors are listed.

#include <fmt/format.h>
#include <cstdlib>

#include <cmath>
#include <iostream>

#include "linkwright/proof/maximal.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/substitute.hpp"
#include "proof/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright::proof {
namespace {

using sym::Op;

struct Mutation {
    std::string what;
    Expr node, changed;
};

/// Another symbol of the same role: the index that was mistaken.
std::optional<Expr> neighbour(const Expr& symbol) {
    sym::Pool& pool = symbol.pool();
    std::optional<Expr> first;
    bool is_past = false;
    for (const sym::SymbolInfo& s : pool.symbols()) {
        if (s.node == symbol.id()) {
            is_past = true;
        } else if (s.role == symbol.symbol().role) {
            if (is_past) return Expr(pool, s.node);
            if (!first) first = Expr(pool, s.node);
        }
    }
    return first;
}

/// Signs, dropped terms, factors of two and mistaken indices, of every sum and product below the roots.
std::vector<Mutation> mutations(std::span<const Expr> roots) {
    std::vector<Mutation> list;
    for (const Expr& e : sym::nodes_below(roots)) {
        const auto add = [&](std::string what, const Expr& changed) {
            if (!(changed == e)) list.push_back({std::move(what), e, changed});
        };
        if (e.op() == Op::add) {
            for (std::size_t k = 0; k < 2; ++k) {
                const Expr term = e.arg(k), rest = e.arg(1 - k);
                add("term dropped", rest);
                add("sign of a term", rest - term);
                add("term doubled", rest + 2 * term);
            }
        } else if (e.op() == Op::mul) {
            for (std::size_t k = 0; k < 2; ++k) {
                const Expr factor = e.arg(k), rest = e.arg(1 - k);
                add("factor dropped", rest);
                if (!factor.is_symbol()) continue;
                if (const auto other = neighbour(factor)) add("index of " + factor.symbol().name, rest * *other);
            }
        } else if (e.op() == Op::sin) {
            add("cosine for a sine", cos(e.arg(0)));
        } else if (e.op() == Op::cos) {
            add("sine for a cosine", sin(e.arg(0)));
        } else if (e.op() == Op::pow) {
            add("power by one more", e * e.arg(0));
        }
    }
    for (const Expr& root : roots) {
        if (!root.is_literally(0)) list.push_back({"sign of an entry", root, -root}), list.push_back({"entry doubled", root, 2 * root});
    }
    return list;
}

std::vector<Entry> mass_and_force(const EquationsOfMotion& e) {
    std::vector<Entry> list;
    for (Entry& entry : entries(e)) {
        if (entry.kind == EntryKind::mass || entry.kind == EntryKind::force) list.push_back(std::move(entry));
    }
    return list;
}

std::vector<Expr> values(const std::vector<Entry>& entries) {
    std::vector<Expr> list;
    for (const Entry& e : entries) list.push_back(e.value);
    return list;
}

/// Whether two lists of expressions have the same values at a few real points.
bool are_the_same_numbers(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    for (std::uint64_t draw = 10; draw < 14; ++draw) {
        const auto at = [&](const Expr& s) { return real_value(s, draw); };
        const auto x = sym::evaluate<double>(a, at), y = sym::evaluate<double>(b, at);
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (!(std::abs(x[i] - y[i]) <= 1e-10 * (1 + std::abs(x[i])))) return false;
        }
    }
    return true;
}

/// What a formulation says to its rival: M and f, or in maximal coordinates what they become for the joints. There a change of what
/// only hinges feel is seen in their wrenches, in trees; in loops it is one that changes nothing.
struct Statement {
    std::vector<Entry> entries;
    explicit Statement(const EquationsOfMotion& e) {
        if (e.reduction) {
            for (Entry& entry : project(e).entries) {
                if (entry.kind == EntryKind::mass || entry.kind == EntryKind::force) entries.push_back(std::move(entry));
            }
        } else {
            entries = mass_and_force(e);
        }
    }
};

std::vector<Entry> acting(const EquationsOfMotion& e) {  // M u̇ and f
    std::vector<Entry> list;
    const sym::PoolScope scope(*e.pool);
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        Expr sum = 0;
        for (std::size_t j = 0; j < e.u.size(); ++j) sum += e.M[i][j] * e.udot[j];
        list.push_back({EntryKind::mass, speed_name("M u'", e.u[i]), sum});
        list.push_back({EntryKind::force, speed_name("f", e.u[i]), e.f[i]});
    }
    return list;
}

EquationsOfMotion mutated(const EquationsOfMotion& e, const Mutation& m) {
    EquationsOfMotion wrong = e;
    sym::Substitution mutate({sym::Binding{m.node, m.changed}});
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        for (std::size_t j = i; j < e.u.size(); ++j) wrong.M[i][j] = wrong.M[j][i] = mutate(e.M[i][j]);
        wrong.f[i] = mutate(e.f[i]);
    }
    return wrong;
}

class OfModel : public ::testing::TestWithParam<const char*> {};

TEST_P(OfModel, EveryMutationOfEveryFormulationIsCaught) {
    const Subject subject = Subject::read(project_root() + "/models/" + GetParam());
    constexpr std::uint64_t seed = 3;
    const EquationsOfMotion kane = carried(subject.derive("kane"), seed);
    for (const formulation::Formulation& f : formulation::formulations()) {
        SCOPED_TRACE(f.name);
        const EquationsOfMotion e = carried(subject.derive(f.name), seed);
        const sym::PoolScope scope(*e.pool);
        const Side rival = make_side("rival", e.reduction ? acting(kane) : mass_and_force(kane), 2);
        const std::vector<Entry> right = Statement(e).entries;
        ASSERT_EQ(judge(make_side("right", right, 2), rival).verdict, Verdict::equal);
        std::size_t caught = 0, survivors = 0;
        const std::vector<Mutation> all = mutations(values(mass_and_force(e)));
        const bool is_thorough = std::getenv("MUTATIONS") != nullptr;  // MUTATIONS=all: every one; otherwise of large graphs a part
        const std::size_t step = is_thorough ? 1 : std::max<std::size_t>(1, all.size() / 400);
        for (std::size_t i = 0; i < all.size(); i += step) {
            const Mutation& m = all[i];
            const EquationsOfMotion wrong_equations = mutated(e, m);
            const std::vector<Entry> wrong = Statement(wrong_equations).entries;
            Pair pair = judge(make_side("wrong", wrong, 2), rival);
            if (e.reduction && pair.verdict == Verdict::equal) pair = at_solution("kane", kane, "wrong", project(wrong_equations), 2);
            if (pair.verdict == Verdict::different) {
                ++caught;
                ASSERT_TRUE(pair.difference);
                EXPECT_NE(pair.difference->a, pair.difference->b);
                continue;
            }
            ++survivors;
            const std::string where = print(m.node, {.style = sym::Style::text, .longest = 120});
            EXPECT_TRUE(are_the_same_numbers(values(wrong), values(right))) << m.what << " in " << where;
            std::cout << fmt::format("  survivor in {}: {} in {} changes nothing\n", f.name, m.what, where);
        }
        EXPECT_GT(caught, 5U);
        std::cout << fmt::format("{}: {} mutations caught, {} change nothing\n", f.name, caught, survivors);
    }
}

INSTANTIATE_TEST_SUITE_P(Zoo, OfModel,
                         ::testing::Values("double_pendulum/model.toml", "four_bar/model.toml", "gyrostat/model.toml",
                                           "rolling_disk/model.toml", "spinning_top/spherical.toml", "ship_pendulum/model.toml",
                                           "cart_pole/model.toml"));

}  // namespace
}  // namespace linkwright::proof
