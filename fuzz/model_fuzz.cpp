// Any bytes at all: the reader answers with a model or with problems that lie inside the text; a model is written, read
// back as itself, set, frozen and checked.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "linkwright/model/read.hpp"
#include "linkwright/model/write.hpp"

using namespace linkwright;

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

bool is_error(const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; }

/// Not after the end of the text, line by line; one more for a text without a last line break.
bool is_inside(Position p, std::string_view text) {
    return p.line >= 1 && p.column >= 1 && p.line <= position_at(text, text.size()).line + 1;
}

void check(std::string_view text) {
    model::Reading reading = model::read(text, "fuzz");
    require(reading.model.has_value() != std::ranges::any_of(reading.problems, is_error), "a model or an error, not both");
    require(reading.problems.size() <= 101, "the list of problems ends");
    for (const Diagnostic& d : reading.problems) {
        require(is_inside(d.where, text), "a problem lies inside the text");
        require(!d.what.empty() && !d.what.ends_with('.'), "a problem is a sentence without a full stop");
        require(d.what.size() + d.hint.size() < 2000, "a problem is short");
    }
    if (!reading.model) return;
    model::Model& m = *reading.model;
    const std::string written = model::write(m);
    if (written.size() > 1'000'000) return;
    const model::Reading again = model::read(written, "again");
    if (!again.model) std::fprintf(stderr, "%s\n%s", written.c_str(), to_string(again.problems).c_str());
    require(again.model.has_value(), "what is written reads back");
    require(again.model->bodies.size() == m.bodies.size() && again.model->joints.size() == m.joints.size(), "as the same model");
    std::vector<std::string> names;
    for (const model::Parameter& p : m.parameters) names.push_back(p.symbol.symbol().name);
    if (!names.empty()) model::set_value(m, names.front(), "2.5");
    model::freeze(m, names);
    require(m.parameters.empty(), "frozen parameters are gone");
    model::check_values(m);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    check({reinterpret_cast<const char*>(data), size});
    return 0;
}
