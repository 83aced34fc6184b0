#pragma once
// A verb of the command line: the first word, as in `linkwright VERB MODEL [options]`.
//
// A verb is one file, NAME.cpp, with one function that declares its arguments and returns the work to do once they are
// parsed; verbs.cpp lists them all. The work writes results to `stdout` (main sees to it that none are lost),
// everything else to `stderr`, and returns the exit status.

#include <functional>
#include <span>
#include <string>

#include "words.hpp"

namespace linkwright::cli {

enum Exit : int {
    done = 0,
    numerical_failure = 1,  ///< did not converge, or the result could not be written
    wrong_input = 2,        ///< the command line or a file is wrong
};

using Work = std::function<int()>;

struct Verb {
    std::string name;
    std::string about;                  ///< one line of --help
    Work (*declare)(Words words);       ///< adds the verb's arguments to `words`
    std::vector<std::string> examples;  ///< for --help, each the words after `linkwright`; they run in the project's folder
};

std::span<const Verb> verbs();

/// The words that the program was called with, as one would type them.
const std::string& command_line();

}  // namespace linkwright::cli
