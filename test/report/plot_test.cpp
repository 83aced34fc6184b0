// Plots: axes, thinning, SVG, PNG, terminal.

#include "linkwright/report/plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "linkwright/report/plot_axis.hpp"
#include "linkwright/report/plot_png.hpp"
#include "linkwright/report/plot_svg.hpp"
#include "linkwright/report/plot_terminal.hpp"
#include "support/project_root.hpp"

namespace linkwright::report {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

session::Table table_of(const std::string& text) {
    session::Report report;
    const auto table = session::parse_table(text, "test.csv", report, session::Gaps::allowed);
    EXPECT_TRUE(table) << to_string(report.problems);
    return table.value_or(session::Table{});
}

Axis axis_of(const std::vector<double>& values, std::size_t wanted = 6) {
    const std::span<const double> all(values);
    return make_axis({&all, 1}, 0, wanted);
}

/// A cubic, its rate, and a constant with a gap; by sums and products only, which are the same everywhere.
Plot example() {
    Plot plot{"t", "s", {}, {{"hip", "rad", {}}, {"knee", "rad", {}}, {"hip'", "rad/s", {}}}};
    for (int i = 0; i <= 200; ++i) {
        const double t = i / 20.0;
        plot.x.push_back(t);
        plot.curves[0].y.push_back((t - 1) * (t - 4) * (t - 9) / 64);
        plot.curves[1].y.push_back(i > 90 && i < 110 ? nan : 0.25);
        plot.curves[2].y.push_back((3 * t * t - 28 * t + 49) / 64);
    }
    return plot;
}

/// Against test/report/golden; UPDATE=1 in the environment accepts what is new.
void expect_golden(const std::string& name, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(project_root()) / "test/report/golden" / name;
    if (const char* update = std::getenv("UPDATE"); update != nullptr && std::string_view(update) == "1") {
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return;
    }
    std::ifstream in(path, std::ios::binary);
    EXPECT_EQ(std::string((std::istreambuf_iterator<char>(in)), {}), text) << "UPDATE=1 accepts it";
}

TEST(PlotAxis, HasRoundNumbers) {
    const Axis axis = axis_of({0, 10});
    EXPECT_EQ(axis.labels, (std::vector<std::string>{"0", "2", "4", "6", "8", "10"}));
    EXPECT_EQ(axis_of({-0.31, 0.29}).labels, (std::vector<std::string>{"−0.3", "−0.2", "−0.1", "0.0", "0.1", "0.2"}));
    EXPECT_EQ(axis.factor, "");
    EXPECT_EQ(axis.place(0), 0);
    EXPECT_EQ(axis.place(10), 1);
}

TEST(PlotAxis, TakesOutPowersAndOffsets) {
    const Axis small = axis_of({0, 3e-7});
    EXPECT_EQ(small.factor, "×10⁻⁷");
    EXPECT_EQ(small.labels.front(), "0.0");
    EXPECT_EQ(small.labels.back(), "3.0");
    const Axis large = axis_of({-2e9, 2e9});
    EXPECT_EQ(large.factor, "×10⁹");
    const Axis shifted = axis_of({12.5, 12.5 + 4e-8});
    EXPECT_EQ(shifted.factor, "×10⁻⁸ + 12.5");
    EXPECT_EQ(shifted.labels.front(), "0");
}

TEST(PlotAxis, StandsAnyNumbers) {
    for (const std::vector<double>& values : std::vector<std::vector<double>>{{0},
                                                                              {5},
                                                                              {-3, -3},
                                                                              {nan, 2, nan},
                                                                              {1e300, -1e300},
                                                                              {1.7e308, -1.7e308},
                                                                              {1.7e308},
                                                                              {5e-324, 0},
                                                                              {1e-300, 2e-300},
                                                                              {1, std::nextafter(1.0, 2)},
                                                                              {1e15, 1e15 + 1}}) {
        const Axis axis = axis_of(values);
        EXPECT_LT(axis.low, axis.high);
        EXPECT_GE(axis.ticks.size(), 2U) << values[0];
        EXPECT_LE(axis.ticks.size(), 20U) << values[0];
        EXPECT_EQ(axis.ticks.size(), axis.labels.size());
        for (const std::string& label : axis.labels) EXPECT_LE(label.size(), 12U) << label;
    }
}

TEST(PlotThin, KeepsExtremes) {
    std::vector<DrawnPoint> points;
    for (int i = 0; i < 100'000; ++i) points.push_back({600.0 * i / 100'000, std::sin(0.001 * i)});
    points[54'321].y = 7;
    points[70'000].y = -9;
    const DrawnCurve thin = thinned({points});
    ASSERT_EQ(thin.size(), 1U);
    EXPECT_LE(thin[0].size(), 2400U);
    const auto [low, high] = std::ranges::minmax_element(thin[0], {}, &DrawnPoint::y);
    EXPECT_EQ(low->y, -9);
    EXPECT_EQ(high->y, 7);
    EXPECT_EQ(thin[0].front().x, points.front().x);
    EXPECT_EQ(thin[0].back().x, points.back().x);
    EXPECT_TRUE(std::ranges::is_sorted(thin[0], {}, &DrawnPoint::x));
}

TEST(PlotThin, FollowsAPhasePlane) {
    std::vector<DrawnPoint> circle;
    for (int i = 0; i <= 100'000; ++i) circle.push_back({300 + 200 * std::cos(1e-3 * i), 300 + 200 * std::sin(1e-3 * i)});
    const DrawnCurve thin = thinned({circle});
    EXPECT_LT(thin[0].size(), 100'000U);
    for (std::size_t i = 1; i < thin[0].size(); ++i)
        EXPECT_LT(std::hypot(thin[0][i].x - thin[0][i - 1].x, thin[0][i].y - thin[0][i - 1].y), 0.5);
}

TEST(Plot, TakesColumnsByName) {
    const session::Table table = table_of("t [s],hip [rad],knee [rad],load\n0,1,2,3\n1,2,,4\n2,nan,4,5\n");
    const auto plot = make_plot(table, {.columns = {"knee", "hip [rad]"}, .against = {}});
    ASSERT_TRUE(plot) << to_string(plot.problems);
    EXPECT_EQ(plot->x_name, "t");
    EXPECT_EQ(plot->x_unit, "s");
    ASSERT_EQ(plot->curves.size(), 2U);
    EXPECT_EQ(plot->curves[0].name, "knee");
    EXPECT_EQ(plot->curves[0].unit, "rad");
    EXPECT_TRUE(std::isnan(plot->curves[0].y[1]));
    EXPECT_EQ(panels_of(*plot).size(), 1U);
    const auto all = make_plot(table, {});
    ASSERT_TRUE(all);
    EXPECT_EQ(all->curves.size(), 3U);
    EXPECT_EQ(panels_of(*all), (std::vector<std::vector<std::size_t>>{{0, 1}, {2}}));
    EXPECT_TRUE(all.problems.empty());
    EXPECT_EQ(make_plot(table, {.columns = {"hip"}, .against = "load"})->x_name, "load");
}

TEST(Plot, TellsAllThatIsWrong) {
    const session::Table table = table_of("t,hip,knee,void\n0,1,2,nan\n1,2,3,\n");
    const auto plot = make_plot(table, {.columns = {"hop", "nothing"}, .against = "time"});
    EXPECT_FALSE(plot);
    EXPECT_EQ(plot.status, session::Status::wrong_input);
    EXPECT_EQ(plot.problems.size(), 3U);
    EXPECT_THAT(to_string(plot.problems), ::testing::HasSubstr("did you mean hip?"));
    EXPECT_THAT(to_string(make_plot(table, {.columns = {"void"}, .against = {}}).problems), ::testing::HasSubstr("no finite number"));
    EXPECT_THAT(to_string(make_plot(table_of("t,hip\n"), {}).problems), ::testing::HasSubstr("no rows"));
    EXPECT_THAT(to_string(make_plot(table_of("t\n1\n"), {}).problems), ::testing::HasSubstr("nothing to plot"));
}

TEST(Plot, SvgIsAsItWas) {
    expect_golden("example.svg", to_svg(lay_out(example())));
    Plot one = example();
    one.curves.resize(1);
    one.x_name = "<a & \"b\">\x01";
    EXPECT_THAT(to_svg(lay_out(one)), ::testing::HasSubstr("&lt;a &amp; &quot;b&quot;&gt; "));
}

TEST(Plot, SvgOfALongTableIsShort) {
    Plot plot{"t", "s", {}, {{"x", "m", {}}}};
    for (int i = 0; i < 100'000; ++i) plot.x.push_back(1e-3 * i), plot.curves[0].y.push_back(std::sin(0.3 * i));
    EXPECT_LT(to_svg(lay_out(plot)).size(), 60'000U);
}

TEST(Plot, PngIsAPicture) {
    const Drawing drawing = lay_out(example());
    const std::string png = to_png(drawing, 1);
    ASSERT_GT(png.size(), 1000U);
    EXPECT_EQ(png.substr(1, 3), "PNG");
    const auto number = [&](std::size_t at) {
        unsigned x = 0;
        for (std::size_t i = 0; i < 4; ++i) x = 256 * x + static_cast<unsigned char>(png[at + i]);
        return x;
    };
    EXPECT_EQ(number(16), 720U);
    EXPECT_EQ(number(20), static_cast<unsigned>(std::ceil(drawing.height)));
}

TEST(Plot, TerminalIsAsItWas) {
    Plot plot = example();
    expect_golden("example.txt", to_terminal(plot));
    plot.curves.resize(1);
    expect_golden("one.txt", to_terminal(plot, 60));
}

TEST(Plot, TerminalKeepsItsWidth) {
    Plot plot = example();
    plot.curves[0].name = std::string(200, 'x');
    plot.x = std::vector<double>(plot.x.size(), 1e15);
    for (const std::size_t width : {20, 40, 80, 132}) {
        std::istringstream lines(to_terminal(plot, width));
        for (std::string line; std::getline(lines, line);) {
            const auto letters = std::ranges::count_if(line, [](char x) { return (static_cast<unsigned char>(x) & 0xC0U) != 0x80U; });
            EXPECT_LE(letters, static_cast<std::ptrdiff_t>(width)) << line;
        }
    }
}

}  // namespace
}  // namespace linkwright::report
