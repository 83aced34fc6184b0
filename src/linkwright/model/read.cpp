#include "linkwright/model/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "linkwright/base/sha256.hpp"
#include "linkwright/model/interface_loads.hpp"
#include "linkwright/model/lynch.hpp"
#include "linkwright/model/reader.hpp"

namespace linkwright::model {

namespace {

constexpr std::size_t largest_file = 16'000'000;
constexpr std::size_t most_problems = 100;

/// A table of the file by key; an empty one when it is absent or something else.
const Value& section(Reader& r, const Value& file, std::string_view key) {
    static const Value none;
    const Value* value = file.find(key);
    return value != nullptr && r.expect(*value, Value::Kind::table, key) ? *value : none;
}

void read_head(Reader& r, const Value& file) {
    r.check_keys(file, "the file",
                 {"format",   "name",    "gravity",    "parameters", "inputs",  "ground",     "body",    "joint",  "spring", "force",
                  "torque",   "rod",     "constraint", "gear",       "rolling", "motion",     "speeds",  "output", "event",  "chain",
                  "instance", "initial", "guess",      "filter",     "motor",   "trajectory", "symbols", "shape"});
    if (const Value* format = file.find("format"); format == nullptr) {
        r.error({1, 1}, "'format' is missing", "begin the file with format = 1");
    } else if (!format->is(Value::Kind::integer) || format->integer != 1) {
        r.error(format->where, "the format must be 1", "write format = 1");
    }
    r.model.name = r.string(file, "name").value_or("");
}

void declare_all(Reader& r, const Value& file) {
    declare_parameters(r);
    declare_inputs(r, section(r, file, "inputs"), r.file_scope);
    for (Element& e : r.elements) {
        switch (e.kind) {
            case Kind::inputs: e.index = declare_inputs(r, *e.table, *e.scope); break;
            case Kind::body: declare_body(r, e); break;
            case Kind::joint: declare_joint(r, e); break;
            case Kind::rod: declare_rod(r, e); break;
            case Kind::constraint: declare_constraint(r, e); break;
            case Kind::gear: declare_gear(r, e); break;
            case Kind::rolling: declare_rolling(r, e); break;
            case Kind::output: declare_output(r, e); break;
            case Kind::spring: declare_spring(r, e); break;
            case Kind::filter: declare_filter(r, e); break;
            case Kind::trajectory: declare_trajectory(r, e); break;
            default: break;
        }
    }
    for (Element& e : r.elements) {
        if (e.kind == Kind::motor) declare_motor(r, e);
    }
    declare_speeds(r, section(r, file, "speeds"));
}

void define(Reader& r, const Element& e) {
    switch (e.kind) {
        case Kind::body: break;  // before everything else
        case Kind::joint: define_joint(r, e); break;
        case Kind::spring: define_spring(r, e); break;
        case Kind::force: define_force(r, e); break;
        case Kind::torque: define_torque(r, e); break;
        case Kind::rod: define_rod(r, e); break;
        case Kind::constraint: define_constraint(r, e); break;
        case Kind::gear: define_gear(r, e); break;
        case Kind::rolling: define_rolling(r, e); break;
        case Kind::motion: define_motion(r, e); break;
        case Kind::output: define_output(r, e); break;
        case Kind::event: define_event(r, e); break;
        case Kind::shape: define_drawn_shape(r, e); break;
        case Kind::motor:
        case Kind::filter:
        case Kind::trajectory:
        case Kind::inputs:
        case Kind::initial:
        case Kind::guess: break;  // before or after everything else
    }
}

void define_signal(Reader& r, const Element& e) {
    switch (e.kind) {
        case Kind::motor: define_motor(r, e); break;
        case Kind::filter: define_filter(r, e); break;
        case Kind::trajectory: define_trajectory(r, e); break;
        default: break;
    }
}

void define_all(Reader& r, const Value& file) {
    define_parameters(r);
    define_inputs(r, section(r, file, "inputs"), r.file_scope, 0);
    for (const Element& e : r.elements) {
        if (e.kind == Kind::inputs) define_inputs(r, *e.table, *e.scope, e.index);
    }
    if (const Value* g = file.find("gravity")) {
        r.model.gravity = r.vector(*g, use_signal, r.file_scope, "gravity").value_or(Vec3{});
    }
    if (const Value* g = file.find("ground")) define_ground(r, *g);
    for (const Element& e : r.elements) {
        if (e.kind == Kind::body && e.is_good) define_body(r, e);
    }
    resolve_ports(r);
    for (const Element& e : r.elements) {
        if (e.is_good) define(r, e);
    }
    for (const Element& e : r.elements) {
        if (e.is_good) define_signal(r, e);
    }
    define_speeds(r, section(r, file, "speeds"));
    for (const Kind kind : {Kind::initial, Kind::guess}) {
        for (const Element& e : r.elements) {
            if (e.kind == kind) define_initial(r, e);
        }
    }
    define_symbols(r, section(r, file, "symbols"));
    check_signals(r);
    check_orders(r);
}

/// In the order of the text, each once (copies of a chain repeat theirs), not too many.
void put_in_order(Diagnostics& problems) {
    std::ranges::stable_sort(problems, [](const Diagnostic& a, const Diagnostic& b) {
        return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
    });
    Diagnostics once;
    for (Diagnostic& d : problems) {
        const bool is_known =
            std::any_of(once.rbegin(), std::find_if(once.rbegin(), once.rend(), [&](const Diagnostic& o) { return o.where != d.where; }),
                        [&](const Diagnostic& o) { return o.what == d.what; });
        if (!is_known) once.push_back(std::move(d));
    }
    problems = std::move(once);
    if (problems.size() <= most_problems) return;
    const std::size_t more = problems.size() - most_problems;
    // An error must stay among those that are told.
    const auto is_error = [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; };
    if (std::none_of(problems.begin(), problems.begin() + most_problems, is_error)) {
        std::ranges::stable_partition(problems, is_error);
    }
    problems.resize(most_problems);
    problems.push_back({.severity = Diagnostic::Severity::warning,
                        .file = {},
                        .where = problems.back().where,
                        .what = fmt::format("{} more problems are not shown", more),
                        .hint = {}});
}

Reading refused(std::string file, Position where, std::string what, std::string hint = {}) {
    Reading reading;
    reading.problems.push_back({.file = std::move(file), .where = where, .what = std::move(what), .hint = std::move(hint)});
    return reading;
}

/// Where the first byte stands that cannot be UTF-8.
std::optional<std::size_t> first_not_utf8(std::string_view s) {
    for (std::size_t i = 0; i < s.size();) {
        const auto c = static_cast<unsigned char>(s[i]);
        const std::size_t length = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
        if (length == 0 || i + length > s.size()) return i;
        for (std::size_t k = 1; k < length; ++k) {
            if ((static_cast<unsigned char>(s[i + k]) & 0xC0U) != 0x80U) return i;
        }
        i += length;
    }
    return std::nullopt;
}

}  // namespace

namespace {

using Loads = std::map<std::string, std::vector<flex::InterfaceLoad>>;

/// Reads it all; `loads` is what hangs on beams, if that is known already. Whether it should be is told.
Reading read_once(std::string_view text, std::string file, const Loads* loads, bool& wants_loads) {
    Reader r;
    r.interface_loads = loads;
    r.folder = file.substr(0, file.find_last_of('/') + 1);
    const sym::PoolScope scope(*r.model.pool);
    if (const auto table = parse_toml(text, r.problems)) {
        read_head(r, *table);
        collect(r, *table);
        declare_all(r, *table);
        define_all(r, *table);
        if (!r.has_error) {
            for (Diagnostic& d : check_values(r.model)) {
                r.has_error = r.has_error || d.severity == Diagnostic::Severity::error;
                r.problems.push_back(std::move(d));
            }
        }
    } else {
        r.has_error = true;
    }
    wants_loads = r.wants_interface_loads;
    put_in_order(r.problems);
    for (Diagnostic& d : r.problems) d.file = file;
    r.model.file = std::move(file);
    Reading reading;
    reading.problems = std::move(r.problems);
    if (!r.has_error) reading.model = std::move(r.model);
    return reading;
}

}  // namespace

Reading read(std::string_view text, std::string file) {
    if (text.size() > largest_file) return refused(std::move(file), {}, "too large: a model file has at most 16 MB");
    if (const auto at = first_not_utf8(text)) {
        return refused(std::move(file), position_at(text, *at), "not a text in UTF-8", "save the file as UTF-8");
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return refused(std::move(file), {}, "the file is empty", "begin it with format = 1");
    }
    bool wants_loads = false;
    Reading reading = read_once(text, file, nullptr, wants_loads);
    if (wants_loads && reading.model) {
        const Loads loads = interface_loads(*reading.model);  // shapes of components depend on what hangs on them, and that is known now
        reading = read_once(text, std::move(file), &loads, wants_loads);
    }
    reading.sha256 = sha256(text);
    return reading;
}

namespace {

/// Whether the file is the companion of one of Lynch's: a key `lynch` before the first table.
bool names_lynch(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (line.starts_with('[')) return false;
        if (line.starts_with("lynch")) {
            line.remove_prefix(5);
            line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
            if (line.starts_with('=')) return true;
        }
        at = end + 1;
    }
    return false;
}

}  // namespace

Reading read_file(const std::filesystem::path& path) {
    const std::string name = path.string();
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    if (!std::filesystem::exists(status)) return refused(name, {}, "there is no such file");
    if (std::filesystem::is_directory(status)) return refused(name, {}, "this is a folder, not a file");
    if (const auto size = std::filesystem::file_size(path, code); !code && size > largest_file) {
        return refused(name, {}, "too large: a model file has at most 16 MB");
    }
    std::ifstream in(path, std::ios::binary);
    if (!in) return refused(name, {}, "the file cannot be opened", "check its permissions");
    std::string text;
    for (char chunk[65536]; in && text.size() <= largest_file;) {
        in.read(chunk, sizeof chunk);
        text.append(chunk, static_cast<std::size_t>(in.gcount()));
    }
    if (in.bad()) return refused(name, {}, "the file cannot be read");
    if (!names_lynch(text)) return read(text, name);
    Reading reading = read_lynch_files(path);
    reading.sha256 = sha256(text);
    return reading;
}

}  // namespace linkwright::model
