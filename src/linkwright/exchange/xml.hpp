#pragma once
// XML behind a small face of our own: elements with line and column, attributes as text, numbers and vectors with problems that say where and what to try.
// pugixml does the parsing, and xml.cpp alone knows it.
//
// UTF-8, UTF-16 and UTF-32 are read, with or without a byte order mark, and Latin-1 where the declaration says so. Comments and processing
// instructions are skipped. A document type is skipped too: entities that it declares are never expanded (pugixml does not), so that no small file becomes a large one;
// a file that declares some is told of them. At most 64 MB, at most 500 elements inside one another.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/exchange/translation.hpp"

namespace linkwright::exchange {

/// What is wrong or worth knowing, collected on the way with the files it is about.
struct Problems {
    Diagnostics list{};
    std::vector<std::string> files{};
    std::size_t errors = 0;

    void error(const Origin& at, std::string what, std::string hint = {});
    void warning(const Origin& at, std::string what, std::string hint = {});
    void note(const Origin& at, std::string what, std::string hint = {});
    bool is_ok() const { return errors == 0; }
    /// The number of a file in `files`; it is added when new.
    std::uint32_t file(const std::string& name);
};

namespace xml {

/// An element of a document, or none. A handle: the document keeps what it points to, and must live as long. What is asked of none is empty.
class Element {
public:
    Element() = default;
    explicit operator bool() const { return node_ != nullptr; }
    bool operator==(const Element&) const = default;

    std::string_view name() const;
    Origin origin() const;                               ///< of its `<`
    Origin origin_of(std::string_view attribute) const;  ///< of the attribute's name; of the element when it has none such
    Element child(std::string_view name) const;          ///< the first
    std::vector<Element> children() const;
    std::vector<Element> children(std::string_view name) const;
    Element parent() const;
    bool has(std::string_view attribute) const;
    /// As written, with the five entities of XML and numbered ones put in; without blanks at either end.
    std::optional<std::string> attribute(std::string_view name) const;
    std::vector<std::string> attributes() const;  ///< their names
    std::string text() const;                     ///< between its tags, without blanks at either end

    struct Inside;
    Element(const Inside* document, void* node) : document_(document), node_(node) {}

private:
    const Inside* document_ = nullptr;
    void* node_ = nullptr;
};

/// A document; copies are handles.
class Document {
public:
    Element root() const;
    explicit Document(std::shared_ptr<const Element::Inside> inside) : inside_(std::move(inside)) {}

private:
    std::shared_ptr<const Element::Inside> inside_;
};

inline constexpr std::size_t largest_file = 64'000'000;
inline constexpr int deepest = 500;

/// Empty when `problems` got an error. `file` is the name in messages.
std::optional<Document> parse(std::string_view bytes, const std::string& file, Problems& problems);

/// The bytes of a file of at most 64 MB. What is said of one that cannot be read stands at `from`: the place that names it, or no place.
std::optional<std::string> read_bytes(const std::filesystem::path& path, Problems& problems, const Origin& from = {});

/// Reads a file and parses it. What is said of one that cannot be read stands at `from`: the place that names it, or no place.
std::optional<Document> parse_file(const std::filesystem::path& path, Problems& problems, const Origin& from = {});

/// Whether bytes look like XML in any encoding: the first letter is '<'.
bool looks_like_xml(std::string_view bytes);

/// The name of the root element, found without parsing all; empty when there is none.
std::string root_name(std::string_view bytes);

// Values. Empty, with a problem at the attribute (or at the element, for its text), when they are not what is expected; also empty, without a word, when
// the attribute is absent. Numbers are finite decimals unless said otherwise.

std::optional<double> number(const Element& e, std::string_view attribute, Problems& problems);
/// Infinities and huge numbers are empty, without a word: what limits mean by them.
std::optional<double> limit(const Element& e, std::string_view attribute, Problems& problems);
std::optional<std::vector<double>> numbers(const Element& e, std::string_view attribute, Problems& problems);
std::optional<std::vector<double>> numbers(const Element& e, std::string_view attribute, std::size_t count, Problems& problems);
std::optional<std::array<double, 3>> vector(const Element& e, std::string_view attribute, Problems& problems);
/// "true", "false", "1", "0".
std::optional<bool> boolean(const Element& e, std::string_view attribute, Problems& problems);
/// A problem when it is absent or empty.
std::optional<std::string> required(const Element& e, std::string_view attribute, Problems& problems);

/// The same of a text that stands somewhere: what SDF has between tags. `what` names it in messages.
std::optional<double> parse_number(std::string_view text, const Origin& at, std::string_view what, Problems& problems);
std::optional<std::vector<double>> parse_numbers(std::string_view text, std::size_t count, const Origin& at, std::string_view what,
                                                 Problems& problems);  ///< count 0: any

}  // namespace xml
}  // namespace linkwright::exchange
