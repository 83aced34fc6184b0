// Files that are written: whole or not at all, with the permissions they had, and nowhere else.

#include "linkwright/session/write_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "linkwright/session/generate.hpp"
#include "session/subject.hpp"

namespace linkwright::session {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;

class WriteFiles : public testing::Test {
protected:
    void SetUp() override {
        fs::remove_all(folder);
        fs::create_directory(folder);
    }
    void TearDown() override { fs::remove_all(folder); }

    fs::path make(const std::string& name, const std::string& text) const {
        std::ofstream(folder / name) << text;
        return folder / name;
    }
    static std::string text_of(const fs::path& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static struct stat facts(const fs::path& path) {
        struct stat s{};
        EXPECT_EQ(::stat(path.c_str(), &s), 0) << path;
        return s;
    }
    std::size_t entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {})); }
    static std::string write(const fs::path& path, std::string_view text) { return write_files(std::array{NewFile{path, text}}); }

    const fs::path folder = fs::temp_directory_path() / fmt::format("linkwright_write_{}", ::getpid());
};

TEST_F(WriteFiles, New) {
    const mode_t mask = ::umask(027);
    EXPECT_EQ(write(folder / "new", "text"), "");
    ::umask(mask);
    EXPECT_EQ(text_of(folder / "new"), "text");
    EXPECT_EQ(facts(folder / "new").st_mode & 0777, 0640U);
    EXPECT_EQ(entries(), 1U);
}

TEST_F(WriteFiles, PermissionsAndOwnerStay) {
    const fs::path path = make("secret", "old");
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(path.c_str(), 1, 2), 0);
    }
    const struct stat before = facts(path);
    EXPECT_EQ(write(path, "new"), "");
    EXPECT_EQ(text_of(path), "new");
    EXPECT_EQ(facts(path).st_mode & 0777, 0600U);
    EXPECT_EQ(facts(path).st_uid, before.st_uid);
    EXPECT_EQ(facts(path).st_gid, before.st_gid);
}

TEST_F(WriteFiles, ReadOnlyIsLeftAlone) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
    const fs::path path = make("kept", "old");
    ASSERT_EQ(::chmod(path.c_str(), 0400), 0);
    EXPECT_THAT(write(path, "new"), EndsWith("Permission denied"));
    EXPECT_EQ(text_of(path), "old");
}

TEST_F(WriteFiles, LinksStayLinks) {
    const fs::path target = make("target", "old");
    fs::create_symlink("target", folder / "link");
    fs::create_symlink("link", folder / "link to link");
    EXPECT_EQ(write(folder / "link to link", "new"), "");
    EXPECT_EQ(text_of(target), "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    fs::create_symlink("not there", folder / "dangling");
    EXPECT_EQ(write(folder / "dangling", "made"), "");
    EXPECT_TRUE(fs::is_symlink(folder / "dangling"));
    EXPECT_EQ(text_of(folder / "not there"), "made");
    fs::create_symlink("round", folder / "round");
    EXPECT_THAT(write(folder / "round", "text"), EndsWith("Too many levels of symbolic links"));
}

TEST_F(WriteFiles, APlantedLinkIsNotFollowed) {
    const fs::path victim = make("victim", "precious");
    for (const std::string& name : {fmt::format("out.{}.part", ::getpid()), fmt::format(".linkwright.{}.0.part", ::getpid())})
        fs::create_symlink(victim, folder / name);
    EXPECT_EQ(write(folder / "out", "text"), "");
    EXPECT_EQ(text_of(victim), "precious");
    EXPECT_EQ(text_of(folder / "out"), "text");
    EXPECT_FALSE(fs::is_symlink(folder / "out"));
}

TEST_F(WriteFiles, AllOrNone) {
    const fs::path old = make("one", "old");
    const std::string trouble = write_files(std::array{NewFile{old, "new"}, NewFile{folder / "no" / "two", "new"}});
    EXPECT_EQ(trouble, fmt::format("cannot write {}: No such file or directory", (folder / "no" / "two").string()));
    EXPECT_EQ(text_of(old), "old");
    EXPECT_EQ(entries(), 1U);
    EXPECT_THAT(write(folder, "text"), EndsWith("Is a directory"));
    EXPECT_EQ(save(folder / "a" / "b", {{"one.c", "1"}, {"one.h", "2"}}), "");
    EXPECT_EQ(text_of(folder / "a" / "b" / "one.h"), "2");
    EXPECT_THAT(save(old, {{"one.c", "1"}}), EndsWith("Not a directory"));
}

TEST_F(WriteFiles, LongNamesHaveRoom) {
    const fs::path path = folder / std::string(255, 'x');
    EXPECT_EQ(write(path, "text"), "");
    EXPECT_EQ(text_of(path), "text");
}

TEST_F(WriteFiles, Streams) {
    EXPECT_EQ(write("/dev/null", "text"), "");
    EXPECT_EQ(write("/dev/full", "text"), "cannot write /dev/full: No space left on device");
}

TEST_F(WriteFiles, SameFileByAnyName) {
    const fs::path one = make("one", ""), other = make("other", "");
    fs::create_symlink("one", folder / "link");
    EXPECT_TRUE(is_same_file(one, folder / "link"));
    EXPECT_TRUE(is_same_file(folder / "." / "one", one));
    EXPECT_FALSE(is_same_file(one, other));
    EXPECT_FALSE(is_same_file(folder / "none", folder / "none"));
    EXPECT_FALSE(is_same_file("/dev/null", "/dev/null"));
}

}  // namespace
}  // namespace linkwright::session
