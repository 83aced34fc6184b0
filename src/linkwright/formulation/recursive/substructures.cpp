#include "linkwright/formulation/recursive/substructures.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "linkwright/formulation/armature.hpp"
#include "linkwright/formulation/finish.hpp"
#include "linkwright/formulation/recursive/articulated.hpp"
#include "linkwright/formulation/recursive/common_form.hpp"
#include "linkwright/formulation/recursive/shared_sums.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/parts.hpp"

namespace linkwright::formulation::recursive {

namespace {

using eom::Call;
using eom::Computation;

enum class Mode : std::uint8_t { forward, inverse };

/// A part of the mechanism that is derived at one go: all that is there once, or one chain.
struct Piece {
    std::shared_ptr<sym::Pool> pool;
    Task whole;                       ///< with all that it carries
    std::vector<std::size_t> origin;  ///< of its moves: the mechanism's, or none
    std::vector<std::size_t> shape_class{};
    std::optional<Branches> branches{};
    std::vector<Slot> slots{};         ///< of a chain
    Task task{};                       ///< without what it carries
    std::vector<std::size_t> place{};  ///< of the moves of `whole` in `task`
    struct Carried {
        std::size_t chain, instance;
        std::size_t start;  ///< move of `whole`
        std::size_t at;     ///< move of `task`; none for the ground
        Motion motion;      ///< of the carrier, there
        std::vector<std::size_t> freedoms;
    };
    std::vector<Carried> carried{};
    std::vector<Motion> motion{};  ///< of the moves of `task`
    std::vector<Expr> udot{};      ///< as the motion takes them
};

/// What a routine gives for some values: a result each, unless it is a number anyhow.
class Outlet {
public:
    void add(const Expr& value) { values_.push_back(value); }
    std::vector<Expr> outputs() const {
        std::vector<Expr> list;
        for (const Expr& e : values_) {
            if (!e.is_number()) list.push_back(e);
        }
        return list;
    }
    /// The values as the caller sees them.
    std::vector<Expr> received(std::span<const Expr> results) const {
        std::vector<Expr> list;
        std::size_t next = 0;
        for (const Expr& e : values_) list.push_back(e.is_number() ? Expr(e.number()) : results[next++]);
        return list;
    }

private:
    std::vector<Expr> values_;
};

/// A chain's routines in one mode, for callers to use.
struct Chain {
    bool is_felt = false;  ///< by a carrier; not so when all stand on the ground
    std::size_t inwards = none, outwards = none;
    Outlet in, out;
    std::vector<std::size_t> in_slots;  ///< what the first routine takes
    std::vector<Expr> kept;             ///< of its outputs, those for the second, which takes them first
    std::vector<std::size_t> carrier;   ///< of the carrier's six accelerations, those that the second takes
};

/// The independent entries of an articulated inertia and a wrench.
std::vector<Expr> entries(const Articulated& a, const Wrench& P) {
    std::vector<Expr> list;
    for (const Mat3* m : {&a.I, &a.M}) {
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j <= i; ++j) list.push_back((*m)[i][j]);
        }
    }
    for (const auto& row : a.H.e) list.insert(list.end(), row.begin(), row.end());
    for (std::size_t c = 0; c < 6; ++c) list.push_back(entry(P, c));
    return list;
}
std::pair<Articulated, Wrench> from_entries(std::span<const Expr> list) {
    std::pair<Articulated, Wrench> r;
    std::size_t k = 0;
    for (Mat3* m : {&r.first.I, &r.first.M}) {
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j <= i; ++j) (*m)[i][j] = (*m)[j][i] = list[k++];
        }
    }
    for (auto& row : r.first.H.e) {
        for (Expr& x : row) x = list[k++];
    }
    for (std::size_t c = 0; c < 6; ++c) entry(r.second, c) = list[k++];
    return r;
}
/// Inertias inwards, accelerations outwards, as forward_dynamics does it; but other inertias may hang on a move, and accelerations are
/// asked for there.
class Sweep {
public:
    Sweep(const Task& task, std::span<const Motion> motion, std::span<const Expr> udot)
        : task_(task),
          l_(task.linkage),
          motion_(motion),
          a_(udot.begin(), udot.end()),
          P_(own_wrenches(task, motion, udot)),
          is_number_(l_.moves.size()),
          branches_(l_.moves.size()),
          pivots_(l_.moves.size()),
          A_(l_.moves.size()) {
        for (std::size_t i = 0; i < l_.moves.size(); ++i) {
            IA_.push_back(of_body(l_.true_moments[i]));
            bool is = true;
            for_each_entry(IA_.back(), [&](const Expr& x) { is = is && is_constant(x); });
            is_number_[i] = is;
            ++branches_[l_.moves[i].inner];
        }
        for (const Wheel& wheel : l_.wheels) {
            if (!wheel.freedom || wheel.move == none) continue;
            is_number_[wheel.move] = false;
            IA_[wheel.move].I += (-wheel.inertia) * spatial::outer(wheel.axis, wheel.axis);
            P_[wheel.move].t += (task.freedoms[*wheel.freedom].tau - wheel.inertia * dot(wheel.axis, motion[wheel.move].wdot)) * wheel.axis;
        }
    }

