#include "linkwright/program/interpreter.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace linkwright::program {
namespace {

constexpr std::size_t batch_lanes = 8;

/// One run on `lanes` points at once; value i of point p stands at value[i·lanes + p]. Moves `args` and `target` past it.
template <std::size_t lanes>
void run_one(Op op, bool is_pair, std::size_t count, const double* value, const Index*& args, double*& target) {
    const auto at = [&](std::size_t i) { return value + args[i] * lanes; };
    const auto one = [&](auto f) {
        for (std::size_t k = 0; k < count; ++k, ++args, target += lanes) {
            const double* a = at(0);
            for (std::size_t p = 0; p < lanes; ++p) target[p] = f(a[p]);
        }
    };
    const auto two = [&](auto f) {
        for (std::size_t k = 0; k < count; ++k, args += 2, target += lanes) {
            const double *a = at(0), *b = at(1);
            for (std::size_t p = 0; p < lanes; ++p) target[p] = f(a[p], b[p]);
        }
    };
    const auto any = [&] {
        const std::size_t n = arity(op);
        for (std::size_t k = 0; k < count; ++k, args += n, target += lanes) {
            const double *a = at(0), *b = n > 1 ? at(1) : a, *c = n > 2 ? at(2) : a;
            for (std::size_t p = 0; p < lanes; ++p) target[p] = calc<double>(op, a[p], b[p], c[p]);
        }
    };
    if (is_pair) {
        for (std::size_t k = 0; k < count; ++k, ++args, target += 2 * lanes) {
            const double* a = at(0);
            for (std::size_t p = 0; p < lanes; ++p) {  // compilers make one call of the two
                target[p] = std::sin(a[p]);
                target[lanes + p] = std::cos(a[p]);
            }
        }
        return;
    }
    switch (op) {
        case Op::add: return two([](double a, double b) { return a + b; });
        case Op::sub: return two([](double a, double b) { return a - b; });
        case Op::mul: return two([](double a, double b) { return a * b; });
        case Op::div: return two([](double a, double b) { return a / b; });
        case Op::neg: return one([](double a) { return -a; });
        case Op::sqrt: return one([](double a) { return std::sqrt(a); });
        default: break;
    }
    const auto library = is_elementary(op) ? sym::elementary_function(elementary_function(op)).libm : nullptr;
    if (library != nullptr) {
        one(library);
    } else {
        any();
    }
}

}  // namespace

Interpreter::Interpreter(Program program) : program_(inlined(std::move(program))) {
    const auto check = [](Index value, std::size_t known, const char* what) {
        if (value < known) return;
        throw std::invalid_argument(fmt::format("Interpreter: {} refers to value {} of {}", what, value, known));
    };
    std::size_t known = program_.first_line();
    for (Line& line : program_.lines) {
        for (std::size_t i = 0; i < 3; ++i) {
            if (i < arity(line.op)) {
                check(line.args[i], known, "a line");
            } else {
                line.args[i] = 0;
            }
        }
        ++known;
    }
    for (const Index output : program_.outputs) check(output, known, "an output");
    sort_into_runs();
}

