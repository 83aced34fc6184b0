#include "linkwright/ensemble/output.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "linkwright/ensemble/plugin.hpp"
#include "linkwright/session/write_files.hpp"

namespace linkwright::ensemble {

namespace {

std::string mark_of(const std::string& digest) { return "linkwright ensemble " + digest; }

/// A cell of CSV: in quotes where it has commas or quotes in it.
std::string cell(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c == '\n' ? ' ' : c);
    return quoted + "\"";
}

bool is_hdf5(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

std::string head_of(const std::string& path, std::size_t size) {
    std::ifstream in(path, std::ios::binary);
    std::string head(size, '\0');
    in.read(head.data(), static_cast<std::streamsize>(size));
    head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return head;
}

/// Columns as the plug-in takes them.
std::string write_hdf5(const Ensemble& r, const std::string& path) {
    std::string why;
    void* const plugin = open_plugin("linkwright_hdf5", why);
    if (plugin == nullptr) return fmt::format("cannot write {}: {}; CSV needs nothing", path, why);
    using Write = int (*)(const char* path, const char* mark, unsigned long runs, unsigned long columns, const char* const* names,
                          const double* rows, unsigned long varied, const char* const* failures, char* why, unsigned long room);
    const auto write = reinterpret_cast<Write>(::dlsym(plugin, "linkwright_hdf5_write"));
    if (write == nullptr) return fmt::format("cannot write {}: the plug-in for HDF5 is not ours", path);
    const std::size_t inputs = r.varied.size() + r.grid.size(), outputs = r.collectors.size(), width = inputs + outputs;
    std::vector<const char*> names;
    for (const auto* list : {&r.varied, &r.grid, &r.collectors}) {
        for (const std::string& name : *list) names.push_back(name.c_str());
    }
    std::vector<double> rows(r.runs * width);
    for (std::size_t i = 0; i < r.runs; ++i) {
        std::copy_n(r.values.begin() + static_cast<std::ptrdiff_t>(i * inputs), inputs,
                    rows.begin() + static_cast<std::ptrdiff_t>(i * width));
        std::copy_n(r.results.begin() + static_cast<std::ptrdiff_t>(i * outputs), outputs,
                    rows.begin() + static_cast<std::ptrdiff_t>(i * width + inputs));
    }
    std::vector<const char*> failures(r.runs, "");
    for (const Failure& f : r.failures) failures[f.run] = f.why.c_str();
    const std::string beside = fmt::format("{}.{}.new", path, ::getpid());
    std::array<char, 512> room{};
    if (write(beside.c_str(), mark_of(r.digest).c_str(), r.runs, width, names.data(), rows.data(), inputs, failures.data(), room.data(),
              room.size()) != 0) {
        std::error_code gone;
        std::filesystem::remove(beside, gone);
        return fmt::format("cannot write {}: {}", path, room.data());
    }
    std::error_code trouble;
    std::filesystem::rename(beside, path, trouble);
    return trouble ? fmt::format("cannot write {}: {}", path, trouble.message()) : "";
}

}  // namespace

std::string to_csv(const Ensemble& r) {
    fmt::memory_buffer out;
    const auto put = std::back_inserter(out);
    fmt::format_to(put, "# {}\nrun", mark_of(r.digest));
    for (const auto* list : {&r.varied, &r.grid, &r.collectors}) {
        for (const std::string& name : *list) fmt::format_to(put, ",{}", cell(name));
    }
    fmt::format_to(put, ",failure\n");
    const std::size_t inputs = r.varied.size() + r.grid.size(), outputs = r.collectors.size();
    auto failure = r.failures.begin();
    for (std::size_t i = 0; i < r.runs; ++i) {
        fmt::format_to(put, "{}", i);
        for (std::size_t j = 0; j < inputs; ++j) fmt::format_to(put, ",{}", r.values[i * inputs + j] + 0.0);
        for (std::size_t c = 0; c < outputs; ++c) {
            const double x = r.results[i * outputs + c];
            std::isfinite(x) ? fmt::format_to(put, ",{}", x + 0.0) : fmt::format_to(put, ",");
        }
        const bool has_failed = failure != r.failures.end() && failure->run == i;
        fmt::format_to(put, ",{}\n", has_failed ? cell(failure->why) : "");
        if (has_failed) ++failure;
    }
    return fmt::to_string(out);
}

std::string write_output(const Ensemble& r, const std::string& path) {
    if (is_hdf5(path)) return write_hdf5(r, path);
    const std::string text = to_csv(r);
    return session::write_files(std::array{session::NewFile{path, text}});
}

bool is_other_output(const std::string& path, const std::string& digest) {
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown)) return false;
    const std::string mark = mark_of(digest);
    if (!is_hdf5(path)) return !head_of(path, 4096).starts_with("# " + mark + "\n");
    return head_of(path, 512).find(mark) == std::string::npos;  // in the block that HDF5 leaves to its users
}

bool is_journal_of(const std::string& path, const std::string& digest) { return head_of(path, 256).find(digest) != std::string::npos; }

}  // namespace linkwright::ensemble
