#include "linkwright/session/exchange.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "linkwright/exchange/formats.hpp"
#include "linkwright/session/base.hpp"
#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

Diagnostics check(const ImportOptions& options) { return check(OpenOptions{.base = options.base}); }

namespace {

exchange::TranslateOptions to_translate(const ImportOptions& options) {
    exchange::TranslateOptions how;
    how.base = base_named(options.base).value_or(exchange::Base::as_written);
    how.outside = options.outside;
    how.models.assign(options.models.begin(), options.models.end());
    if (!options.output.empty() && options.output != "-") {
        how.folder = std::filesystem::path(options.output).parent_path();
        if (how.folder.empty()) how.folder = ".";
    }
    return how;
}

Result<std::string> read_once(exchange::Translation translation) {
    Report report;
    const model::Reading reading = exchange::read(translation);
    report.add(reading.problems);
    if (!report.is_ok()) return report;
    return {report, std::move(*translation.text)};
}

}  // namespace

Result<std::string> import_robot(const std::string& path, const ImportOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    return read_once(exchange::translate_file(path, to_translate(options)));
}

Result<std::string> import_text(std::string_view text, const std::string& name, const ImportOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    return read_once(exchange::translate(text, name, to_translate(options)));
}

std::string known_formats() {
    std::string words;
    for (const exchange::Format& f : exchange::formats()) words += (words.empty() ? "" : ", ") + f.name;
    return words;
}

namespace {

/// Where a closed chain stands, and where it is cut. One that cannot be closed is written as its coordinates are at 0, with a warning.
exchange::Assembled assembled(const Session& session, Report& report) {
    exchange::Assembled all{.is_cut = session.topology().is_cut, .values = {}};
    if (session.topology().chords.empty() && session.model().rods.empty()) return all;
    const auto equations = session.equations("recursive");
    const auto start = initial_state(session);
    if (!equations || !start) {
        report.warn(
            "the loops could not be closed: they are written as they are where all coordinates are 0; give a start near a closed "
            "position ([initial], [guess] or --initial)");
        return all;
    }
    for (std::size_t i = 0; i < (*equations)->q.size(); ++i)
        all.values[(*equations)->q[i].symbol().name] = start->q[static_cast<Eigen::Index>(i)];
    return all;
}

}  // namespace

Result<std::string> export_robot(const Session& session, const std::string& format) {
    Report report;
    const exchange::Format* to = exchange::find_format(format);
    if (to == nullptr) return report.error(fmt::format("--to takes {}, not '{}'", known_formats(), format)), report;
    const std::unique_ptr<model::Model> own = own_model(session);
    exchange::Written written = to->write(*own, assembled(session, report));
    report.add(written.problems);
    if (!written.text) return report;
    return {report, std::move(*written.text)};
}

}  // namespace linkwright::session
