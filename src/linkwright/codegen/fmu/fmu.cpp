#include "linkwright/codegen/fmu/fmu.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linkwright/base/sha256.hpp"
#include "linkwright/codegen/fmu/description.hpp"
#include "linkwright/codegen/fmu/interface.hpp"
#include "linkwright/codegen/fmu/runtime.hpp"
#include "linkwright/codegen/prose.hpp"

namespace linkwright::codegen::fmu {
namespace {

/// A list with one entry more than is needed: C has no empty ones.
std::string list(const std::string& name, const std::vector<int>& values) {
    return fmt::format("static const int {}[] = {{{}0}};\n", name, values.empty() ? "" : fmt::format("{}, ", fmt::join(values, ", ")));
}

std::vector<int> as_numbers(const std::vector<bool>& flags) { return {flags.begin(), flags.end()}; }

/// Of each filter with a period: how many states, where they and what is held stand in x, where its numbers begin.
std::string sample_tables(const Package& package) {
    if (package.sampled.empty()) return {};
    std::vector<int> sizes, first, states, held, at, is_tustin;
    std::string names;
    std::size_t most = 0, numbers = 0;
    for (const SampledEntry& s : package.sampled) {
        const std::size_t n = s.x.size();
        most = std::max(most, n);
        sizes.push_back(static_cast<int>(n)), first.push_back(static_cast<int>(states.size())), at.push_back(static_cast<int>(numbers));
        for (const std::size_t i : s.x) states.push_back(static_cast<int>(package.nq() + i));
        held.push_back(static_cast<int>(package.nq() + s.held));
        is_tustin.push_back(s.method == SampleMethod::tustin ? 1 : 0);
        numbers += 3 + n + n * n;
        names += fmt::format("\"{}\", ", s.name);
    }
    return fmt::format("\nenum {{ ns = {}, sample_most = {}, sample_numbers = {} }};\n", package.sampled.size(), most, numbers) +
           "/* Of filters with a period: their states' number and places in x, what they hold, their numbers' places, how they go on. "
           "*/\n" +
           list("sample_size", sizes) + list("sample_first", first) + list("sample_state", states) + list("sample_held", held) +
           list("sample_at", at) + list("sample_is_tustin", is_tustin) + "static const char *const sample_name[] = {" + names + "0};\n";
}

std::string tables(const Package& package, const Interface& interface, const std::string& token) {
    const bool is_closed = package.m() > 0 && package.nu() > 0;
    std::string text;
    const auto flag = [&](const char* name, bool is) { text += fmt::format("#define {} {}\n", name, is ? 1 : 0); };
    flag("MOVES", package.nu() > 0);
    flag("IS_CLOSED", is_closed);
    flag("HAS_CONSTRAINTS", is_closed || !package.quaternions.empty());
    flag("HAS_SIGNALS", package.find("signals") != nullptr);
    flag("HAS_EVENTS", !package.events.empty());
    flag("USES_TIME", interface.uses_time);
    flag("HAS_SAMPLES", !package.sampled.empty());
    text += fmt::format("\nstatic const char fmu_token[] = \"{}\";\n", token);
    text += fmt::format("enum {{ nz = {}, is_tunable = {} }};\n", package.events.size(), interface.is_tunable ? 1 : 0);
    text +=
        "/* Which inputs the model gives as functions of time; which directions of position, then of speed, closing the start leaves "
        "alone. */\n";
    text += list("follows_time", as_numbers(interface.follows_time));
    std::vector<int> held = as_numbers(interface.held_positions);
    for (const bool is : interface.held_speeds) held.push_back(is ? 1 : 0);
    if (is_closed) text += list("is_held", held);
    std::vector<int> direction, stops;
    for (const EventEntry& e : package.events) {
        direction.push_back(e.direction == Crossing::up ? 1 : e.direction == Crossing::down ? -1 : 0);
        stops.push_back(e.stops ? 1 : 0);
    }
    text += "/* Of events: rising 1, falling -1, both 0; do they end the motion? */\n";
    text += list("event_direction", direction) + list("event_stops", stops);
    return text + sample_tables(package);
}

/// CALL_f: a call of the package's function f, arguments and results under their own names.
std::string with_calls(std::string text, const Package& package) {
    constexpr const char* names[] = {"input_values", "rates",          "signal_jacobians", "signals",       "residuals", "dynamics",
                                     "jacobians",    "rate_jacobians", "energy",           "accelerations", "sampling"};
    std::vector<std::string> longest_first(std::begin(names), std::end(names));
    std::ranges::sort(longest_first, std::ranges::greater{}, &std::string::size);
    for (const std::string& name : longest_first) {
        const Function* f = package.find(name);
        std::string call;
        if (f != nullptr) {
            std::vector<std::string> words;
            for (const std::size_t a : f->arguments) words.push_back(package.arguments[a].name);
            for (const Result& r : f->results) words.push_back(r.name);
            call = fmt::format("NAME_{}({});", name, fmt::join(words, ", "));
        } else if (name == "accelerations" && package.nu() > 0) {
            call = "status = NAME_accelerations(t, q, u, w, c, udot, lambda);";
        }
        text = replace(std::move(text), "CALL_" + name + "\n", call + "\n");
    }
    return text;
}

std::string write_source(const Package& package, const Interface& interface, const std::string& token) {
    const bool is_2 = package.fmi == 2;
    std::string text = fmt::format(
        "/* NAME as an FMU: the functions of FMI {}.0 around the equations of NAME.c. Written by {}.\n"
        " * The only file to compile. Instances share nothing; all variables are double precision numbers in SI units. */\n",
        package.fmi, made_by());
    text +=
        "#include \"NAME.c\"\n\n#include <float.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include "
        "<stdio.h>\n#include <stdlib.h>\n"
        "#include <string.h>\n\n";
    text += tables(package, interface, token);
    text += is_2 ? fmi2_types : fmi3_types;
    text += with_calls(std::string(core_text) + sampling_text + integrator_text, package) + life_text;
    text += is_2 ? fmi2_text : fmi3_text;
    return replace(std::move(text), "NAME", package.identifier);
}

}  // namespace

std::vector<File> write(const Package& package, const std::vector<File>& model) {
    const Interface interface = make_interface(package);
    const std::string folder = package.identifier + ".fmu/";
    // The token tells one FMU from another: everything but the date is in it.
    Package undated = package;
    undated.written_at.clear();
    std::string all = write_description(undated, interface, "") + write_source(package, interface, "");
    for (const File& f : model) all += f.text;
    const std::string token = "{" + sha256(all) + "}";
    std::vector<File> files{{folder + "modelDescription.xml", write_description(package, interface, token)}};
    if (package.fmi == 3) files.push_back({folder + "sources/buildDescription.xml", write_build_description(package)});
    for (const File& f : model) files.push_back({folder + "sources/" + f.name, f.text});
    files.push_back({folder + "sources/" + package.identifier + "_fmu.c", write_source(package, interface, token)});
    return files;
}

}  // namespace linkwright::codegen::fmu
