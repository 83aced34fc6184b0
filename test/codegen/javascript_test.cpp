// Emitted JavaScript against the interpreter.

#include "linkwright/codegen/javascript/javascript.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "codegen/descriptor_cases.hpp"
#include "codegen/edge_packages.hpp"
#include "codegen/rounding.hpp"
#include "linkwright/codegen/javascript/kernel.hpp"

namespace linkwright::codegen::test {
namespace {

#define NEEDS_NODE \
    if (!have("node")) GTEST_SKIP() << "There is no Node.js here."

// Prints everything at every point of every model, a model on a line. A result that is written over is the same again, plain lists do as
// arguments, and the script for pages has the same names and says the same numbers.
constexpr const char* driver = R"(
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import vm from "node:vm";

const flat = (r) => (typeof r === "number" ? [r] : r instanceof Float64Array ? [...r] : Object.values(r).flatMap(flat));
const spoilt = (r) => (typeof r === "number" ? 7 : r instanceof Float64Array ? r.slice().fill(7)
  : Object.fromEntries(Object.entries(r).map(([k, x]) => [k, spoilt(x)])));

for (const [name, functions, points] of JSON.parse(readFileSync("cases.json"))) {
  const m = await import(`./${name}.mjs`);
  vm.runInThisContext(readFileSync(`${name}.js`, "utf8"));
  const script = globalThis.linkwrightModel;
  let out = [];
  assert.deepEqual(Object.keys(script).sort(), Object.keys(m).sort());
  for (const point of points) {
    const [t, q, u, w, p, , udot, lambda] = point.map((x, i) => (i === 0 ? x[0] : Float64Array.from(x)));
    assert.deepEqual(m.values(m.PARAMETERS), p);
    for (const [f, given] of functions) {
      const plain = given.map((a) => (a === 0 ? t : point[a]));
      const result = m[f](...given.map((a) => (a === 0 ? t : Float64Array.from(point[a]))));
      assert.deepEqual(m[f](...plain, spoilt(result)), result, f);
      assert.deepEqual(flat(script[f](...plain)), flat(result), f);
      out = out.concat(flat(result));
    }
    const c = m.setup(p), x = Float64Array.of(...q, ...u);
    if (m.NU > 0) {
      if (m.NM > 0) out = out.concat(flat(m.accelerations(t, q, u, w, c)));
      const rate = m.rhs(t, x, w, c);
      assert.deepEqual(m.rhs(t, [...x], w, c, spoilt(rate)), rate);
      assert.deepEqual(flat(script.rhs_jacobian(t, x, w, c)), flat(m.rhs_jacobian(t, x, w, c)));
      out = out.concat([...rate], flat(m.rhs_jacobian(t, x, w, c)));
    }
    if (m.normalise) {
      const unit = m.normalise(q.map((x) => 2 * x));
      for (const [i, e] of q.entries()) assert(Math.abs(unit[i] - e) < 1e-12 || Math.abs(unit[i] - 2 * e) < 1e-12);
      assert.notDeepEqual(unit, q.map((x) => 2 * x));
    }
  }
  console.log(`${name} ${out.join(" ")}`);
}
)";

std::string list_of(const Values& v) { return fmt::format("[{}]", fmt::join(v, ", ")); }

void expect_javascript(const std::vector<const Specimen*>& specimens) {
    const Folder folder;
    std::string cases;
    std::vector<std::vector<Quantity>> wanted;
    for (const Specimen* s : specimens) {
        const std::vector<File> files = javascript::write(s->package);
        expect_anonymous(files);
        folder.write(files);
        folder.write(s->package.identifier + ".js", javascript::script(s->package));
        cases += fmt::format("{}[\"{}\", [", cases.empty() ? "[" : ",\n", s->package.identifier);
        std::vector<std::string> functions, points;
        for (const Function& f : s->package.functions)
            functions.push_back(fmt::format("[\"{}\", [{}]]", f.name, fmt::join(f.arguments, ", ")));
        std::vector<Quantity>& all = wanted.emplace_back();
        for (const State& state : s->states) {
            const Point point = make_point(*s, state);
            std::vector<std::string> lists;
            for (const Values& v : point) lists.push_back(list_of(v));
            points.push_back(fmt::format("[{}]", fmt::join(lists, ", ")));
            for (Quantity& x : expected_with_rounding(*s, point)) all.push_back(std::move(x));
        }
        cases += fmt::format("{}], [{}]]", fmt::join(functions, ", "), fmt::join(points, ",\n"));
    }
    folder.write("cases.json", cases + "]\n");
    folder.write("driver.mjs", driver);
    const Ran ran = run_command(fmt::format("cd {} && node driver.mjs", folder.path().string()));
    ASSERT_EQ(ran.status, 0) << ran.output;
    std::istringstream lines(ran.output);
    std::string line;
    for (std::size_t k = 0; k < specimens.size(); ++k) {
        const std::string& name = specimens[k]->package.identifier;
        ASSERT_TRUE(std::getline(lines, line)) << ran.output;
        ASSERT_TRUE(line.starts_with(name + " ")) << line;
        expect_near("JavaScript, " + name, wanted[k], read_numbers(line.substr(name.size())));
    }
}

void expect_javascript(const std::vector<std::string>& names) {
    std::vector<const Specimen*> list;
    for (const std::string& name : names) list.push_back(&specimen(name));
    expect_javascript(list);
}

TEST(JavaScript, ComputesEveryModelOfTheZoo) {
    NEEDS_NODE;
    std::vector<std::string> names = zoo();
    std::erase_if(names, [](const std::string& name) { return name.starts_with("lynch_"); });  // the same mechanisms again
    expect_javascript(names);
}

TEST(JavaScript, ComputesOddModels) {
    NEEDS_NODE;
    std::vector<std::string> names;
    for (const auto& [name, text] : oddities()) names.push_back(name);
    names.insert(names.end(), {"servo", "hub_beam_electric"});
    expect_javascript(names);
}

TEST(JavaScript, ComputesRoutines) {
    NEEDS_NODE;
    expect_javascript({"arms", "given_arms", "pillars", "hands", "many_arms"});
}

TEST(JavaScript, ComputesDerivatives) {
    NEEDS_NODE;
    expect_javascript(std::vector<std::string>{"stanford6+derivatives", "servo+derivatives"});
}

TEST(JavaScript, ComputesWhatPagesDraw) {
    NEEDS_NODE;
    std::vector<std::unique_ptr<Specimen>> owned;
    std::vector<const Specimen*> list;
    for (const char* name : {"triple_pendulum", "four_bar", "ralf", "driven_crank", "stewart_platform"}) {
        owned.push_back(make_specimen_with_poses(name));
        ASSERT_NE(owned.back()->package.find("poses"), nullptr);
        list.push_back(owned.back().get());
    }
    expect_javascript(list);
}

TEST(JavaScript, KernelSolvesWhatModelsSeldomAsk) {
    NEEDS_NODE;
    const Folder folder;
    std::string script = std::string(javascript::definite_kernel) + javascript::descriptor_kernel;
    std::vector<Quantity> wanted;
    for (const DescriptorCase& c : descriptor_cases()) {
        script +=
            fmt::format("{{\n  const M = Float64Array.of({}), F = Float64Array.of({}), G = Float64Array.of({}), C = Float64Array.of({});\n",
                        fmt::join(values_row_by_row(c.M), ", "), fmt::join(values_row_by_row(c.f), ", "),
                        fmt::join(values_row_by_row(c.G), ", "), fmt::join(values_row_by_row(c.gamma), ", "));
        // twice: what the first call left in the arrays that are kept, spoilt here, must not reach the second
        script += "  const copies = [M, F, G, C].map((x) => x.slice());\n";
        for (const char* arrays : {"M, G, 1, F, C", "copies[0], copies[2], 1, copies[1], copies[3]"}) {
            script +=
                fmt::format("  if (!solve_descriptor({}, {}, null, {})) throw new Error(\"unsolved\");\n", c.M.rows(), c.G.rows(), arrays);
            script += "  for (const x of Object.values(descriptor_room)) if (ArrayBuffer.isView(x)) x.fill(NaN);\n";
        }
        script += "  console.log(...F, ...C, ...copies[1], ...copies[3]);\n}\n";
        for (int k = 0; k < 2; ++k) wanted.insert(wanted.end(), c.expected.begin(), c.expected.end());
    }
    // a motion without inertia is told
    script +=
        "if (solve_descriptor(2, 1, null, new Float64Array(4), Float64Array.of(1, 1), 1, Float64Array.of(1, 1), new Float64Array(1)))\n";
    script += "  throw new Error(\"solved\");\n";
    folder.write("script.mjs", script);
    const Ran ran = run_command(fmt::format("cd {} && node script.mjs", folder.path().string()));
    ASSERT_EQ(ran.status, 0) << ran.output;
    expect_near("JavaScript's kernel", wanted, read_numbers(ran.output));
}

TEST(JavaScript, DecidesLikeTheInterpreter) {
    NEEDS_NODE;
    const Folder folder;
    const Package package = every_operation();
    folder.write(javascript::write(package));
    std::string script = "import { outputs } from \"./every_operation.mjs\";\nconst nan = NaN, inf = Infinity;\n";
    Values wanted;
    for (const Point& point : edges()) {
        script += fmt::format("console.log(...outputs(0, {}));\n", list_of(point[1]));
        const Values y = run(package.functions[0], point)[0];
        wanted.insert(wanted.end(), y.begin(), y.end());
    }
    folder.write("script.mjs", script);
    const Ran ran = run_command(fmt::format("cd {} && node script.mjs", folder.path().string()));
    ASSERT_EQ(ran.status, 0) << ran.output;
    expect_alike("JavaScript", wanted, read_numbers(ran.output));
}

TEST(JavaScript, MovesAsToldWithoutSpeeds) {
    NEEDS_NODE;
    const Folder folder;
    const auto s = make_specimen("all_given", std::string(all_given));
    const std::vector<File> files = javascript::write(s->package);
    folder.write(files);
    folder.write("script.mjs", fmt::format("import * as m from \"./{}\";\n", files[0].name) +
                                   "const c = m.setup(m.values(m.PARAMETERS)), x = new Float64Array(m.NQ + m.NU);\n"
                                   "console.log(m.rhs(0.5, x, [], c).length, m.rhs_jacobian(0.5, x, [], c).A.length, "
                                   "m.accelerations(0.5, x, [], [], c).length);\n");
    const Ran ran = run_command(fmt::format("cd {} && node script.mjs", folder.path().string()));
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_EQ(ran.output, fmt::format("{} {} 0\n", s->package.nq(), s->package.nq() * s->package.nq()));
}

TEST(JavaScript, ThrowsWhereItCannotBeDone) {
    NEEDS_NODE;
    const Folder folder;
    folder.write(javascript::write(specimen("four_bar").package));
    // no masses, then masses that are no numbers
    folder.write("script.mjs",
                 "import * as m from \"./four_bar.mjs\";\n"
                 "const q = m.values(m.COORDINATES), u = m.values(m.SPEEDS), w = m.values(m.INPUTS);\n"
                 "const nothing = m.setup(m.PARAMETERS.map((p) => (/kg/.test(p.unit) ? 0 : p.value)));\n"
                 "let told = \"nothing\";\n"
                 "try { m.accelerations(0, q, u, w, nothing); } catch (e) { told = e.message; }\n"
                 "console.log(told);\n"
                 "console.log(m.accelerations(0, q, u, w, new Float64Array(m.NC).fill(NaN)).udot.every(Number.isNaN));\n"
                 "try { m.values(m.PARAMETERS, { nobody: 1 }); } catch (e) { console.log(e.message); }\n");
    const Ran ran = run_command(fmt::format("cd {} && node script.mjs", folder.path().string()));
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_EQ(ran.output, "a motion that the constraints allow has no inertia\ntrue\nno symbol is called nobody\n");
}

TEST(JavaScript, WordsOfTheModelStayWords) {
    NEEDS_NODE;
    const Folder folder;
    const std::string evil = "</script><script>throw 1//<!-- */ \" ` ${1} \\ \n \xE2\x80\xA8 \xE2\x80\xAE --> {{ x";
    Package package = specimen("bare").package;
    package.name = package.assumptions.emplace_back() = evil;
    for (Argument& argument : package.arguments) {
        for (Entry& e : argument.entries) e.name = e.about = e.unit = e.formula = evil;
    }
    for (Function& f : package.functions) f.about = evil;
    const std::string script = javascript::script(package), module = javascript::write(package)[0].text;
    for (const std::string& text : {script, module}) {
        EXPECT_EQ(text.find("</"), std::string::npos);
        EXPECT_EQ(text.find("<!"), std::string::npos);
        EXPECT_EQ(text.find("\xE2\x80\xA8"), std::string::npos);
        EXPECT_EQ(text.find("\xE2\x80\xAE"), std::string::npos);
    }
    folder.write("page.js", script);
    folder.write("module.mjs", module);
    std::string codes;
    for (const char x : evil) codes += fmt::format("{},", static_cast<unsigned char>(x));
    folder.write("script.mjs",
                 "import \"./page.js\";\nimport { name } from \"./module.mjs\";\n"
                 "const m = globalThis.linkwrightModel, evil = new TextDecoder().decode(Uint8Array.of(" +
                     codes +
                     "));\n"
                     "console.log(m.name === evil, name === evil, m.COORDINATES[0].about === evil, m.rhs(0, [1, 2], [], [])[0]);\n");
    const Ran ran = run_command(fmt::format("cd {} && node script.mjs", folder.path().string()));
    EXPECT_EQ(ran.output, "true true true 2\n");
}

TEST(JavaScript, WhatTheHeadShowsRuns) {
    NEEDS_NODE;
    for (const char* name : {"triple_pendulum", "bare"}) {
        const Folder folder;
        const std::vector<File> files = javascript::write(specimen(name).package);
        folder.write(files);
        const std::size_t from = files[0].text.find("// Use\n"), to = files[0].text.find("// Vectors are");
        ASSERT_LT(from, to);
        std::istringstream lines(files[0].text.substr(from + 7, to - from - 7));
        std::string script;
        for (std::string line; std::getline(lines, line);) script += line.substr(std::min<std::size_t>(line.size(), 3)) + "\n";
        folder.write("script.mjs", script + "if (A.length !== x.length ** 2 || !x.every(Number.isFinite)) throw new Error(\"no\");\n");
        const Ran ran = run_command(fmt::format("cd {} && node script.mjs", folder.path().string()));
        EXPECT_EQ(ran.status, 0) << ran.output;
    }
}

TEST(JavaScript, TextIsAsItWas) {
    for (const char* name : {"triple_pendulum", "four_bar"}) expect_golden("javascript", javascript::write(specimen(name).package));
}

}  // namespace
}  // namespace linkwright::codegen::test
