#include "linkwright/program/roll.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>

#include "linkwright/program/factor.hpp"
#include "linkwright/program/inline.hpp"

namespace linkwright::program {
namespace {

/// A group as a routine would see it.
struct Shape {
    /// Its lines, one after the other: the operation and whether others want it, then where its arguments are.
    std::vector<std::uint32_t> key;
    std::vector<Index> constants, values;  ///< from elsewhere, in the order in which they are met
    std::vector<Index> wanted;             ///< its lines that others want

    std::uint64_t hash() const {
        std::uint64_t h = key.size();
        for (const std::uint32_t x : key) h = (h ^ x) * 0x9E3779B97F4A7C15ULL, h ^= h >> 29;
        return h;
    }
};

class Rolling {
public:
    Rolling(const Program& program, std::vector<Group> group, Shorten shorten)
        : p_(program), group_(std::move(group)), shorten_(shorten), first_(program.first_line()) {
        if (!p_.calls.empty()) throw std::invalid_argument("rolled: the program has calls already");
        if (group_.size() != p_.lines.size()) throw std::invalid_argument("rolled: a group for each line is wanted");
    }

    Program rolled() {
        pull_forward();
        sort_by_group();
        find_wanted();
        find_classes();
        if (std::ranges::none_of(classes_, [](const Class& c) { return c.instances > 1; })) return p_;
        write();
        return std::move(result_);
    }

private:
    enum Place : std::uint32_t { own, constant, value };
    static constexpr Index nowhere = ~Index{0};

    struct Class {
        std::size_t first;  ///< a group of it: where that begins in `order_`
        std::vector<std::uint32_t> key;
        std::size_t instances = 1, routine = 0;
    };
    struct Part {
        std::size_t begin, end;  ///< in `order_`
        std::size_t of_class;
    };

    void pull_forward() {
        for (std::size_t k = p_.lines.size(); k-- > 0;) {
            if (is_sincos(p_, k)) group_[k] = group_[k + 1] = std::min(group_[k], group_[k + 1]);
            const Line& line = p_.lines[k];
            for (std::size_t i = 0; i < arity(line.op); ++i) {
                if (line.args[i] < first_) continue;
                Group& g = group_[line.args[i] - first_];
                g = std::min(g, group_[k]);
            }
        }
    }

    /// Numbers of groups are small: as many as there are lines, or a few times that.
    void sort_by_group() {
        Group last = 0;
        for (const Group g : group_) {
            if (g != no_group) last = std::max(last, g);
        }
        std::vector<std::size_t> next(std::size_t{last} + 3);  // no_group behind the last one
        const auto place = [&](Group g) { return g == no_group ? std::size_t{last} + 1 : std::size_t{g}; };
        for (const Group g : group_) ++next[place(g) + 1];
        for (std::size_t g = 1; g < next.size(); ++g) next[g] += next[g - 1];
        order_.resize(p_.lines.size());
        for (std::size_t k = 0; k < order_.size(); ++k) order_[next[place(group_[k])]++] = static_cast<Index>(k);
    }

    void find_wanted() {
        is_wanted_.assign(p_.lines.size(), false);
        for (std::size_t k = 0; k < p_.lines.size(); ++k) {
            const Line& line = p_.lines[k];
            for (std::size_t i = 0; i < arity(line.op); ++i) {
                if (line.args[i] >= first_ && group_[line.args[i] - first_] != group_[k]) is_wanted_[line.args[i] - first_] = true;
            }
        }
        for (const Index output : p_.outputs) {
            if (output >= first_) is_wanted_[output - first_] = true;
        }
    }

    /// Fills `shape_`.
    void look_at(std::size_t begin, std::size_t end) {
        shape_.key.clear(), shape_.constants.clear(), shape_.values.clear(), shape_.wanted.clear();
        const Group g = group_[order_[begin]];
        for (std::size_t at = begin; at < end; ++at) {
            const Index k = order_[at];
            const Line& line = p_.lines[k];
            shape_.key.push_back(static_cast<std::uint32_t>(line.op) << 1 | static_cast<std::uint32_t>(is_wanted_[k]));
            for (std::size_t i = 0; i < arity(line.op); ++i) shape_.key.push_back(seen(line.args[i], g));
            number_[first_ + k] = static_cast<Index>(at - begin);
            if (is_wanted_[k]) shape_.wanted.push_back(k);
        }
        for (const auto* list : {&shape_.constants, &shape_.values}) {
            for (const Index i : *list) number_[i] = nowhere;
        }
    }

    std::uint32_t seen(Index i, Group g) {
        if (i >= first_ && group_[i - first_] == g) return number_[i] << 2 | own;
        const bool is_constant = i >= p_.inputs && i < first_;
        std::vector<Index>& list = is_constant ? shape_.constants : shape_.values;
        if (number_[i] == nowhere) {
            number_[i] = static_cast<Index>(list.size());
            list.push_back(i);
        }
        return number_[i] << 2 | (is_constant ? constant : value);
    }

