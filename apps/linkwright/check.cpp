#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "common.hpp"
#include "linkwright/session/inspect.hpp"
#include "linkwright/session/inspection_summary.hpp"
#include "linkwright/topology/describe.hpp"
#include "linkwright/topology/dot.hpp"
#include "linkwright/topology/matrices.hpp"
#include "page.hpp"
#include "paint.hpp"
#include "several.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using session::AssembledJoint;
using session::Inspection;

struct Options {
    SharedOptions common;
    std::vector<std::string> models;
    std::string to = "text";
    bool matrices = false;
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

std::string list_of(std::size_t count, const char* what) { return session::counted(static_cast<long>(count), what); }

/// The count of Grübler and Kutzbach, and how far it is from the truth.
std::string mobility(const Inspection& r) {
    const Inspection::Mobility& c = r.mobility;
    std::string out = "\n" + paint(Ink::heading, "mobility") + "\n";
    const auto line = [&](const std::string& what, long n) { out += fmt::format("    {:<64}{:>6}\n", what, n); };
    line(c.bodies == 1 ? "6 for the moving body" : fmt::format("6 for each of {} moving bodies", c.bodies), 6 * c.bodies);
    if (c.inside > 0) line("degrees of freedom inside bodies", c.inside);
    line("constrained by joints", -c.joints);
    if (c.others > 0) line("constrained by rods, gears, rolling, given motions, equations", -c.others);
    line("by this count (Grübler, Kutzbach)", c.counted());
    line(r.nearby.is_singular() ? "degrees of freedom, near the singular position" : "degrees of freedom", static_cast<long>(r.freedoms));
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
        out += fmt::format("satisfied in every position by the other joints: {}\n", list_of(r.satisfied.size(), "constraint"));
        for (const eom::SatisfiedConstraint& c : r.satisfied) out += fmt::format("        {:<12}  {}\n", c.name, c.about);
    }
    const auto always = static_cast<std::size_t>(std::ranges::count(r.rows, true, &Inspection::Row::is_redundant_always));
    if (always > 0) {
        out += fmt::format("redundant in every position: {} of {} constraints follow from those before them\n", always, r.rows.size());
        list([](const Inspection::Row& c) { return c.is_redundant_always; });
    }
    const std::size_t here = r.at.redundant.size();
    if (r.nearby.is_singular()) {
        out += fmt::format(
            "singular position (a change point, a dead centre): the constraints have rank {} here and {} nearby\n"
            "    {} depend on the others at this state only; they are not redundant\n",
            r.nearby.here, fmt::join(r.nearby.beside, " or "), list_of(here, "constraint"));
        list([&](const Inspection::Row& c) { return std::ranges::find(r.at.redundant, c.name) != r.at.redundant.end(); });
        return out +
               "    branches of the motion meet here, and the equations do not determine which is taken: start at a nearby position\n";
    }
    if (here > always) {
        out += fmt::format("redundant at the assembled state: {} of {} constraints depend on the others\n", here, r.rows.size());
        list([&](const Inspection::Row& c) { return std::ranges::find(r.at.redundant, c.name) != r.at.redundant.end(); });
    }
    if (here == 0 && r.satisfied.empty()) return "no constraint is redundant\n";
    return out +
           "    the motion is the same without them; rigid bodies do not determine how these joints share their\n"
           "    forces: the multipliers reported are those of smallest norm\n";
}

