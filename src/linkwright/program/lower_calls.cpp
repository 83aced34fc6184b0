#include "linkwright/program/lower_calls.hpp"

#include <stdexcept>

namespace linkwright::program {
namespace {

/// Lines of a program that takes the calls' results as inputs and gives their arguments as outputs, put into an order in which
/// each call can be made.
class Schedule {
public:
    Schedule(Program flat, std::size_t inputs, std::size_t outputs, std::span<const CallSite> calls)
        : flat_(std::move(flat)),
          inputs_(inputs),
          calls_(calls),
          place_(flat_.values(), unplaced),
          is_needed_(flat_.values()),
          call_of_(flat_.inputs),
          is_made_(calls.size()) {
        std::size_t from = inputs, at = outputs;
        for (std::size_t k = 0; k < calls.size(); ++k) {
            for (std::size_t i = 0; i < calls[k].results.size(); ++i) call_of_[from++] = k;
            arguments_.emplace_back(flat_.outputs.begin() + static_cast<std::ptrdiff_t>(at),
                                    flat_.outputs.begin() + static_cast<std::ptrdiff_t>(at + calls[k].arguments.size()));
            first_result_.push_back(from - calls[k].results.size());
            at += calls[k].arguments.size();
        }
        flat_.outputs.resize(outputs);
    }

    Program arranged() {
        find_needed();
        for (std::size_t i = 0; i < inputs_; ++i) place_[i] = static_cast<Index>(i);
        result_.inputs = inputs_;
        for (std::size_t i = 0; i < flat_.constants.size(); ++i) {
            if (!is_needed_[flat_.inputs + i]) continue;
            place_[flat_.inputs + i] = static_cast<Index>(result_.first_line());
            result_.constants.push_back(flat_.constants[i]);
        }
        for (std::size_t k = 0; k < calls_.size(); ++k) {
            if (is_made_[k]) make(k);
        }
        std::vector<bool> all(flat_.values(), true);
        put_down(all);
        for (const Index i : flat_.outputs) result_.outputs.push_back(place_[i]);
        return std::move(result_);
    }

private:
    static constexpr Index unplaced = ~Index{0};

    /// What the outputs need, through calls as well.
    void find_needed() {
        std::vector<Index> waiting = flat_.outputs;
        while (!waiting.empty()) {
            const Index i = waiting.back();
            waiting.pop_back();
            if (is_needed_[i]) continue;
            is_needed_[i] = true;
            if (i >= flat_.first_line()) {
                const Line& line = flat_.lines[i - flat_.first_line()];
                waiting.insert(waiting.end(), line.args.begin(), line.args.begin() + static_cast<std::ptrdiff_t>(arity(line.op)));
            } else if (i >= inputs_ && i < flat_.inputs && !is_made_[call_of_[i]]) {
                is_made_[call_of_[i]] = true;
                const auto& args = arguments_[call_of_[i]];
                waiting.insert(waiting.end(), args.begin(), args.end());
            }
        }
    }

    void make(std::size_t k) {
        std::vector<bool> wanted(flat_.values());
        for (const Index i : arguments_[k]) wanted[i] = true;
        for (std::size_t i = flat_.values(); i-- > flat_.first_line();) {
            if (!wanted[i] || place_[i] != unplaced) continue;
            const Line& line = flat_.lines[i - flat_.first_line()];
            for (std::size_t a = 0; a < arity(line.op); ++a) wanted[line.args[a]] = true;
            if (i > flat_.first_line() && is_sincos(flat_, i - flat_.first_line() - 1)) wanted[i - 1] = true;
            if (is_sincos(flat_, i - flat_.first_line())) wanted[i + 1] = true;
        }
        put_down(wanted);
        Call call{calls_[k].routine, {}};
        for (const Index i : arguments_[k]) call.args.push_back(placed(i));
        for (std::size_t r = 0; r < calls_[k].results.size(); ++r) {
            place_[first_result_[k] + r] = static_cast<Index>(result_.values());
            result_.lines.push_back({Op::result, {static_cast<Index>(result_.calls.size()), static_cast<Index>(r), 0}});
        }
        result_.calls.push_back(std::move(call));
    }

    void put_down(const std::vector<bool>& wanted) {
        for (std::size_t i = flat_.first_line(); i < flat_.values(); ++i) {
            if (!wanted[i] || !is_needed_[i] || place_[i] != unplaced) continue;
            Line line = flat_.lines[i - flat_.first_line()];
            for (std::size_t a = 0; a < arity(line.op); ++a) line.args[a] = placed(line.args[a]);
            place_[i] = static_cast<Index>(result_.values());
            result_.lines.push_back(line);
        }
    }

    Index placed(Index i) const {
        if (place_[i] == unplaced) throw std::invalid_argument("lower: a call needs the result of a later one");
        return place_[i];
    }

    Program flat_;
    std::size_t inputs_;
    std::span<const CallSite> calls_;
    std::vector<Index> place_;
    std::vector<bool> is_needed_;
    std::vector<std::size_t> call_of_;  ///< of each input that is a result
    std::vector<bool> is_made_;
    std::vector<std::vector<Index>> arguments_;
    std::vector<std::size_t> first_result_;
    Program result_;
};

}  // namespace

Program lower(std::span<const sym::Expr> outputs, std::span<const sym::Expr> inputs, std::span<const CallSite> calls,
              std::shared_ptr<const Library> library) {
    if (calls.empty()) return lower(outputs, inputs);
    std::vector<sym::Expr> out(outputs.begin(), outputs.end()), in(inputs.begin(), inputs.end());
    for (const CallSite& call : calls) {
        if (library == nullptr || call.routine >= library->routines.size()) throw std::invalid_argument("lower: a call of no routine");
        const Program& routine = library->routines[call.routine].program;
        if (call.arguments.size() != routine.inputs || call.results.size() != routine.outputs.size()) {
            throw std::invalid_argument("lower: a call passes other values than its routine has");
        }
        in.insert(in.end(), call.results.begin(), call.results.end());
        out.insert(out.end(), call.arguments.begin(), call.arguments.end());
    }
    Program program = Schedule(lower(out, in), inputs.size(), outputs.size(), calls).arranged();
    if (!program.calls.empty()) program.library = std::move(library);
    return program;
}

}  // namespace linkwright::program
