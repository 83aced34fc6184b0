#pragma once
// Files that are written: whole or not at all, and never into a place that nobody meant.
//
// A file is written under a name of its own in the folder where it is to be, one that was not there before (no link can be waiting
// under it), and then renamed. What was there keeps its permissions and its owner; a link stays a link, and the file it leads to is
// written, also when that is not there yet. Devices and pipes are written as they are.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace linkwright::session {

/// A text and where it is to be.
struct NewFile {
    std::filesystem::path path;
    std::string_view text;
};

/// All are written before the first is renamed. What went wrong, "cannot write out.csv: Permission denied"; empty when nothing did.
std::string write_files(std::span<const NewFile> files);

/// Both are there, and are one regular file, by whatever names.
bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace linkwright::session
