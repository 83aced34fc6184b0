#include "linkwright/session/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "linkwright/model/copy.hpp"
#include "linkwright/session/watch.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::session {

using compare::ComparedEntry;
using compare::Comparison;
using compare::Outcome;
using compare::Repair;

namespace {

constexpr std::size_t largest = std::size_t{16} << 20;

/// The text of a file; when there is none, the report says why.
std::optional<std::string> content(const std::string& name, Report& report) {
    std::error_code trouble;
    if (std::filesystem::is_directory(name, trouble)) {
        report.error(fmt::format("cannot read {}: it is a folder", name));
        return std::nullopt;
    }
    errno = 0;
    std::ifstream file(name, std::ios::binary);
    if (!file) {
        report.error(fmt::format("cannot read {}: {}", name, errno == 0 ? "it cannot be opened" : std::strerror(errno)));
        return std::nullopt;
    }
    std::string text;
    text.resize(largest + 1);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(file.gcount());
    if (text.size() > largest) {
        report.error(fmt::format("{} is larger than 16 MB", name));
        return std::nullopt;
    }
    return text;
}

/// The parameters of `whole` that `frozen` has no more, and what they are.
std::vector<std::pair<std::string, sym::Expr>> frozen_values(const model::Model& whole, const model::Model& frozen) {
    const sym::PoolScope scope(*whole.pool);
    std::vector<sym::Binding> gone;
    for (const model::Parameter& p : whole.parameters) {
        const auto is_same = [&](const model::Parameter& x) { return x.symbol.symbol().name == p.symbol.symbol().name; };
        if (std::ranges::none_of(frozen.parameters, is_same)) gone.emplace_back(p.symbol, p.value);
    }
    for (std::size_t round = 0; round < gone.size(); ++round) {
        sym::Substitution once(gone);
        bool changes = false;
        for (auto& [symbol, value] : gone) {
            const sym::Expr next = once(value);
            changes |= next != value;
            value = next;
        }
        if (!changes) break;
    }
    std::vector<std::pair<std::string, sym::Expr>> out;
    for (const auto& [symbol, value] : gone) out.emplace_back(symbol.symbol().name, value);
    return out;
}

std::optional<compare::CompareRequest> read_request(const CompareOptions& options, Report& report) {
    compare::CompareRequest request{.file = options.file, .text = {}};
    if (!options.language.empty()) {
        request.language = compare::find_language(options.language);
        if (!request.language)
            report.error(fmt::format("unknown language '{}'", options.language), fmt::format("there are: {}", compare::known_languages));
    }
    const auto text = content(options.file, report);
    const auto names = options.names.empty() ? std::optional<std::string>(std::string()) : content(options.names, report);
    if (!(options.patience > 0) || options.patience > 3600) report.error("--patience must be a positive number of seconds");
    if (!report.is_ok()) return std::nullopt;
    request.text = *text;
    request.names_file = options.names;
    request.names_text = *names;
    request.accepts_sign = options.accepts_sign;
    request.accepts_factor = options.accepts_factor;
    if (options.seed) request.seed = *options.seed;
    request.patience = std::chrono::milliseconds(static_cast<std::int64_t>(options.patience * 1e3) + 1);
    return request;
}

}  // namespace

Diagnostics check(const CompareOptions& options) {
    Report report;
    read_request(options, report);
    return report.problems;
}

Result<Comparison> compare(const Session& session, const CompareOptions& options) {
    Report report;
    auto request = read_request(options, report);
    if (!request) return report;
    Watch watch(options.on_step, "statements");
    request->goes_on = watch.hook();
    if (!watch()) return watch.tell(report), report;
    const Lease bench = borrow(session, "kane", report, {.partial_velocities = true, .axes = formulation::Axes::ground});
    if (!bench) return report;
    std::optional<model::Model> whole;  // owns what the frozen values are made of
    if (!session.options().freeze.empty()) {
        whole = model::copy(session.whole_model(), std::make_shared<sym::Pool>());
        request->frozen = frozen_values(*whole, session.model());
    }
    Comparison c = compare::compare(bench->equations(), *request);
    report.add(c.problems);
    if (c.is_wrong_input()) report.status = Status::wrong_input;
    if (c.is_stopped) watch.tell(report, c.entries.empty() ? "" : "the result has what was compared until then");
    if (c.entries.empty() && (c.is_stopped || c.is_wrong_input())) return report;
    if (report.is_ok() && !c.is_all_equal()) report.status = Status::numerical_failure;
    return {report, std::move(c)};
}

Json to_json(const Comparison& c) {
    Json entries = Json::array();
    for (const ComparedEntry& e : c.entries) {
        static constexpr std::array<const char*, 9> words{"equal",  "constant",  "numbers", "sign",      "factor",
                                                          "mended", "different", "unknown", "unreadable"};
        Json j{{"ours", e.ours},
               {"theirs", e.theirs},
               {"line", e.where.line},
               {"verdict", words[static_cast<std::size_t>(e.outcome)]},
               {"accepted", e.is_accepted}};
        if (!e.factor.empty()) j["factor"] = e.factor;
        if (!e.difference.empty()) j["difference"] = e.difference;
        if (!e.expected.empty() && e.outcome != Outcome::equal) j["expected"] = e.expected;
        if (!e.note.empty()) j["note"] = e.note;
        if (e.witness != compare::Witness::none) j["witness"] = to_string(e.witness);
        Json repairs = Json::array();
        for (const auto& choice : e.repairs) {
            Json changes = Json::array();
            for (const Repair& r : choice)
                changes.push_back({{"line", r.where.line},
                                   {"column", r.where.column},
                                   {"width", r.width},
                                   {"kind", to_string(r.kind)},
                                   {"what", r.what}});
            repairs.push_back(std::move(changes));
        }
        if (!repairs.empty()) j["repairs"] = std::move(repairs);
        entries.push_back(std::move(j));
    }
    Json out{{"equal", c.is_all_equal()},
             {"agrees", c.is_all_in_agreement()},
             {"entries", std::move(entries)},
             {"not_checked", c.unchecked},
             {"notes", c.notes},
             {"seed", c.seed}};
    if (c.log2_error < 0) out["log2_error"] = c.log2_error;
    return out;
}

}  // namespace linkwright::session
