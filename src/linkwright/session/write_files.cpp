#include "linkwright/session/write_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

namespace linkwright::session {

namespace {

namespace fs = std::filesystem;

/// Where a path leads, link after link; the last need not be there. Nothing when links go round in a circle.
std::optional<fs::path> follow(fs::path path) {
    constexpr int most_links = 40;
    for (int k = 0; k < most_links; ++k) {
        std::error_code trouble;
        if (!fs::is_symlink(fs::symlink_status(path, trouble))) return path;
        const fs::path next = fs::read_symlink(path, trouble);
        if (trouble) return path;
        path = next.is_absolute() ? next : path.parent_path() / next;
    }
    errno = ELOOP;
    return std::nullopt;
}

/// A descriptor by its name, a device, a pipe: nothing to rename onto.
bool is_stream(const fs::path& path) {
    const std::string& name = path.native();
    if (name.starts_with("/dev/std") || name.starts_with("/dev/fd/") || name.starts_with("/proc/")) return true;
    std::error_code unknown;
    const fs::file_status what = fs::status(path, unknown);
    return fs::exists(what) && !fs::is_regular_file(what) && !fs::is_directory(what);
}

bool put(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(file, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

/// Closes; what `errno` says of an earlier failure stays.
bool close_after(int file, bool is_fine) {
    const int reason = errno;
    const bool is_closed = ::close(file) == 0;
    if (!is_fine) errno = reason;
    return is_fine && is_closed;
}

/// Redirected output is not cut short. False: `errno` says why.
bool append(const fs::path& path, std::string_view text) {
    const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    return file >= 0 && close_after(file, put(file, text));
}

/// A file that is written but not yet in its place.
struct Part {
    fs::path beside, target;
};

/// Nothing is left behind of those that did not get to their place.
class Parts {
public:
    Parts() = default;
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    ~Parts() {
        for (const Part& part : waiting_) ::unlink(part.beside.c_str());
    }

    /// False: `errno` says why.
    bool write(const fs::path& target, std::string_view text) {
        struct stat before{};
        const bool is_there = ::stat(target.c_str(), &before) == 0;
        if (is_there && S_ISDIR(before.st_mode)) return errno = EISDIR, false;
        if (is_there && ::access(target.c_str(), W_OK) != 0) return false;
        const int file = open_beside(target, is_there ? 0600 : 0666);
        if (file < 0) return false;
        const auto keep = [&] {
            if (!is_there) return true;
            struct stat now{};
            if (::fstat(file, &now) != 0) return false;
            const bool is_owned_alike = now.st_uid == before.st_uid && now.st_gid == before.st_gid;
            return (is_owned_alike || ::fchown(file, before.st_uid, before.st_gid) == 0) && ::fchmod(file, before.st_mode & 0777) == 0;
        };
        return close_after(file, keep() && put(file, text));
    }

    /// The path that could not be had; empty when all are in their places.
    fs::path rename() {
        while (!waiting_.empty()) {
            const Part& part = waiting_.front();
            if (::rename(part.beside.c_str(), part.target.c_str()) != 0) return part.target;
            waiting_.erase(waiting_.begin());
        }
        return {};
    }

private:
    int open_beside(const fs::path& target, mode_t mode) {
        for (int k = 0; k < 1000; ++k) {
            const fs::path beside = target.parent_path() / fmt::format(".linkwright.{}.{}.part", ::getpid(), k);
            const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
            if (file >= 0) waiting_.push_back({beside, target});
            if (file >= 0 || errno != EEXIST) return file;
        }
        return -1;
    }

    std::vector<Part> waiting_;
};

}  // namespace

std::string write_files(std::span<const NewFile> files) {
    Parts parts;
    const auto failure = [](const fs::path& path) { return fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)); };
    for (const NewFile& f : files) {
        if (is_stream(f.path)) {
            if (!append(f.path, f.text)) return failure(f.path);
            continue;
        }
        const auto target = follow(f.path);
        if (!target || !parts.write(*target, f.text)) return failure(f.path);
    }
    if (const fs::path path = parts.rename(); !path.empty()) return failure(path);
    return {};
}

bool is_same_file(const fs::path& one, const fs::path& other) {
    std::error_code trouble;
    return fs::is_regular_file(one, trouble) && fs::equivalent(one, other, trouble);
}

}  // namespace linkwright::session
