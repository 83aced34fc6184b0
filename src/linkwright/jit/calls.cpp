#include "linkwright/jit/calls.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "linkwright/jit/emit.hpp"
#include "linkwright/jit/room.hpp"
#include "linkwright/jit/transpose.hpp"
#include "linkwright/program/inline.hpp"

namespace linkwright::jit {
namespace {

using program::Call;
using program::Line;
using program::Op;
using program::Program;

/// One call: constants, then values, into code, whose results stand side by side.
struct Step {
    std::uint32_t code, constants, args, results;  ///< the latter three: where they begin
};

/// A program as steps.
struct Steps {
    std::vector<Program> routines;   ///< without calls; the first inputs of each are constants whoever calls
    std::vector<std::size_t> fixed;  ///< how many
    std::vector<Step> steps;
    std::vector<double> constants;
    std::vector<Index> args;
    std::size_t inputs = 0;
    std::vector<double> kept;    ///< constants that stand among the values, behind the inputs
    std::size_t values = 0;      ///< inputs, kept constants, results
    std::vector<Index> outputs;  ///< among the values
};

class Division {
public:
    explicit Division(const Program& program) : p_(program), first_(program.first_line()) {}

    Steps steps() {
        find_fixed();
        find_parts();
        for (std::size_t i = 0; i < p_.inputs; ++i) place_[i] = static_cast<Index>(i);
        s_.inputs = p_.inputs;
        keep_constants();
        s_.values = s_.inputs + s_.kept.size();
        for (std::size_t from = 0, to = 0; from < p_.lines.size(); from = to) {
            while (to < p_.lines.size() && part_[to] == part_[from]) ++to;
            if (p_.lines[from].op == Op::result)
                call(p_.calls[p_.lines[from].args[0]], from, to);
            else
                stretch(from, to);
        }
        for (const Index i : p_.outputs) s_.outputs.push_back(place_[i]);
        return std::move(s_);
    }

private:
    static constexpr Index nowhere = ~Index{0};
    bool is_constant(Index i) const { return i >= p_.inputs && i < first_; }

    void find_fixed() {
        const auto& library = p_.library->routines;
        s_.fixed.assign(library.size(), static_cast<std::size_t>(-1));
        for (const Call& c : p_.calls) {
            std::size_t n = 0;
            while (n < c.args.size() && is_constant(c.args[n])) ++n;
            s_.fixed[c.routine] = std::min(s_.fixed[c.routine], n);
        }
        for (std::size_t r = 0; r < library.size(); ++r) {
            Program routine = library[r].program;
            if (!routine.calls.empty()) routine.library = p_.library;
            s_.routines.push_back(program::inlined(std::move(routine)));
        }
    }

    /// Lines between calls, and each call, are a part. What is wanted beyond its part has a place.
    void find_parts() {
        part_.resize(p_.lines.size());
        std::uint32_t part = 0;
        for (std::size_t k = 0; k < p_.lines.size(); ++k) {
            const Line& line = p_.lines[k];
            const bool is_result = line.op == Op::result;
            if (k > 0 && (is_result ? line.args[1] == 0 : p_.lines[k - 1].op == Op::result)) ++part;
            part_[k] = part;
        }
        is_wanted_.assign(p_.lines.size(), false);
        place_.assign(p_.values(), nowhere);
        const auto want = [&](Index i, std::uint32_t by) {
            if (i >= first_ && part_[i - first_] != by) is_wanted_[i - first_] = true;
        };
        for (std::size_t k = 0; k < p_.lines.size(); ++k) {
            const Line& line = p_.lines[k];
            for (std::size_t a = 0; a < arity(line.op); ++a) want(line.args[a], part_[k]);
        }
        for (const Call& c : p_.calls) {
            for (const Index i : c.args) want(i, nowhere);
        }
        for (const Index i : p_.outputs) want(i, nowhere);
    }

