#include "linkwright/formulation/recursive/common_form.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "linkwright/sym/dependency.hpp"

namespace linkwright::formulation::recursive {

namespace {

constexpr std::size_t mountings = 7, first_of_mounting = 2, first_of_core = first_of_mounting + mountings;

Move empty_mounting(std::size_t place) {
    Move move{place < 3 ? Move::Kind::slide : place == 3 ? Move::Kind::rotate : Move::Kind::turn};
    move.axis = place < 3 ? place : place == 5 ? 0 : 2;
    if (place == 3) move.R = spatial::identity();
    return move;
}

class Cutting {
public:
    Cutting(const Task& source, const Branches& branches, std::size_t start, std::span<const std::size_t> shape_class,
            const Motion& carrier)
        : source_(source), l_(source.linkage), branches_(branches), start_(start), likeness_(shape_class) {
        cut_.carrier = carrier;
    }

    Cut cut() {
        const Mounting mounting = recursive::mounting(l_, start_, branches_);
        const FirstLink first = first_link(l_, mounting.core, branches_);
        place_.assign(l_.moves.size(), none);
        push({Move::Kind::root}, none);
        push_carrier();
        for (std::size_t k = 0; k < mountings; ++k) {
            const auto at = std::ranges::find(mounting.place, k);
            if (at == mounting.place.end())
                push(empty_mounting(k), none);
            else
                copy(mounting.moves[at - mounting.place.begin()]);
        }
        const std::size_t mounted = moves().size() - 1;
        for (const std::size_t i : sub_tree(branches_, mounting.core, likeness_)) {
            last_ = i == mounting.core ? mounted : place_[l_.moves[i].inner];
            copy(i);
            if (i == first.joint && first.last == first.joint) add_slide(i);
        }
        std::vector<std::size_t> wheels;  // in the order of the moves, whatever that of the file
        for (std::size_t k = 0; k < l_.wheels.size(); ++k) {
            if (l_.wheels[k].move != none && place_[l_.wheels[k].move] != none) wheels.push_back(k);
        }
        std::ranges::stable_sort(wheels, {}, [&](std::size_t k) { return place_[l_.wheels[k].move]; });
        for (const std::size_t k : wheels) add_wheel(k);
        return std::move(cut_);
    }

private:
    std::vector<Move>& moves() { return cut_.task.linkage.moves; }

    void push(Move move, std::size_t from) {
        Linkage& l = cut_.task.linkage;
        move.inner = move.kind == Move::Kind::root ? 0 : last_;
        last_ = l.moves.size();
        if (from != none) place_[from] = last_;
        l.moves.push_back(std::move(move));
        l.gravity.emplace_back();
        l.moments.push_back(from == none ? Moments{} : l_.moments[from]);
        l.true_moments.push_back(from == none ? Moments{} : l_.true_moments[from]);
        cut_.task.loads.push_back(from == none ? Wrench{} : source_.loads[from]);
        cut_.origin.push_back(from);
    }

    void push_carrier() {
        Move joint{Move::Kind::joint};
        for (std::size_t k = 0; k < 6; ++k) {
            Twist S;
            (k < 3 ? S.w : S.v)[k % 3] = 1;
            joint.ways.push_back({k, S});
            const bool turns = k < 3;
            cut_.task.freedoms.push_back({turns ? cut_.carrier.w[k] : Expr(0), turns ? cut_.carrier.wdot[k] : Expr(0), 0, true});
        }
        push(joint, none);
    }

    void copy(std::size_t i) {
        Move move = l_.moves[i];
        for (Move::MotionAxis& way : move.ways) way.freedom = freedom(way.freedom);
        push(std::move(move), i);
    }

    std::size_t freedom(std::size_t of_source) {
        cut_.freedoms.push_back(of_source);
        cut_.task.freedoms.push_back(source_.freedoms[of_source]);
        return cut_.task.freedoms.size() - 1;
    }

    /// Of no length, and with everything that is fixed to the joint's outer side.
    void add_slide(std::size_t joint) {
        const std::size_t at = place_[joint];
        push(empty_mounting(2), none);
        place_[joint] = last_;
        Linkage& l = cut_.task.linkage;
        std::swap(l.true_moments[at], l.true_moments[last_]);
        std::swap(cut_.task.loads[at], cut_.task.loads[last_]);
    }

    void add_wheel(std::size_t k) {
        Wheel wheel = l_.wheels[k];
        wheel.move = place_[wheel.move];
        if (wheel.freedom) wheel.freedom = freedom(*wheel.freedom);
        cut_.task.linkage.wheels.push_back(wheel);
        cut_.task.wheel_rates.push_back(source_.wheel_rates[k]);
    }

