#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "common.hpp"
#include "linkwright/session/inspect.hpp"
#include "linkwright/topology/describe.hpp"
#include "linkwright/topology/dot.hpp"
#include "linkwright/topology/matrices.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using session::Inspection;

struct Options {
    SharedOptions common;
    std::string to = "text";
};

std::string indented(const std::string& text, const std::string& by) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += by + text.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return out;
}

std::string list_of(std::size_t count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

/// The count of Grübler and Kutzbach, and how far it is from the truth.
std::string mobility(const Inspection& r) {
    const Inspection::Mobility& c = r.mobility;
    std::string out = "mobility\n";
    const auto line = [&](const std::string& what, long n) { out += fmt::format("    {:<58}{:>6}\n", what, n); };
    line(c.bodies == 1 ? "6 for the moving body" : fmt::format("6 for each of {} moving bodies", c.bodies), 6 * c.bodies);
    if (c.inside > 0) line("freedoms inside bodies", c.inside);
    line("held by joints", -c.joints);
    if (c.others > 0) line("held by rods, gears, rolling, given motions, constraints", -c.others);
    line("by this count (Grübler, Kutzbach)", c.counted());
    line(r.nearby.is_singular() ? "freedoms of motion, beside the singular position" : "freedoms of motion", static_cast<long>(r.freedoms));
    line("redundant constraints", r.redundant());
    return out;
}

/// What is redundant, in plain words: by itself, everywhere (by fingerprint), and at the assembled state (by the rank there).
std::string redundancy(const Inspection& r) {
    std::string out;
    const auto list = [&](const auto& is_meant) {
        for (const Inspection::Row& c : r.rows) {
            if (is_meant(c)) out += fmt::format("        {:<12}  {}\n", c.name, c.about);
        }
    };
    if (!r.satisfied.empty()) {
        out += fmt::format("satisfied in every position by what other joints hold: {}\n", list_of(r.satisfied.size(), "constraint"));
        for (const eom::SatisfiedConstraint& c : r.satisfied) out += fmt::format("        {:<12}  {}\n", c.name, c.about);
    }
    const auto always = static_cast<std::size_t>(std::ranges::count(r.rows, true, &Inspection::Row::is_redundant_always));
    if (always > 0) {
        out += fmt::format("redundant in every position: {} of {} rows follow from those before them\n", always, r.rows.size());
        list([](const Inspection::Row& c) { return c.is_redundant_always; });
    }
    const std::size_t here = r.at.redundant.size();
    if (r.nearby.is_singular()) {
        out += fmt::format(
            "singular position (a change point, a dead centre): the constraints have rank {} here and {} beside it\n"
            "    {} depend on the others at this state only; they are not redundant\n",
            r.nearby.here, fmt::join(r.nearby.beside, " or "), list_of(here, "row"));
        list([&](const Inspection::Row& c) { return std::ranges::find(r.at.redundant, c.name) != r.at.redundant.end(); });
        return out + "    where the motion goes from here the equations do not tell: branches meet; start beside it\n";
    }
    if (here > always) {
        out += fmt::format("redundant where the mechanism is closed: {} of {} rows say nothing new once the others hold\n", here,
                           r.rows.size());
        list([&](const Inspection::Row& c) { return std::ranges::find(r.at.redundant, c.name) != r.at.redundant.end(); });
    }
    if (here == 0 && r.satisfied.empty()) return "no constraint is redundant\n";
    return out +
           "    the motion is the same without them; how these joints share their forces, rigid bodies alone do not tell: the\n"
           "    multipliers reported are the smallest that serve\n";
}

std::string beams(const Inspection& r) {
    std::string out;
    for (const Inspection::OwnBeam& beam : r.beams) {
        out += fmt::format("\n{}\n", beam.about);
        std::vector<std::string> words;
        for (const double w : beam.frequencies) words.push_back(fmt::format("{:.7g}", w));
        out += fmt::format("    frequencies by itself, frame held: {} rad/s\n", fmt::join(words, ", "));
        for (std::size_t i = 0; i < beam.damping.size(); ++i) {
            words.clear();
            for (const double c : beam.damping[i]) words.push_back(fmt::format("{:>11.5g}", c));
            out += fmt::format("    {:<12}{}\n", i == 0 ? "damping C" : "", fmt::join(words, " "));
        }
        constexpr std::size_t most = 60;
        std::size_t width = 0;
        for (const auto& [name, value] : beam.constants) width = std::max(width, name.size());
        out += "    shape constants\n";
        for (std::size_t i = 0; i < std::min(most, beam.constants.size()); ++i) {
            out += fmt::format("        {:<{}}  {:.10g}\n", beam.constants[i].first, width, beam.constants[i].second);
        }
        if (beam.constants.size() > most) out += fmt::format("        and {} more; --json has them\n", beam.constants.size() - most);
    }
    return out;
}

std::string to_words(const std::vector<std::complex<double>>& list) {
    std::vector<std::string> words;
    for (const std::complex<double> s : list) {
        if (s.imag() < 0) continue;
        words.push_back(s.imag() == 0 ? fmt::format("{:.6g}", s.real() + 0.0) : fmt::format("{:.6g} ± {:.6g}i", s.real(), s.imag()));
    }
    return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

std::string signals(const Inspection& r) {
    std::string out;
    if (!r.motors.empty()) out += "\nmotors\n";
    for (const Inspection::OwnMotor& x : r.motors) {
        out += fmt::format("    {}: {}, drives {}{}, input {}\n", x.name, x.type, x.drives,
                           x.gear == 1 ? "" : fmt::format(" through a gear of {:.6g}", x.gear), x.input);
        out += x.state.empty() ? fmt::format("        {} follows at once\n", x.force)
                               : fmt::format("        state {}, lag {:.4g} s; {}\n", x.state, x.lag, x.force);
    }
    if (!r.filters.empty()) out += "\nfilters\n";
    for (const Inspection::OwnFilter& x : r.filters) {
        out += fmt::format("    {}: input {}\n", x.name, x.input);
        if (!x.states.empty()) out += fmt::format("        states {}\n", fmt::join(x.states, ", "));
        out += fmt::format("        poles {}; zeros {}", to_words(x.poles), to_words(x.zeros));
        if (std::isfinite(x.static_gain)) out += fmt::format("; static gain {:.6g}", x.static_gain);
        out += "\n";
        if (x.period > 0) {
            out += fmt::format("        sampled every {:.6g} s, {}\n", x.period,
                               x.method == SampleMethod::tustin ? "by Tustin's rule" : "as if its input were held");
        }
    }
    if (!r.trajectories.empty()) out += "\ntrajectories\n";
    for (const std::string& words : r.trajectories) out += "    " + words + "\n";
    return out;
}

std::string as_text(const Inspection& r, const Session& session) {
    const model::Model& m = session.model();
    const topology::Topology& t = session.topology();
    std::string out = m.name.empty() ? "" : m.name + "\n\n";
    out += topology::describe_graph(m, t);  // freedoms are not counted from the joints alone; below they are, from the equations
    if (m.bodies.size() <= 25) {
        out += "\nmatrices (rows and columns: ground, then the bodies in the order of the file)\n";
        out += "    path pi\n" + indented(topology::to_string(topology::path_matrix(t)), "        ");
        out += "    reference rho, rho pi = 1\n" + indented(topology::to_string(topology::reference_matrix(t)), "        ");
        out += "    distance\n" + indented(topology::to_string(topology::distance_matrix(t)), "        ");
        out += "    incidence S (columns: joints)\n" + indented(topology::to_string(topology::incidence(m, t).S), "        ");
    } else {
        out += "\nmatrices: not shown for more than 25 bodies; --json has them\n";
    }
    const std::size_t n = r.names.speeds.size(), rows = r.rows.size();
    const auto holonomic = static_cast<std::size_t>(std::ranges::count(r.rows, true, &Inspection::Row::is_holonomic));
    out += fmt::format("\ncoordinates {}, speeds {}, constraints {}", r.names.coordinates.size(), n, rows);
    if (holonomic < rows) out += fmt::format(" ({} holonomic, {} nonholonomic)", holonomic, rows - holonomic);
    out += fmt::format("\nfreedoms of motion: {}\n", r.freedoms);
    if (rows > 0) {
        out += fmt::format("rows: {}\n", fmt::join(r.names.constraints, " "));
        out += fmt::format("rank at the assembled state: {}\n", r.rank);
        out += fmt::format("independent speeds, chosen here: {}\n",
                           r.at.independent.empty() ? "none" : fmt::format("{}", fmt::join(r.at.independent, " ")));
        if (r.closed.is_ok()) {
            out += fmt::format("closed: position residual {:.2g}, velocity residual {:.2g}", r.closed.position, r.closed.velocity);
            out += r.closed.moved.empty() ? "\n" : fmt::format("; moved from the guess: {}\n", fmt::join(r.closed.moved, " "));
        }
    }
    if (rows > 0 || !r.satisfied.empty()) out += redundancy(r) + mobility(r);
    out += beams(r) + signals(r);
    if (!r.at.is_ok) out += fmt::format("no accelerations at this state: {}\n", r.at.why);
    if (!r.unused.empty()) out += fmt::format("parameters and inputs that nothing is made of: {}\n", fmt::join(r.unused, " "));
    return out;
}

int check(const Options& options) {
    if (options.to != "text" && options.to != "dot" && options.to != "json") {
        report_error(fmt::format("--to takes text, dot, json, not '{}'", options.to));
        return wrong_input;
    }
    const auto session = open(options.common);
    if (!session) return wrong_input;
    if (options.to == "dot") return deliver(options.common, topology::to_dot(session->model(), session->topology()));
    const bool as_json = options.common.json || options.to == "json";
    return deliver(options.common, inspect(*session),
                   [&](const Inspection& r) { return as_json ? dump(to_json(r, *session)) : as_text(r, *session); });
}

}  // namespace

Work declare_check(Words words) {
    auto options = std::make_shared<Options>();
    declare(words, options->common);
    words.add_option("--to", options->to, "text, dot (the graph for Graphviz) or json").type_name("FORMAT");
    return [options] { return check(*options); };
}

}  // namespace linkwright::cli
