#include "session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "linkwright/base/text.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"

namespace linkwright::cli {

namespace {

/// "kane, recursive"
std::string known_formulations() {
    std::vector<std::string_view> names;
    for (const formulation::Formulation& f : formulation::formulations()) names.push_back(f.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void declare(CLI::App& words, SharedOptions& common) {
    words.add_option("model", common.model, "The model file")->required();
    words.add_option("--set", common.set, "Give a parameter or input another value: name=value (repeatable)")->type_name("NAME=VALUE")->take_all()->allow_extra_args(false);
    words.add_option("--freeze", common.freeze, "Fold parameters into numbers: names, or 'all'")->type_name("NAMES")->delimiter(',')->take_all()->allow_extra_args(false);
    words.add_option("--formulation", common.formulation, fmt::format("How the equations are derived: {} (default {})", known_formulations(), common.formulation))->type_name("NAME");
    words.add_option("-o,--output", common.output, "Write the result to this file")->type_name("FILE");
    words.add_flag("--json", common.json, "Machine-readable result");
    words.add_flag("--quiet", common.quiet, "No warnings");
}

CLI::Option* add_choice(CLI::App& words, const std::string& name, std::vector<std::string> choices, std::function<void(std::size_t)> take, const std::string& about) {
    const auto read = [name, choices = std::move(choices), take = std::move(take)](const std::string& word) {
        const auto at = std::ranges::find(choices, word);
        if (at != choices.end()) return take(static_cast<std::size_t>(at - choices.begin()));
        const auto meant = did_you_mean(word, choices);
        throw CLI::ValidationError(fmt::format("{} has no '{}'; {}", name, word, meant ? fmt::format("did you mean {}?", *meant) : fmt::format("there are {}", fmt::join(choices, ", "))));
    };
    return words.add_option_function<std::string>(name, read, about)->type_name("NAME");
}

void report_error(const std::string& what, const std::string& hint) {
    std::cerr << "linkwright: error: " << what << '\n';
    if (!hint.empty()) std::cerr << "    hint: " << hint << '\n';
}

void report(const Diagnostics& problems, bool quiet) {
    for (const Diagnostic& d : problems) {
        if (d.severity == Diagnostic::Severity::error || !quiet) std::cerr << to_string(d) << '\n';
    }
}

std::optional<Loaded> load(const SharedOptions& common) {
    if (!formulation::find_formulation(common.formulation)) {
        report_error(fmt::format("unknown formulation '{}'", common.formulation), "there are: " + known_formulations());
        return std::nullopt;
    }
    model::Reading reading = model::read_file(common.model);
    report(reading.problems, common.quiet);
    if (!reading.model) return std::nullopt;
    Loaded loaded{std::make_unique<model::Model>(std::move(*reading.model)), {}};
    model::Model& m = *loaded.model;
    bool is_wrong = false;
    for (const std::string& set : common.set) {
        const std::size_t equals = set.find('=');
        if (equals == std::string::npos) {
            report_error(fmt::format("--set takes name=value, not '{}'", set), "for example --set m=2.5");
            is_wrong = true;
        } else if (const auto problem = model::set_value(m, set.substr(0, equals), set.substr(equals + 1))) {
            report_error(fmt::format("--set {}: {}", set, problem->what), problem->hint);
            is_wrong = true;
        }
    }
    if (is_wrong) return std::nullopt;
    if (!common.freeze.empty()) {
        std::vector<std::string> known, frozen;
        for (const model::Parameter& p : m.parameters) known.push_back(p.symbol.symbol().name);
        for (const std::string& name : common.freeze) {
            if (name == "all") {
                frozen = known;
            } else if (std::ranges::find(known, name) == known.end()) {
                const auto meant = did_you_mean(name, known);
                report_error(fmt::format("--freeze: no parameter '{}'", name), meant ? fmt::format("did you mean {}?", *meant) : "");
                is_wrong = true;
            } else {
                frozen.push_back(name);
            }
        }
        if (is_wrong) return std::nullopt;
        model::freeze(m, frozen);
    }
    const Diagnostics values = model::check_values(m);
    for (const Diagnostic& d : values) is_wrong |= d.severity == Diagnostic::Severity::error;
    Diagnostics fresh;  // what reading has told already is not told again
    for (const Diagnostic& d : values) {
        if (std::ranges::find(reading.problems, d) == reading.problems.end()) fresh.push_back(d);
    }
    report(fresh, common.quiet);
    if (is_wrong) return std::nullopt;
    topology::Analysis analysis = topology::analyse(m);
    report(analysis.problems, common.quiet);
    if (!analysis.topology) return std::nullopt;
    loaded.topology = std::move(*analysis.topology);
    return loaded;
}

std::optional<eom::EquationsOfMotion> derive(const SharedOptions& common, const Loaded& loaded, const formulation::Options& options) {
    formulation::Derived derived = formulation::find_formulation(common.formulation)->derive(*loaded.model, loaded.topology, options);
    report(derived.problems, common.quiet);
    return std::move(derived.equations);
}

numeric::Compile native_code(bool quiet) {
    const std::string reason = jit::why_not();
    if (!reason.empty() && !quiet) std::cerr << "linkwright: note: interpreting, " << reason << '\n';
    return [](program::Program program) { return jit::compile(std::move(program)); };
}

int deliver(const SharedOptions& common, const std::string& text) {
    if (common.output.empty()) {
        errno = 0;
        if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return done;
        const std::string reason = errno == 0 ? "the write failed" : std::strerror(errno);
        report_error("cannot write to standard output: " + reason);
        std::clearerr(stdout);  // told
        return numerical_failure;
    }
    namespace fs = std::filesystem;
    fs::path target(common.output);
    std::error_code unknown;
    const fs::file_status what = fs::status(target, unknown);
    const bool is_special = common.output.starts_with("/dev/") || common.output.starts_with("/proc/") ||
                            (fs::exists(what) && !fs::is_regular_file(what) && !fs::is_directory(what));
    if (!is_special && fs::is_symlink(target, unknown) && fs::exists(what)) target = fs::canonical(target, unknown);  // the link stays a link
    if (is_special) {  // a device or a pipe: nothing to rename onto
        errno = 0;
        std::ofstream there(target, std::ios::binary | std::ios::app);  // redirected output is not cut short
        there << text;
        there.close();
        if (there) return done;
        report_error(fmt::format("cannot write {}: {}", common.output, errno == 0 ? "the write failed" : std::strerror(errno)));
        return numerical_failure;
    }
    const fs::path beside = target.string() + fmt::format(".{}.part", ::getpid());
    errno = 0;
    std::ofstream file(beside, std::ios::binary);
    file << text;
    file.close();
    std::error_code trouble;
    if (!file) {
        const std::string reason = errno == 0 ? "the write failed" : std::strerror(errno);
        fs::remove(beside, trouble);
        report_error(fmt::format("cannot write {}: {}", common.output, reason));
        return numerical_failure;
    }
    fs::rename(beside, target, trouble);
    if (!trouble) return done;
    std::error_code ignored;
    fs::remove(beside, ignored);
    report_error(fmt::format("cannot write {}: {}", common.output, trouble.message()));
    return numerical_failure;
}

nlohmann::ordered_json to_json(const Eigen::VectorXd& v) {
    nlohmann::ordered_json a = nlohmann::ordered_json::array();
    for (Eigen::Index i = 0; i < v.size(); ++i) a.push_back(v[i] + 0.0);  // no -0
    return a;
}

nlohmann::ordered_json to_json(const Eigen::MatrixXd& m) {
    nlohmann::ordered_json a = nlohmann::ordered_json::array();
    for (Eigen::Index i = 0; i < m.rows(); ++i) a.push_back(to_json(Eigen::VectorXd(m.row(i))));
    return a;
}

nlohmann::ordered_json to_json(const program::Operations& n) {
    return {{"add", n.add}, {"mul", n.mul}, {"div", n.div}, {"sqrt", n.sqrt}, {"sincos", n.sincos}, {"other", n.other}};
}

nlohmann::ordered_json names(const std::vector<sym::Expr>& symbols) {
    nlohmann::ordered_json a = nlohmann::ordered_json::array();
    for (const sym::Expr& s : symbols) a.push_back(s.symbol().name);
    return a;
}

namespace {

void write(const nlohmann::ordered_json& j, std::size_t indent, std::string& out) {
    const bool is_flat = std::ranges::none_of(j, [](const auto& x) { return x.is_structured() && !x.empty(); });
    if (!j.is_structured() || j.empty() || (j.is_array() && is_flat)) {
        out += j.dump();
        return;
    }
    out += j.is_array() ? "[\n" : "{\n";
    bool is_first = true;
    for (const auto& [key, value] : j.items()) {
        if (!is_first) out += ",\n";
        is_first = false;
        out.append(indent + 2, ' ');
        if (j.is_object()) out += nlohmann::ordered_json(key).dump() + ": ";
        write(value, indent + 2, out);
    }
    out += '\n';
    out.append(indent, ' ');
    out += j.is_array() ? ']' : '}';
}

}  // namespace

std::string dump(const nlohmann::ordered_json& json) {
    std::string out;
    write(json, 0, out);
    return out + "\n";
}

}  // namespace linkwright::cli
