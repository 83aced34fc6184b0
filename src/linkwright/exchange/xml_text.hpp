#pragma once
// XML that is written: elements with attributes, one a line, indented. Internal to the room.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linkwright/exchange/frame.hpp"

namespace linkwright::exchange {

class XmlText {
public:
    using Attributes = std::vector<std::pair<std::string_view, std::string>>;
    void open(std::string_view name, const Attributes& attributes = {});
    void close();
    void empty(std::string_view name, const Attributes& attributes = {});                         ///< <name …/>
    void value(std::string_view name, std::string_view text, const Attributes& attributes = {});  ///< <name>text</name>
    void comment(std::string_view text);
    const std::string& text() const { return text_; }

private:
    std::string text_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    std::vector<std::string> open_;
    void begin(std::string_view name, const Attributes& attributes);
};

/// Numbers that read back the same, separated by blanks.
std::string words(const Vector& v);

}  // namespace linkwright::exchange
