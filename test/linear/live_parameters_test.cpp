// Parameters that may change while programs stay: the same numbers as with other values folded in.

#include "motion/subject.hpp"

namespace linkwright {
namespace {

TEST(LiveParameters, GiveTheNumbersOfFoldedOnes) {
    Subject subject("models/flyball_governor/model.toml");
    const eom::EquationsOfMotion& e = subject.equations;
    numeric::CompiledEquations live(e, test_code(), numeric::Parameters::live);
    const numeric::State state = subject.start();
    const auto find = [&](const std::string& name) {
        for (std::size_t i = 0; i < e.parameters.size(); ++i) {
            if (e.parameters[i].symbol.symbol().name == name) return i;
        }
        ADD_FAILURE() << name;
        return std::size_t{0};
    };
    const numeric::Dynamics folded = subject.numbers->dynamics(state), same = live.dynamics(state);
    EXPECT_LT((folded.M - same.M).norm() + (folded.f - same.f).norm() + (folded.G - same.G).norm(), 1e-12);
    EXPECT_THROW(subject.numbers->set(0, 1), std::logic_error);

    const double W = live.parameters()[find("W")], m = live.parameters()[find("m")];
    live.set(find("g"), 4 * 9.81);  // W = √((m + M) g/(m l cos angle)) follows
    EXPECT_NEAR(live.parameters()[find("W")], 2 * W, 1e-12 * W);
    live.set(find("W"), 3.0);  // and no longer
    live.set(find("m"), 2 * m);
    EXPECT_EQ(live.parameters()[find("W")], 3.0);
    EXPECT_GT((live.dynamics(state).M - folded.M).norm(), 1e-3);
}

}  // namespace
}  // namespace linkwright
