#pragma once
// The files of an MJCF model: the one that was named, and those it includes. An <include/> stands for the children of the root of its file, wherever it is;
// here elements are asked for their children, and includes are gone.
//
// A file is included once, as MuJoCo has it; so circles end, and a few small files cannot become a large one. Paths count from the folder of the
// main file, or else from that of the file that includes. What lies outside of the main folder is refused unless it is allowed.

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "linkwright/exchange/allowed_files.hpp"
#include "linkwright/exchange/translation.hpp"
#include "linkwright/exchange/xml.hpp"

namespace linkwright::exchange::mjcf {

class Source {
public:
    Source(const xml::Document& main, const TranslateOptions& options, Problems& problems);

    xml::Element root() const { return documents_.front().root(); }
    const std::filesystem::path& folder() const { return allowed_.folder(); }
    std::vector<xml::Element> children(const xml::Element& e);
    /// Children of the root with this name, of all files.
    std::vector<xml::Element> sections(std::string_view name);

private:
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
    void append_children(const xml::Element& e, std::vector<xml::Element>& all);
    xml::Element included_root(const xml::Element& include);
    xml::Element open(const xml::Element& include);

    std::vector<xml::Document> documents_;
    AllowedFiles allowed_;
    Problems& problems_;
    std::map<Key, xml::Element> roots_;     ///< of includes, by where they stand
    std::set<std::filesystem::path> seen_;  ///< files that were read
};

}  // namespace linkwright::exchange::mjcf
