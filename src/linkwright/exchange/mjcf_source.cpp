#include "linkwright/exchange/mjcf_source.hpp"

#include <algorithm>
#include <system_error>

namespace linkwright::exchange::mjcf {

namespace fs = std::filesystem;

Source::Source(const xml::Document& main, const TranslateOptions& options, Problems& problems)
    : documents_{main}, allowed_(problems.files.empty() ? fs::path{} : fs::path(problems.files.front()), options), problems_(problems) {
    seen_.insert(settle(problems.files.empty() ? fs::path{} : fs::path(problems.files.front())));
}

std::vector<xml::Element> Source::children(const xml::Element& e) {
    std::vector<xml::Element> all;
    append_children(e, all);
    return all;
}

std::vector<xml::Element> Source::sections(std::string_view name) {
    std::vector<xml::Element> all = children(root());
    std::erase_if(all, [&](const xml::Element& e) { return e.name() != name; });
    return all;
}

void Source::append_children(const xml::Element& e, std::vector<xml::Element>& all) {
    for (const xml::Element& child : e.children()) {
        if (child.name() != "include")
            all.push_back(child);
        else if (const xml::Element root = included_root(child))
            append_children(root, all);
    }
}

xml::Element Source::included_root(const xml::Element& include) {
    const Origin at = include.origin();
    const Key key{at.file, at.where.line, at.where.column};
    const auto known = roots_.find(key);
    if (known != roots_.end()) return known->second;
    return roots_[key] = open(include);
}

xml::Element Source::open(const xml::Element& include) {
    const auto name = xml::required(include, "file", problems_);
    if (!name) return {};
    const Origin at = include.origin_of("file");
    fs::path path = allowed_.folder() / *name;
    if (std::error_code e; !fs::is_regular_file(path, e)) {
        const fs::path beside = fs::path(problems_.files[at.file]).parent_path() / *name;
        if (fs::is_regular_file(beside, e)) path = beside;
    }
    const fs::path settled = settle(path);
    if (!allowed_.has(settled)) {
        problems_.error(at, "the included file '" + *name + "' lies outside of the model's folder",
                        "copy it into the folder, or allow it: linkwright import FILE --outside");
        return {};
    }
    if (!seen_.insert(settled).second) {
        problems_.error(at, "the file '" + *name + "' is included already", "a file is included once; files cannot include each other");
        return {};
    }
    if (std::error_code e; !fs::exists(path, e)) {
        problems_.error(at, "there is no file '" + *name + "'", "paths of includes count from the folder of the main file");
        return {};
    }
    const auto document = xml::parse_file(path.lexically_normal(), problems_, at);
    if (!document) return {};
    documents_.push_back(*document);
    return documents_.back().root();
}

}  // namespace linkwright::exchange::mjcf