    void hang_on(std::size_t move, const Articulated& a, const Wrench& P) {
        IA_[move] = IA_[move] + a;
        P_[move] = {sum(P_[move].t, P.t), sum(P_[move].f, P.f)};
        is_number_[move] = false;
        ++branches_[move];
    }

    void go_inwards() {
        find_exchanges();
        for (std::size_t i = l_.moves.size(); i-- > 0;) {
            const Move& move = l_.moves[i];
            if (move.kind == Move::Kind::root) continue;
            eliminate_at(i);
            if (l_.moves[move.inner].kind == Move::Kind::root) continue;
            IA_[move.inner] = IA_[move.inner] + inwards(move, IA_[i]);
            const bool is_plain = move.is_fixed && move.kind != Move::Kind::rotate && is_constant(move.d) && is_constant(move.c);
            if (!is_number_[i] || (move.kind != Move::Kind::joint && !is_plain)) is_number_[move.inner] = false;
            const Wrench in = inwards(move, P_[i]);
            P_[move.inner] = {sum(P_[move.inner].t, in.t), sum(P_[move.inner].f, in.f)};
        }
    }
    const Articulated& inertia(std::size_t move) const { return IA_[move]; }
    const Wrench& bias(std::size_t move) const { return P_[move]; }

    /// `carrier` is what the outer side of move 1 does beyond its motion, if that is a carrier.
    std::vector<Expr> go_outwards(const std::optional<Twist>& carrier) {
        for (std::size_t i = 0; i < l_.moves.size(); ++i) {
            const Move& move = l_.moves[i];
            if (move.kind == Move::Kind::root) continue;
            const Twist& in = A_[move.inner];
            if (move.kind == Move::Kind::slide) {
                A_[i] = in;
                const std::size_t x = (move.axis + 1) % 3, y = (move.axis + 2) % 3;
                A_[i].v[x] += move.d * in.w[y];
                A_[i].v[y] -= move.d * in.w[x];
            } else {
                A_[i] = {outwards(move, in.w), outwards(move, in.v)};
            }
            if (i == 1 && carrier) A_[i] = *carrier;
            for (std::size_t k = pivots_[i].size(); k-- > 0;) a_[pivots_[i][k].freedom] = joint_acceleration(pivots_[i][k], A_[i]);
        }
        for (const Wheel& wheel : l_.wheels) {
            if (!wheel.freedom) continue;
            const Vec3 alpha = wheel.move == none ? Vec3{} : motion_[wheel.move].wdot + A_[wheel.move].w;
            a_[*wheel.freedom] = task_.freedoms[*wheel.freedom].tau / wheel.inertia - dot(wheel.axis, alpha);
        }
        return a_;
    }
    const Twist& acceleration(std::size_t move) const { return A_[move]; }

private:
    /// Turns about the axis of a joint and fixed slides along it change places with the joint.
    void find_exchanges() {
        joint_at_.resize(l_.moves.size());
        for (std::size_t i = 0; i < l_.moves.size(); ++i) joint_at_[i] = i;
        for (std::size_t i = 0; i < l_.moves.size(); ++i) {
            const Move& move = l_.moves[i];
            const bool may_change = move.kind == Move::Kind::turn || (move.kind == Move::Kind::slide && move.is_fixed);
            const std::size_t j = may_change ? joint_at_[move.inner] : none;
            if (j == none || l_.moves[j].ways.size() != 1 || !l_.true_moments[move.inner].is_zero()) continue;
            if (direction(l_.moves[j].ways[0].S).c == move.axis && branches_[move.inner] == 1) {
                joint_at_[i] = j;
                joint_at_[move.inner] = none;
            }
        }
    }

