#include "linkwright/formulation/recursive/repeated.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace linkwright::formulation::recursive {

namespace {

/// A number that has rules of its own, or any other expression.
char pattern(const Expr& e) { return e.is_literally(0) ? '0' : e.is_literally(1) ? '1' : e.is_literally(-1) ? '-' : 'x'; }
std::string pattern(const Vec3& v) { return {pattern(v[0]), pattern(v[1]), pattern(v[2])}; }
std::string pattern(const Mat3& m) { return pattern(Vec3{m.e[0]}) + pattern(Vec3{m.e[1]}) + pattern(Vec3{m.e[2]}); }
std::string pattern(const Moments& a) {
    std::string text = pattern(a.m) + pattern(a.h) + pattern(a.J);
    for (char& x : text) x = x == '0' ? '0' : 'x';
    return text;
}

class Search {
public:
    explicit Search(const Task& task)
        : task_(task),
          l_(task.linkage),
          branches_(l_),
          outer_(branches_.outer),
          wheels_(l_.moves.size()),
          size_(l_.moves.size()),
          freedoms_(l_.moves.size()) {
        for (std::size_t k = 0; k < l_.wheels.size(); ++k) {
            if (l_.wheels[k].move != none) wheels_[l_.wheels[k].move].push_back(k);
        }
        result_.shape_class.resize(l_.moves.size());
        for (std::size_t i = l_.moves.size(); i-- > 0;) {
            size_[i] = 1;
            freedoms_[i] = l_.moves[i].ways.size();
            for (const std::size_t w : wheels_[i]) freedoms_[i] += l_.wheels[w].freedom ? 1 : 0;
            for (const std::size_t o : outer_[i]) size_[i] += size_[o], freedoms_[i] += freedoms_[o];
            result_.shape_class[i] = number(describe(i) + describe_outer(i));
        }
    }

    Repeated find() {
        // Candidates by likeness, larger ones first. What lies in an instance other than the first is no candidate any more.
        struct Candidate {
            std::size_t start, freedoms, key;
        };
        std::vector<Candidate> all;
        for (std::size_t i = 0; i < l_.moves.size(); ++i) {
            if (freedoms_[i] > 0 && may_start(i)) all.push_back({i, freedoms_[i], number(key(i))});
        }
        std::ranges::stable_sort(
            all, [](const Candidate& a, const Candidate& b) { return a.freedoms != b.freedoms ? a.freedoms > b.freedoms : a.key < b.key; });
        owner_.assign(l_.moves.size(), none);
        is_gone_.assign(l_.moves.size(), false);
        for (std::size_t from = 0, to = 0; from < all.size(); from = to) {
            std::vector<std::size_t> starts;
            for (to = from; to < all.size() && all[to].key == all[from].key; ++to) {
                if (!is_gone_[all[to].start]) starts.push_back(all[to].start);
            }
            if (is_worth(starts.size(), all[from].freedoms)) add(starts, all[from].freedoms);
        }
        return std::move(result_);
    }

private:
    /// Likely to be shorter with a routine: a freedom is about this many lines, a call with all it passes and what is done with that about
    /// as many.
    static bool is_worth(std::size_t instances, std::size_t freedoms) {
        constexpr std::size_t per_freedom = 130, per_call = 70;
        return instances > 1 && (instances - 1) * freedoms * per_freedom > instances * per_call;
    }

    void add(const std::vector<std::size_t>& starts, std::size_t freedoms) {
        Repeated::Chain chain{{}, freedoms};
        for (const std::size_t start : starts) chain.instances.push_back({owner_[start], start});
        const std::size_t number = result_.chains.size();
        for (const std::size_t start : starts) {
            for (const std::size_t i : sub_tree(branches_, start, result_.shape_class)) {
                if (start == starts[0] && i != start) owner_[i] = number;
                if (start != starts[0] || i == start) is_gone_[i] = true;
            }
        }
        result_.chains.push_back(std::move(chain));
    }

    /// Where a branch leaves its carrier, or the ground.
    bool may_start(std::size_t i) const {
        if (l_.moves[i].kind == Move::Kind::root) return true;
        const std::size_t inner = l_.moves[i].inner;
        return outer_[inner].size() > 1 || !l_.true_moments[inner].is_zero();
    }