std::string beams(const Inspection& r) {
    std::string out;
    for (const Inspection::OwnBeam& beam : r.beams) {
        out += "\n" + wrapped(beam.about, 0, 4);
        std::vector<std::string> words;
        for (const double w : beam.frequencies) words.push_back(fmt::format("{:.7g}", w));
        out += fmt::format("    natural frequencies of the beam alone, frame held: {} rad/s\n", fmt::join(words, ", "));
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
    if (!r.motors.empty()) out += "\n" + paint(Ink::heading, "motors") + "\n";
    for (const Inspection::OwnMotor& x : r.motors) {
        out += fmt::format("    {}: {}, drives {}{}, input {}\n", x.name, x.type, x.drives,
                           x.gear == 1 ? "" : fmt::format(" through a gear of {:.6g}", x.gear), x.input);
        out += x.state.empty() ? fmt::format("        {} follows without lag (no state)\n", x.force)
                               : fmt::format("        state {}, lag {:.4g} s; {}\n", x.state, x.lag, x.force);
    }
    if (!r.filters.empty()) out += "\n" + paint(Ink::heading, "filters") + "\n";
    for (const Inspection::OwnFilter& x : r.filters) {
        out += fmt::format("    {}: input {}\n", x.name, x.input);
        if (!x.states.empty()) out += fmt::format("        states {}\n", fmt::join(x.states, ", "));
        out += fmt::format("        poles {}; zeros {}", to_words(x.poles), to_words(x.zeros));
        if (std::isfinite(x.static_gain)) out += fmt::format("; static gain {:.6g}", x.static_gain);
        out += "\n";
        if (x.period > 0) {
            out += fmt::format("        sampled every {:.6g} s, {}\n", x.period,
                               x.method == SampleMethod::tustin ? "bilinear (Tustin)" : "zero-order hold");
        }
    }
    if (!r.trajectories.empty()) out += "\n" + paint(Ink::heading, "trajectories") + "\n";
    for (const std::string& words : r.trajectories) out += "    " + words + "\n";
    return out;
}

std::string number(double x) { return fmt::format("{:.6g}", without_dust(x, 1)); }

/// The answers that are asked for first.
std::string figures(const Inspection& r, const Session& session) {
    std::string out;
    const auto line = [&](const char* what, const std::string& value) { out += fmt::format("{:<26}{}\n", what, value); };
    const std::size_t rows = r.rows.size();
    const auto holonomic = static_cast<std::size_t>(std::ranges::count(r.rows, true, &Inspection::Row::is_holonomic));
    line(r.nearby.is_singular() ? "degrees of freedom nearby" : "degrees of freedom", fmt::format("{}", r.freedoms));
    line("coordinates, velocities", fmt::format("{}, {}", r.names.coordinates.size(), r.names.speeds.size()));
    if (!r.names.auxiliary.empty()) line("auxiliary states", fmt::format("{}", r.names.auxiliary.size()));
    std::string constraints = fmt::format("{}", rows);
    if (holonomic < rows) constraints += fmt::format(" ({} holonomic, {} nonholonomic)", holonomic, rows - holonomic);
    if (rows > 0) constraints += fmt::format(", rank {} at the assembled state", r.rank);
    line("constraint equations", constraints);
    line("loops", fmt::format("{}", session.topology().loops.size()));
    line("redundant constraints", fmt::format("{}", r.redundant()));
    line("total mass", number(r.total_mass()) + " kg");
    return out;
}

std::string vector_of(const std::array<double, 3>& v) { return fmt::format("[{}, {}, {}]", number(v[0]), number(v[1]), number(v[2])); }

std::string bodies(const Inspection& r) {
    Columns table({"body", "mass [kg]", "centre of mass [m]", "moments of inertia about it, Ixx Iyy Izz [kg*m^2]"}, {1});
    bool has_products = false;
    for (const Inspection::OwnBody& body : r.bodies) {
        const bool own = std::ranges::any_of(body.products, [](double x) { return x != 0; });
        has_products = has_products || own;
        table.add({body.name, number(body.mass), body.is_beam ? "beam, see below" : vector_of(body.com),
                   body.is_beam ? "" : vector_of(body.moments) + (own ? " *" : "")});
    }
    return "\n" + table.text() + (has_products ? "* with products of inertia\n" : "");
}

/// Inertias of drives, by the speed that each turns with.
std::string armatures(const Inspection& r) {
    std::vector<std::string> words;
    for (const AssembledJoint& joint : r.joints) {
        for (const AssembledJoint::Value& a : joint.armature) {
            if (a.value != 0) words.push_back(fmt::format("{} {} {}", a.name, number(a.value), a.unit));
        }
    }
    return words.empty() ? "" : wrapped(fmt::format("armature, along velocities: {}", fmt::join(words, ", ")), 0, 4);
}

std::string joints(const Inspection& r) {
    Columns table({"joint", "type", "parent", "child", r.closed.is_ok() ? "at the assembled state" : "at the nearest approach"});
    for (const AssembledJoint& joint : r.joints) {
        std::vector<std::string> words;
        for (const AssembledJoint::Value& v : joint.values) {
            const std::string no_break = v.unit.empty() ? "" : "\u00a0" + v.unit;
            words.push_back(fmt::format("{}\u00a0=\u00a0{}{}", v.name, number(v.value), no_break));
        }
        const char* how = joint.how == AssembledJoint::How::cut ? "cut" : joint.how == AssembledJoint::How::given ? "given" : "";
        std::string text = fmt::format("{}", fmt::join(words, ", "));
        if (*how != '\0') text += fmt::format("{}({})", text.empty() ? "" : " ", how);
        table.add({joint.name, joint.type, joint.parent, joint.child, text});
    }
    return "\n" + with_plain_blanks(table.text()) + armatures(r);
}

std::string constraints(const Inspection& r) {
    if (r.rows.empty() && r.satisfied.empty()) return "";
    std::string out = "\n" + paint(Ink::heading, "constraints") + "\n";
    if (!r.rows.empty()) {
        out += wrapped(fmt::format("equations: {}", fmt::join(r.names.constraints, " ")), 0, 4);
        out += wrapped(fmt::format("independent velocities, chosen here: {}",
                                   r.at.independent.empty() ? "none" : fmt::format("{}", fmt::join(r.at.independent, " "))),
                       0, 4);
        if (r.closed.is_ok()) {
            std::string line =
                fmt::format("assembled: position residual {:.2g}, velocity residual {:.2g}", r.closed.position, r.closed.velocity);
            if (!r.closed.moved.empty()) line += fmt::format("; moved from the guess: {}", fmt::join(r.closed.moved, " "));
            out += wrapped(line, 0, 4);
        }
    }
    return out + redundancy(r) + mobility(r);
}

std::string matrices(const Session& session) {
    const model::Model& m = session.model();
    const topology::Topology& t = session.topology();
    std::string out = "\n" + paint(Ink::heading, "matrices") + " (rows and columns: ground, then the bodies in the order of the file)\n";
    out += "    path pi\n" + indented(topology::to_string(topology::path_matrix(t)), "        ");
    out += "    reference rho, rho pi = 1\n" + indented(topology::to_string(topology::reference_matrix(t)), "        ");
    out += "    distance\n" + indented(topology::to_string(topology::distance_matrix(t)), "        ");
    return out + "    incidence S (columns: joints)\n" + indented(topology::to_string(topology::incidence(m, t).S), "        ");
}

std::string graph(const Session& session) {
    const std::string text = topology::describe_graph(session.model(), session.topology());
    std::string out = "\n" + paint(Ink::heading, "graph") + "\n";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += wrapped(std::string_view(text).substr(at, end - at), 0, 4);
        at = end + 1;
    }
    return out;
}