    void eliminate_at(std::size_t i) {
        const std::size_t j = joint_at_[i];
        if (j == none) return;
        const std::vector<Move::MotionAxis>& ways = l_.moves[j].ways;
        for (std::size_t k = ways.size(); k-- > 0;) {
            if (task_.freedoms[ways[k].freedom].is_given) continue;
            Expr beside = 0;
            for (std::size_t b = i; b != j;) {
                b = l_.moves[b].inner;
                beside = sum(beside, entry(P_[b], l_.moves[i].axis));
                entry(P_[b], l_.moves[i].axis) = 0;
            }
            const Task::Freedom& freedom = task_.freedoms[ways[k].freedom];
            if (!is_constant(freedom.armature)) is_number_[i] = false;
            pivots_[i].push_back(eliminate(ways[k], {freedom.tau, beside, freedom.armature}, is_number_[i], IA_[i], P_[i]));
        }
    }

    const Task& task_;
    const Linkage& l_;
    std::span<const Motion> motion_;
    std::vector<Expr> a_;
    std::vector<Wrench> P_;
    std::vector<Articulated> IA_;
    std::vector<bool> is_number_;
    std::vector<std::size_t> branches_, joint_at_;
    std::vector<std::vector<Pivot>> pivots_;
    std::vector<Twist> A_;
};

/// One mode of the whole mechanism.
class Derivation {
public:
    Derivation(std::shared_ptr<sym::Pool> pool, const Task& task, const Repeated& repeated, Mode mode, std::vector<eom::Routine>& routines)
        : repeated_(repeated), mode_(mode), routines_(routines), chains_(repeated.chains.size()) {
        Piece main{std::move(pool), task, {}};
        for (std::size_t i = 0; i < task.linkage.moves.size(); ++i) main.origin.push_back(i);
        pieces_.push_back(std::move(main));
        take_rest(0);
        for (std::size_t c = 0; c < chains_.size(); ++c) make_piece(c);
        for (std::size_t c = chains_.size(); c-- > 0;) make_routines(c);
    }

    /// Of all freedoms.
    Computation main() {
        Piece& piece = pieces_[0];
        const sym::PoolScope scope(*piece.pool);
        Computation r{piece.pool, {}, {}};
        if (mode_ == Mode::inverse) {
            r.values = run_inverse(piece, r.calls);
        } else {
            Sweep sweep = run_inwards(piece, r.calls);
            r.values = run_outwards(piece, sweep, std::nullopt, r.calls);
        }
        return r;
    }

private:
    // ------------------------------------------------------------------------------------------------------------ pieces

    Piece& piece_of(std::size_t owner) { return pieces_[owner == none ? 0 : owner + 1]; }

