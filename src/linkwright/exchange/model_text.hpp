#pragma once
// The text of a model file in the making. Blocks may be added in any order; they are written in the order of the format: head, parameters, inputs, bodies,
// joints, the rest. Every line remembers where it came from.
//
//     ModelText text("arm", origin);
//     text.gravity({"0", "0", toml::quoted("-g")}, origin);
//     text.parameter("m1", toml::number(2.5), origin);
//     Block& body = text.add("body", origin);
//     body.key("name", toml::quoted("upper"));
//     body.key("mass", toml::quoted("m1"));
//
// Values are written already: toml::number(0.1) is 0.1, toml::quoted("l/2") is "l/2", toml::list({…}) is […].

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linkwright/exchange/translation.hpp"
#include "linkwright/exchange/xml.hpp"

namespace linkwright::exchange {

/// Values as TOML writes them.
namespace toml {

/// The shortest decimal that reads back as the same number; −0 is 0. Numbers are finite.
std::string number(double x);
/// A string of TOML.
std::string quoted(std::string_view text);
std::string list(const std::vector<std::string>& values);
std::string vector(const std::array<double, 3>& v);
/// An angle: "pi/2" and its like in quotes where the number is a multiple of π/12 up to 6e-12, otherwise the number.
std::string angle(double radians);
/// "x" … "-z" in quotes, or the vector.
std::string axis(const std::array<double, 3>& v);
/// Joint axes by roll, pitch and yaw, about fixed x, y, z: { rotate = ["z", "y", "x"], by = [yaw, pitch, roll] }, turns by 0 left out; empty when all are.
std::string axes_rpy(const std::array<double, 3>& rpy);
/// "#4477aa" in quotes, of red, green and blue from 0 to 1.
std::string colour(const std::vector<double>& rgb);

}  // namespace toml

/// One line of a block: a key with its value, or a comment.
struct TextLine {
    std::string text;
    Origin origin;
};

/// A table of the file.
class Block {
public:
    explicit Block(std::string header, const Origin& origin) : lines_{{std::move(header), origin}} {}
    /// The line comes from where the block does.
    void key(std::string_view name, std::string value) { key(name, std::move(value), lines_.front().origin); }
    void key(std::string_view name, std::string value, const Origin& origin);
    void comment(std::string_view text);  ///< a line of its own; broken where `text` is
    const std::vector<TextLine>& lines() const { return lines_; }

private:
    std::vector<TextLine> lines_;
};

class ModelText {
public:
    explicit ModelText(std::string name, const Origin& origin);

    void comment(std::string_view text);                                           ///< at the head of the file
    void gravity(const std::array<std::string, 3>& values, const Origin& origin);  ///< numbers or quoted expressions
    void parameter(const std::string& name, std::string value, const Origin& origin);
    void input(const std::string& name, std::string value, const Origin& origin);
    void ground_points(std::string value, const Origin& origin);  ///< { wall = [1, 0, 0] }
    void initial(const std::string& name, std::string value, const Origin& origin);
    void guess(const std::string& name, std::string value, const Origin& origin);
    /// A block of a list: "body", "joint", "spring", "gear", "constraint", "shape", … The reference stays good.
    Block& add(const std::string& kind, const Origin& origin);

    // Names. Files in XML allow any letters; a model's names are [A-Za-z_][A-Za-z0-9_]*, joined by dots.

    /// The namespaces of a model file: quantities are parameters, inputs, coordinates and outputs, which share one with joints' coordinates.
    enum class Space { quantity, body, joint, element, shape };
    /// A legal name that is not taken in its space, as like to the wish as can be; it is taken from now on. "::" becomes a dot. A joint's is taken among the
    /// quantities too: its coordinate has it. Where it differs from the wish, a comment at the head says so.
    std::string claim(Space space, std::string_view wish);

    /// The text with the origin of each line. When `problems` has an error: none. Takes the problems over, and sorts them by their places.
    Translation finish(Problems problems) const;

private:
    bool clashes(Space space, const std::string& name) const;
    struct Head {
        std::string name;
        Origin origin;
    } head_;
    std::vector<std::string> comments_;
    std::vector<TextLine> gravity_, parameters_, inputs_, ground_, initial_, guess_;
    std::deque<std::pair<std::string, Block>> blocks_;  ///< with their kinds
    std::map<Space, std::set<std::string, std::less<>>> taken_;
    std::map<std::pair<Space, std::string>, std::size_t> next_number_;
    std::vector<std::pair<std::string, std::string>> renamed_;  ///< from the file's name to ours
};

}  // namespace linkwright::exchange
