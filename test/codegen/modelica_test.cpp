// Emitted Modelica, read back; and the whole of it, loops included, turned into Octave and run.

#include "linkwright/codegen/modelica/modelica.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/descriptor_cases.hpp"
#include "codegen/edge_packages.hpp"
#include "codegen/read_back.hpp"
#include "codegen/rounding.hpp"
#include "linkwright/codegen/modelica/kernel.hpp"

namespace linkwright::codegen::test {
namespace {

std::string replaced(const std::string& text, const char* pattern, const char* by) {
    return std::regex_replace(text, std::regex(pattern), by);
}

/// A statement of Modelica in Octave.
std::string in_octave(std::string line) {
    line = replaced(line, R"(//.*)", "");
    line = replaced(line, R"(\(([\w, ]+)\) := )", "[$1] := ");
    if (line.find(":= ") != std::string::npos) {
        const std::size_t at = line.find(":= ");
        std::string left = line.substr(0, at), right = line.substr(at + 3);
        if (left.find_first_not_of(' ') != std::string::npos && left[left.find_first_not_of(' ')] != '[')
            left = replaced(replaced(left, R"(\[)", "("), R"(\])", ")");
        right = replaced(replaced(right, R"(\[)", "("), R"(\])", ")");
        // innermost first: if a then b else c
        static const std::regex choice(
            R"(if ((?:(?!\bif\b|\bthen\b).)*) then ((?:(?!\bif\b|\belse\b).)*) else ((?:(?!\bif\b).)*?)(\);$|;$|\)(?= [-+*/])|\)$))");
        for (std::smatch match; std::regex_search(right, match, choice);) {
            right = match.prefix().str() + "pick(" + match[1].str() + ", " + match[2].str() + ", " + match[3].str() + ")" + match[4].str() +
                    match.suffix().str();
        }
        line = left + "= " + right;
    } else {
        line = replaced(replaced(line, R"(\[)", "("), R"(\])", ")");
    }
    line = replaced(line, R"(\bfor (\w+) in (.*) loop)", "for $1 = $2");
    line = replaced(line, R"(\bif (.*) then$)", "if $1");
    line = replaced(line, R"(\bend (for|if);)", "end");
    line = replaced(replaced(line, R"(\band\b)", "&&"), R"(\bor\b)", "||");
    line = replaced(line, R"(\bidentity\()", "eye(");
    line = replaced(line, R"(\bmatrix\()", "as_column(");
    line = replaced(line, R"(\bzeros\((\w+)\))", "zeros($1, 1)");
    return line;
}

/// Every function of a package as a script of Octave's.
std::string functions_in_octave(const std::string& text) {
    std::istringstream in(text);
    std::smatch constant;
    const std::string rank = std::regex_search(text, constant, std::regex(R"(constant Integer rank = (-?\d+))")) ? constant[1].str() : "-1";
    std::string out =
        "function y = pick(a, b, c)\n  y = c;\n  if a\n    y = b;\n  end\nend\nfunction x = as_column(x)\n  x = "
        "x(:);\nend\n";
    std::string line;
    static const std::regex begin(R"(  function (\w+) ".*")"),
        one(R"(    (input|output)? ?(?:Real|Integer) (\w+)(\[[^\]]*\])?( = .*)?(?: ".*")?;)");
    for (std::smatch match; std::getline(in, line);) {
        if (!std::regex_match(line, match, begin)) continue;
        const std::string name = match[1];
        std::vector<std::string> inputs, outputs, values;
        for (bool is_long = false; std::getline(in, line) && line != "  algorithm";) {
            if (std::regex_match(line, match, one)) {
                if (match[1] == "input") inputs.push_back(match[2]);
                if (match[1] == "output") outputs.push_back(match[2]);
                if (match[3].matched && match[1] != "input") {  // NaN until it is assigned
                    const std::string size = match[3].str().substr(1, match[3].length() - 2);
                    static const std::regex two(R"((?:[^,()]|\([^()]*\))*,.*)");
                    values.push_back(fmt::format("  {} = NaN({}{});", match[2].str(), size, std::regex_match(size, two) ? "" : ", 1"));
                }
                if (match[4].matched) values.push_back(fmt::format("  {}{};", match[2].str(), match[4].str()));
            } else {
                EXPECT_TRUE(is_long || line == "  protected" || line.starts_with("    //") || line.starts_with("    Real ")) << line;
                is_long = !line.ends_with(';');
            }
        }
        out += fmt::format("function [{}] = of_{}({})\n{}\n", fmt::join(outputs, ", "), name, fmt::join(inputs, ", "),
                           fmt::join(values, "\n"));
        while (std::getline(in, line) && line != "  end " + name + ";") {
            line = replaced(in_octave(line), R"(, rank\);)", fmt::format(", {});", rank).c_str());
            for (const char* own : {"factor", "solve_definite", "solve_descriptor", "accelerations", "rates", "dynamics", "rate_jacobians",
                                    "jacobians", "square_root", "logarithm", "arcsine", "arccosine", "raised"}) {
                line = replaced(line, fmt::format(R"(\b{}\()", own).c_str(), fmt::format("of_{}(", own).c_str());
            }
            out += line + "\n";
        }
        out += "end\n";
    }
    return out;
}

std::string column(const Values& v) { return fmt::format("[{}]", fmt::join(v, "; ")); }

std::string driver(const Specimen& s) {
    const Package& k = s.package;
    std::string text = fmt::format("printf('{}');\n", k.identifier);
    const auto call = [&](const std::vector<std::size_t>& list) {
        std::vector<std::string> names;
        for (const std::size_t a : list) {
            if (!k.arguments[a].entries.empty()) names.push_back(k.arguments[a].name);
        }
        return fmt::format("{}", fmt::join(names, ", "));
    };
    for (const State& state : s.states) {
        const Point point = make_point(s, state);
        for (std::size_t a = 0; a < point.size(); ++a) text += fmt::format("{} = {};\n", k.arguments[a].name, column(point[a]));
        for (const Function& f : k.functions) {
            std::vector<std::string> names;
            for (const Result& r : f.results) names.push_back("r" + r.name);
            text += fmt::format("[{}] = of_{}({});\n", fmt::join(names, ", "), f.name, call(f.arguments));
            for (const std::string& name : names) text += fmt::format("printf(' %.17g', {}');\n", name);
        }
        if (k.nu() == 0) continue;
        std::string arguments = "t, [q; u]";
        if (k.nw() > 0) arguments += ", w";
        if (k.nc() > 0) arguments += ", c";
        if (k.m() > 0) text += fmt::format("[ru, rl] = of_accelerations({}); printf(' %.17g', ru, rl);\n", call({0, 1, 2, 3, 5}));
        text += fmt::format("printf(' %.17g', of_rhs({0})); ", arguments);
        text += k.nw() > 0 ? fmt::format("[A, B] = of_rhs_jacobian({}); printf(' %.17g', A', B');\n", arguments)
                           : fmt::format("A = of_rhs_jacobian({}); printf(' %.17g', A');\n", arguments);
    }
    return text + "printf('\\n');\n";
}

TEST(Modelica, ReadsBackAsEveryModelOfTheZoo) {
    std::vector<std::string> names = zoo();
    for (const auto& [name, text] : oddities()) names.push_back(name);
    for (const std::string& name : names) {
        const Specimen& s = specimen(name);
        const std::vector<File> files = modelica::write(s.package);
        expect_anonymous(files);
        ASSERT_EQ(files.size(), 1U);
        EXPECT_EQ(find_open_block(Language::modelica, files[0].text), "") << name;
        for (const State& state : s.states) expect_read_back(Language::modelica, files[0].text, s, make_point(s, state));
    }
}

TEST(Modelica, LoopsComputeInOctave) {
    if (!have("octave-cli")) GTEST_SKIP() << "There is no Octave here.";
    const Folder folder;
    const std::vector<std::string> names{"four_bar",  "bricard",      "spatial_four_bar", "rolling_disk",
                                         "satellite", "driven_crank", "cart_pole"};
    std::string all;
    for (const std::string& name : names) {
        const Specimen& s = specimen(name);
        folder.write(name + "_all.m", "1;\n" + functions_in_octave(modelica::write(s.package)[0].text) + driver(s));
        all += fmt::format("source('{}_all.m');\n", name);
    }
    folder.write("driver_of_all.m", all);
    const Ran ran = run_command(
        fmt::format("cd {} && octave-cli --norc --no-window-system --no-history --quiet driver_of_all.m", folder.path().string()));
    ASSERT_EQ(ran.status, 0) << ran.output;
    std::istringstream lines(ran.output);
    std::string line;
    for (const std::string& name : names) {
        const Specimen& s = specimen(name);
        std::vector<Quantity> wanted;
        for (const State& state : s.states) {
            for (Quantity& x : expected_with_rounding(s, make_point(s, state))) wanted.push_back(std::move(x));
        }
        ASSERT_TRUE(std::getline(lines, line)) << ran.output;
        ASSERT_TRUE(line.starts_with(s.package.identifier + " ")) << line;
        expect_near("Modelica in Octave, " + name, wanted, read_numbers(line.substr(s.package.identifier.size())));
    }
}

TEST(Modelica, KernelSolvesWhatModelsSeldomAsk) {
    if (!have("octave-cli")) GTEST_SKIP() << "There is no Octave here.";
    const Folder folder;
    std::string script =
        "1;\n" + functions_in_octave(std::string(modelica::factor_kernel) + modelica::definite_kernel + modelica::descriptor_kernel);
    std::vector<Quantity> wanted;
    for (const DescriptorCase& c : descriptor_cases()) {
        script += "[udot, lambda] = of_solve_descriptor(";
        script += literal(c.M, "[", "; ", "], ") + literal(c.f, "[", "; ", "], ") + literal(c.G, "[", "; ", "], ") +
                  literal(c.gamma, "[", "; ", "], -1);\n");
        script += "printf(' %.17g', udot, lambda);\n";
        wanted.insert(wanted.end(), c.expected.begin(), c.expected.end());
    }
    script +=
        "told = false;\ntry\n  of_solve_descriptor(zeros(2), [1; 1], [1 1], 0, -1);\ncatch trouble\n  told = "
        "~isempty(strfind(trouble.message, 'inertia'));\nend\nassert(told);\n";
    folder.write("script_of_cases.m", script);
    const Ran ran = run_command(
        fmt::format("cd {} && octave-cli --norc --no-window-system --no-history --quiet script_of_cases.m", folder.path().string()));
    ASSERT_EQ(ran.status, 0) << ran.output;
    expect_near("Modelica's kernel", wanted, read_numbers(ran.output));
}

TEST(Modelica, DecidesLikeTheInterpreter) {
    const Package package = every_operation();
    const std::string text = modelica::write(package)[0].text;
    EXPECT_EQ(find_open_block(Language::modelica, text), "");
    for (const Point& point : edges()) {
        const Values y = run(package.functions[0], point)[0];
        if (std::ranges::any_of(y, [](double x) { return std::isnan(x); })) continue;  // these languages stop there
        expect_alike("Modelica", y, read_back(Language::modelica, text, package.functions[0], package, point)[0]);
    }
}

TEST(Modelica, MovesAsToldWithoutSpeeds) {
    const auto s = make_specimen("all_given", std::string(all_given));
    const std::string text = modelica::write(s->package)[0].text;
    EXPECT_EQ(find_open_block(Language::modelica, text), "");
    expect_read_back(Language::modelica, text, *s, make_point(*s, s->states[0]));
}

TEST(Modelica, NoticesWhatIsOpen) {
    EXPECT_EQ(find_open_block(Language::modelica, "package a\n  function f \"end f\"\n  end f;\nend a;\n"), "");
    EXPECT_NE(find_open_block(Language::modelica, "package a\n  function f\n  end g;\nend a;\n"), "");
    EXPECT_NE(find_open_block(Language::modelica, "package a\n  for i in 1:2 loop\nend a;\n"), "");
}

TEST(Modelica, WritesUnits) {
    EXPECT_EQ(modelica::unit("kg*m^2"), "kg.m2");
    EXPECT_EQ(modelica::unit("N*m/rad"), "N.m/rad");
    EXPECT_EQ(modelica::unit("N*s/m/rad"), "N.s/(m.rad)");
    EXPECT_EQ(modelica::unit("1/s"), "1/s");
    EXPECT_EQ(modelica::unit("m^-1"), "m-1");
    EXPECT_EQ(modelica::unit(""), "");
}

TEST(Modelica, TextIsAsItWas) {
    for (const char* name : {"triple_pendulum", "four_bar"}) expect_golden("modelica", modelica::write(specimen(name).package));
}

}  // namespace
}  // namespace linkwright::codegen::test