    /// The piece without its chains, and how it moves.
    void take_rest(std::size_t number) {
        Piece& piece = pieces_[number];
        const sym::PoolScope scope(*piece.pool);
        const Linkage& l = piece.whole.linkage;
        for (const std::size_t i : piece.origin) piece.shape_class.push_back(i == none ? 0 : repeated_.shape_class[i]);
        piece.branches.emplace(l);
        std::vector<bool> is_carried(l.moves.size());
        std::vector<std::size_t> here(repeated_.shape_class.size(), none);  // where moves of the mechanism stand in this piece
        for (std::size_t i = 0; i < piece.origin.size(); ++i) {
            if (piece.origin[i] != none) here[piece.origin[i]] = i;
        }
        for (std::size_t c = 0; c < repeated_.chains.size(); ++c) {
            const auto& instances = repeated_.chains[c].instances;
            for (std::size_t k = 0; k < instances.size(); ++k) {
                if ((instances[k].owner == none ? 0 : instances[k].owner + 1) != number) continue;
                const std::size_t start = here[instances[k].start];
                for (const std::size_t i : sub_tree(*piece.branches, start, piece.shape_class)) is_carried[i] = true;
                piece.carried.push_back({c, k, start, none, {}, {}});
            }
        }
        piece.task.freedoms = piece.whole.freedoms;
        piece.place.assign(l.moves.size(), none);
        Linkage& rest = piece.task.linkage;
        for (std::size_t i = 0; i < l.moves.size(); ++i) {
            if (is_carried[i]) continue;
            piece.place[i] = rest.moves.size();
            rest.moves.push_back(l.moves[i]);
            rest.moves.back().inner = piece.place[l.moves[i].inner];
            rest.gravity.push_back(l.gravity[i]);
            rest.moments.push_back(l.moments[i]);
            rest.true_moments.push_back(l.true_moments[i]);
            piece.task.loads.push_back(piece.whole.loads[i]);
        }
        for (std::size_t k = 0; k < l.wheels.size(); ++k) {
            if (l.wheels[k].move != none && is_carried[l.wheels[k].move]) continue;
            rest.wheels.push_back(l.wheels[k]);
            if (rest.wheels.back().move != none) rest.wheels.back().move = piece.place[rest.wheels.back().move];
            piece.task.wheel_rates.push_back(piece.whole.wheel_rates[k]);
        }
        for (const Task::Freedom& freedom : piece.task.freedoms) {
            piece.udot.push_back(mode_ == Mode::inverse || freedom.is_given ? freedom.udot : Expr(0));
        }
        piece.motion = motions(piece.task, piece.udot);
        for (Piece::Carried& c : piece.carried) {
            const Move& start = l.moves[c.start];
            if (start.kind == Move::Kind::root) {
                c.motion.a = -l.gravity[c.start];
            } else {
                c.at = piece.place[start.inner];
                c.motion = piece.motion[c.at];
                chains_[c.chain].is_felt = true;
            }
        }
    }

    void make_piece(std::size_t chain) {
        const auto& instances = repeated_.chains[chain].instances;
        std::vector<Cut> cuts(instances.size());
        for (Piece& owner : pieces_) {
            const sym::PoolScope scope(*owner.pool);
            for (Piece::Carried& c : owner.carried) {
                if (c.chain != chain) continue;
                cuts[c.instance] = cut_out(owner.whole, *owner.branches, c.start, owner.shape_class, c.motion);
                c.freedoms = cuts[c.instance].freedoms;
            }
        }
        Piece piece{std::make_shared<sym::Pool>(pieces_[0].pool->options()), {}, {}};
        CommonForm form = common_form(cuts, *piece.pool);
        piece.whole = std::move(form.task);
        piece.slots = std::move(form.slots);
        for (const std::size_t i : form.origin) piece.origin.push_back(i == none ? none : piece_of(instances[0].owner).origin[i]);
        pieces_.push_back(std::move(piece));
        take_rest(pieces_.size() - 1);
    }

    // ---------------------------------------------------------------------------------------------------------- routines