void Interpreter::sort_into_runs() {
    // A unit is a line, or a sine with the cosine after it. Units wait until all they need is there; of those that are ready
    // the operation with the most goes next, and takes along what becomes ready meanwhile.
    constexpr std::size_t pair_kind = static_cast<std::size_t>(Op::select) + 1;
    const std::vector<Line>& lines = program_.lines;
    const std::size_t first = program_.first_line();
    std::vector<std::uint32_t> unit_of(lines.size()), waits_for(lines.size()), user_begin(program_.values() + 1), users;
    const auto is_second = [&](std::size_t k) { return k > 0 && unit_of[k] != k; };
    for (std::size_t k = 0; k < lines.size(); ++k) {
        unit_of[k] = static_cast<std::uint32_t>(k);
        if (is_sincos(program_, k)) unit_of[k + 1] = static_cast<std::uint32_t>(k), ++k;
    }
    for (std::size_t k = 0; k < lines.size(); ++k) {
        if (is_second(k)) continue;
        for (std::size_t i = 0; i < arity(lines[k].op); ++i) {
            if (lines[k].args[i] >= first) ++user_begin[lines[k].args[i] + 1], ++waits_for[k];
        }
    }
    for (std::size_t v = 0; v < program_.values(); ++v) user_begin[v + 1] += user_begin[v];
    users.resize(user_begin.back());
    std::vector<std::uint32_t> fill(user_begin.begin(), user_begin.end() - 1);
    std::array<std::vector<std::uint32_t>, pair_kind + 1> ready;
    const auto kind = [&](std::size_t k) { return is_sincos(program_, k) ? pair_kind : static_cast<std::size_t>(lines[k].op); };
    for (std::size_t k = 0; k < lines.size(); ++k) {
        if (is_second(k)) continue;
        for (std::size_t i = 0; i < arity(lines[k].op); ++i) {
            if (lines[k].args[i] >= first) users[fill[lines[k].args[i]]++] = static_cast<std::uint32_t>(k);
        }
        if (waits_for[k] == 0) ready[kind(k)].push_back(static_cast<std::uint32_t>(k));
    }
    std::vector<Index> place(program_.values());
    for (std::size_t v = 0; v < first; ++v) place[v] = static_cast<Index>(v);
    Index next = static_cast<Index>(first);
    const auto finish = [&](std::size_t k) {  // line k has its value
        place[first + k] = next++;
        for (std::uint32_t at = user_begin[first + k]; at < user_begin[first + k + 1]; ++at) {
            if (--waits_for[users[at]] == 0) ready[kind(users[at])].push_back(users[at]);
        }
    };
    for (;;) {
        const auto most = std::ranges::max_element(ready, {}, [](const auto& list) { return list.size(); });
        if (most->empty()) break;
        const auto which = static_cast<std::size_t>(most - ready.begin());
        const bool is_pair = which == pair_kind;
        Run run{is_pair ? Op::sin : static_cast<Op>(which), is_pair, 0};
        for (std::size_t i = 0; i < most->size(); ++i, ++run.count) {  // grows as it goes
            const std::size_t k = (*most)[i];
            for (std::size_t a = 0; a < arity(lines[k].op); ++a) args_.push_back(place[lines[k].args[a]]);
            finish(k);
            if (is_pair) finish(k + 1);
        }
        most->clear();
        runs_.push_back(run);
    }
    for (const Index output : program_.outputs) outputs_.push_back(place[output]);
}

template <std::size_t lanes>
void Interpreter::run_lanes(std::size_t points, const double* in, double* out) const {
    // Scratch of the thread: calls may come from many, and a call makes none of its own.
    static thread_local std::vector<double> scratch;
    if (scratch.size() < program_.values() * lanes) scratch.resize(program_.values() * lanes);
    double* const value = scratch.data();
    for (std::size_t i = 0; i < program_.inputs; ++i) {
        for (std::size_t p = 0; p < lanes; ++p) {
            value[i * lanes + p] = in[std::min(p, points - 1) * program_.inputs + i];
        }
    }
    double* target = value + program_.inputs * lanes;
    for (const double x : program_.constants) target = std::fill_n(target, lanes, x);
    const Index* args = args_.data();
    for (const Run& run : runs_) run_one<lanes>(run.op, run.is_pair, run.count, value, args, target);
    for (std::size_t k = 0; k < program_.outputs.size(); ++k) {
        const double* result = value + outputs_[k] * lanes;
        for (std::size_t p = 0; p < points; ++p) out[p * program_.outputs.size() + k] = result[p];
    }
}

void Interpreter::run(const double* in, double* out) const { run_lanes<1>(1, in, out); }

void Interpreter::run_batch(std::size_t points, const double* in, double* out) const {
    for (std::size_t p = 0; p < points; p += batch_lanes) {
        const std::size_t block = std::min(batch_lanes, points - p);
        run_lanes<batch_lanes>(block, in + p * inputs(), out + p * outputs());
    }
}

}  // namespace linkwright::program
