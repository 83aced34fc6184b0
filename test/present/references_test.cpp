// The works that pages cite are those of references.bib, and citations are written for a reader.

#include "linkwright/present/references.hpp"
#include "support/project_root.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace linkwright::present::test {
namespace {

using testing::HasSubstr;

TEST(References, CitationsNameAuthorYearAndEquation) {
    EXPECT_EQ(readable_citation("lynch88 (4.14)"), "Lynch 1988, eq. (4.14)");
    EXPECT_EQ(readable_citation("lee90 (A.14), hamel04"), "Lee 1990, eq. (A.14), Hamel 1904");
    EXPECT_EQ(readable_citation("mufti83 Remark 3"), "Mufti 1983, Remark 3");
    EXPECT_EQ(readable_citation("forehand (84)–(98)"), "Forehand et al., eq. (84)–(98)");
    EXPECT_EQ(readable_citation("beforehand"), "beforehand");
    EXPECT_EQ(readable_citation(""), "");
}

TEST(References, AreThoseOfTheBibliography) {
    std::ifstream file(project_root() + "/references.bib");
    const std::string bib(std::istreambuf_iterator<char>(file), {});
    for (const Reference& r : references()) {
        const std::size_t at = bib.find("{" + std::string(r.key) + ",");
        ASSERT_NE(at, bib.npos) << r.key;
        const std::string entry = bib.substr(at, bib.find("\n}", at) - at);
        const auto field = [&](const std::string& name) -> std::string {
            const std::size_t start = entry.find("\n  " + name);
            if (start == entry.npos) return "";
            const std::size_t open = entry.find("= {", start) + 3;
            std::string value = entry.substr(open, std::min(entry.find("}\n", open), entry.find("},\n", open)) - open);
            std::erase_if(value, [](char c) { return c == '{' || c == '}'; });
            return value;
        };
        EXPECT_THAT(std::string(r.written), HasSubstr(field("title"))) << r.key;
        const std::string author = field("author"), first = author.substr(0, author.find(" and "));
        const std::string surname = first.substr(first.rfind(' ') + 1);
        EXPECT_TRUE(r.called.starts_with(surname)) << r.key;
        EXPECT_THAT(std::string(r.called), HasSubstr(field("year")));
    }
}

}  // namespace
}  // namespace linkwright::present::test
