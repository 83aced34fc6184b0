#include "linkwright/ensemble/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace linkwright::ensemble {

namespace {

constexpr std::string_view magic = "linkwright ensemble journal 1\n";

void put_number(std::string& to, std::uint64_t x) {
    for (int i = 0; i < 8; ++i) to.push_back(static_cast<char>(x >> (8 * i)));
}

bool take_number(std::string_view& from, std::uint64_t& x) {
    if (from.size() < 8) return false;
    x = 0;
    for (int i = 0; i < 8; ++i) x |= static_cast<std::uint64_t>(static_cast<unsigned char>(from[static_cast<std::size_t>(i)])) << (8 * i);
    from.remove_prefix(8);
    return true;
}

/// Fowler, Noll and Vo's sum of bytes.
std::uint64_t sum_of(std::string_view bytes) {
    std::uint64_t sum = 0xcbf29ce484222325;
    for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return sum;
}

std::string why() { return std::strerror(errno); }

bool write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

bool read_all(int file, std::string& bytes) {
    char buffer[65536];
    for (;;) {
        const ssize_t n = ::read(file, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        if (n == 0) return true;
        bytes.append(buffer, static_cast<std::size_t>(n));
    }
}

}  // namespace

std::string pack(std::size_t first, std::span<const Outcome> outcomes, std::size_t collectors) {
    std::string bytes;
    put_number(bytes, first);
    put_number(bytes, outcomes.size());
    for (const Outcome& o : outcomes) {
        put_number(bytes, o.failure.size());
        bytes += o.failure;
        if (!o.failure.empty()) continue;
        for (std::size_t c = 0; c < collectors; ++c) put_number(bytes, std::bit_cast<std::uint64_t>(o.values[c]));
    }
    return bytes;
}

bool unpack(std::string_view bytes, std::size_t collectors, std::size_t& first, std::vector<Outcome>& outcomes) {
    std::uint64_t from = 0, count = 0;
    if (!take_number(bytes, from) || !take_number(bytes, count) || count > bytes.size()) return false;
    first = from;
    outcomes.assign(count, {});
    for (Outcome& o : outcomes) {
        std::uint64_t length = 0, x = 0;
        if (!take_number(bytes, length) || length > bytes.size()) return false;
        o.failure = bytes.substr(0, length);
        bytes.remove_prefix(length);
        if (length > 0) continue;
        for (std::size_t c = 0; c < collectors; ++c) {
            if (!take_number(bytes, x)) return false;
            o.values.push_back(std::bit_cast<double>(x));
        }
    }
    return bytes.empty();
}

Journal::~Journal() {
    if (file_ >= 0) ::close(file_);
}

std::string Journal::open(const std::filesystem::path& path, const std::string& digest, std::size_t runs, std::size_t collectors,
                          Found& found, bool& is_other) {
    path_ = path, collectors_ = collectors;
    found.outcomes.assign(runs, {});
    found.is_done.assign(runs, false);
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) return fmt::format("cannot write {}: {}", path.string(), why());
    std::string bytes;
    if (!read_all(file_, bytes)) return fmt::format("cannot read {}: {}", path.string(), why());
    const std::string head = std::string(magic) + digest + "\n";
    std::size_t good = 0;
    if (std::string_view(head).starts_with(std::string_view(bytes).substr(0, head.size())) && bytes.size() < head.size()) {
        // new, or killed while its head was written
        if (::ftruncate(file_, 0) != 0 || ::lseek(file_, 0, SEEK_SET) < 0 || !write_all(file_, head))
            return fmt::format("cannot write {}: {}", path.string(), why());
        return {};
    }
    if (!bytes.starts_with(head)) {
        is_other = true;
        return fmt::format("{} belongs to another ensemble", path.string());
    }
    std::string_view rest = std::string_view(bytes).substr(head.size());
    good = head.size();
    for (;;) {
        std::string_view record = rest;
        std::uint64_t length = 0, sum = 0;
        if (!take_number(record, length) || length > record.size()) break;
        const std::string_view inside = record.substr(0, length);
        record.remove_prefix(length);
        std::size_t first = 0;
        std::vector<Outcome> outcomes;
        if (!take_number(record, sum) || sum != sum_of(inside) || !unpack(inside, collectors, first, outcomes)) break;
        if (first + outcomes.size() > runs) break;
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            if (!found.is_done[first + i]) ++found.done;
            found.is_done[first + i] = true;
            found.outcomes[first + i] = std::move(outcomes[i]);
        }
        good += rest.size() - record.size();
        rest = record;
    }
    if (::ftruncate(file_, static_cast<off_t>(good)) != 0 || ::lseek(file_, static_cast<off_t>(good), SEEK_SET) < 0)
        return fmt::format("cannot write {}: {}", path.string(), why());
    return {};
}

std::string Journal::append(std::size_t first, std::span<const Outcome> outcomes) {
    if (file_ < 0) return {};
    const std::string inside = pack(first, outcomes, collectors_);
    std::string record;
    put_number(record, inside.size());
    record += inside;
    put_number(record, sum_of(inside));
    if (!write_all(file_, record)) return fmt::format("cannot write {}: {}", path_.string(), why());
    // A kill loses nothing that was written; against a loss of power it is enough to wait for the disk now and then.
    if (const auto now = Clock::now(); now - synced_ > std::chrono::seconds(1)) {
        if (::fdatasync(file_) != 0) return fmt::format("cannot write {}: {}", path_.string(), why());
        synced_ = now;
    }
    return {};
}

void Journal::remove() {
    if (file_ < 0) return;
    ::close(file_);
    file_ = -1;
    std::error_code gone;
    std::filesystem::remove(path_, gone);
}

}  // namespace linkwright::ensemble
