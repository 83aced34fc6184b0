// What count prints is what stands in emitted code.

#include <fmt/format.h>

#include <cctype>
#include <set>

#include "linkwright/linkwright.hpp"
#include "session/subject.hpp"
#include "support/servo.hpp"

namespace linkwright::session {
namespace {

/// From the opening brace of a function's definition to the one that closes it.
std::string body_of(const std::string& source, const std::string& function) {
    for (std::size_t at = source.find(function + "("); at != std::string::npos; at = source.find(function + "(", at + 1)) {
        const std::size_t open = source.find_first_of("{;", at);
        if (open == std::string::npos || source[open] == ';') continue;  // a declaration
        return source.substr(open + 1, source.find("\n}", open) - open);
    }
    return "";
}

/// Operations as somebody counts who has nothing but the text. A sign that belongs to a number is none.
program::Operations operations_in(const std::string& body) {
    program::Operations n;
    std::set<std::string> angles;
    std::istringstream lines(body);
    for (std::string line; std::getline(lines, line);) {
        const bool is_plumbing = line.find("(void)") != std::string::npos || line.find("for (") != std::string::npos;
        if (is_plumbing) continue;
        char before = '=';  // the last sign that is no blank
        for (std::size_t i = line.find_first_not_of(' '); i < line.size(); ++i) {
            if (line[i] == '[') i = line.find(']', i);  // a place in a matrix
            const char c = line[i];
            if (c == ' ') continue;
            const bool is_binary = std::isalnum(static_cast<unsigned char>(before)) != 0 || before == ')' || before == ']' || before == '.';
            if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
                std::size_t end = i;
                while (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_') ++end;
                const std::string word = line.substr(i, end - i);
                if (line[end] == '(') {
                    if (word == "sin" || word == "cos") {
                        angles.insert(line.substr(end, line.find(')', end) - end));
                    } else {
                        ++(word == "sqrt" ? n.sqrt : n.other);
                    }
                }
                i = end - 1;
            } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {  // 1e-05 and 1e+05 are one word
                while (std::isdigit(static_cast<unsigned char>(line[i + 1])) != 0 || line[i + 1] == '.' || line[i + 1] == 'e' ||
                       (line[i] == 'e' && (line[i + 1] == '-' || line[i + 1] == '+')))
                    ++i;
            } else if (c == '*' || c == '/') {
                if (is_binary) ++(c == '*' ? n.mul : n.div);
            } else if (c == '+' || c == '-') {
                if (is_binary || std::isdigit(static_cast<unsigned char>(line[i + 1])) == 0) ++n.add;
            }
            before = line[i];
        }
    }
    n.sincos = angles.size();
    return n;
}

std::string written_out(const program::Operations& n) {
    return fmt::format("add {} mul {} div {} sqrt {} sincos {} other {}", n.add, n.mul, n.div, n.sqrt, n.sincos, n.other);
}

class EmittedCode : public testing::TestWithParam<std::pair<const char*, const char*>> {};
TEST_P(EmittedCode, HasTheOperationsThatCountPrints) {
    const Session session = test::opened(GetParam().first + std::string("/model.toml"), {.formulation = GetParam().second});
    const auto counted = count(session);
    const auto generated = generate(session, {.languages = {"c"}, .routines = Routines::never});
    ASSERT_TRUE(counted && generated);
    const std::string& id = generated->package.identifier;
    const auto source = std::ranges::find(generated->files, id + ".c", &codegen::File::name);
    ASSERT_NE(source, generated->files.end());
    std::size_t compared = 0;
    for (const CountedProgram& p : counted->programs) {
        const std::string name = p.name != "forward" ? p.name : counted->has_constraints ? "dynamics" : "accelerations";
        const codegen::Function* function = generated->package.find(name);
        if (function == nullptr) continue;  // mass matrix and forcing are emitted together only
        ++compared;
        EXPECT_EQ(written_out(function->operations), written_out(p.run)) << name;
        EXPECT_EQ(written_out(operations_in(body_of(source->text, id + "_" + name))), written_out(p.run)) << name;
    }
    EXPECT_GE(compared, 3U);
}
INSTANTIATE_TEST_SUITE_P(Of, EmittedCode,
                         testing::Values(std::pair{"single_pendulum", ""}, std::pair{"double_pendulum", ""},
                                         std::pair{"double_pendulum", "kane"}, std::pair{"triple_pendulum", ""},
                                         std::pair{"triple_pendulum", "lagrange"}, std::pair{"four_bar", ""}, std::pair{"four_bar", "kane"},
                                         std::pair{"slider_crank", ""}, std::pair{"satellite", ""}, std::pair{"rolling_disk", ""},
                                         std::pair{"spring_pendulum", ""}, std::pair{"ship_pendulum", ""}, std::pair{"stanford_arm", ""},
                                         std::pair{"gear_train", ""}, std::pair{"spatial_four_bar", ""}, std::pair{"van_der_pol", ""}));

TEST(Count, TakesAuxiliaryStatesAlong) {
    const auto session = open_model(test::servo());
    ASSERT_TRUE(session) << to_string(session.problems);
    const auto counted = count(*session);
    const auto generated = generate(*session, {.languages = {"c"}});
    ASSERT_TRUE(counted && generated);
    EXPECT_EQ(written_out(generated->package.find("accelerations")->operations), written_out(counted->programs[0].run));
    EXPECT_EQ(written_out(generated->package.find("inverse")->operations), written_out(counted->programs[1].run));
}

}  // namespace
}  // namespace linkwright::session
