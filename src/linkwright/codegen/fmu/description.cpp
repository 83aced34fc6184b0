#include "linkwright/codegen/fmu/description.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linkwright/codegen/fmu/units.hpp"
#include "linkwright/codegen/prose.hpp"

namespace linkwright::codegen::fmu {
namespace {

/// Between the quotes of an attribute.
std::string escaped(const std::string& text) {
    std::string s;
    for (const char x : one_line(text)) {
        switch (x) {
            case '&': s += "&amp;"; break;
            case '<': s += "&lt;"; break;
            case '>': s += "&gt;"; break;
            case '"': s += "&quot;"; break;
            default: s += x;
        }
    }
    return s;
}

std::string attribute(const char* name, const std::string& value) {
    return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, escaped(value));
}

std::string units(const Interface& interface) {
    std::set<std::string> all;
    for (const Variable& v : interface.variables) {
        if (!v.unit.empty()) all.insert(v.unit);
    }
    std::string text = "  <UnitDefinitions>\n";
    for (const std::string& unit : all) {
        const auto powers = exponents(unit);
        if (!powers) {
            text += fmt::format("    <Unit name=\"{}\"/>\n", escaped(unit));
            continue;
        }
        std::string list;
        for (std::size_t i = 0; i < powers->size(); ++i) {
            if ((*powers)[i] != 0) list += fmt::format(" {}=\"{}\"", base_units[i], (*powers)[i]);
        }
        text += fmt::format("    <Unit name=\"{}\">\n      <BaseUnit{}/>\n    </Unit>\n", escaped(unit), list);
    }
    return text + "  </UnitDefinitions>\n";
}

constexpr const char* categories = R"(  <LogCategories>
    <Category name="logStatusError"/>
    <Category name="logStatusDiscard"/>
    <Category name="logEvents"/>
  </LogCategories>
  <DefaultExperiment startTime="0" stopTime="10" tolerance="1e-06"/>
)";

std::string number(double x) { return fmt::format("{}", x); }

std::string variables_of_fmi2(const Interface& interface) {
    std::string text = "  <ModelVariables>\n";
    for (const Variable& v : interface.variables) {
        text +=
            fmt::format("    <!-- {} -->\n    <ScalarVariable name=\"{}\" valueReference=\"{}\"{} causality=\"{}\" variability=\"{}\"{}>\n",
                        v.reference + 1, escaped(v.name), v.reference, attribute("description", v.about), v.causality, v.variability,
                        attribute("initial", v.initial));
        text += fmt::format("      <Real{}{}{}/>\n    </ScalarVariable>\n", attribute("unit", v.unit),
                            v.kind == Kind::derivative ? fmt::format(" derivative=\"{}\"", v.state + 1) : "",
                            v.start ? fmt::format(" start=\"{}\"", number(*v.start)) : "");
    }
    return text + "  </ModelVariables>\n";
}

std::string variables_of_fmi3(const Interface& interface) {
    std::string text = "  <ModelVariables>\n";
    for (const Variable& v : interface.variables) {
        text +=
            fmt::format("    <Float64 name=\"{}\" valueReference=\"{}\"{} causality=\"{}\" variability=\"{}\"{}{}{}{}/>\n", escaped(v.name),
                        v.reference, attribute("description", v.about), v.causality, v.variability, attribute("initial", v.initial),
                        attribute("unit", v.unit), v.kind == Kind::derivative ? fmt::format(" derivative=\"{}\"", v.state) : "",
                        v.start ? fmt::format(" start=\"{}\"", number(*v.start)) : "");
    }
    return text + "  </ModelVariables>\n";
}

/// References of FMI 3, or indices of FMI 2, which begin with 1.
std::string unknown(const std::string& element, const char* key, const Unknown& u, std::size_t shift) {
    std::vector<std::size_t> on;
    for (const std::size_t reference : u.dependencies.on) on.push_back(reference + shift);
    return fmt::format("<{} {}=\"{}\" dependencies=\"{}\" dependenciesKind=\"{}\"/>\n", element, key, u.reference + shift,
                       fmt::join(on, " "), fmt::join(u.dependencies.kinds, " "));
}

