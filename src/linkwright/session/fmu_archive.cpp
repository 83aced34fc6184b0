#include "linkwright/session/fmu_archive.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>

namespace linkwright::session {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, gone at the end.
class Workshop {
public:
    Workshop() {
        std::error_code trouble;
        std::string name = (fs::temp_directory_path(trouble) / "linkwright-fmu-XXXXXX").string();
        if (!trouble && mkdtemp(name.data()) != nullptr) path_ = name;
    }
    ~Workshop() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// Runs a program of the PATH without input and output: its exit code, or nothing when it cannot be run.
std::optional<int> run(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (const int stream : {0, 1, 2}) posix_spawn_file_actions_addopen(&files, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY, 0);
    pid_t child = 0;
    const int trouble = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (trouble != 0) return std::nullopt;
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return std::nullopt;
    }
    if (!WIFEXITED(status)) return std::nullopt;
    return WEXITSTATUS(status) == 127 ? std::nullopt : std::optional(WEXITSTATUS(status));
}

/// Where the standard wants the binary for the machine that this program runs on; empty where it has no name for it.
std::string folder_of_platform(int fmi) {
#if defined(__linux__) && defined(__x86_64__)
    return fmi == 2 ? "linux64" : "x86_64-linux";
#elif defined(__linux__) && defined(__aarch64__)
    return fmi == 2 ? "" : "aarch64-linux";
#else
    (void)fmi;
    return "";
#endif
}

/// The library, or why there is none.
struct Compiled {
    std::string bytes, why;
};
Compiled compile(const std::vector<codegen::File>& files, const codegen::Package& package) {
    const Workshop workshop;
    if (workshop.path().empty()) return {{}, "there is no folder for temporary files"};
    for (const codegen::File& f : files) {
        if (!f.name.starts_with("sources/") || f.name.ends_with(".xml")) continue;
        std::ofstream out(workshop.path() / fs::path(f.name).filename(), std::ios::binary);
        out << f.text;
        if (!out.flush()) return {{}, "temporary files cannot be written"};
    }
    const std::string source = (workshop.path() / (package.identifier + "_fmu.c")).string(),
                      library = (workshop.path() / "library").string();
    const std::optional<int> status = run({"cc", "-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off",
                                           "-Wl,--build-id=none", "-DFMI2_OVERRIDE_FUNCTION_PREFIX", "-o", library, source, "-lm"});
    if (!status) return {{}, "there is no C compiler 'cc'"};
    if (*status != 0) return {{}, "the C compiler 'cc' failed"};
    std::ifstream in(library, std::ios::binary);
    return {std::string(std::istreambuf_iterator<char>(in), {}), {}};
}

void put(std::string& to, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 0xFFU);
}

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
    static const std::array<std::uint32_t, 256> table = [] {
        std::array<std::uint32_t, 256> all{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t x = i;
            for (int bit = 0; bit < 8; ++bit) x = (x & 1U) != 0 ? x >> 1U ^ 0xEDB88320U : x >> 1U;
            all[i] = x;
        }
        return all;
    }();
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const char x : bytes) crc = table[(crc ^ static_cast<unsigned char>(x)) & 0xFFU] ^ crc >> 8U;
    return crc ^ 0xFFFFFFFFU;
}

std::string make_zip(const std::vector<codegen::File>& files) {
    std::string archive, directory;
    for (const codegen::File& f : files) {
        // version needed 2.0; names are UTF-8; stored; 00:00:00 on 1980-01-01; CRC and sizes
        std::string common;
        put(common, 20, 2), put(common, 1U << 11U, 2), put(common, 0, 2), put(common, 0, 2), put(common, 0x21, 2);
        put(common, crc32(f.text), 4), put(common, f.text.size(), 4), put(common, f.text.size(), 4);
        put(common, f.name.size(), 2), put(common, 0, 2);
        // made by version 2.0 on Unix; no comment, first disk, a binary file with the permissions 0644
        put(directory, 0x02014B50, 4), put(directory, 3U << 8U | 20U, 2);
        directory += common;
        put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 2), put(directory, 0100644U << 16U, 4),
            put(directory, archive.size(), 4);
        directory += f.name;
        put(archive, 0x04034B50, 4);
        archive += common + f.name + f.text;
    }
    const std::size_t at = archive.size();
    archive += directory;
    put(archive, 0x06054B50, 4), put(archive, 0, 4), put(archive, files.size(), 2), put(archive, files.size(), 2);
    put(archive, directory.size(), 4), put(archive, at, 4), put(archive, 0, 2);
    return archive;
}

codegen::File build_fmu(const std::vector<codegen::File>& files, const codegen::Package& package, Report& report) {
    const std::string name = package.identifier + ".fmu";
    std::vector<codegen::File> inside;
    for (const codegen::File& f : files) inside.push_back({f.name.substr(name.size() + 1), f.text});
    const std::string platform = folder_of_platform(package.fmi);
    if (platform.empty()) {
        report.note(name + " has its sources and no binary: the standard has no name for this machine");
        return {name, make_zip(inside)};
    }
    Compiled library = compile(inside, package);
    if (library.why.empty()) {
        inside.push_back({fmt::format("binaries/{}/{}.so", platform, package.identifier), std::move(library.bytes)});
    } else {
        report.note(fmt::format("{} has its sources and no binary: {}", name, library.why));
    }
    return {name, make_zip(inside)};
}

std::string time_of_writing() {
    std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    if (const char* given = std::getenv("SOURCE_DATE_EPOCH"); given != nullptr) {
        const std::string_view digits = given;
        long long seconds = 0;
        const auto [end, trouble] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
        const bool is_date = trouble == std::errc() && end == digits.data() + digits.size() && seconds >= 0 && seconds < 253402300800;
        if (is_date) now = static_cast<std::time_t>(seconds);
    }
    std::tm parts{};
    gmtime_r(&now, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                       parts.tm_min, parts.tm_sec);
}

}  // namespace linkwright::session