    void find_classes() {
        number_.assign(p_.values(), nowhere);
        std::unordered_multimap<std::uint64_t, std::size_t> classes;
        for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
            const Group g = group_[order_[begin]];
            if (g == no_group) break;
            while (end < order_.size() && group_[order_[end]] == g) ++end;
            look_at(begin, end);
            for (std::size_t at = begin; at < end; ++at) number_[first_ + order_[at]] = nowhere;
            const auto [from, to] = classes.equal_range(shape_.hash());
            const auto found = std::find_if(from, to, [&](const auto& c) { return classes_[c.second].key == shape_.key; });
            if (found == to) {
                classes.emplace(shape_.hash(), classes_.size());
                parts_.push_back({begin, end, classes_.size()});
                classes_.push_back({begin, shape_.key});
            } else {
                parts_.push_back({begin, end, found->second});
                ++classes_[found->second].instances;
            }
        }
    }

    /// The routine of the group that `shape_` shows.
    Program routine(std::size_t begin, std::size_t end) const {
        Program r;
        r.inputs = shape_.constants.size() + shape_.values.size();
        std::size_t next = 0;
        const auto argument = [&](std::uint32_t code) {
            const Index n = code >> 2;
            switch (code & 3) {
                case own: return static_cast<Index>(r.inputs) + n;
                case constant: return n;
                default: return static_cast<Index>(shape_.constants.size()) + n;
            }
        };
        for (std::size_t at = begin; at < end; ++at) {
            const Op op = static_cast<Op>(shape_.key[next] >> 1);
            const bool is_wanted = (shape_.key[next++] & 1) != 0;
            Line line{op, {}};
            for (std::size_t i = 0; i < arity(op); ++i) line.args[i] = argument(shape_.key[next++]);
            if (is_wanted) r.outputs.push_back(static_cast<Index>(r.values()));
            r.lines.push_back(line);
        }
        return shorten_ == Shorten::yes ? factor(r) : r;
    }

    void write() {
        result_.inputs = p_.inputs;
        result_.constants = p_.constants;
        place_.assign(p_.values(), nowhere);
        for (std::size_t i = 0; i < first_; ++i) place_[i] = static_cast<Index>(i);
        auto library = std::make_shared<Library>();
        std::size_t done = 0;
        for (const Part& part : parts_) {
            Class& c = classes_[part.of_class];
            done = part.end;
            if (c.instances == 1) {
                for (std::size_t at = part.begin; at < part.end; ++at) put_down(order_[at]);
                continue;
            }
            look_at(part.begin, part.end);
            for (std::size_t at = part.begin; at < part.end; ++at) number_[first_ + order_[at]] = nowhere;
            if (c.first == part.begin) {
                c.routine = library->routines.size();
                library->routines.push_back({fmt::format("link_{}", c.routine + 1), "What is the same for several links, on other numbers.",
                                             routine(part.begin, part.end)});
            }
            call(c.routine);
        }
        for (; done < order_.size(); ++done) put_down(order_[done]);
        for (const Index i : p_.outputs) result_.outputs.push_back(place_[i]);
        result_.library = std::move(library);
    }

    void put_down(Index k) {
        Line line = p_.lines[k];
        for (std::size_t i = 0; i < arity(line.op); ++i) line.args[i] = place_[line.args[i]];
        place_[first_ + k] = static_cast<Index>(result_.values());
        result_.lines.push_back(line);
    }

    void call(std::size_t routine) {
        Call call{routine, {}};
        call.args.reserve(shape_.constants.size() + shape_.values.size());
        for (const auto* list : {&shape_.constants, &shape_.values}) {
            for (const Index i : *list) call.args.push_back(place_[i]);
        }
        for (std::size_t r = 0; r < shape_.wanted.size(); ++r) {
            place_[first_ + shape_.wanted[r]] = static_cast<Index>(result_.values());
            result_.lines.push_back({Op::result, {static_cast<Index>(result_.calls.size()), static_cast<Index>(r), 0}});
        }
        result_.calls.push_back(std::move(call));
    }

    const Program& p_;
    std::vector<Group> group_;
    Shorten shorten_;
    std::size_t first_;
    std::vector<Index> order_;  ///< lines, group by group
    std::vector<bool> is_wanted_;
    std::vector<Index> number_;  ///< of each value while a group is looked at
    Shape shape_;
    std::vector<Class> classes_;
    std::vector<Part> parts_;
    std::vector<Index> place_;
    Program result_;
};

}  // namespace

Program rolled(const Program& program, std::vector<Group> group, Shorten shorten) {
    return Rolling(program, std::move(group), shorten).rolled();
}

bool is_worth_calling(const Program& program) {
    if (program.calls.empty()) return false;
    constexpr std::size_t long_code = 40'000, much = 4, per_call = 10;  // lines that take as long as a call itself
    std::size_t plain = program.lines.size(), called = 0, passed = 0;
    for (const Call& call : program.calls) {
        const Program& routine = program.library->routines[call.routine].program;
        plain -= routine.outputs.size(), called += routine.lines.size();
        passed += routine.inputs + routine.outputs.size() + per_call;
    }
    std::size_t written = plain;
    for (const std::size_t r : routines_of(program)) written += program.library->routines[r].program.lines.size();
    return plain + called > long_code && much * written < plain + called && passed < called;
}

}  // namespace linkwright::program
