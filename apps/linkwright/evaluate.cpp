#include <fmt/format.h>

#include <cmath>

#include "common.hpp"
#include "linkwright/session/evaluate.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    session::EvaluateOptions evaluate;
};

/// What was asked for by --also.
std::string quantities_in_words(const nlohmann::ordered_json& j) {
    std::string out;
    const auto number = [](double x) { return fmt::format("{:>15.8g}", x + 0.0); };
    const auto matrix = [&](const std::string& title, const nlohmann::ordered_json& rows, const nlohmann::ordered_json& names) {
        const auto entries = [](const nlohmann::ordered_json& row) { return row.is_array() ? row : nlohmann::ordered_json::array({row}); };
        double size = 0;  // what is nothing beside the largest entry is rounding; JSON keeps it
        for (const auto& row : rows) {
            for (const auto& x : entries(row)) size = std::max(size, std::abs(x.get<double>()));
        }
        out += title + "\n";
        for (std::size_t i = 0; i < rows.size(); ++i) {
            out += fmt::format("    {:<20}", names[i].get<std::string>());
            for (const auto& x : entries(rows[i])) out += number(without_dust(x.get<double>(), size));
            out += "\n";
        }
    };
    if (j.contains("velocity_matrix")) matrix("velocity forces: C", j["velocity_matrix"], j["speeds"]);
    if (j.contains("gravity_forces")) matrix("gravity forces: g", j["gravity_forces"], j["speeds"]);
    if (j.contains("forcing_by_cause")) {
        for (const auto& [cause, f] : j["forcing_by_cause"].items()) matrix("forcing by " + cause, f, j["speeds"]);
    }
    if (!j.contains("jacobians")) return out;
    for (const auto& frame : j["jacobians"]) {
        const std::string name = frame["frame"].get<std::string>();
        matrix(fmt::format("J of {}: {}", name, frame["about"].get<std::string>()), frame["J"], frame["rows"]);
        matrix(fmt::format("J' u of {}", name), frame["Jdot_u"], frame["rows"]);
        if (frame["inertia"].is_null())
            out += fmt::format("no operational-space inertia of {}: {}\n", name, frame["why_no_inertia"].get<std::string>());
        else
            matrix(fmt::format("operational-space inertia of {}", name), frame["inertia"], frame["inertia_rows"]);
    }
    return out;
}

std::string as_text(const nlohmann::ordered_json& j) {
    std::string out;
    const auto number = [](double x) { return fmt::format("{:>15.8g}", std::isnan(x) ? std::abs(x) : x); };  // no "-nan"
    const nlohmann::ordered_json& units = j["units"];
    const auto line = [&](const std::string& name, const std::string& value, const std::string& unit) {
        out += fmt::format("    {:<20}{}{}\n", name, value, unit.empty() ? "" : "  " + unit);
    };
    const auto list = [&](const char* title, const nlohmann::ordered_json& names_of, const nlohmann::ordered_json& values,
                          const char* kind) {
        if (values.empty()) return;
        out += fmt::format("{}\n", title);
        for (std::size_t i = 0; i < values.size(); ++i)
            line(names_of[i].get<std::string>(), number(values[i].get<double>()), units[kind][i].get<std::string>());
    };
    out += "state\n";
    line("t", number(j["t"].get<double>()), "s");
    for (const char* kind : {"coordinates", "speeds", "auxiliary"}) {
        if (!j.contains(kind)) continue;
        for (std::size_t i = 0; i < j[kind].size(); ++i) {
            const std::string name = j[kind][i].get<std::string>();
            line(name, number(j["state"]["values"][name].get<double>()), units[kind][i].get<std::string>());
        }
    }
    out += "mass matrix\n";
    for (const auto& row : j["mass_matrix"]) {
        out += "   ";
        for (const auto& x : row) out += number(x.get<double>());
        out += "\n";
    }
    list("forcing", j["speeds"], j["forcing"], "forcing");
    list("accelerations", j["acceleration_names"], j["accelerations"], "accelerations");
    list("multipliers", j["constraints"], j["multipliers"], "multipliers");
    if (!j["constraints"].empty()) {
        out += fmt::format("residual            position {:.3g}, velocity {:.3g}\n", j["residual"]["position"].get<double>(),
                           j["residual"]["velocity"].get<double>());
    }
    out += fmt::format("energy              kinetic {:.10g} J, potential {:.10g} J, total {:.10g} J\n",
                       j["energy"]["kinetic"].get<double>(), j["energy"]["potential"].get<double>(), j["energy"]["total"].get<double>());
    for (const char* kind : {"linear", "angular"}) {
        const auto& p = j["momentum"][kind];
        out += fmt::format("{:<20}[{:.10g}, {:.10g}, {:.10g}] {}\n", std::string(kind) + " momentum", p[0].get<double>(),
                           p[1].get<double>(), p[2].get<double>(), std::string_view(kind) == "linear" ? "N*s" : "N*m*s");
    }
    if (!j["outputs"].empty()) out += "outputs\n";
    std::size_t i = 0;
    for (const auto& [name, value] : j["outputs"].items())
        line(name, value.is_null() ? fmt::format("{:>15}", "–") : number(value.get<double>()), units["outputs"][i++].get<std::string>());
    return out + quantities_in_words(j);
}

int evaluate(const Options& options) {
    const auto session = open(options.common);
    if (!session) return wrong_input;
    return deliver(options.common, session::evaluate(*session, options.evaluate), [&](const session::EvaluatedState& r) {
        const session::Json j = to_json(r);
        return options.common.json ? session::dump(j) : as_text(j);
    });
}

}  // namespace

Work declare_evaluate(Words words) {
    auto options = std::make_shared<Options>();
    declare(words, options->common);
    words.add_input("--state", options->evaluate.state.file,
                    "Evaluate at this state, without closing loops (default: the assembled initial state)");
    words.add_flag("--assemble", options->evaluate.assemble, "Assemble the given state first (close its loops)");
    words
        .add_option("--also", options->evaluate.quantities.also,
                    "Also g (gravity forces), C (matrix of the velocity forces), causes (forcing by cause), J (Jacobians of frames, with "
                    "operational-space inertia)")
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    words
        .add_option("--frame", options->evaluate.quantities.frames,
                    "Frames of J: outputs (position, orientation), bodies or BODY.POINT (default: all such outputs)")
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    return [options] { return evaluate(*options); };
}

}  // namespace linkwright::cli