    /// Those that are passed where others pass values, or come out.
    void keep_constants() {
        const auto keep = [&](Index i) {
            if (!is_constant(i) || place_[i] != nowhere) return;
            place_[i] = static_cast<Index>(s_.inputs + s_.kept.size());
            s_.kept.push_back(p_.constants[i - p_.inputs]);
        };
        for (const Call& c : p_.calls) {
            for (std::size_t n = s_.fixed[c.routine]; n < c.args.size(); ++n) keep(c.args[n]);
        }
        for (const Index i : p_.outputs) keep(i);
    }

    void begin(std::size_t code) {
        s_.steps.push_back({static_cast<std::uint32_t>(code), static_cast<std::uint32_t>(s_.constants.size()),
                            static_cast<std::uint32_t>(s_.args.size()), static_cast<std::uint32_t>(s_.values)});
    }

    void call(const Call& c, std::size_t from, std::size_t to) {
        begin(c.routine);
        const std::size_t fixed = s_.fixed[c.routine];
        for (std::size_t n = 0; n < c.args.size(); ++n) {
            if (n < fixed)
                s_.constants.push_back(p_.constants[c.args[n] - p_.inputs]);
            else
                s_.args.push_back(place_[c.args[n]]);
        }
        for (; from < to; ++from) place_[first_ + from] = static_cast<Index>(s_.values++);
    }

    void stretch(std::size_t from, std::size_t to) {
        begin(s_.routines.size());
        Program r;
        std::vector<Index> elsewhere, constants;
        const auto look = [&](auto use) {
            for (std::size_t k = from; k < to; ++k) {
                for (std::size_t a = 0; a < arity(p_.lines[k].op); ++a) use(p_.lines[k].args[a]);
            }
        };
        number_.resize(p_.values(), nowhere);
        look([&](Index i) {
            if (i >= first_ + from || is_constant(i) || number_[i] != nowhere) return;
            number_[i] = static_cast<Index>(r.inputs++);
            elsewhere.push_back(i);
        });
        look([&](Index i) {
            if (!is_constant(i) || number_[i] != nowhere) return;
            number_[i] = static_cast<Index>(r.first_line());
            r.constants.push_back(p_.constants[i - p_.inputs]);
            constants.push_back(i);
        });
        for (std::size_t k = from; k < to; ++k) {
            Line line = p_.lines[k];
            for (std::size_t a = 0; a < arity(line.op); ++a) line.args[a] = number_[line.args[a]];
            number_[first_ + k] = static_cast<Index>(r.values());
            if (is_wanted_[k]) {
                r.outputs.push_back(static_cast<Index>(r.values()));
                place_[first_ + k] = static_cast<Index>(s_.values++);
            }
            r.lines.push_back(line);
        }
        for (const Index i : elsewhere) s_.args.push_back(place_[i]), number_[i] = nowhere;
        for (const Index i : constants) number_[i] = nowhere;
        for (std::size_t k = from; k < to; ++k) number_[first_ + k] = nowhere;
        s_.routines.push_back(std::move(r));
        s_.fixed.push_back(0);
    }

    const Program& p_;
    std::size_t first_;
    std::vector<std::uint32_t> part_;
    std::vector<bool> is_wanted_;
    std::vector<Index> place_, number_;
    Steps s_;
};

class Calling final : public program::Evaluator {
public:
    Calling(Steps steps, unsigned registers) : s_(std::move(steps)), registers_(registers) {
        for (std::size_t r = 0; r < s_.routines.size(); ++r) {
            const Program& routine = s_.routines[r];
            if (s_.fixed[r] == static_cast<std::size_t>(-1)) s_.fixed[r] = 0;  // nobody calls it
            most_inputs_ = std::max(most_inputs_, routine.inputs);
            values_of_.push_back(routine.inputs - s_.fixed[r]);
        }
    }

    bool emit_scalar() { return emit_all(scalar_, 1); }
    std::size_t inputs() const override { return s_.inputs; }
    std::size_t outputs() const override { return s_.outputs.size(); }

private:
    struct Codes {
        std::vector<Code> code;
        std::size_t scratch = 0;
    };

