#pragma once
// Which files a robot's file may name: those of its own folder and below, those of folders that the user has named, and any where that is allowed. Internal to
// the room.

#include <filesystem>
#include <vector>

#include "linkwright/exchange/translation.hpp"

namespace linkwright::exchange {

/// Without links and dots, so that a file has one name.
std::filesystem::path settle(const std::filesystem::path& path);

class AllowedFiles {
public:
    /// `file` is the robot's; empty for a text, whose folder is where we stand.
    AllowedFiles(const std::filesystem::path& file, const TranslateOptions& options);

    const std::filesystem::path& folder() const { return folder_; }  ///< of the robot's file
    /// A path that is settled.
    bool has(const std::filesystem::path& settled) const;

private:
    std::filesystem::path folder_;
    std::vector<std::filesystem::path> within_;  ///< settled
    bool has_all_;
};

}  // namespace linkwright::exchange