std::string as_text(const Inspection& r, const Session& session, bool with_matrices) {
    const model::Model& m = session.model();
    std::string out = m.name.empty() ? "" : paint(Ink::heading, m.name) + "\n";
    out += wrapped(r.summary) + "\n" + figures(r, session) + bodies(r) + joints(r) + graph(session) + constraints(r);
    out += beams(r) + signals(r);
    if (!r.at.is_ok) out += wrapped(fmt::format("no accelerations at this state: {}", r.at.why));
    if (!r.unused.empty()) out += "\n" + wrapped(fmt::format("parameters and inputs not used: {}", fmt::join(r.unused, " ")), 0, 4);
    return with_matrices ? out + matrices(session) : out;
}

OfOneModel check_one(const SharedOptions& common) {
    const auto session = open(common);
    if (!session) return {.status = wrong_input, .line = {}, .json = {}};
    const auto r = inspect(*session);
    report(r.problems, common.quiet);
    const int status = static_cast<int>(r.status);
    return r ? OfOneModel{status, r->summary, common.json ? to_json(*r, *session) : session::Json{}} : OfOneModel{status, {}, {}};
}

int check(Options& options) {
    if (options.to != "text" && options.to != "dot" && options.to != "json") {
        report_error(fmt::format("--to takes text, dot, json, not '{}'", options.to));
        return wrong_input;
    }
    options.common.json = options.common.json || options.to == "json";
    if (options.models.size() > 1) {
        if (options.to != "dot") return run_several(options.common, options.models, check_one);
        return report_error("--to dot takes one model at a time"), wrong_input;
    }
    options.common.model = options.models.front();
    const auto session = open(options.common);
    if (!session) return wrong_input;
    if (options.to == "dot") return deliver(options.common, topology::to_dot(session->model(), session->topology()));
    return deliver(options.common, inspect(*session), [&](const Inspection& r) {
        return options.common.json ? dump(to_json(r, *session)) : as_text(r, *session, options.matrices);
    });
}

}  // namespace

Work declare_check(Words words) {
    auto options = std::make_shared<Options>();
    declare(words, options->common, options->models);
    options->common.formulation.clear();  // unless asked for: large trees are looked at by recursion
    words.add_flag("--matrices", options->matrices, "Also print the matrices of the graph: path, reference, distance, incidence");
    words.add_option("--to", options->to, "Format: text, dot (the graph for Graphviz) or json").type_name("FORMAT");
    return [options] { return check(*options); };
}

}  // namespace linkwright::cli