    bool emit_all(Codes& codes, unsigned lanes) const {
        for (const Program& routine : s_.routines) {
            codes.code.push_back(emit(make_plan(routine), routine, lanes, registers_));
            if (!codes.code.back()) return false;
            codes.scratch = std::max(codes.scratch, codes.code.back().scratch());
        }
        return true;
    }

    /// Every step, on values that begin with the inputs.
    template <std::size_t lanes>
    void run_steps(const Codes& codes, double* values) const {
        double* const in = values + aligned(lanes * s_.values);
        double* const scratch = in + aligned(lanes * most_inputs_);
        for (std::size_t i = 0; i < s_.kept.size(); ++i) std::fill_n(values + lanes * (s_.inputs + i), lanes, s_.kept[i]);
        for (const Step& step : s_.steps) {
            double* to = in;
            const double* constant = s_.constants.data() + step.constants;
            for (std::size_t i = s_.fixed[step.code]; i > 0; --i, to += lanes) std::fill_n(to, lanes, *constant++);
            const Index* arg = s_.args.data() + step.args;
            for (std::size_t i = values_of_[step.code]; i > 0; --i, to += lanes) std::copy_n(values + lanes * *arg++, lanes, to);
            codes.code[step.code](in, values + lanes * step.results, scratch);
        }
    }
    /// Up to a boundary of 64 bytes, on which code keeps sines and cosines.
    static std::size_t aligned(std::size_t doubles) { return (doubles + 7) / 8 * 8; }
    std::size_t room(std::size_t lanes, const Codes& codes) const {
        return aligned(lanes * s_.values) + aligned(lanes * most_inputs_) + codes.scratch;
    }

    void run(const double* in, double* out) const override {
        double* const values = thread_room(room(1, scalar_));
        std::copy_n(in, s_.inputs, values);
        run_steps<1>(scalar_, values);
        for (std::size_t k = 0; k < s_.outputs.size(); ++k) out[k] = values[s_.outputs[k]];
    }

    template <std::size_t lanes>
    void run_lanes(std::size_t points, const double* in, double* out) const {
        double* const values = thread_room(room(lanes, lanes_));
        to_rows(s_.inputs, lanes, points, in, values);
        run_steps<lanes>(lanes_, values);
        for (std::size_t k = 0; k < s_.outputs.size(); ++k) {
            for (std::size_t p = 0; p < points; ++p) out[p * s_.outputs.size() + k] = values[lanes * s_.outputs[k] + p];
        }
    }

    void run_batch(std::size_t points, const double* in, double* out) const override {
        const std::size_t n = inputs(), m = outputs();
        std::size_t p = 0;
        if (points >= 4 && has_lanes()) {
            const std::size_t l = lanes_of(registers_);
            for (; p + 1 < points; p += l) {
                const std::size_t size = std::min(l, points - p);
                if (l == 8)
                    run_lanes<8>(size, in + p * n, out + p * m);
                else
                    run_lanes<4>(size, in + p * n, out + p * m);
            }
        }
        for (; p < points; ++p) run(in + p * n, out + p * m);
    }

    bool has_lanes() const {
        std::call_once(once_, [&] { lanes_are_there_ = emit_all(lanes_, lanes_of(registers_)); });
        return lanes_are_there_;
    }

    Steps s_;
    unsigned registers_;
    std::size_t most_inputs_ = 0;
    std::vector<std::size_t> values_of_;  ///< of each routine how many inputs are not constants
    Codes scalar_;
    mutable std::once_flag once_;
    mutable Codes lanes_;
    mutable bool lanes_are_there_ = false;
};

}  // namespace

std::unique_ptr<program::Evaluator> compile_calls(const Program& program, unsigned registers) {
    auto calling = std::make_unique<Calling>(Division(program).steps(), registers);
    if (!calling->emit_scalar()) return nullptr;
    return calling;
}

bool is_calling(const program::Evaluator& evaluator) { return dynamic_cast<const Calling*>(&evaluator) != nullptr; }

}  // namespace linkwright::jit
