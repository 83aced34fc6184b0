#include "linkwright/exchange/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <pugixml.hpp>

#include "linkwright/exchange/encoding.hpp"

namespace linkwright::exchange {

void Problems::error(const Origin& at, std::string what, std::string hint) {
    ++errors;
    list.push_back({Diagnostic::Severity::error, files.empty() ? "" : files[at.file], at.where, std::move(what), std::move(hint)});
}

void Problems::warning(const Origin& at, std::string what, std::string hint) {
    list.push_back({Diagnostic::Severity::warning, files.empty() ? "" : files[at.file], at.where, std::move(what), std::move(hint)});
}

void Problems::note(const Origin& at, std::string what, std::string hint) {
    list.push_back({Diagnostic::Severity::note, files.empty() ? "" : files[at.file], at.where, std::move(what), std::move(hint)});
}

std::uint32_t Problems::file(const std::string& name) {
    const auto at = std::ranges::find(files, name);
    if (at == files.end()) return files.push_back(name), static_cast<std::uint32_t>(files.size() - 1);
    return static_cast<std::uint32_t>(at - files.begin());
}

namespace xml {

namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view s) {
    const std::size_t from = s.find_first_not_of(blanks);
    if (from == std::string_view::npos) return {};
    return s.substr(from, s.find_last_not_of(blanks) - from + 1);
}

pugi::xml_node node_of(void* node) { return pugi::xml_node(static_cast<pugi::xml_node_struct*>(node)); }

}  // namespace

struct Element::Inside {
    std::string text;                    ///< UTF-8, as the parser got it
    std::vector<std::size_t> lines;      ///< where each begins
    std::vector<std::uint32_t> columns;  ///< at every `block`-th byte: which column it is in, so that places in long lines cost little
    static constexpr std::size_t block = 1024;
    std::uint32_t file = 0;
    pugi::xml_document document;

    Origin origin(std::size_t offset) const {
        const auto line = std::ranges::upper_bound(lines, offset) - lines.begin();
        const std::size_t begin = lines[static_cast<std::size_t>(line - 1)], mark = offset / block * block;
        const std::size_t from = std::max(begin, mark);
        const std::uint32_t before = from == begin ? 1 : columns[offset / block];
        const Position counted = position_at(std::string_view(text).substr(from), offset - from);
        return {file, {static_cast<std::uint32_t>(line), before + counted.column - 1}};
    }

    void count_columns() {
        std::uint32_t column = 1;
        lines.push_back(0);
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (i % block == 0) columns.push_back(column);
            if (text[i] == '\n')
                lines.push_back(i + 1), column = 1;
            else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U)
                ++column;
        }
        columns.push_back(column);
    }

    /// Where an attribute stands in the start tag of the element that begins at `offset`, at its name.
    std::optional<std::size_t> attribute_at(std::size_t offset, std::string_view wanted) const {
        std::size_t at = text.find_first_of(" \t\r\n/>", offset);
        while (at < text.size()) {
            at = text.find_first_not_of(blanks, at);
            if (at == std::string::npos || text[at] == '>' || text[at] == '/') return std::nullopt;
            const std::size_t end = text.find_first_of(" \t\r\n=", at);
            if (end == std::string::npos) return std::nullopt;
            if (std::string_view(text).substr(at, end - at) == wanted) return at;
            const std::size_t quote = text.find_first_of("\"'", end);
            if (quote == std::string::npos) return std::nullopt;
            const std::size_t close = text.find(text[quote], quote + 1);
            if (close == std::string::npos) return std::nullopt;
            at = close + 1;
        }
        return std::nullopt;
    }
};

std::string_view Element::name() const { return node_of(node_).name(); }

namespace {

/// Of an element's name, just after its '<'; pugixml tells the places of names.
std::size_t offset_of(void* node) { return static_cast<std::size_t>(std::max<std::ptrdiff_t>(node_of(node).offset_debug(), 0)); }

}  // namespace

