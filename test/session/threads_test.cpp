// Several threads and one session: every one gets what it would get alone.

#include <atomic>
#include <thread>

#include "linkwright/linkwright.hpp"
#include "session/subject.hpp"

namespace linkwright::session {
namespace {

TEST(Threads, ShareASession) {
    const Session four_bar = test::opened("four_bar/model.toml");
    const SimulateOptions how{.rows = {.until = 0.5, .samples = 10}};
    const auto alone = simulate(test::opened("four_bar/model.toml"), how);
    ASSERT_TRUE(alone) << to_string(alone.problems);
    std::atomic<int> differing = 0;
    const auto work = [&] {
        for (int i = 0; i < 3; ++i) {
            const auto motion = simulate(four_bar, how);
            const auto small = linearize(four_bar, {.operating = {.at = linear::Operating::At::initial}});
            const auto equations = four_bar.equations("lagrange");
            if (!motion || !small || !equations || motion->motion.rows.size() != alone->motion.rows.size()) {
                ++differing;
                continue;
            }
            for (std::size_t k = 0; k < motion->motion.rows.size(); ++k) {
                if ((motion->motion.rows[k] - alone->motion.rows[k]).lpNorm<Eigen::Infinity>() > 1e-6) ++differing;
            }
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(work);
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(differing, 0);
}

TEST(Threads, OneStopsAnother) {
    const Session pendulum = test::pendulum();
    std::atomic<bool> wants_to_stop = false, has_begun = false;
    Result<Simulation> r;
    std::thread runner([&] {
        r = simulate(pendulum, {.rows = {.until = 1e7, .samples = 10}, .on_step = [&](const Step&) {
                                    has_begun = true;
                                    return !wants_to_stop;
                                }});
    });
    while (!has_begun) std::this_thread::yield();
    EXPECT_TRUE(evaluate(pendulum));  // meanwhile
    wants_to_stop = true;
    runner.join();
    EXPECT_EQ(r.status, Status::numerical_failure);
}

}  // namespace
}  // namespace linkwright::session
