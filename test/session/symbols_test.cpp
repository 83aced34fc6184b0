// [symbols]: how pages of LaTeX write names of the model.

#include <gtest/gtest.h>

#include "linkwright/session/derive.hpp"
#include "linkwright/session/linear_page.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {
namespace {

constexpr std::string_view pendulum = R"(format = 1
name = "Pendulum"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
mu = 1.0
l = 0.5
[[body]]
name = "rod"
mass = "mu"
inertia = [0, 0, "mu*l^2/3"]
com = [0, "-l", 0]
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "rod"
damping = 0.1
[symbols]
mu = "m_u"
hip = "\\vartheta^*"
)";

std::string derived(present::To to, const OpenOptions& how = {}) {
    const auto session = open_text(pendulum, "pendulum.toml", how);
    EXPECT_TRUE(session) << to_string(session.problems);
    if (!session) return "";
    DeriveOptions options;
    options.to = to;
    const auto page = derive(*session, options);
    EXPECT_TRUE(page) << to_string(page.problems);
    return page ? *page : "";
}

TEST(Symbols, LatexWritesNamesAsTheModelSays) {
    const std::string page = derived(present::To::latex);
    EXPECT_NE(page.find("m_u"), page.npos) << page;
    EXPECT_EQ(page.find("\\mu "), page.npos) << page;
    EXPECT_NE(page.find("\\dot{{\\vartheta^*}}"), page.npos) << page;  // a rate, and braces since a power may follow
}

TEST(Symbols, TextKeepsTheNames) {
    const std::string page = derived(present::To::text);
    EXPECT_NE(page.find("mu"), page.npos);
    EXPECT_EQ(page.find("m_u"), page.npos) << page;
}

TEST(Symbols, FrozenNamesNeedNone) { EXPECT_EQ(derived(present::To::latex, {.freeze = {"all"}}).find("m_u"), std::string::npos); }

TEST(Symbols, LinearPagesHaveThemToo) {
    const auto session = open_text(pendulum, "pendulum.toml");
    ASSERT_TRUE(session);
    LinearPageOptions options;
    options.to = present::To::latex;
    const auto page = linear_page(*session, options);
    ASSERT_TRUE(page) << to_string(page.problems);
    EXPECT_NE(page->find("m_u"), page->npos) << *page;
}

}  // namespace
}  // namespace linkwright::session
