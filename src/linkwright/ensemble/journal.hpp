#pragma once
// Runs that are done, kept beside the output while the others go on: whoever is killed begins again where he was.
//
// A file that only grows: a head with the digest of the ensemble, then a record for each part of the runs, closed by a sum over its bytes. A record that
// was cut off by a kill has no right sum; it and what follows are dropped.

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "linkwright/ensemble/problem.hpp"

namespace linkwright::ensemble {

class Journal {
public:
    Journal() = default;
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;
    ~Journal();

    struct Found {
        std::vector<Outcome> outcomes;  ///< one for each run
        std::vector<bool> is_done;
        std::size_t done = 0;
    };
    /// Opens or begins the file. What went wrong; empty when nothing did. A file of another ensemble is left alone: `is_other`.
    std::string open(const std::filesystem::path& path, const std::string& digest, std::size_t runs, std::size_t collectors, Found& found,
                     bool& is_other);
    /// Written when it returns, on the disk a second later at most. What went wrong; empty when nothing did.
    std::string append(std::size_t first, std::span<const Outcome> outcomes);
    /// The work is done.
    void remove();

private:
    std::filesystem::path path_;
    int file_ = -1;
    std::size_t collectors_ = 0;
    using Clock = std::chrono::steady_clock;
    Clock::time_point synced_{};
};

/// A record without its sum, and back; how outcomes travel between processes too.
std::string pack(std::size_t first, std::span<const Outcome> outcomes, std::size_t collectors);
bool unpack(std::string_view bytes, std::size_t collectors, std::size_t& first, std::vector<Outcome>& outcomes);

}  // namespace linkwright::ensemble