    std::vector<Expr> results(const Piece& piece, std::size_t count) {
        std::vector<Expr> list;
        const char* letters = mode_ == Mode::forward ? "forward" : "inverse";
        for (std::size_t k = 0; k < count; ++k) {  // a name that no model has
            list.push_back(piece.pool->symbol(fmt::format("{}{}'''", letters, ++symbols_), sym::Role::auxiliary));
        }
        return list;
    }

    const std::vector<Expr>& call_inwards(const Piece& piece, const Piece::Carried& c, std::vector<Call>& calls) {
        const Chain& chain = chains_[c.chain];
        Call call{chain.inwards, {}, {}};
        for (const std::size_t s : chain.in_slots) call.arguments.push_back(pieces_[c.chain + 1].slots[s].arguments[c.instance]);
        call.results = results(piece, routines_[chain.inwards].body.values.size());
        calls.push_back(std::move(call));
        return calls.back().results;
    }

    /// M u̇ − f of all the piece's freedoms.
    std::vector<Expr> run_inverse(Piece& piece, std::vector<Call>& calls) {
        std::vector<std::pair<const Piece::Carried*, std::vector<Expr>>> answers;
        for (const Piece::Carried& c : piece.carried) {
            const Chain& chain = chains_[c.chain];
            answers.emplace_back(&c, chain.in.received(call_inwards(piece, c, calls)));
            if (c.at == none) continue;
            const std::vector<Expr>& W = answers.back().second;
            for (std::size_t k = 0; k < 6; ++k) entry(piece.task.loads[c.at], k) -= W[k];
        }
        std::vector<Expr> r = inverse_dynamics(piece.task, piece.udot);
        for (const auto& [c, values] : answers) {
            const std::size_t first = chains_[c->chain].is_felt ? 6 : 0;
            for (std::size_t k = 0; k < c->freedoms.size(); ++k) r[c->freedoms[k]] = values[first + k];
        }
        return r;
    }

    Sweep run_inwards(Piece& piece, std::vector<Call>& calls) {
        Sweep sweep(piece.task, piece.motion, piece.udot);
        for (const Piece::Carried& c : piece.carried) {
            const std::vector<Expr> values = chains_[c.chain].in.received(call_inwards(piece, c, calls));
            if (c.at == none) continue;
            const auto [a, P] = from_entries(values);
            sweep.hang_on(c.at, a, P);
        }
        sweep.go_inwards();
        return sweep;
    }

    /// The first calls of `calls` are those of run_inwards.
    std::vector<Expr> run_outwards(Piece& piece, Sweep& sweep, const std::optional<Twist>& carrier, std::vector<Call>& calls) {
        std::vector<Expr> a = sweep.go_outwards(carrier);
        for (std::size_t i = 0; i < piece.carried.size(); ++i) {
            const Piece::Carried& c = piece.carried[i];
            const Chain& chain = chains_[c.chain];
            std::vector<Expr> values;
            if (chain.is_felt) {
                const std::vector<Expr>& answer = calls[i].results;
                Call call{chain.outwards, {answer.end() - static_cast<std::ptrdiff_t>(chain.kept.size()), answer.end()}, {}};
                for (const std::size_t k : chain.carrier)
                    call.arguments.push_back(c.at == none ? Expr(0) : entry(sweep.acceleration(c.at), k));
                call.results = results(piece, routines_[chain.outwards].body.values.size());
                values = chain.out.received(call.results);
                late_.push_back(std::move(call));
            } else {
                values = chain.in.received(calls[i].results);
            }
            for (std::size_t k = 0; k < c.freedoms.size(); ++k) a[c.freedoms[k]] = values[k];
        }
        for (Call& call : late_) calls.push_back(std::move(call));
        late_.clear();
        return a;
    }

