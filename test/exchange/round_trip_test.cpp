// A robot that is read, written and read again is the same mechanism.

#include "linkwright/model/read.hpp"
#include "subject.hpp"
#include "support/project_root.hpp"

namespace linkwright::exchange {
namespace {

class RoundTrip : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(RoundTrip, IsTheSameMechanism) {
    const auto [name, format] = GetParam();
    const std::string path = project_root() + "/" + name;
    TranslateOptions options;
    if (path.ends_with("quadruped.urdf")) options.base = Base::floating;
    model::Reading reading = path.ends_with(".toml") ? model::read_file(path) : read(translate_file(path, options));
    ASSERT_TRUE(reading.model) << to_string(reading.problems);
    const Subject first(std::move(*reading.model));
    const Written written = find_format(format)->write(*first.model, {});
    ASSERT_TRUE(written.text) << to_string(written.problems);
    const Translation back = translate(*written.text, "written");
    ASSERT_TRUE(back.text) << to_string(back.problems) << *written.text;
    const Subject second(back);
    expect_same(first, second);
}

INSTANTIATE_TEST_SUITE_P(Robots, RoundTrip,
                         testing::Combine(testing::Values("test/exchange/robots/arm7.urdf", "test/exchange/robots/humanoid.urdf",
                                                          "test/exchange/robots/gripper.urdf", "test/exchange/robots/quadruped.urdf",
                                                          "test/exchange/robots/cart.urdf", "examples/two_link.urdf"),
                                          testing::Values("urdf", "sdf")));
INSTANTIATE_TEST_SUITE_P(Models, RoundTrip,
                         testing::Combine(testing::Values("models/stanford_arm/model.toml", "models/double_pendulum/model.toml"),
                                          testing::Values("urdf", "sdf")));

TEST(Export, LoopsAndBeamsAreRefused) {
    for (const char* name : {"models/four_bar/model.toml", "models/cantilever/model.toml"}) {
        const model::Reading reading = model::read_file(project_root() + "/" + name);
        ASSERT_TRUE(reading.model);
        for (const Format& format : formats()) {
            if (format.name == "mjcf") continue;  // it takes loops
            const Written written = format.write(*reading.model, {});
            EXPECT_FALSE(written.text) << name;
            EXPECT_FALSE(written.problems.empty());
        }
    }
}

}  // namespace
}  // namespace linkwright::exchange
