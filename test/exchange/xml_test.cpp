#include "linkwright/exchange/xml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace linkwright::exchange {
namespace {

using testing::HasSubstr;

std::string told(const Problems& problems) { return to_string(problems.list); }

TEST(Xml, ElementsAndAttributesHaveTheirPlaces) {
    Problems problems;
    const auto document = xml::parse("<a>\n  <!-- no --><bé x='1'\n     y=\"2 3 4\"/></a>", "f.xml", problems);
    ASSERT_TRUE(document) << told(problems);
    const xml::Element b = document->root().children().front();
    EXPECT_EQ(b.name(), "bé");
    EXPECT_EQ(b.origin().where, (Position{2, 14}));
    EXPECT_EQ(b.origin_of("x").where, (Position{2, 18}));
    EXPECT_EQ(b.origin_of("y").where, (Position{3, 6}));
    EXPECT_EQ(xml::number(b, "x", problems), 1.0);
    EXPECT_EQ(xml::vector(b, "y", problems), (std::array{2.0, 3.0, 4.0}));
    EXPECT_FALSE(xml::number(b, "z", problems));
    EXPECT_TRUE(problems.is_ok());
}

TEST(Xml, WrongNumbersAreToldAtTheirAttribute) {
    Problems problems;
    const auto document = xml::parse("<a m='nan' v='1 2' w='1,5' x='${m}' big='1e999' small='1e-999' plus='+5'/>", "f.xml", problems);
    ASSERT_TRUE(document);
    const xml::Element a = document->root();
    EXPECT_FALSE(xml::number(a, "m", problems));
    EXPECT_FALSE(xml::vector(a, "v", problems));
    EXPECT_FALSE(xml::number(a, "w", problems));
    EXPECT_FALSE(xml::number(a, "x", problems));
    EXPECT_FALSE(xml::number(a, "big", problems));
    EXPECT_FALSE(xml::limit(a, "big", problems));  // without a word
    EXPECT_EQ(xml::number(a, "small", problems), 0.0);
    EXPECT_EQ(xml::number(a, "plus", problems), 5.0);
    EXPECT_EQ(told(problems),
              "f.xml:1:4: error: 'm' is not finite: 'nan'\n    hint: write a finite number\n"
              "f.xml:1:12: error: 'v' has 2 numbers, not 3\n    hint: write 3 numbers separated by blanks\n"
              "f.xml:1:20: error: 'w' is no number: '1,5'\n    hint: numbers have a decimal point and are separated by blanks\n"
              "f.xml:1:28: error: 'x' is no number: '${m}'\n    hint: this is xacro; expand it first: xacro FILE > robot.urdf\n"
              "f.xml:1:37: error: 'big' is not finite: '1e999'\n    hint: write a finite number\n");
}

TEST(Xml, EveryEncodingIsTheSameText) {
    using namespace std::string_literals;
    const std::string utf8 = "<r name='\xC3\xA9'/>";
    std::string utf16 = "\xFF\xFE", utf16_big, utf32 = "\xFF\xFE\0\0"s;
    for (const char c : "<r name='\xE9'/>"s) {
        utf16 += c + "\0"s;
        utf16_big += "\0"s + c;
        utf32 += c + "\0\0\0"s;
    }
    for (const std::string& bytes :
         {utf8, "\xEF\xBB\xBF" + utf8, utf16, utf16_big, utf32, "<?xml version='1.0' encoding='ISO-8859-1'?><r name='\xE9'/>"s}) {
        Problems problems;
        EXPECT_TRUE(xml::looks_like_xml(bytes));
        EXPECT_EQ(xml::root_name(bytes), "r");
        const auto document = xml::parse(bytes, "f", problems);
        ASSERT_TRUE(document);
        EXPECT_EQ(document->root().attribute("name"), "\xC3\xA9");
        EXPECT_TRUE(problems.list.empty());
    }
    Problems problems;
    ASSERT_TRUE(xml::parse("<r name='\xE9'/>", "f", problems));
    EXPECT_THAT(told(problems), HasSubstr("it is read as Latin-1"));
}

TEST(Xml, WhatIsBrokenHasAPlace) {
    for (const char* text : {"<a>\n<b></a>", "<a>\n<b", "<a>\n<b x=3/></a>", "", "<a", "no", "<a>\n"}) {
        Problems problems;
        EXPECT_FALSE(xml::parse(text, "f.xml", problems)) << text;
        EXPECT_EQ(problems.errors, 1U);
        EXPECT_THAT(told(problems), HasSubstr("f.xml:"));
    }
}

TEST(Xml, EntitiesAreNotExpanded) {
    std::string bomb = "<!DOCTYPE r [<!ENTITY a0 \"ha\">";
    for (int i = 1; i < 20; ++i)
        bomb += "<!ENTITY a" + std::to_string(i) + " \"&a" + std::to_string(i - 1) + ";&a" + std::to_string(i - 1) + ";\">";
    bomb += "]><r name=\"&a19;\">&a19;</r>";
    Problems problems;
    const auto document = xml::parse(bomb, "f", problems);
    ASSERT_TRUE(document) << told(problems);
    EXPECT_EQ(document->root().text(), "&a19;");
    EXPECT_THAT(told(problems), HasSubstr("are not expanded"));
}

TEST(Xml, DepthAndSizeAreBounded) {
    std::string deep;
    for (int i = 0; i < 200'000; ++i) deep += "<a>";
    for (int i = 0; i < 200'000; ++i) deep += "</a>";
    Problems problems;
    EXPECT_FALSE(xml::parse(deep, "f", problems));
    EXPECT_THAT(told(problems), HasSubstr("more than 500 deep"));
    Problems others;
    EXPECT_FALSE(xml::parse(std::string(xml::largest_file + 1, ' '), "f", others));
    EXPECT_THAT(told(others), HasSubstr("at most 64 MB"));
}

/// Everything in one line: places are right, in characters, and finding many of them does not go through the line again and again.
TEST(Xml, PlacesInLongLines) {
    std::string text = "<robot name='é'>";
    for (int i = 0; i < 100'000; ++i) text += "<link name='ü" + std::to_string(i) + "'/>";
    text += "</robot>";
    Problems problems;
    const auto document = xml::parse(text, "long.urdf", problems);
    ASSERT_TRUE(document);
    std::size_t i = 0, column = 17;
    for (const xml::Element& e : document->root().children("link")) {
        ASSERT_EQ(e.origin().where, (Position{1, static_cast<std::uint32_t>(column)}));
        ASSERT_EQ(e.origin_of("name").where.column, column + 6);
        column += 16 + std::to_string(i++).size();
    }
    EXPECT_EQ(i, 100'000U);
}

}  // namespace
}  // namespace linkwright::exchange
