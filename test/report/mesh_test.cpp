// Triangles from STL and OBJ files, and what is said of broken ones.

#include "linkwright/report/mesh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "linkwright/report/base64.hpp"

namespace linkwright::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Meshes : public testing::Test {
protected:
    std::string file(const std::string& name, const std::string& text) {
        const std::string path = (folder_ / name).string();
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    void SetUp() override { std::filesystem::create_directories(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }

private:
    std::filesystem::path folder_ =
        std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(Meshes, OfTextStl) {
    const Mesh m = read_mesh(
        file("a.stl",
             "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1000 0 0\nvertex 0 1e3 0\nendloop\nendfacet\nendsolid\n"),
        0.001);
    EXPECT_EQ(m.why, "");
    EXPECT_THAT(m.positions, ElementsAre(0, 0, 0, 1, 0, 0, 0, 1, 0));
}

TEST_F(Meshes, OfBinaryStl) {
    std::string text(80, 's');  // a head that says "solid" is no sign of text
    const auto put = [&](const auto& x) { text.append(reinterpret_cast<const char*>(&x), sizeof x); };
    put(std::uint32_t{1});
    for (const float x : {0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 2.F, 0.F, 0.F, 0.F, 3.F, 0.F}) put(x);
    put(std::uint16_t{0});
    const Mesh m = read_mesh(file("a.STL", text), 1);
    EXPECT_EQ(m.why, "");
    EXPECT_THAT(m.positions, ElementsAre(0, 0, 0, 2, 0, 0, 0, 3, 0));
}

TEST_F(Meshes, OfObjWithFansAndIndicesFromTheEnd) {
    const Mesh m = read_mesh(file("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1/1 2//1 3 -1\n"), 1);
    EXPECT_EQ(m.why, "");
    EXPECT_THAT(m.positions, ElementsAre(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0));
}

TEST_F(Meshes, ThatAreBrokenSayWhy) {
    EXPECT_THAT(read_mesh("/nowhere/a.stl", 1).why, HasSubstr("cannot be read"));
    EXPECT_EQ(read_mesh(file("a.obj", "v 0 0 0\nf 1 2 3\n"), 1).why, "a face names the vertex '2', which is not there");
    EXPECT_EQ(read_mesh(file("b.stl", "solid\nfacet\nvertex 0 0 x\n"), 1).why, "a vertex is not three numbers");
    EXPECT_EQ(read_mesh(file("c.stl", ""), 1).why, "it has no triangles");
    EXPECT_EQ(read_mesh(file("d.obj", "v 1e30 0 0\nv 0 0 0\nv 0 1 0\nf 1 2 3\n"), 1e30).why, "it has a corner that is no number");
}

TEST(Base64, AsTheStandardHasIt) {  // [rfc4648 10]
    const auto coded = [](std::string_view s) { return base64(std::as_bytes(std::span(s.data(), s.size()))); };
    EXPECT_EQ(coded(""), "");
    EXPECT_EQ(coded("f"), "Zg==");
    EXPECT_EQ(coded("fo"), "Zm8=");
    EXPECT_EQ(coded("foo"), "Zm9v");
    EXPECT_EQ(coded("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace linkwright::report