std::string structure_of_fmi2(const Interface& interface) {
    std::string text = "  <ModelStructure>\n";
    for (const auto& [name, list] : {std::pair("Outputs", &interface.outputs), std::pair("Derivatives", &interface.derivatives),
                                     std::pair("InitialUnknowns", &interface.initial_unknowns)}) {
        if (list->empty()) continue;
        text += fmt::format("    <{}>\n", name);
        for (const Unknown& u : *list) text += "      " + unknown("Unknown", "index", u, 1);
        text += fmt::format("    </{}>\n", name);
    }
    return text + "  </ModelStructure>\n";
}

std::string structure_of_fmi3(const Interface& interface) {
    std::string text = "  <ModelStructure>\n";
    for (const auto& [name, list] :
         {std::pair("Output", &interface.outputs), std::pair("ContinuousStateDerivative", &interface.derivatives),
          std::pair("InitialUnknown", &interface.initial_unknowns), std::pair("EventIndicator", &interface.event_indicators)}) {
        for (const Unknown& u : *list) text += "    " + unknown(name, "valueReference", u, 0);
    }
    return text + "  </ModelStructure>\n";
}

}  // namespace

std::string write_description(const Package& package, const Interface& interface, const std::string& token) {
    const std::string tool = attribute("generationTool", made_by()) + attribute("generationDateAndTime", package.written_at);
    const std::string about = "Equations of motion by the formulation '" + package.formulation + "'";
    const bool can_drift = package.m() > 0 || !package.quaternions.empty();  // what completed steps are looked at for
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    if (package.fmi == 2) {
        text += fmt::format(
            "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"{}\" guid=\"{}\"{}{} variableNamingConvention=\"flat\" "
            "numberOfEventIndicators=\"{}\">\n",
            escaped(package.name), token, attribute("description", about), tool, package.events.size());
        const std::string files =
            fmt::format("    <SourceFiles>\n      <File name=\"{}_fmu.c\"/>\n    </SourceFiles>\n", package.identifier);
        const std::string can = "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"";
        text += fmt::format("  <ModelExchange modelIdentifier=\"{}\" completedIntegratorStepNotNeeded=\"{}\" {}>\n{}  </ModelExchange>\n",
                            package.identifier, !can_drift, can, files);
        text +=
            fmt::format("  <CoSimulation modelIdentifier=\"{}\" canHandleVariableCommunicationStepSize=\"true\" {}>\n{}  </CoSimulation>\n",
                        package.identifier, can, files);
        text += units(interface) + categories + variables_of_fmi2(interface) + structure_of_fmi2(interface);
    } else {
        text += fmt::format(
            "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"{}\" instantiationToken=\"{}\"{}{} variableNamingConvention=\"flat\">\n",
            escaped(package.name), token, attribute("description", about), tool);
        const std::string can = "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"true\"";
        text += fmt::format("  <ModelExchange modelIdentifier=\"{}\" {} needsCompletedIntegratorStep=\"{}\"/>\n", package.identifier, can,
                            can_drift);
        text += fmt::format("  <CoSimulation modelIdentifier=\"{}\" {} canHandleVariableCommunicationStepSize=\"true\"/>\n",
                            package.identifier, can);
        text += units(interface) + categories + variables_of_fmi3(interface) + structure_of_fmi3(interface);
    }
    return text + "</fmiModelDescription>\n";
}

std::string write_build_description(const Package& package) {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
        "  <BuildConfiguration modelIdentifier=\"{0}\">\n    <SourceFileSet language=\"C99\">\n      <SourceFile name=\"{0}_fmu.c\"/>\n"
        "    </SourceFileSet>\n    <Library name=\"m\"/>\n  </BuildConfiguration>\n</fmiBuildDescription>\n",
        package.identifier);
}

}  // namespace linkwright::codegen::fmu
