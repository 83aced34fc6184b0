#include "linkwright/ensemble/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <vector>

namespace linkwright::ensemble {

void* open_plugin(const std::string& name, std::string& why) {
    namespace fs = std::filesystem;
    std::error_code unknown;
    fs::path here = fs::read_symlink("/proc/self/exe", unknown);
    std::vector<fs::path> folders;
    if (!unknown) folders.push_back(here.parent_path());
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&open_plugin), &info) != 0 && info.dli_fname != nullptr)
        folders.push_back(fs::absolute(info.dli_fname, unknown).parent_path());
    std::string last;
    for (const fs::path& folder : folders) {
        for (const char* below : {"", "../lib/linkwright", "linkwright", "../linkwright", "../../lib/linkwright"}) {
            const fs::path path = folder / below / (name + ".so");
            if (!fs::exists(path, unknown)) continue;
            if (void* const found = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return found;
            last = ::dlerror();
        }
    }
    why = last.empty() ? fmt::format("{}.so is not there: this program was built without it", name) : last;
    return nullptr;
}

}  // namespace linkwright::ensemble
