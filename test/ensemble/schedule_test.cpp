#include "linkwright/ensemble/schedule.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "linkwright/session/session.hpp"

namespace linkwright::ensemble {
namespace {

/// Twice the number of the run, after a while.
class Doubler final : public Worker {
public:
    bool run(std::size_t first, std::span<Outcome> outcomes, const std::function<bool()>& /*goes_on*/) override {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i].values = {2.0 * static_cast<double>(first + i)};
        return true;
    }
};
class Doublers final : public Crew {
public:
    std::unique_ptr<Worker> make_worker(session::Report& /*report*/) const override { return std::make_unique<Doubler>(); }
};

/// Process 1 asks for work and is never heard of again; process 2 never asks.
class Silent final : public Messages {
public:
    struct Order {
        std::size_t first = 0, count = 0;
    };
    int size() const override { return 3; }
    void send(int to, const std::string& bytes) const override {
        Order order;
        ASSERT_EQ(bytes.size(), sizeof order);
        std::memcpy(&order, bytes.data(), sizeof order);
        orders[to].push_back(order);
    }
    std::optional<Message> receive(bool /*wait*/) const override {
        if (!orders[1].empty()) return std::nullopt;
        return Message{.from = 1, .bytes = {}};
    }
    void abandon(int rank) const override { abandoned.push_back(rank); }

    mutable std::vector<Order> orders[3];
    mutable std::vector<int> abandoned;
};

const char* const pendulum = R"(
format = 1
name = "pendulum"
gravity = ["0", "-9.81", "0"]
[[body]]
name = "bob"
mass = "1"
com = ["0", "-1", "0"]
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "bob"
axis = ["0", "0", "1"]
coordinates = ["theta"]
)";

TEST(Schedule, NamesProcessesThatDoNotAnswerAndDoesTheirRuns) {
    session::Report report;
    const auto session = session::open_text(pendulum, "pendulum");
    ASSERT_TRUE(session) << to_string(session.problems);
    EnsembleOptions options{.vary = {"theta ~ uniform(0, 1)"}, .runs = 1, .collect = {"final(theta)"}, .threads = 2, .patience = 0.05};
    options.simulate.rows.until = 1;
    const auto problem = read_problem(*session, options, report);
    ASSERT_TRUE(problem) << to_string(report.problems);

    constexpr std::size_t runs = 1000;
    Journal journal;
    Journal::Found found{.outcomes = std::vector<Outcome>(runs), .is_done = std::vector<bool>(runs)};
    const Silent messages;
    const Done done = do_runs(*problem, Doublers(), journal, found, messages, report);
    EXPECT_TRUE(done.is_whole);
    EXPECT_EQ(done.trouble, "");
    EXPECT_EQ(done.processes, 3U);
    for (std::size_t i = 0; i < runs; ++i) EXPECT_EQ(found.outcomes[i].values, std::vector<double>{2.0 * static_cast<double>(i)}) << i;

    ASSERT_EQ(messages.orders[1].size(), 2U);  // a part, then the order to stop
    EXPECT_GT(messages.orders[1][0].count, 0U);
    EXPECT_EQ(messages.orders[1][1].count, 0U);
    ASSERT_EQ(messages.orders[2].size(), 1U);
    EXPECT_EQ(messages.orders[2][0].count, 0U);
    EXPECT_EQ(messages.abandoned, (std::vector<int>{1, 2}));
    ASSERT_EQ(done.slow.size(), 2U);
    EXPECT_NE((done.slow[0] + done.slow[1]).find("process 1 had not brought runs"), std::string::npos) << done.slow[0] << done.slow[1];
    EXPECT_NE((done.slow[0] + done.slow[1]).find("process 2 had not asked for work"), std::string::npos) << done.slow[0] << done.slow[1];
}

}  // namespace
}  // namespace linkwright::ensemble