    const Task& source_;
    const Linkage& l_;
    const Branches& branches_;
    std::size_t start_;
    std::span<const std::size_t> likeness_;
    std::vector<std::size_t> place_;  ///< of each move of the source: where it went, or where what is fixed to it went
    std::size_t last_ = 0;
    Cut cut_;
};

bool is_fixed(const Expr& e) {
    return e.is_number() || std::ranges::all_of(sym::symbols_in(e), [](const Expr& s) { return s.symbol().role == sym::Role::parameter; });
}

bool is_same_number(const Expr& a, const Expr& b) {
    return a == b ? a.is_number() : a.is_number() && b.is_number() && a.number() == b.number();
}
bool are_same_number(std::span<const Expr> list) {
    return std::ranges::all_of(list, [&](const Expr& e) { return is_same_number(e, list[0]); });
}

class Generalising {
public:
    explicit Generalising(sym::Pool& pool) : pool_(pool) {}

    Expr operator()(const std::vector<Expr>& list) { return common(list, 0); }

    Expr slot(const std::vector<Expr>& list, bool is_fixed) {
        const auto [at, is_new] = slot_of_.try_emplace(key(list), slots_.size());
        if (is_new) {
            const std::string name = fmt::format("{}{}", is_fixed ? 'k' : 'x', slots_.size());
            slots_.push_back({pool_.symbol(name, is_fixed ? sym::Role::parameter : sym::Role::auxiliary), list});
        }
        return slots_[at->second].symbol;
    }
    std::vector<Slot> slots() && { return std::move(slots_); }

private:
    static constexpr std::size_t deepest = 60;
    using Key = std::vector<std::pair<bool, sym::NodeId>>;
    /// Numbers by their node in the target: the same one in two pools is two nodes.
    static Key key(const std::vector<Expr>& list) {
        Key k;
        for (const Expr& e : list) k.emplace_back(e.is_number(), e.is_number() ? Expr(e.number()).id() : e.id());
        return k;
    }

    Expr common(const std::vector<Expr>& list, std::size_t depth) {  // NOLINT(misc-no-recursion): bounded
        if (are_same_number(list)) return Expr(list[0].number());
        if (std::ranges::all_of(list, is_fixed)) return slot(list, true);
        const Expr& first = list[0];
        const bool is_one = std::ranges::all_of(list, [&](const Expr& e) { return e == first; });
        const bool is_alike = !first.is_symbol() && std::ranges::all_of(list, [&](const Expr& e) {
            return e.op() == first.op() && (first.op() != sym::Op::pow || e.exponent() == first.exponent());
        });
        if (is_one || !is_alike || depth == deepest) return slot(list, false);
        std::vector<Expr> args;
        for (std::size_t k = 0; k < first.arity(); ++k) {
            std::vector<Expr> inner;
            for (const Expr& e : list) inner.push_back(e.arg(k));
            args.push_back(common(inner, depth + 1));
        }
        return sym::rebuild(first, args);
    }

    sym::Pool& pool_;
    std::vector<Slot> slots_;
    std::map<Key, std::size_t> slot_of_;
};

class Form {
public:
    Form(std::span<const Cut> cuts, sym::Pool& pool) : cuts_(cuts), common_(pool) {}

    CommonForm make() {
        form_.task = cuts_[0].task;
        Linkage& l = form_.task.linkage;
        for (std::size_t i = 0; i < l.moves.size(); ++i) {
            unify_move(i);
            unify_moments(l.moments[i], [&](const Task& t) -> const Moments& { return t.linkage.moments[i]; });
            unify_moments(l.true_moments[i], [&](const Task& t) -> const Moments& { return t.linkage.true_moments[i]; });
            unify(form_.task.loads[i], [&](const Task& t) -> const Wrench& { return t.loads[i]; });
            l.gravity[i] = {};
        }
        for (std::size_t k = 0; k < 3; ++k) {
            l.gravity[0][k] = -of_cuts([&](const Cut& c) { return c.carrier.a[k]; });
        }
        for (std::size_t k = 0; k < l.wheels.size(); ++k) {
            const auto wheel = [&](const Task& t) -> const Wheel& { return t.linkage.wheels[k]; };
            unify(l.wheels[k].axis, [&](const Task& t) -> const Vec3& { return wheel(t).axis; });
            l.wheels[k].inertia = of([&](const Task& t) { return wheel(t).inertia; });
            if (l.wheels[k].speed) l.wheels[k].speed = of([&](const Task& t) { return *wheel(t).speed; });
            form_.task.wheel_rates[k] = of([&](const Task& t) { return t.wheel_rates[k]; });
        }
        for (std::size_t k = 0; k < form_.task.freedoms.size(); ++k) {
            Task::Freedom& freedom = form_.task.freedoms[k];
            freedom.u = of([&](const Task& t) { return t.freedoms[k].u; });
            freedom.udot = of([&](const Task& t) { return t.freedoms[k].udot; });
            freedom.tau = of([&](const Task& t) { return t.freedoms[k].tau; });
            freedom.armature = of([&](const Task& t) { return t.freedoms[k].armature; });
        }
        form_.origin = cuts_[0].origin;
        drop_empty_mountings();
        form_.slots = std::move(common_).slots();
        return std::move(form_);
    }

private:
    Expr of_cuts(auto get) {
        const Expr first = get(cuts_[0]);
        if (first.is_number() && std::ranges::all_of(cuts_, [&](const Cut& c) { return is_same_number(get(c), first); }))
            return Expr(first.number());
        std::vector<Expr> list;
        for (const Cut& c : cuts_) list.push_back(get(c));
        return common_(list);
    }
    Expr of(auto get) {
        return of_cuts([&](const Cut& c) { return get(c.task); });
    }
    void unify(Vec3& v, auto get) {
        for (std::size_t k = 0; k < 3; ++k) v[k] = of([&](const Task& t) { return get(t)[k]; });
    }
    void unify(Wrench& F, auto get) {
        unify(F.t, [&](const Task& t) -> const Vec3& { return get(t).t; });
        unify(F.f, [&](const Task& t) -> const Vec3& { return get(t).f; });
    }
    void unify(Mat3& m, auto get) {
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) m[i][j] = of([&](const Task& t) { return get(t)[i][j]; });
        }
    }
    void unify_moments(Moments& a, auto get) {
        a.m = of([&](const Task& t) { return get(t).m; });
        unify(a.h, [&](const Task& t) -> const Vec3& { return get(t).h; });
        unify(a.J, [&](const Task& t) -> const Mat3& { return get(t).J; });
    }

