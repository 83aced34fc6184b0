#include "linkwright/codegen/layout.hpp"

#include <algorithm>

#include "linkwright/codegen/prose.hpp"

namespace linkwright::codegen {
namespace {

std::size_t letters(const std::string& utf8) {
    return static_cast<std::size_t>(std::ranges::count_if(utf8, [](char x) { return (static_cast<unsigned char>(x) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::vector<std::string> fill(const std::vector<std::string>& pieces, std::size_t width, const std::string& indent) {
    std::vector<std::string> lines;
    for (const std::string& piece : pieces) {
        if (!lines.empty() && letters(lines.back()) + 1 + letters(piece) <= width) {
            lines.back() += " " + piece;
        } else {
            lines.push_back((lines.empty() ? "" : indent) + piece);
        }
    }
    return lines;
}

std::string joined(const std::vector<std::string>& pieces, const std::string& between) {
    std::string text;
    for (std::size_t k = 0; k < pieces.size(); ++k) text += (k > 0 ? between : "") + pieces[k];
    return text;
}

std::vector<std::string> separated(std::vector<std::string> pieces, const std::string& sign) {
    for (std::size_t k = 0; k + 1 < pieces.size(); ++k) pieces[k] += sign;
    return pieces;
}

std::string in_quotes(const std::string& words, const std::string& special) {
    std::string text = "\"";
    for (const char x : one_line(words)) {
        if (x == '\\' || special.find(x) != std::string::npos) text += '\\';
        text += x;
    }
    return text + "\"";
}

std::vector<std::string> result_names(const Function& function) {
    std::vector<std::string> names;
    for (const Result& r : function.results) names.push_back(r.name);
    return names;
}

const Result* find_result(const Function* function, const std::string& name) {
    if (function == nullptr) return nullptr;
    const auto at = std::ranges::find(function->results, name, &Result::name);
    return at == function->results.end() ? nullptr : &*at;
}

bool is_matrix(const Result& r) { return r.is_matrix; }

std::vector<std::string> jacobian_blocks(const Function& jacobians, const std::string& letter) {
    std::vector<std::string> blocks;
    for (const char* by : {"_q", "_u", "_w"}) {
        if (find_result(&jacobians, letter + by) != nullptr) blocks.push_back(letter + by);
    }
    return blocks;
}

}  // namespace linkwright::codegen
