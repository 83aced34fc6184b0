// Emitted MATLAB code against the interpreter, run by Octave.

#include "linkwright/codegen/matlab/matlab.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/descriptor_cases.hpp"
#include "codegen/edge_packages.hpp"
#include "codegen/rounding.hpp"
#include "linkwright/codegen/matlab/kernel.hpp"

namespace linkwright::codegen::test {
namespace {

constexpr const char* octave = "octave-cli --norc --no-window-system --no-history --quiet";

std::string column(const Values& v) { return v.empty() ? "zeros(0, 1)" : fmt::format("[{}]", fmt::join(v, "; ")); }

/// One script for all of them: Octave is slow to start. A warning at the end is an error.
std::string driver(const std::vector<const Specimen*>& specimens) {
    std::string text = "1;  % a script\nfunction show(x)\n  printf(' %.17g', x');\nend\n";
    for (const Specimen* s : specimens) {
        const Package& k = s->package;
        text += fmt::format("printf('{0}'); s = {0}();\n", matlab::function_name(k));
        for (const State& state : s->states) {
            const Point point = make_point(*s, state);
            for (std::size_t a = 0; a < point.size(); ++a) text += fmt::format("{} = {};\n", k.arguments[a].name, column(point[a]));
            text += "assert(isequal(s.p, p));\n";
            for (const Function& f : k.functions) {
                std::vector<std::string> names, arguments;
                for (const Result& r : f.results) names.push_back("r" + r.name);
                for (const std::size_t a : f.arguments) arguments.push_back(k.arguments[a].name);
                text += fmt::format("[{}] = s.{}({});\n", fmt::join(names, ", "), f.name, fmt::join(arguments, ", "));
                for (std::size_t i = 0; i < names.size(); ++i) {
                    const Result& r = f.results[i];
                    text += fmt::format("assert(size({0}), [{1}, {2}]); show({0});\n", names[i], r.rows, r.columns);
                }
            }
            if (k.nu() == 0) continue;
            text += "c = s.setup(p);\n";
            if (k.m() > 0) text += "[ru, rl] = s.accelerations(t, q, u, w, c); show(ru); show(rl);\n";
            text += "show(s.rhs(t, [q; u], w, c)); [A, B] = s.rhs_jacobian(t, [q; u], w, c); show(A);\n";
            if (k.nw() > 0) text += "show(B);\n";
            for (const auto& e : k.quaternions) {
                text += fmt::format("assert(norm(s.normalise(2*q)([{}] + 1)), 1, 1e-14);\n", fmt::join(e, " "));
            }
        }
        text += "printf('\\n');\n";
    }
    return text + "if ~isempty(lastwarn()) error(lastwarn()); end\n";
}

void expect_octave(const std::vector<std::string>& names) {
    if (!have("octave-cli")) GTEST_SKIP() << "There is no Octave here.";
    const Folder folder;
    std::vector<const Specimen*> specimens;
    for (const std::string& name : names) {
        specimens.push_back(&specimen(name));
        const std::vector<File> files = matlab::write(specimens.back()->package);
        expect_anonymous(files);
        folder.write(files);
    }
    folder.write("driver_of_all.m", driver(specimens));
    const Ran ran = run_command(fmt::format("cd {} && {} driver_of_all.m", folder.path().string(), octave));
    ASSERT_EQ(ran.status, 0) << ran.output;
    std::istringstream lines(ran.output);
    std::string line;
    for (const Specimen* s : specimens) {
        std::vector<Quantity> wanted;
        for (const State& state : s->states) {
            for (Quantity& x : expected_with_rounding(*s, make_point(*s, state))) wanted.push_back(std::move(x));
        }
        const std::string name = matlab::function_name(s->package);
        ASSERT_TRUE(std::getline(lines, line)) << ran.output;
        ASSERT_TRUE(line.starts_with(name + " ")) << line;
        expect_near("Octave, " + s->name, wanted, read_numbers(line.substr(name.size())));
    }
}

TEST(Matlab, ComputesEveryModelOfTheZoo) {
    std::vector<std::string> names = zoo();
    std::erase_if(names, [](const std::string& name) { return name.starts_with("lynch_"); });  // the same mechanisms again
    for (const auto& [name, text] : oddities()) names.push_back(name);
    expect_octave(names);
}

TEST(Matlab, ComputesDerivatives) { expect_octave({"stanford6+derivatives", "servo+derivatives"}); }

TEST(Matlab, KernelSolvesWhatModelsSeldomAsk) {
    if (!have("octave-cli")) GTEST_SKIP() << "There is no Octave here.";
    const Folder folder;
    std::string script = std::string("1;\n") + matlab::descriptor_kernel;
    std::vector<Quantity> wanted;
    for (const DescriptorCase& c : descriptor_cases()) {
        script += "[udot, lambda] = solve_descriptor(";
        script += literal(c.M, "[", "; ", "], ") + literal(c.f, "[", "; ", "], ") + literal(c.G, "[", "; ", "], ") +
                  literal(c.gamma, "[", "; ", "]);\n");
        script += "printf(' %.17g', udot, lambda);\n";
        wanted.insert(wanted.end(), c.expected.begin(), c.expected.end());
    }
    script +=
        "told = false;\ntry\n  solve_descriptor(zeros(2), [1; 1], [1 1], 0);\ncatch trouble\n  told = "
        "~isempty(strfind(trouble.message, 'inertia'));\nend\nassert(told);\n";
    folder.write("script_of_cases.m", script);
    const Ran ran = run_command(fmt::format("cd {} && {} script_of_cases.m", folder.path().string(), octave));
    ASSERT_EQ(ran.status, 0) << ran.output;
    expect_near("Octave's kernel", wanted, read_numbers(ran.output));
}

TEST(Matlab, DecidesLikeTheInterpreter) {
    if (!have("octave-cli")) GTEST_SKIP() << "There is no Octave here.";
    const Folder folder;
    const Package package = every_operation();
    folder.write(matlab::write(package));
    std::string script = "s = every_operation();\n";
    Values wanted;
    for (const Point& point : edges()) {
        script += fmt::format("y = s.outputs(0, {}); assert(isreal(y)); printf(' %.17g', y);\n", column(point[1]));
        const Values y = run(package.functions[0], point)[0];
        wanted.insert(wanted.end(), y.begin(), y.end());
    }
    folder.write("script_of_edges.m", script);
    const Ran ran = run_command(fmt::format("cd {} && {} script_of_edges.m", folder.path().string(), octave));
    ASSERT_EQ(ran.status, 0) << ran.output;
    std::string text = ran.output;
    for (const auto& [from, to] : {std::pair("NaN", "nan"), std::pair("Inf", "inf")}) {
        for (std::size_t at = 0; (at = text.find(from)) != std::string::npos;) text.replace(at, 3, to);
    }
    expect_alike("Octave", wanted, read_numbers(text));
}

TEST(Matlab, MovesAsToldWithoutSpeeds) {
    if (!have("octave-cli")) GTEST_SKIP() << "There is no Octave here.";
    const Folder folder;
    const auto s = make_specimen("all_given", std::string(all_given));
    folder.write(matlab::write(s->package));
    folder.write("script_of_given.m",
                 "s = platform(); c = s.setup(s.p); x = [s.q; s.u];\nxdot = s.rhs(0.5, x, s.w, c); [A, B] = "
                 "s.rhs_jacobian(0.5, x, s.w, c);\n"
                 "printf('%d %d %d\\n', numel(xdot), size(A));\n");
    const Ran ran = run_command(fmt::format("cd {} && {} script_of_given.m", folder.path().string(), octave));
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_EQ(ran.output, fmt::format("{0} {0} {0}\n", s->package.nq()));
}

TEST(Matlab, WhatTheHeadShowsRuns) {
    if (!have("octave-cli")) GTEST_SKIP() << "There is no Octave here.";
    const Folder folder;
    const std::vector<File> files = matlab::write(specimen("triple_pendulum").package);
    folder.write(files);
    const std::size_t from = files[0].text.find("% Use\n"), to = files[0].text.find("% Vectors are columns");
    ASSERT_LT(from, to);
    std::istringstream lines(files[0].text.substr(from + 6, to - from - 6));
    std::string script;
    for (std::string line; std::getline(lines, line);) script += line.substr(1) + "\n";
    folder.write("script_of_use.m", script + "assert(size(A), [6, 6]); assert(size(B), [6, 3]); assert(t(end), 10);\n");
    const Ran ran = run_command(fmt::format("cd {} && {} script_of_use.m", folder.path().string(), octave));
    EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST(Matlab, TextIsAsItWas) {
    for (const char* name : {"triple_pendulum", "four_bar"}) expect_golden("matlab", matlab::write(specimen(name).package));
}

TEST(Matlab, HidesNoFunctionItNeeds) {
    Package package;
    package.identifier = "chol";
    EXPECT_EQ(matlab::function_name(package), "chol_model");
}

}  // namespace
}  // namespace linkwright::codegen::test