Origin Element::origin() const {
    if (node_ == nullptr) return {};
    const std::size_t offset = offset_of(node_);
    return document_->origin(offset == 0 ? 0 : offset - 1);
}

Origin Element::origin_of(std::string_view attribute) const {
    if (node_ == nullptr) return {};
    const auto at = document_->attribute_at(offset_of(node_), attribute);
    return at ? document_->origin(*at) : origin();
}

Element Element::child(std::string_view name) const {
    for (pugi::xml_node child : node_of(node_)) {
        if (child.type() == pugi::node_element && child.name() == name) return {document_, child.internal_object()};
    }
    return {};
}

std::vector<Element> Element::children() const {
    std::vector<Element> all;
    for (pugi::xml_node child : node_of(node_)) {
        if (child.type() == pugi::node_element) all.emplace_back(document_, child.internal_object());
    }
    return all;
}

std::vector<Element> Element::children(std::string_view name) const {
    std::vector<Element> all = children();
    std::erase_if(all, [&](const Element& e) { return e.name() != name; });
    return all;
}

Element Element::parent() const {
    const pugi::xml_node up = node_of(node_).parent();
    return up.type() == pugi::node_element ? Element(document_, up.internal_object()) : Element();
}

bool Element::has(std::string_view attribute) const { return this->attribute(attribute).has_value(); }

std::optional<std::string> Element::attribute(std::string_view name) const {
    for (const pugi::xml_attribute a : node_of(node_).attributes()) {
        if (a.name() == name) return std::string(trimmed(a.value()));
    }
    return std::nullopt;
}

std::vector<std::string> Element::attributes() const {
    std::vector<std::string> names;
    for (const pugi::xml_attribute a : node_of(node_).attributes()) names.emplace_back(a.name());
    return names;
}

std::string Element::text() const {
    std::string text;
    for (pugi::xml_node child : node_of(node_)) {
        if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) text += child.value();
    }
    return std::string(trimmed(text));
}

Element Document::root() const { return {inside_.get(), inside_->document.document_element().internal_object()}; }

namespace {

void say_what_is_broken(const pugi::xml_parse_result& result, const Origin& at, Problems& problems) {
    switch (result.status) {
        case pugi::status_end_element_mismatch:
            return problems.error(at, "this end tag does not belong to the element that is open",
                                  "close elements in the order they were opened");
        case pugi::status_no_document_element:
            return problems.error(at, "there is no element in this file", "it should begin with <robot>, <sdf> or <mujoco>");
        default:
            return problems.error(at, fmt::format("this is not XML: {}", result.description()),
                                  "is the file complete? xmllint says more about it");
    }
}

/// How deep elements lie inside one another, by a walk that needs no stack.
bool is_shallow(pugi::xml_node root, int most) {
    int depth = 0;
    for (pugi::xml_node at = root; at;) {
        if (depth > most) return false;
        if (at.first_child()) {
            at = at.first_child();
            ++depth;
            continue;
        }
        while (at && at != root && !at.next_sibling()) {
            at = at.parent();
            --depth;
        }
        if (!at || at == root) return true;
        at = at.next_sibling();
    }
    return true;
}

}  // namespace

std::optional<Document> parse(std::string_view bytes, const std::string& file, Problems& problems) {
    const std::uint32_t number = problems.file(file);
    if (bytes.size() > largest_file) {
        problems.error({number, {0, 0}}, "too large: an XML file has at most 64 MB");
        return std::nullopt;
    }
    auto inside = std::make_shared<Element::Inside>();
    Decoded decoded = decode_xml(bytes);
    inside->text = std::move(decoded.text);
    inside->file = number;
    inside->count_columns();
    if (!decoded.doubt.empty()) problems.warning({number, {1, 1}}, decoded.doubt, "save the file as UTF-8");
    const pugi::xml_parse_result result =
        inside->document.load_buffer(inside->text.data(), inside->text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) {
        const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
        say_what_is_broken(result, inside->origin(std::min(offset, inside->text.size())), problems);
        return std::nullopt;
    }
    if (!is_shallow(inside->document.document_element(), deepest)) {
        problems.error({number, {1, 1}}, fmt::format("elements lie more than {} deep inside one another", deepest));
        return std::nullopt;
    }
    const std::size_t body = static_cast<std::size_t>(std::max<std::ptrdiff_t>(inside->document.document_element().offset_debug(), 0));
    if (const std::size_t at = inside->text.find("<!ENTITY"); at != std::string::npos && at < body) {
        problems.warning(inside->origin(at), "entities that a file declares are not expanded", "write their text where they are used");
    }
    return Document(std::move(inside));
}

