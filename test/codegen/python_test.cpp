// Emitted Python against the interpreter.

#include "linkwright/codegen/python/python.hpp"

#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/descriptor_cases.hpp"
#include "codegen/edge_packages.hpp"
#include "codegen/rounding.hpp"
#include "linkwright/codegen/python/kernel.hpp"

namespace linkwright::codegen::test {
namespace {

/// A Python that has NumPy; empty when there is none.
const std::string& interpreter() {
    static const std::string found = [] {
        for (const char* program : {"python3", "/usr/bin/python3", "/usr/local/bin/python3"}) {
            if (run_command(std::string(program) + " -c 'import numpy'").status == 0) return std::string(program);
        }
        return std::string();
    }();
    return found;
}

// Prints everything at every point of every model, a model on a line, and holds many states at once against one by one.
constexpr const char* driver = R"(
import importlib, sys
import numpy as np
from cases import cases

def flat(results):
    results = results if isinstance(results, tuple) else (results,)
    return [float(x) for r in results for x in np.ravel(r)]

for name, functions, points in cases:
    m = importlib.import_module(name)
    out = []
    for point in points:
        t, q, u, w, p, c, udot, lam = point = [np.array(x) for x in point]
        t = point[0] = t[0]
        assert np.array_equal(m.values(m.PARAMETERS), p), name
        for f, arguments in functions:
            out += flat(getattr(m, f)(*(point[a] for a in arguments)))
        c = m.setup(p)
        if m.NU > 0:
            x = np.concatenate([q, u])
            if m.NM > 0:
                out += flat(m.accelerations(t, q, u, w, c))
            out += flat(m.rhs(t, x, w, c)) + flat(m.rhs_jacobian(t, x, w, c))
    many = [np.stack([np.array(point[a]) for point in points], axis=-1) for a in range(8)]
    many[0] = many[0][0]
    for f, arguments in functions:
        together = getattr(m, f)(*(many[a] for a in arguments))
        together = together if isinstance(together, tuple) else (together,)
        for k, point in enumerate(points):
            point = [point[0][0]] + [np.array(x) for x in point[1:]]
            alone = getattr(m, f)(*(point[a] for a in arguments))
            alone = alone if isinstance(alone, tuple) else (alone,)
            for a, b in zip(alone, together):
                assert np.shape(a) == np.shape(b)[:-1], (name, f, np.shape(a), np.shape(b))
                assert np.allclose(a, b[..., k], rtol=1e-13, atol=1e-13 * np.max(np.abs(b), initial=0.0)), (name, f)
    if m.NU > 0:
        x = np.concatenate([many[1], many[2]])
        together = m.rhs(many[0], x, many[3], many[5])
        for k in range(len(points)):
            alone = m.rhs(many[0][k], x[:, k], many[3][:, k], many[5][:, k])
            assert np.allclose(alone, together[:, k], rtol=1e-9), (name, "rhs")
    if hasattr(m, "normalise"):
        q = m.normalise(2 * many[1])
        assert q.shape == many[1].shape and not np.allclose(q, 2 * many[1])
    print(name, *map(repr, out))
)";

std::string list_of(const Values& v) { return fmt::format("[{}]", fmt::join(v, ", ")); }

void expect_python(const std::vector<std::string>& names) {
    if (interpreter().empty()) GTEST_SKIP() << "There is no Python with NumPy here.";
    const Folder folder;
    std::string cases = "cases = [\n";
    std::vector<std::vector<Quantity>> wanted;
    std::vector<std::string> modules;
    for (const std::string& name : names) {
        const Specimen& s = specimen(name);
        const std::vector<File> files = python::write(s.package);
        expect_anonymous(files);
        folder.write(files);
        modules.push_back(python::module_name(s.package));
        ASSERT_EQ(std::ranges::count(modules, modules.back()), 1) << modules.back();
        cases += fmt::format("(\"{}\", [", modules.back());
        for (const Function& f : s.package.functions) cases += fmt::format("(\"{}\", [{}]), ", f.name, fmt::join(f.arguments, ", "));
        cases += "], [\n";
        std::vector<Quantity>& all = wanted.emplace_back();
        for (const State& state : s.states) {
            const Point point = make_point(s, state);
            cases += "  [";
            for (const Values& v : point) cases += list_of(v) + ", ";
            cases += "],\n";
            for (Quantity& x : expected_with_rounding(s, point)) all.push_back(std::move(x));
        }
        cases += "]),\n";
    }
    folder.write("cases.py", cases + "]\n");
    folder.write("driver.py", driver);
    const Ran ran = run_command(fmt::format("cd {} && {} -W error driver.py", folder.path().string(), interpreter()));
    ASSERT_EQ(ran.status, 0) << ran.output;
    std::istringstream lines(ran.output);
    std::string line;
    for (std::size_t k = 0; k < names.size(); ++k) {
        ASSERT_TRUE(std::getline(lines, line)) << ran.output;
        ASSERT_TRUE(line.starts_with(modules[k] + " ")) << line;
        expect_near("Python, " + names[k], wanted[k], read_numbers(line.substr(modules[k].size())));
    }
}

TEST(Python, ComputesEveryModelOfTheZoo) {
    std::vector<std::string> names = zoo();
    std::erase_if(names, [](const std::string& name) { return name.starts_with("lynch_"); });  // the same mechanisms again
    expect_python(names);
}

TEST(Python, ComputesOddModels) {
    std::vector<std::string> names;
    for (const auto& [name, text] : oddities()) names.push_back(name);
    names.insert(names.end(), {"servo", "hub_beam_electric"});
    expect_python(names);
}

TEST(Python, ComputesRoutines) { expect_python({"arms", "given_arms", "pillars", "hands", "many_arms"}); }

TEST(Python, ComputesDerivatives) { expect_python({"stanford6+derivatives", "servo+derivatives", "satellite+derivatives"}); }

TEST(Python, KernelSolvesWhatModelsSeldomAsk) {
    if (interpreter().empty()) GTEST_SKIP() << "There is no Python with NumPy here.";
    const Folder folder;
    folder.write("kernel.py", std::string("import numpy as np\n") + python::descriptor_kernel);
    std::string script = "import numpy as np\nfrom kernel import _solve_descriptor\n";
    const std::vector<DescriptorCase> cases = descriptor_cases();
    std::vector<Quantity> wanted;
    for (const DescriptorCase& c : cases) {
        script += "udot, lam = _solve_descriptor(";
        for (const Eigen::MatrixXd& x : {c.M, Eigen::MatrixXd(c.f), c.G, Eigen::MatrixXd(c.gamma)}) {
            script += fmt::format("np.array({}), ", literal(x, "[[", "], [", "]]"));
        }
        script += ")\nprint(*np.ravel(udot), *np.ravel(lam))\n";
        wanted.insert(wanted.end(), c.expected.begin(), c.expected.end());
    }
    // a motion without inertia is told
    script += "try:\n    _solve_descriptor(np.zeros((2, 2)), np.ones((2, 1)), np.array([[1.0, 1.0]]), np.zeros((1, 1)))\n";
    script += "except np.linalg.LinAlgError as trouble:\n    assert 'inertia' in str(trouble)\nelse:\n    assert False\n";
    folder.write("script.py", script);
    const Ran ran = run_command(fmt::format("cd {} && {} -W error script.py", folder.path().string(), interpreter()));
    ASSERT_EQ(ran.status, 0) << ran.output;
    expect_near("Python's kernel", wanted, read_numbers(ran.output));
}

TEST(Python, DecidesLikeTheInterpreter) {
    if (interpreter().empty()) GTEST_SKIP() << "There is no Python with NumPy here.";
    const Folder folder;
    const Package package = every_operation();
    folder.write(python::write(package));
    std::string script = "import numpy as np\nfrom every_operation import outputs\nnp.seterr(all='ignore')\nnan, inf = np.nan, np.inf\n";
    Values wanted;
    for (const Point& point : edges()) {
        script += fmt::format("print(*outputs(0.0, {}))\n", list_of(point[1]));
        const Values y = run(package.functions[0], point)[0];
        wanted.insert(wanted.end(), y.begin(), y.end());
    }
    folder.write("script.py", script);
    const Ran ran = run_command(fmt::format("cd {} && {} script.py", folder.path().string(), interpreter()));
    ASSERT_EQ(ran.status, 0) << ran.output;
    expect_alike("Python", wanted, read_numbers(ran.output));
}

TEST(Python, MovesAsToldWithoutSpeeds) {
    if (interpreter().empty()) GTEST_SKIP() << "There is no Python with NumPy here.";
    const Folder folder;
    const auto s = make_specimen("all_given", std::string(all_given));
    folder.write(python::write(s->package));
    folder.write("script.py",
                 "import numpy as np\nimport platform_model as m\nc, x = m.setup(m.values(m.PARAMETERS)), "
                 "np.zeros(m.NQ + m.NU)\n"
                 "print(len(m.rhs(0.5, x, [], c)), *m.rhs_jacobian(0.5, x, [], c)[0].shape)\n");
    const Ran ran = run_command(fmt::format("cd {} && {} -W error script.py", folder.path().string(), interpreter()));
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_EQ(ran.output, fmt::format("{0} {0} {0}\n", s->package.nq()));
}

TEST(Python, WhatTheHeadShowsRuns) {
    if (interpreter().empty() || run_command(interpreter() + " -c 'import scipy'").status != 0) {
        GTEST_SKIP() << "There is no Python with SciPy here.";
    }
    const Folder folder;
    const std::vector<File> files = python::write(specimen("triple_pendulum").package);
    folder.write(files);
    const std::size_t from = files[0].text.find("\nUse\n"), to = files[0].text.find("\nShapes:");
    ASSERT_LT(from, to);
    std::istringstream lines(files[0].text.substr(from + 5, to - from - 5));
    std::string script;
    for (std::string line; std::getline(lines, line);) script += line.substr(std::min<std::size_t>(line.size(), 4)) + "\n";
    folder.write("script.py", script + "assert motion.success and A.shape == (6, 6) and B.shape == (6, 3)\n");
    const Ran ran = run_command(fmt::format("cd {} && {} script.py", folder.path().string(), interpreter()));
    EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST(Python, TextIsAsItWas) {
    for (const char* name : {"triple_pendulum", "four_bar"}) expect_golden("python", python::write(specimen(name).package));
}

TEST(Python, HidesNoModuleOfTheLibrary) {
    Package package;
    package.identifier = "platform";
    EXPECT_EQ(python::module_name(package), "platform_model");
    package.identifier = "stewart_platform";
    EXPECT_EQ(python::module_name(package), "stewart_platform");
}

}  // namespace
}  // namespace linkwright::codegen::test