    void make_routines(std::size_t number) {
        Piece& piece = pieces_[number + 1];
        Chain& chain = chains_[number];
        const sym::PoolScope scope(*piece.pool);
        std::vector<Call> calls;
        if (mode_ == Mode::inverse) {
            const std::vector<Expr> r = run_inverse(piece, calls);
            for (std::size_t k = chain.is_felt ? 0 : 6; k < r.size(); ++k) chain.in.add(r[k]);
            chain.inwards = add_routine(number, "inverse", "The forces missing in a chain, and the wrench that it needs from its carrier.",
                                        piece, {piece.pool, std::move(calls), chain.in.outputs()}, chain.in_slots);
            return;
        }
        Sweep sweep = run_inwards(piece, calls);
        if (!chain.is_felt) {
            const std::vector<Expr> a = run_outwards(piece, sweep, std::nullopt, calls);
            for (std::size_t k = 6; k < a.size(); ++k) chain.in.add(a[k]);
            chain.inwards = add_routine(number, "forward", "Accelerations of a chain on the ground.", piece,
                                        {piece.pool, std::move(calls), chain.in.outputs()}, chain.in_slots);
            return;
        }
        for (const Expr& e : entries(sweep.inertia(1), sweep.bias(1))) chain.in.add(e);
        Twist carrier;
        std::vector<Expr> carrier_symbols;
        for (std::size_t k = 0; k < 6; ++k) {
            carrier_symbols.push_back(entry(carrier, k) = piece.pool->symbol(fmt::format("carrier{}", k), sym::Role::auxiliary));
        }
        const std::size_t early = calls.size();
        const std::vector<Expr> a = run_outwards(piece, sweep, carrier, calls);
        for (std::size_t k = 6; k < a.size(); ++k) chain.out.add(a[k]);
        std::vector<Call> late(std::make_move_iterator(calls.begin() + static_cast<std::ptrdiff_t>(early)),
                               std::make_move_iterator(calls.end()));
        calls.resize(early);

        // What the second routine needs of the first.
        std::vector<Expr> wanted = chain.out.outputs(), known;
        for (const Call& call : late) wanted.insert(wanted.end(), call.arguments.begin(), call.arguments.end());
        for (const Slot& slot : piece.slots) known.push_back(slot.symbol);
        for (const Call& call : calls) known.insert(known.end(), call.results.begin(), call.results.end());
        chain.kept = sym::parts_known(wanted, known);
        Computation first{piece.pool, std::move(calls), chain.in.outputs()};
        first.values.insert(first.values.end(), chain.kept.begin(), chain.kept.end());
        chain.inwards =
            add_routine(number, "inwards", "Articulated inertia and bias wrench of a chain at its carrier, and what `outwards` takes.",
                        piece, std::move(first), chain.in_slots);

        eom::Routine second{
            fmt::format("chain_{}_outwards", number + 1), "Accelerations of a chain, when its carrier accelerates.", {}, {}, {}};
        second.inputs = chain.kept;
        std::unordered_set<sym::NodeId> used;
        for (const Expr& e : wanted) {
            for (const Expr& s : sym::symbols_in(e)) used.insert(s.id());
        }
        for (std::size_t k = 0; k < 6; ++k) {
            if (used.contains(carrier_symbols[k].id())) second.inputs.push_back(carrier_symbols[k]), chain.carrier.push_back(k);
        }
        second.is_fixed.assign(second.inputs.size(), false);
        second.body = {piece.pool, std::move(late), chain.out.outputs()};
        chain.outwards = routines_.size();
        routines_.push_back(std::move(second));
    }

