#include "linkwright/exchange/xml_text.hpp"

#include <fmt/format.h>

#include "linkwright/exchange/model_text.hpp"

namespace linkwright::exchange {

namespace {

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return out;
}

}  // namespace

void XmlText::begin(std::string_view name, const Attributes& attributes) {
    text_ += std::string(2 * open_.size(), ' ') + "<" + std::string(name);
    for (const auto& [key, value] : attributes) text_ += fmt::format(" {}=\"{}\"", key, escaped(value));
}

void XmlText::open(std::string_view name, const Attributes& attributes) {
    begin(name, attributes);
    text_ += ">\n";
    open_.emplace_back(name);
}

void XmlText::close() {
    const std::string name = open_.back();
    open_.pop_back();
    text_ += fmt::format("{}</{}>\n", std::string(2 * open_.size(), ' '), name);
}

void XmlText::empty(std::string_view name, const Attributes& attributes) {
    begin(name, attributes);
    text_ += "/>\n";
}

void XmlText::value(std::string_view name, std::string_view text, const Attributes& attributes) {
    begin(name, attributes);
    text_ += fmt::format(">{}</{}>\n", escaped(text), name);
}

void XmlText::comment(std::string_view text) {
    std::string words = escaped(text);
    for (std::size_t at = words.find("--"); at != std::string::npos; at = words.find("--", at)) words.replace(at, 2, "- ");
    text_ += fmt::format("{}<!-- {} -->\n", std::string(2 * open_.size(), ' '), words);
}

std::string words(const Vector& v) { return fmt::format("{} {} {}", toml::number(v[0]), toml::number(v[1]), toml::number(v[2])); }

}  // namespace linkwright::exchange