std::optional<std::string> read_bytes(const std::filesystem::path& path, Problems& problems, const Origin& from) {
    const std::string name = path.string();
    if (problems.files.empty()) problems.file(name);
    const auto refuse = [&](const std::string& why, const std::string& hint = {}) {
        problems.error(from, from.where.line == 0 ? why : fmt::format("{}: {}", name, why), hint);
        return std::nullopt;
    };
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    if (!std::filesystem::exists(status)) return refuse("there is no such file");
    if (std::filesystem::is_directory(status)) return refuse("this is a folder, not a file");
    std::ifstream in(path, std::ios::binary);
    if (!in) return refuse("the file cannot be opened", "check its permissions");
    std::string bytes;
    for (char chunk[65536]; in && bytes.size() <= largest_file;) {
        in.read(chunk, sizeof chunk);
        bytes.append(chunk, static_cast<std::size_t>(in.gcount()));
    }
    if (in.bad()) return refuse("the file cannot be read");
    if (bytes.size() > largest_file) return refuse("too large: an XML file has at most 64 MB");
    return bytes;
}

std::optional<Document> parse_file(const std::filesystem::path& path, Problems& problems, const Origin& from) {
    const auto bytes = read_bytes(path, problems, from);
    return bytes ? parse(*bytes, path.string(), problems) : std::nullopt;
}

bool looks_like_xml(std::string_view bytes) {
    const std::string head = decode_xml(bytes.substr(0, 400)).text;
    const std::string_view text = trimmed(head);
    return text.starts_with('<');
}

std::string root_name(std::string_view bytes) {
    const std::string text = decode_xml(bytes).text;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
        if (text.compare(at, 4, "<!--") == 0) {
            at = text.find("-->", at);
            if (at == std::string::npos) return {};
            continue;
        }
        if (text.compare(at, 2, "<?") == 0 || text.compare(at, 2, "<!") == 0) continue;
        const std::size_t end = text.find_first_of(" \t\r\n/>", at);
        return end == std::string::npos ? "" : text.substr(at + 1, end - at - 1);
    }
    return {};
}

// --- values ---

