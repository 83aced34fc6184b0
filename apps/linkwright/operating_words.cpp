#include "operating_words.hpp"

namespace linkwright::cli {

using linear::Operating;
using session::EquilibriumWords;
using session::OperatingWords;

void declare(Words words, EquilibriumWords& equilibrium) {
    words.add_flag(
        "--steady", equilibrium.steady,
        "Steady motion instead of rest: speeds of [initial] are kept, unless --hold names some, and cyclic coordinates may move");
    words
        .add_option("--hold", equilibrium.hold,
                    "Keep coordinates, or in steady motion speeds, at these values: hip=0.2 or \"spin'=5\" (repeatable)")
        .type_name("NAME=VALUE,...")
        .repeatable();
    words.add_option("--moving", equilibrium.moving, "Coordinates that may move as well, in addition to the cyclic ones")
        .type_name("NAMES")
        .repeatable();
    words.add_option("--trim", equilibrium.trim, "Inputs to be solved for as well, so that the forces balance")
        .type_name("NAMES")
        .repeatable();
}

void declare(Words words, OperatingWords& operating) {
    words.add_choice(
        "--at", {"equilibrium", "initial"}, [&operating](std::size_t i) { operating.at = static_cast<Operating::At>(i); },
        "Operating point: equilibrium, the one nearest to [initial] (default), or initial, the initial state itself");
    words.add_input("--state", operating.state.file,
                    "Operating point: this state, with its loops closed; with --at equilibrium, the equilibrium nearest to it");
    declare(words, operating.equilibrium);
}

}  // namespace linkwright::cli
