#pragma once
// What all verbs share: the model file with its options, results and complaints.

#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/session/json.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/tidy.hpp"
#include "verb.hpp"

namespace linkwright::cli {

using session::dump;
using session::Session;

/// Options that every verb takes.
struct SharedOptions {
    std::string model;                                 ///< "-": standard input
    std::vector<std::string> set;                      ///< name=value
    std::vector<std::string> initial;                  ///< likewise
    std::vector<std::string> freeze;                   ///< names, or "all"
    std::string formulation = "kane";                  ///< verbs that want code rather than formulas say "recursive"
    std::string base;                                  ///< of robots' files: "fixed", "floating", or empty
    std::string output;                                ///< empty: standard output
    std::function<std::vector<std::string>()> inputs;  ///< files that the words name to be read
    std::function<std::string()> start;                ///< the word that says where to begin, beside --initial: --state; mostly empty
    bool json = false, quiet = false;
};
void declare(Words words, SharedOptions& common);
/// For verbs that take several models.
void declare(Words words, SharedOptions& common, std::vector<std::string>& models);

/// False, and told, when the result would take the place of what is read.
bool may_write(const SharedOptions& common, const std::filesystem::path& output);

/// The model; empty when it could not be read or the result may not be written, and then the reasons have been told.
std::optional<Session> open(const SharedOptions& common);

/// To standard error; unless it is an error, not when `quiet`.
void report(const Diagnostics& problems, bool quiet);
void report_error(const std::string& what, const std::string& hint = {});
/// A note or a warning that a verb makes itself.
void tell_note(const SharedOptions& common, const std::string& what);
/// False, and told, when options are wrong. What is only worth a warning is told with the result.
bool are_right(const Diagnostics& problems, const SharedOptions& common);

using session::without_dust;  // for people; JSON keeps the digits

/// To the file of -o (whole or not at all) or to standard output, where colours stay if it has some.
int deliver(const SharedOptions& common, const std::string& text);

/// Tells what a call had to say, and delivers its value as `text` puts it. The exit status.
template <class T, class Text>
int deliver(const SharedOptions& common, const session::Result<T>& result, Text text) {
    report(result.problems, common.quiet);
    if (!result) return static_cast<int>(result.status);
    const int delivered = deliver(common, text(*result));
    return delivered == done ? static_cast<int>(result.status) : delivered;
}

}  // namespace linkwright::cli
