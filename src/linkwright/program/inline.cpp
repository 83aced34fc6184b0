#include "linkwright/program/inline.hpp"

#include <bit>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>

namespace linkwright::program {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("inlined: " + what); }

constexpr Index of_constant = Index{1} << 31;  // until it is known how many there are

class Inliner {
public:
    explicit Inliner(const Program& program) : library_(program.library.get()) { result_.inputs = program.inputs; }

    Program inlined(const Program& program) {
        std::vector<Index> args(program.inputs);
        for (std::size_t i = 0; i < args.size(); ++i) args[i] = static_cast<Index>(i);
        result_.outputs = put_in(program, args, library_ == nullptr ? 0 : library_->routines.size());
        const auto settle = [&](Index& i) {
            if ((i & of_constant) != 0)
                i = static_cast<Index>(result_.inputs) + (i & ~of_constant);
            else if (i >= result_.inputs)
                i += static_cast<Index>(result_.constants.size());
        };
        for (Line& line : result_.lines) {
            for (std::size_t k = 0; k < arity(line.op); ++k) settle(line.args[k]);
        }
        for (Index& output : result_.outputs) settle(output);
        return std::move(result_);
    }

private:
    /// The lines of a program with these inputs, which may call the first `known` routines; its outputs.
    std::vector<Index> put_in(const Program& program, const std::vector<Index>& args, std::size_t known) {  // NOLINT(misc-no-recursion)
        std::vector<Index> value = args, results;
        value.reserve(program.values());
        for (const double x : program.constants) value.push_back(constant(x));
        const auto at = [&](Index i) {
            if (i >= value.size()) refuse("a line refers to a value that is not above it");
            return value[i];
        };
        for (const Line& line : program.lines) {
            if (line.op == Op::result) {
                if (line.args[1] == 0) results = call(program, line.args[0], at, known);
                if (line.args[1] >= results.size()) refuse("a result that the routine does not have");
                value.push_back(results[line.args[1]]);
                continue;
            }
            Line here{line.op, {}};
            for (std::size_t k = 0; k < arity(line.op); ++k) here.args[k] = at(line.args[k]);
            value.push_back(static_cast<Index>(result_.inputs + result_.lines.size()));
            result_.lines.push_back(here);
        }
        results.clear();
        for (const Index output : program.outputs) results.push_back(at(output));
        return results;
    }

    std::vector<Index> call(const Program& program, std::size_t number, auto at, std::size_t known) {  // NOLINT(misc-no-recursion)
        if (number >= program.calls.size()) refuse("a result of no call");
        const Call& call = program.calls[number];
        if (call.routine >= known) refuse(fmt::format("a call of routine {} where {} are known", call.routine, known));
        const Program& routine = library_->routines[call.routine].program;
        if (call.args.size() != routine.inputs)
            refuse(fmt::format("a call passes {} values to a routine of {}", call.args.size(), routine.inputs));
        std::vector<Index> args;
        for (const Index i : call.args) args.push_back(at(i));
        return put_in(routine, args, call.routine);
    }

    Index constant(double x) {
        const auto [at, is_new] = constants_.try_emplace(std::bit_cast<std::uint64_t>(x), static_cast<Index>(result_.constants.size()));
        if (is_new) result_.constants.push_back(x);
        return at->second | of_constant;
    }

    const Library* library_;
    Program result_;
    std::unordered_map<std::uint64_t, Index> constants_;
};

}  // namespace

Program inlined(Program program) {
    if (program.calls.empty()) return program;
    return Inliner(program).inlined(program);
}

std::vector<std::size_t> routines_of(const Program& program) {
    if (program.calls.empty()) return {};
    const std::vector<Routine>& routines = program.library->routines;
    std::vector<bool> is_called(routines.size());
    for (const Call& call : program.calls) is_called[call.routine] = true;
    std::vector<std::size_t> list;
    for (std::size_t r = routines.size(); r-- > 0;) {
        if (!is_called[r]) continue;
        list.insert(list.begin(), r);
        for (const Call& call : routines[r].program.calls) is_called[call.routine] = true;
    }
    return list;
}

}  // namespace linkwright::program
