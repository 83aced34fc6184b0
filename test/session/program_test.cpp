// What the program prints with --json is what the library gives.

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "linkwright/linkwright.hpp"
#include "session/subject.hpp"

#ifdef LINKWRIGHT_PROGRAM

namespace linkwright::session {
namespace {

std::string run(const std::string& words) {
    std::string out;
    FILE* pipe = ::popen(fmt::format("{} {} --json --quiet 2>/dev/null", LINKWRIGHT_PROGRAM, words).c_str(), "r");
    std::array<char, 4096> block{};
    while (const std::size_t n = std::fread(block.data(), 1, block.size(), pipe)) out.append(block.data(), n);
    ::pclose(pipe);
    return out;
}

class ProgramSaysTheSame : public testing::Test {
protected:
    std::string path = test::model_path("four_bar/model.toml");
    Session session = test::opened("four_bar/model.toml");
    std::string said(const std::string& verb, const std::string& options = "") const {
        return run(fmt::format("{} {} {}", verb, path, options));
    }
};

TEST_F(ProgramSaysTheSame, Check) { EXPECT_EQ(said("check"), dump(to_json(*inspect(session), session))); }
TEST_F(ProgramSaysTheSame, Derive) {
    EXPECT_EQ(said("derive", "--only M,f"), *derive(session, {.to = present::To::json, .only = {"M", "f"}}));
}
TEST_F(ProgramSaysTheSame, Evaluate) { EXPECT_EQ(said("evaluate"), dump(to_json(*evaluate(session)))); }
TEST_F(ProgramSaysTheSame, Simulate) {
    Json said_here = Json::parse(said("simulate", "--until 1")), given = to_json(*simulate(session, {.rows = {.until = 1}}));
    said_here["statistics"].erase("cpu_seconds"), given["statistics"].erase("cpu_seconds");
    EXPECT_EQ(said_here, given);
}
TEST_F(ProgramSaysTheSame, Equilibrium) { EXPECT_EQ(said("equilibrium"), dump(to_json(*equilibrium(session)))); }
TEST_F(ProgramSaysTheSame, Linearize) { EXPECT_EQ(said("linearize"), dump(to_json(*linearize(session)))); }
TEST_F(ProgramSaysTheSame, Modes) { EXPECT_EQ(said("modes"), dump(to_json(*modes(session)))); }
TEST_F(ProgramSaysTheSame, Count) { EXPECT_EQ(said("count"), dump(to_json(*count(session)))); }
TEST_F(ProgramSaysTheSame, Generate) {
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("session_{}", ::getpid());
    EXPECT_EQ(said("generate", fmt::format("--language c -o {}", folder.string())),
              dump(to_json(*generate(session, {.languages = {"c"}}), folder)));
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace linkwright::session

#endif
