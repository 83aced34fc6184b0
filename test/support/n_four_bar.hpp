#pragma once
// A row of parallelograms, as many loops as one likes.

#include <fmt/format.h>

#include <string>

namespace linkwright::test {

/// N parallelograms side by side, the benchmark A02 of the IFToMM: N + 1 rods stand on the ground, N more join their ends; each has length 1 m and
/// mass 1 kg. They all lie in one line, N loops singular at once, whenever the rods are horizontal.
/// With a `span` other than 1 the bars that join them are longer, and no loop can fold.
inline std::string n_four_bar(int n, double span = 1) {
    std::string text = "format = 1\ngravity = [0, -9.81, 0]\n";
    const auto rod = [&](const std::string& name, double length) {
        text += fmt::format(
            "[[body]]\nname = \"{}\"\nmass = 1\ninertia = [0, \"1/12\", \"1/12\"]\ncom = [0.5, 0, 0]\n"
            "points = {{ end = [{}, 0, 0] }}\n",
            name, length);
    };
    const auto joint = [&](const std::string& name, const std::string& parent, const std::string& at, const std::string& child,
                           const std::string& child_at) {
        text +=
            fmt::format("[[joint]]\nname = \"{}\"\ntype = \"revolute\"\nparent = \"{}\"\nparent_at = {}\nchild = \"{}\"\nchild_at = {}\n",
                        name, parent, at, child, child_at);
    };
    for (int i = 0; i <= n; ++i) rod(fmt::format("rod{}", i), 1);
    for (int i = 1; i <= n; ++i) rod(fmt::format("bar{}", i), span);
    for (int i = 0; i <= n; ++i)
        joint(fmt::format("a{}", i), "ground", fmt::format("[{}, 0, 0]", span * i), fmt::format("rod{}", i), "[0, 0, 0]");
    for (int i = 1; i <= n; ++i) {
        joint(fmt::format("b{}", i), fmt::format("rod{}", i - 1), "\"end\"", fmt::format("bar{}", i), "[0, 0, 0]");
        joint(fmt::format("c{}", i), fmt::format("bar{}", i), "\"end\"", fmt::format("rod{}", i), "\"end\"");
    }
    text += "[[output]]\nname = \"B0\"\nposition = \"rod0.end\"\n[initial]\na0 = \"90*deg\"\n\"a0'\" = -1\n[guess]\n";
    for (int i = 1; i <= n; ++i) text += fmt::format("a{0} = \"90*deg\"\nb{0} = \"-90*deg\"\n", i);
    return text;
}

}  // namespace linkwright::test
