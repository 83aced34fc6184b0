#pragma once
// The files of an FMU made into the FMU: its C compiled for this machine, everything packed.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/codegen/package.hpp"
#include "linkwright/session/report.hpp"

namespace linkwright::session {

/// A ZIP archive of these files, stored as they are [pkware-appnote §4.3]. Names, contents and nothing else decide its bytes: every file has the
/// first moment the format knows, 1980-01-01, as its date.
std::string make_zip(const std::vector<codegen::File>& files);

/// CRC-32 as ZIP has it: polynomial 0xEDB88320.
std::uint32_t crc32(std::string_view bytes);

/// "pendulum.fmu" from the files "pendulum.fmu/…" of codegen::fmu, with a binary that the system's `cc` makes of its sources. Where there is no
/// such compiler, or it fails, the FMU has its sources alone, and a note says so.
codegen::File build_fmu(const std::vector<codegen::File>& files, const codegen::Package& package, Report& report);

/// SOURCE_DATE_EPOCH of the environment, otherwise now: "2026-01-31T12:00:00Z".
std::string time_of_writing();

}  // namespace linkwright::session