    void unify_move(std::size_t i) {
        Move& move = form_.task.linkage.moves[i];
        const auto source = [&](const Task& t) -> const Move& { return t.linkage.moves[i]; };
        for (std::size_t k = 0; k < move.ways.size(); ++k) {
            unify(move.ways[k].S.w, [&](const Task& t) -> const Vec3& { return source(t).ways[k].S.w; });
            unify(move.ways[k].S.v, [&](const Task& t) -> const Vec3& { return source(t).ways[k].S.v; });
        }
        move.d = of([&](const Task& t) { return source(t).d; });
        unify(move.R, [&](const Task& t) -> const Mat3& { return source(t).R; });
        if (move.kind == Move::Kind::turn) unify_turn(move, source);
    }

    /// A turn that moves is by an angle, whatever its zero; one that is fixed is a cosine and a sine.
    void unify_turn(Move& move, auto source) {
        Move fixed{Move::Kind::turn};
        fixed.axis = move.axis;
        if (move.is_fixed) {
            move.c = move.c0 = of([&](const Task& t) { return source(t).c; });
            move.s = move.s0 = of([&](const Task& t) { return source(t).s; });
            move.q = 0;
            return;
        }
        std::vector<Expr> c, s, angle;
        for (const Cut& cut : cuts_) {
            const Move& m = source(cut.task);
            c.push_back(m.c0), s.push_back(m.s0);
            angle.push_back(m.c0.is_literally(1) && m.s0.is_literally(0) ? m.q : m.q + atan2(m.s0, m.c0));
        }
        const bool is_same = are_same_number(c) && are_same_number(s);
        move.q = is_same ? of([&](const Task& t) { return source(t).q; }) : common_.slot(angle, false);
        move.c0 = is_same ? Expr(c[0].number()) : Expr(1);
        move.s0 = is_same ? Expr(s[0].number()) : Expr(0);
        const std::size_t inner = move.inner;
        move = joined(fixed, move);
        move.inner = inner;
        move.is_fixed = false;
    }

    static bool is_empty(const Move& move) {
        switch (move.kind) {
            case Move::Kind::slide: return move.d.is_literally(0);
            case Move::Kind::turn: return move.c.is_literally(1) && move.s.is_literally(0);
            case Move::Kind::rotate: return move.R == spatial::identity();
            default: return false;
        }
    }

    void drop_empty_mountings() {
        Linkage& l = form_.task.linkage;
        std::vector<std::size_t> place(l.moves.size());
        std::size_t to = 0;
        for (std::size_t i = 0; i < l.moves.size(); ++i) {
            const std::size_t inner = place[l.moves[i].inner];
            if (i >= first_of_mounting && i < first_of_core && is_empty(l.moves[i])) {
                place[i] = inner;
                continue;
            }
            Move move = l.moves[i];
            move.inner = i == 0 ? 0 : inner;
            l.moves[to] = std::move(move);
            l.moments[to] = l.moments[i];
            l.true_moments[to] = l.true_moments[i];
            form_.task.loads[to] = form_.task.loads[i];
            form_.origin[to] = form_.origin[i];
            place[i] = to++;
        }
        l.moves.resize(to), l.moments.resize(to), l.true_moments.resize(to), l.gravity.resize(to);
        form_.task.loads.resize(to), form_.origin.resize(to);
        for (Wheel& wheel : l.wheels) wheel.move = place[wheel.move];
    }

    std::span<const Cut> cuts_;
    Generalising common_;
    CommonForm form_;
};

}  // namespace

Cut cut_out(const Task& source, const Branches& branches, std::size_t start, std::span<const std::size_t> shape_class,
            const Motion& carrier) {
    return Cutting(source, branches, start, shape_class, carrier).cut();
}

CommonForm common_form(std::span<const Cut> cuts, sym::Pool& pool) {
    const sym::PoolScope scope(pool);
    return Form(cuts, pool).make();
}

}  // namespace linkwright::formulation::recursive