    /// Its inputs are the slots that are used.
    std::size_t add_routine(std::size_t number, const char* name, const char* about, const Piece& piece, Computation body,
                            std::vector<std::size_t>& slots) {
        std::unordered_set<sym::NodeId> used;
        const auto look = [&](const Expr& e) {
            for (const Expr& s : sym::symbols_in(e)) used.insert(s.id());
        };
        std::ranges::for_each(body.values, look);
        for (const Call& call : body.calls) std::ranges::for_each(call.arguments, look);
        eom::Routine routine{fmt::format("chain_{}_{}", number + 1, name), about, {}, {}, std::move(body)};
        for (std::size_t k = 0; k < piece.slots.size(); ++k) {
            const Expr& symbol = piece.slots[k].symbol;
            if (!used.contains(symbol.id())) continue;
            routine.inputs.push_back(symbol);
            routine.is_fixed.push_back(symbol.symbol().role == sym::Role::parameter);
            slots.push_back(k);
        }
        routines_.push_back(std::move(routine));
        return routines_.size() - 1;
    }

    const Repeated& repeated_;
    Mode mode_;
    std::vector<eom::Routine>& routines_;
    std::vector<Chain> chains_;
    std::vector<Piece> pieces_;
    std::vector<Call> late_;
    std::size_t symbols_ = 0;
};

/// The values of the freedoms that are free, given motions put in; at rest, u̇ = 0 as well.
Computation settled(const System& system, Computation c, bool is_at_rest) {
    const Mechanism& m = system.mechanism;
    std::vector<Expr> values;
    for (std::size_t i = 0; i < c.values.size(); ++i) {
        if (!m.freedoms[i].given) values.push_back(c.values[i]);
    }
    c.values = std::move(values);
    if (m.given.empty() && !is_at_rest) return c;
    const std::shared_ptr<sym::Pool> pool = pool_with_symbols(system);
    sym::Transplant of_model(*pool), put_in(*pool);
    for (const sym::Binding& b : m.given) of_model.replace(b.first, of_model(b.second));
    const auto replace = [&](const Expr& symbol, const Expr& by) {
        put_in.replace(c.pool->symbol(symbol.symbol().name, symbol.symbol().role), by);
    };
    for (const sym::Binding& b : m.given) replace(b.first, of_model(b.first));
    for (const kinematics::Freedom& f : m.freedoms) {
        if (is_at_rest && !f.given) replace(f.udot, 0);
    }
    const auto move = [&](Expr& e) { e = put_in(e); };
    for (Call& call : c.calls) std::ranges::for_each(call.arguments, move), std::ranges::for_each(call.results, move);
    std::ranges::for_each(c.values, move);
    c.pool = pool;
    return c;
}

}  // namespace

std::optional<eom::Substructures> substructures(const model::Model& model, const topology::Topology& topology) {
    const sym::PoolScope scope(*model.pool);
    const System system = set_up(model, topology);
    if (!system.problems.empty() || !system.rows.empty() || !model.speeds.empty() || has_mass_inside(system.mechanism)) return std::nullopt;
    if (has_armature_across(system)) return std::nullopt;
    const Task task = recursive::task(system);
    const Repeated repeated = find_repeated(task);
    if (repeated.chains.empty()) return std::nullopt;

    eom::Substructures result;
    const Branches branches(task.linkage);
    for (const Repeated::Chain& chain : repeated.chains) {
        eom::RepeatedChain named{chain.freedoms, {}};
        for (const Repeated::Instance& instance : chain.instances) {
            for (const std::size_t i : sub_tree(branches, instance.start, repeated.shape_class)) {
                if (task.linkage.moves[i].ways.empty()) continue;
                named.speeds.push_back(task.freedoms[task.linkage.moves[i].ways[0].freedom].u.symbol().name);
                break;
            }
        }
        result.chains.push_back(std::move(named));
    }
    const std::shared_ptr<sym::Pool> pool = pool_with_symbols(system);
    const Task here = copy(task, *pool);
    result.accelerations = settled(system, Derivation(pool, here, repeated, Mode::forward, result.routines).main(), false);
    const Computation inverse = Derivation(pool, here, repeated, Mode::inverse, result.routines).main();
    result.inverse = settled(system, inverse, false);
    result.forcing = settled(system, inverse, true);
    for (Expr& f : result.forcing.values) f = -f;
    return result;
}

}  // namespace linkwright::formulation::recursive
