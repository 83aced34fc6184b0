#include "linkwright/program/parallel.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace linkwright::program {
namespace {

constexpr std::size_t probe = 64;          // points after which the rest is judged
constexpr std::size_t grain = 8;           // parts are multiples of it, so that lanes stay full
constexpr double worth_a_thread = 100e-6;  // seconds

}  // namespace

void run_in_parts(std::size_t points, const std::function<void(std::size_t, std::size_t)>& run, unsigned threads) {
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    if (threads == 1 || points <= 2 * probe) return run(0, points);
    // The first points tell what the rest will take.
    using Clock = std::chrono::steady_clock;
    run(0, grain);  // warms up: the first batch may have to make its code
    const auto begin = Clock::now();
    run(grain, probe);
    const double each = std::chrono::duration<double>(Clock::now() - begin).count() / (probe - grain);
    const std::size_t left = points - probe;
    const auto worth = static_cast<std::size_t>(each * static_cast<double>(left) / worth_a_thread);
    const std::size_t parts = std::clamp<std::size_t>(worth, 1, threads);
    const std::size_t size = (left / parts + grain) / grain * grain;

    std::vector<std::exception_ptr> failures(parts);
    const auto part = [&](std::size_t k) noexcept {
        try {
            run(std::min(probe + k * size, points), std::min(probe + (k + 1) * size, points));
        } catch (...) {
            failures[k] = std::current_exception();
        }
    };
    std::vector<std::jthread> others;
    others.reserve(parts);
    std::size_t started = 1;
    try {
        for (; started < parts; ++started) others.emplace_back(part, started);
        // No more threads to be had: the caller does their work.  NOLINTNEXTLINE(bugprone-empty-catch)
    } catch (const std::system_error&) {
    }
    part(0);
    for (std::size_t k = started; k < parts; ++k) part(k);
    others.clear();  // waits
    for (const std::exception_ptr& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
}

void batch(const Evaluator& evaluator, std::size_t points, std::span<const double> in, std::span<double> out, unsigned threads) {
    const std::size_t n = evaluator.inputs(), m = evaluator.outputs();
    if (in.size() != points * n || out.size() != points * m) return evaluator.batch(points, in, out);  // refuses
    run_in_parts(
        points,
        [&](std::size_t from, std::size_t to) {
            evaluator.batch(to - from, in.subspan(from * n, (to - from) * n), out.subspan(from * m, (to - from) * m));
        },
        threads);
}

}  // namespace linkwright::program
