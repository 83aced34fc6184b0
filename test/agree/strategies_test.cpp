// Kane's equations evaluated three ways [lynch88 §4.6]: the same numbers, at their price.

#include "agree/subject.hpp"
#include "linkwright/formulation/kane/evaluation.hpp"
#include "support/project_root.hpp"

namespace linkwright::agree {
namespace {

using formulation::kane::Evaluation;
using formulation::kane::Plan;

/// The stages one after the other, as whoever runs them would.
std::vector<double> run(const Plan& plan, const std::function<double(const Expr&)>& value) {
    std::vector<std::vector<double>> results;
    for (const Plan::Stage& stage : plan.stages) {
        std::vector<Expr> inputs = stage.symbols;
        inputs.insert(inputs.end(), stage.parameters.begin(), stage.parameters.end());
        std::vector<double> in;
        for (const Expr& s : inputs) in.push_back(value(s));
        inputs.insert(inputs.end(), stage.given.begin(), stage.given.end());
        for (const auto& [from, which] : stage.from) in.push_back(results.at(from).at(which));
        std::vector<double> out(stage.outputs.size());
        if (!out.empty()) program::Interpreter(program::lower(stage.outputs, inputs))(in, out);
        results.push_back(std::move(out));
    }
    if (plan.loops.mul != 0) return formulation::kane::multiply(plan, results.at(0));
    std::vector<double> all;
    const bool is_by_entry = results.size() != 2 || plan.terms != 0;
    for (std::size_t i = 1; i < results.size(); ++i) all.insert(all.end(), results[i].begin(), results[i].end());
    EXPECT_TRUE(is_by_entry || all.size() == results[1].size());
    return all;
}

std::size_t operations(const Plan& plan) {
    std::size_t sum = plan.loops.add + plan.loops.mul;
    for (const Plan::Stage& stage : plan.stages) {
        if (stage.outputs.empty()) continue;
        std::vector<Expr> inputs = stage.symbols;
        inputs.insert(inputs.end(), stage.parameters.begin(), stage.parameters.end());
        inputs.insert(inputs.end(), stage.given.begin(), stage.given.end());
        sum += program::count(program::lower(stage.outputs, inputs)).total();
    }
    return sum;
}

struct Strategies {
    model::Model model;
    topology::Topology topology;
    formulation::System system;

    explicit Strategies(const std::string& name)
        : model(read(project_root() + "/models/" + name + "/model.toml")),
          topology(std::move(*topology::analyse(model).topology)),
          system(set_up()) {}

private:
    formulation::System set_up() const {
        const sym::PoolScope scope(*model.pool);
        return formulation::set_up(model, topology);
    }
};

/// M and f as Kane's recursion has them, where nothing is given and every speed is the joint's own.
TEST(Strategies, AgreeWithTheRecursion) {
    for (const char* name : {"triple_pendulum", "stanford_arm", "satellite", "gyrostat", "double_pendulum", "four_bar", "spinning_top",
                             "rolling_disk", "cart_pole", "satellite_with_arms", "andrews_squeezer"}) {
        SCOPED_TRACE(name);
        const Strategies s(name);
        const sym::PoolScope scope(*s.model.pool);
        const formulation::Derived kane = formulation::kane::derive(s.model, s.topology);
        ASSERT_TRUE(kane.equations);
        const EquationsOfMotion& e = *kane.equations;
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> between(-1, 1);
        Values values;
        for (const auto* list : {&e.q, &e.u}) {
            for (const Expr& x : *list) values[x.symbol().name] = between(random);
        }
        for (const auto& group : e.quaternions) {
            double square = 0;
            for (const std::size_t i : group) square += std::pow(values[e.q[i].symbol().name], 2);
            for (const std::size_t i : group) values[e.q[i].symbol().name] /= std::sqrt(square);
        }
        for (const eom::Input& w : e.inputs) values[w.symbol.symbol().name] = between(random);
        values[e.t.symbol().name] = between(random);
        const model::ParameterValues parameters(s.model);
        for (const model::Parameter& p : s.model.parameters) values[p.symbol.symbol().name] = parameters(p.symbol);
        const auto value = [&](const Expr& x) { return values.at(x.symbol().name); };

        std::vector<Expr> wanted;
        for (std::size_t i = 0; i < e.M.size(); ++i)
            wanted.insert(wanted.end(), e.M[i].begin(), e.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
        wanted.insert(wanted.end(), e.f.begin(), e.f.end());
        const std::vector<double> numbers = sym::evaluate<double>(wanted, value);
        double scale = 1;
        for (const double x : numbers) scale = std::max(scale, std::abs(x));
        for (const Evaluation evaluation : {Evaluation::expanded, Evaluation::matrices, Evaluation::intermediates}) {
            SCOPED_TRACE(to_string(evaluation));
            const Plan plan = formulation::kane::plan(s.system, evaluation, {.terms = 20'000, .time = std::chrono::seconds(2)});
            if (!plan.why_not.empty()) {
                EXPECT_EQ(evaluation, Evaluation::expanded);
                continue;
            }
            const std::vector<double> found = run(plan, value);
            ASSERT_EQ(found.size(), numbers.size());
            for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], numbers[i], 1e-10 * scale) << i;
        }
    }
}

/// What Lynch says of them: names beat loops, which pay for their zeros; multiplied out it is the worse the larger the system.
TEST(Strategies, CostWhatLynchSays) {
    std::vector<double> ratio;
    for (const char* name : {"triple_pendulum", "satellite", "stanford_arm"}) {
        SCOPED_TRACE(name);
        const Strategies s(name);
        const auto cost = [&](Evaluation e) {
            return operations(formulation::kane::plan(s.system, e, {.terms = 50'000, .time = std::chrono::seconds(10)}));
        };
        const std::size_t names = cost(Evaluation::intermediates);
        EXPECT_LT(2 * names, cost(Evaluation::matrices));
        EXPECT_LT(names, cost(Evaluation::expanded));
        ratio.push_back(static_cast<double>(cost(Evaluation::expanded)) / static_cast<double>(names));
    }
    EXPECT_GT(ratio[2], 2);
}

/// Loops over 6 × n, nothing spared.
TEST(Strategies, LoopsAreCounted) {
    const Strategies s("triple_pendulum");
    const Plan plan = formulation::kane::plan(s.system, Evaluation::matrices);
    const std::size_t n = 3, bodies = 3, triangle = n * (n + 1) / 2;
    EXPECT_EQ(plan.loops.mul, bodies * (n * 12 + triangle * 6 + 6 * n + 12 + 6 * n));
    EXPECT_EQ(plan.loops.add, n + bodies * (n * 6 + triangle * 6 + 6 * (n - 1) + 6 + 9 + 6 * n));
}

/// A budget is kept, and what was reached is told.
TEST(Strategies, TooLargeIsASentence) {
    const Strategies s("stanford_arm");
    const Plan plan = formulation::kane::plan(s.system, Evaluation::expanded, {.terms = 50, .time = std::chrono::seconds(2)});
    EXPECT_NE(plan.why_not.find("too large to be expanded"), std::string::npos) << plan.why_not;
    EXPECT_GE(plan.stages.size(), 1U);
}

}  // namespace
}  // namespace linkwright::agree
