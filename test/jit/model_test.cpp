// Every model of the project: M, f, G, γ and accelerations by native code and by the interpreter, at random states.

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>

#include "jit/random_program.hpp"
#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/numeric/compiled_equations.hpp"
#include "support/project_root.hpp"

namespace linkwright::jit {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> zoo() {
    std::vector<fs::path> files;
    for (const char* place : {"models", "bench/models"}) {
        for (const fs::directory_entry& folder : fs::directory_iterator(fs::path(project_root()) / place)) {
            if (!folder.is_directory()) continue;
            for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
                if (file.path().extension() == ".toml") files.push_back(file.path());
            }
        }
    }
    std::ranges::sort(files);
    return files;
}

class EveryModel : public testing::TestWithParam<fs::path> {};
INSTANTIATE_TEST_SUITE_P(Jit, EveryModel, testing::ValuesIn(zoo()),
                         [](const auto& p) { return p.param.parent_path().filename().string() + "_" + p.param.stem().string(); });

/// Values of all outputs with bounds on rounding, following every line.
std::vector<Bounded> run_bounded(const Program& program, std::span<const double> in) {
    std::vector<Bounded> value;
    for (const double x : in) value.push_back({x, 0});
    for (const double x : program.constants) value.push_back({x, 0});
    for (const auto& [op, args] : program.lines) value.push_back(calc_bounded(op, value[args[0]], value[args[1]], value[args[2]]));
    std::vector<Bounded> out;
    for (const Index i : program.outputs) out.push_back(value[i]);
    return out;
}

/// How far the outputs move when the inputs move by some of their last bits.
std::vector<double> shake(const program::Evaluator& f, std::span<const double> in) {
    std::mt19937_64 random(3);
    std::vector<double> at(in.begin(), in.end()), still(f.outputs()), moved(f.outputs()), far(f.outputs());
    f(at, still);
    for (int k = 0; k < 8; ++k) {
        for (std::size_t i = 0; i < in.size(); ++i) at[i] = in[i] * (1 + (random() % 2 == 0 ? 1e-15 : -1e-15));
        f(at, moved);
        for (std::size_t i = 0; i < far.size(); ++i) far[i] = std::max(far[i], std::abs(moved[i] - still[i]));
    }
    return far;
}

void expect_agreement(const Program& program, const std::string& what) {
    const program::Interpreter reference(program);
    const auto code = compile(program);
    ASSERT_EQ(is_native(*code), why_not().empty());
    constexpr std::size_t points = 7;
    const std::size_t n = code->inputs(), m = code->outputs();
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    std::vector<double> in(points * n), wanted(points * m), got(points * m), batch(points * m);
    for (double& x : in) x = normal(random);
    for (std::size_t p = 0; p < points; ++p) {
        const auto x = std::span(in).subspan(p * n, n);
        reference(x, std::span(wanted).subspan(p * m, m));
        (*code)(x, std::span(got).subspan(p * m, m));
        const auto bounds = run_bounded(program, x);
        const auto shaken = shake(reference, x);
        for (std::size_t k = 0; k < m; ++k) {
            const double g = got[p * m + k], w = wanted[p * m + k];
            ASSERT_EQ(std::isfinite(g), std::isfinite(w)) << what << " " << k << ": " << g << ", not " << w;
            if (!std::isfinite(w)) continue;
            // After many divisions the bound is beyond all measure; then what the last bits of the inputs do is one.
            const double certain = 2 * bounds[k].error, likely = 1e-12 + 100 * shaken[k];
            const double bound = certain < likely ? certain : likely;
            ASSERT_LE(std::abs(g - w), bound) << what << " " << k << ": " << g << ", not " << w;
        }
    }
    code->batch(points, in, batch);
    for (std::size_t k = 0; k < got.size(); ++k) {
        if (std::isnan(got[k]) && std::isnan(batch[k])) continue;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(got[k]), std::bit_cast<std::uint64_t>(batch[k])) << what << " " << k;
    }
}

TEST_P(EveryModel, RunsNatively) {
    const model::Reading reading = model::read_file(GetParam());
    ASSERT_TRUE(reading.model) << to_string(reading.problems);
    const topology::Analysis analysis = topology::analyse(*reading.model);
    ASSERT_TRUE(analysis.topology) << to_string(analysis.problems);
    const formulation::Derived derived = formulation::kane::derive(*reading.model, *analysis.topology);
    ASSERT_TRUE(derived.equations) << to_string(derived.problems);
    const eom::EquationsOfMotion& e = *derived.equations;
    const numeric::CompiledEquations numbers(e);
    std::vector<sym::Expr> all = e.f;
    for (const auto& row : e.M) all.insert(all.end(), row.begin(), row.end());
    for (const eom::Constraint& c : e.constraints) {
        all.insert(all.end(), c.G.begin(), c.G.end());
        all.push_back(c.gamma);
    }
    expect_agreement(numbers.lower(all), "M, f, G, gamma");
    expect_agreement(numbers.lower(e.qdot), "coordinate rates");
    if (e.constraints.empty() && !e.u.empty()) expect_agreement(numbers.lower(eom::accelerations(e)), "accelerations");
}

}  // namespace
}  // namespace linkwright::jit