namespace {

enum class Parsed { fine, no_number, not_finite };

Parsed parse_one(std::string_view word, double& x) {
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [end, trouble] = std::from_chars(word.data(), word.data() + word.size(), x);
    if (trouble == std::errc::result_out_of_range && end == word.data() + word.size()) {
        const bool is_small = word.find("e-") != std::string_view::npos || word.find("E-") != std::string_view::npos;
        x = is_small ? 0.0 : HUGE_VAL;
        return is_small ? Parsed::fine : Parsed::not_finite;
    }
    if (trouble != std::errc() || end != word.data() + word.size()) return Parsed::no_number;
    return std::isfinite(x) ? Parsed::fine : Parsed::not_finite;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos; at = text.find_first_not_of(blanks, at)) {
        const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

std::string short_quote(std::string_view text) {
    return text.size() > 40 ? fmt::format("'{}…'", text.substr(0, 37)) : fmt::format("'{}'", text);
}

void refuse_number(Parsed parsed, std::string_view word, const Origin& at, std::string_view what, Problems& problems) {
    if (parsed == Parsed::not_finite)
        return problems.error(at, fmt::format("{} is not finite: {}", what, short_quote(word)), "write a finite number");
    const bool has_comma = word.find(',') != std::string_view::npos;
    const bool has_formula = word.find("${") != std::string_view::npos || word.find("$(") != std::string_view::npos;
    problems.error(at, fmt::format("{} is no number: {}", what, short_quote(word)),
                   has_formula ? "this is xacro; expand it first: xacro FILE > robot.urdf"
                   : has_comma ? "numbers have a decimal point and are separated by blanks"
                               : "write a decimal number, as 0.25 or 1e-3");
}

}  // namespace

std::optional<double> parse_number(std::string_view text, const Origin& at, std::string_view what, Problems& problems) {
    double x = 0;
    const std::string_view word = trimmed(text);
    if (const Parsed parsed = parse_one(word, x); parsed != Parsed::fine)
        return refuse_number(parsed, word, at, what, problems), std::nullopt;
    return x;
}

std::optional<std::vector<double>> parse_numbers(std::string_view text, std::size_t count, const Origin& at, std::string_view what,
                                                 Problems& problems) {
    std::vector<double> all;
    for (const std::string_view word : words_of(text)) {
        double x = 0;
        if (const Parsed parsed = parse_one(word, x); parsed != Parsed::fine)
            return refuse_number(parsed, word, at, what, problems), std::nullopt;
        all.push_back(x);
    }
    if (count > 0 && all.size() != count) {
        problems.error(at, fmt::format("{} has {} number{}, not {}", what, all.size(), all.size() == 1 ? "" : "s", count),
                       fmt::format("write {} numbers separated by blanks", count));
        return std::nullopt;
    }
    return all;
}

std::optional<double> number(const Element& e, std::string_view attribute, Problems& problems) {
    const auto text = e.attribute(attribute);
    if (!text) return std::nullopt;
    double x = 0;
    if (parse_one(*text, x) == Parsed::fine) return x;
    return parse_number(*text, e.origin_of(attribute), fmt::format("'{}'", attribute), problems);
}

std::optional<double> limit(const Element& e, std::string_view attribute, Problems& problems) {
    const auto text = e.attribute(attribute);
    if (!text) return std::nullopt;
    double x = 0;
    if (parse_one(*text, x) == Parsed::not_finite && !std::isnan(x)) return std::nullopt;
    const auto value = number(e, attribute, problems);
    return value && std::abs(*value) < 1e9 ? value : std::nullopt;
}

std::optional<std::vector<double>> numbers(const Element& e, std::string_view attribute, Problems& problems) {
    return numbers(e, attribute, 0, problems);
}

std::optional<std::vector<double>> numbers(const Element& e, std::string_view attribute, std::size_t count, Problems& problems) {
    const auto text = e.attribute(attribute);
    if (!text) return std::nullopt;
    return parse_numbers(*text, count, e.origin_of(attribute), fmt::format("'{}'", attribute), problems);
}

std::optional<std::array<double, 3>> vector(const Element& e, std::string_view attribute, Problems& problems) {
    const auto v = numbers(e, attribute, 3, problems);
    return v ? std::optional(std::array{(*v)[0], (*v)[1], (*v)[2]}) : std::nullopt;
}

std::optional<bool> boolean(const Element& e, std::string_view attribute, Problems& problems) {
    const auto text = e.attribute(attribute);
    if (!text) return std::nullopt;
    if (*text == "true" || *text == "1") return true;
    if (*text == "false" || *text == "0") return false;
    problems.error(e.origin_of(attribute), fmt::format("'{}' is neither true nor false: {}", attribute, short_quote(*text)));
    return std::nullopt;
}

std::optional<std::string> required(const Element& e, std::string_view attribute, Problems& problems) {
    auto text = e.attribute(attribute);
    if (text && !text->empty()) return text;
    problems.error(e.origin(), fmt::format("<{}> has no '{}'", e.name(), attribute),
                   fmt::format("write <{} {}=\"…\">", e.name(), attribute));
    return std::nullopt;
}

}  // namespace xml
}  // namespace linkwright::exchange