    std::string describe(std::size_t i) const {
        const Move& move = l_.moves[i];
        std::string text = fmt::format("{}{}{}", static_cast<int>(move.kind), move.axis, move.is_fixed ? 'f' : 'm');
        if (move.is_fixed && move.kind == Move::Kind::turn) text += {pattern(move.c), pattern(move.s)};
        if (move.is_fixed && move.kind == Move::Kind::rotate) text += pattern(move.R);
        return text + describe_ways(i) + describe_link(i) + pattern(l_.moments[i]);
    }
    std::string describe_ways(std::size_t i) const {
        std::string text;
        for (const Move::MotionAxis& way : l_.moves[i].ways) {
            const Task::Freedom& freedom = task_.freedoms[way.freedom];
            text += pattern(way.S.w) + pattern(way.S.v) + (freedom.is_given ? 'g' : 'f') + (freedom.armature.is_literally(0) ? '0' : 'a');
        }
        return text;
    }
    std::string describe_link(std::size_t i) const {
        std::string text = "," + pattern(l_.true_moments[i]);
        for (const std::size_t k : wheels_[i]) {
            const Wheel& wheel = l_.wheels[k];
            text += 'w' + pattern(wheel.axis) + (!wheel.freedom ? 'h' : task_.freedoms[*wheel.freedom].is_given ? 'g' : 'f');
        }
        return text + ",";
    }
    std::string describe_outer(std::size_t i) const {
        std::vector<std::size_t> list;
        for (const std::size_t o : outer_[i]) list.push_back(result_.shape_class[o]);
        std::ranges::sort(list);
        return fmt::format("{}", fmt::join(list, " "));
    }

    /// A sub-tree from its carrier on, its mounting aside.
    std::string key(std::size_t start) const {
        const Mounting m = mounting(l_, start, branches_);
        const bool is_rotated = std::ranges::any_of(m.moves, [&](std::size_t i) { return l_.moves[i].kind == Move::Kind::rotate; });
        std::string text = is_rotated ? "rotated " : "turned ";
        const FirstLink first = first_link(l_, m.core, branches_);
        if (first.joint == none) return text + fmt::format("{}", result_.shape_class[m.core]);
        return text + "first" + describe_ways(first.joint) + describe_link(first.last) + pattern(l_.moments[first.joint]) +
               describe_outer(first.last);
    }

    std::size_t number(const std::string& text) { return numbers_.try_emplace(text, numbers_.size()).first->second; }

    const Task& task_;
    const Linkage& l_;
    Branches branches_;
    const std::vector<std::vector<std::size_t>>& outer_;
    std::vector<std::vector<std::size_t>> wheels_;
    std::vector<std::size_t> size_, freedoms_;
    std::vector<std::size_t> owner_;
    std::vector<bool> is_gone_;
    std::unordered_map<std::string, std::size_t> numbers_;
    Repeated result_;
};

}  // namespace

Repeated find_repeated(const Task& task) { return Search(task).find(); }

Branches::Branches(const Linkage& l) : outer(l.moves.size()) {
    for (std::size_t i = 0; i < l.moves.size(); ++i) {
        if (l.moves[i].kind != Move::Kind::root) outer[l.moves[i].inner].push_back(i);
    }
}

std::vector<std::size_t> sub_tree(const Branches& branches, std::size_t start, std::span<const std::size_t> shape_class) {
    std::vector<std::size_t> list, waiting{start};
    while (!waiting.empty()) {
        const std::size_t i = waiting.back();
        waiting.pop_back();
        list.push_back(i);
        std::vector<std::size_t> next = branches.outer[i];
        std::ranges::stable_sort(next, [&](std::size_t a, std::size_t b) { return shape_class[a] < shape_class[b]; });
        waiting.insert(waiting.end(), next.rbegin(), next.rend());
    }
    return list;
}

Mounting mounting(const Linkage& l, std::size_t start, const Branches& branches) {
    Mounting m{{}, {}, l.moves[start].kind == Move::Kind::root ? branches.only(start) : start};
    // slides 0 1 2, rotation 3, turns about z 4, x 5, z 6
    for (std::size_t next = 0;; m.core = branches.only(m.core)) {
        const Move& move = l.moves[m.core];
        if (!move.is_fixed || !move.ways.empty() || branches.only(m.core) == none) return m;
        if (!l.true_moments[m.core].is_zero() || !l.moments[m.core].is_zero()) return m;
        std::size_t place = none;
        if (move.kind == Move::Kind::slide) place = move.axis;
        if (move.kind == Move::Kind::rotate) place = 3;
        if (move.kind == Move::Kind::turn && move.axis == 2) place = next <= 4 ? 4 : 6;
        if (move.kind == Move::Kind::turn && move.axis == 0) place = 5;
        if (place == none || place < next) return m;
        m.moves.push_back(m.core);
        m.place.push_back(place);
        next = place + 1;
    }
}

FirstLink first_link(const Linkage& l, std::size_t core, const Branches& branches) {
    FirstLink r;
    const Move& turn = l.moves[core];
    const std::size_t joint = branches.only(core);
    if (turn.kind != Move::Kind::turn || turn.axis != 2 || turn.is_fixed || joint == none || l.moves[joint].ways.size() != 1) return r;
    if (!l.true_moments[core].is_zero() || !l.moments[core].is_zero()) return r;
    r.joint = r.last = joint;
    const std::size_t slide = branches.only(joint);
    if (slide == none || !l.true_moments[joint].is_zero() || !l.moments[slide].is_zero()) return r;
    if (l.moves[slide].kind == Move::Kind::slide && l.moves[slide].axis == 2 && l.moves[slide].is_fixed) r.last = slide;
    return r;
}

}  // namespace linkwright::formulation::recursive
