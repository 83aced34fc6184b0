#pragma once
// The least time of several runs, in seconds of this process: what others do on the machine lengthens it little.

#include <algorithm>
#include <ctime>
#include <functional>

namespace bench {

inline double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Each run repeats f for `shortest` seconds at least; the clock is looked at now and then only, since that takes longer than some f.
inline double least_time(double shortest, int rounds, const std::function<void()>& f) {
    double best = 1e9;
    long batch = 1;
    for (int round = 0; round < rounds; ++round) {
        for (;;) {
            const double begin = cpu_seconds();
            for (long i = 0; i < batch; ++i) f();
            const double seconds = cpu_seconds() - begin;
            best = std::min(best, seconds / static_cast<double>(batch));
            if (seconds >= shortest) break;
            batch *= 2;
        }
    }
    return best;
}

}  // namespace bench
