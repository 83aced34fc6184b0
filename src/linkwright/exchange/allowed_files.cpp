#include "linkwright/exchange/allowed_files.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

namespace linkwright::exchange {

namespace fs = std::filesystem;

fs::path settle(const fs::path& path) {
    std::error_code failed;
    fs::path settled = fs::weakly_canonical(path, failed);
    return failed ? path.lexically_normal() : settled;
}

AllowedFiles::AllowedFiles(const fs::path& file, const TranslateOptions& options)
    : folder_(file.has_parent_path() ? file.parent_path() : fs::path(".")), within_{settle(folder_)}, has_all_(options.outside) {
    for (const fs::path& more : options.models) within_.push_back(settle(more));
}

bool AllowedFiles::has(const fs::path& settled) const {
    return has_all_ || std::ranges::any_of(within_, [&](const fs::path& folder) {
               const auto [rest, unused] = std::mismatch(folder.begin(), folder.end(), settled.begin(), settled.end());
               return rest == folder.end() || (rest->empty() && std::next(rest) == folder.end());
           });
}

}  // namespace linkwright::exchange
