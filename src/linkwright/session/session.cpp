#include "linkwright/session/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <utility>

#include "linkwright/base/text.hpp"
#include "linkwright/exchange/formats.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/copy.hpp"
#include "linkwright/model/form_signals.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/session/base.hpp"
#include "linkwright/session/digest.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

/// What is asked for of equations.
using Key = std::pair<std::string, formulation::Options>;

struct Session::Inside {
    std::string source, sha256;
    OpenOptions options;
    model::Model model;
    std::optional<model::Model> whole;
    topology::Topology topology;

    mutable std::mutex guard;
    /// The model as it was read. The first derivation goes into its pool, all others into pools with copies.
    mutable std::unique_ptr<model::Model> as_read;
    mutable std::vector<std::unique_ptr<Workbench>> idle;
    mutable std::map<Key, std::pair<Equations, Diagnostics>> kept;

    std::unique_ptr<model::Model> own_model() const {
        {
            const std::scoped_lock lock(guard);
            if (as_read) return std::move(as_read);
        }
        return copied_model();
    }
    std::unique_ptr<model::Model> copied_model() const {
        return std::make_unique<model::Model>(model::copy(model, std::make_shared<sym::Pool>()));
    }

    std::unique_ptr<Workbench> make_bench(const std::string& formulation, const formulation::Options& how, Report& report) const {
        return make_bench(own_model(), formulation, how, report);
    }
    std::unique_ptr<Workbench> make_bench(std::unique_ptr<model::Model> own, const std::string& formulation,
                                          const formulation::Options& how, Report& report) const {
        const formulation::Formulation* by = formulation::find_formulation(formulation);
        if (by == nullptr) {
            report.error(fmt::format("unknown formulation '{}'", formulation), "there are: " + known_formulations());
            return nullptr;
        }
        auto bench = std::make_unique<Workbench>(std::move(own), formulation, how);
        if (how.sampled) model::hold_samples(bench->model());
        formulation::Derived derived = by->derive(bench->model(), topology, how);
        report.add(derived.problems);
        if (!derived.equations) return nullptr;
        bench->equations_ = std::move(*derived.equations);
        bench->problems_ = std::move(derived.problems);
        return bench;
    }

    std::unique_ptr<Workbench> take_idle(const std::string& formulation, const formulation::Options& how) const {
        const std::scoped_lock lock(guard);
        const auto at =
            std::ranges::find_if(idle, [&](const auto& bench) { return bench->formulation() == formulation && bench->options() == how; });
        if (at == idle.end()) return nullptr;
        auto bench = std::move(*at);
        idle.erase(at);
        return bench;
    }
};

Session::Session(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}

const model::Model& Session::model() const { return inside_->model; }
const model::Model& Session::whole_model() const { return inside_->whole ? *inside_->whole : inside_->model; }
const topology::Topology& Session::topology() const { return inside_->topology; }
const OpenOptions& Session::options() const { return inside_->options; }
const std::string& Session::source() const { return inside_->source; }
const std::string& sha256_of(const Session& session) { return session.inside().sha256; }

Result<Equations> Session::equations(const std::string& formulation, const formulation::Options& how) const {
    const std::string name = formulation.empty() ? formulation_of(*this, "kane") : formulation;
    const Key key{name, how};
    Report report;
    {
        const std::scoped_lock lock(inside_->guard);
        if (const auto at = inside_->kept.find(key); at != inside_->kept.end()) {
            report.add(at->second.second);
            return {report, at->second.first};
        }
    }
    std::shared_ptr<Workbench> bench = inside_->make_bench(name, how, report);
    if (!bench) return report;
    const std::scoped_lock lock(inside_->guard);
    const auto [at, is_new] =
        inside_->kept.try_emplace(key, Equations(bench, &bench->equations()), bench->problems());  // whoever was first
    return {report, at->second.first};
}

std::optional<exchange::Base> base_named(std::string_view word) {
    if (word == "fixed") return exchange::Base::fixed;
    if (word == "floating") return exchange::Base::floating;
    return std::nullopt;
}

std::string known_formulations() {
    std::vector<std::string_view> names;
    for (const formulation::Formulation& f : formulation::formulations()) names.push_back(f.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

// --- benches ---

numeric::Compile native_code(Report& report) {
    if (const std::string reason = jit::why_not(); !reason.empty()) report.note("interpreting, " + reason);
    return jit::native();
}

const numeric::CompiledEquations& Workbench::numbers(Code code, Report& report) {
    if (code == Code::interpreted) {
        if (!interpreted_) interpreted_ = std::make_unique<numeric::CompiledEquations>(equations_);
        return *interpreted_;
    }
    numeric::Compile compile = native_code(report);
    if (!native_) native_ = std::make_unique<numeric::CompiledEquations>(equations_, std::move(compile));
    return *native_;
}

numeric::CompiledEquations Workbench::live_numbers(Report& report) {
    return numeric::CompiledEquations(equations_, native_code(report), numeric::Parameters::live);
}

Lease::~Lease() {
    if (!bench_) return;
    const std::scoped_lock lock(session_.inside().guard);
    session_.inside().idle.push_back(std::move(bench_));
}

std::string formulation_of(const Session& session, const std::string& otherwise) {
    return session.options().formulation.empty() ? otherwise : session.options().formulation;
}

namespace {

/// Where a computer's samples are not followed, their continuous equivalents are, and that is said.
void tell_of_samples(const model::Model& model, Report& report) {
    for (const model::Filter& f : model.filters) {
        if (f.sample)
            return report.note(fmt::format("sampled filters ('{}') are treated as continuous here; simulate samples them", f.name));
    }
}

}  // namespace

Lease borrow(const Session& session, const std::string& otherwise, Report& report, const formulation::Options& options) {
    const std::string name = formulation_of(session, otherwise);
    if (!options.sampled) tell_of_samples(session.model(), report);
    if (auto bench = session.inside().take_idle(name, options)) {
        report.add(bench->problems());
        return {session, std::move(bench)};
    }
    return {session, session.inside().make_bench(name, options, report)};
}

Lease borrow_fresh(const Session& session, const std::string& otherwise, Report& report, const formulation::Options& options) {
    if (!options.sampled) tell_of_samples(session.model(), report);
    return {session, session.inside().make_bench(session.inside().copied_model(), formulation_of(session, otherwise), options, report)};
}

std::unique_ptr<model::Model> own_model(const Session& session) { return session.inside().own_model(); }

// --- opening ---

namespace {

bool is_pair(const std::string& option, const std::string& words, const std::string& example, Report& report) {
    if (words.find('=') != std::string::npos) return true;
    report.error(fmt::format("{} takes name=value, not '{}'", option, words), fmt::format("for example {} {}", option, example));
    return false;
}

void set_values(model::Model& m, const std::vector<std::string>& words, Report& report) {
    for (const std::string& set : words) {
        const std::size_t equals = set.find('=');
        if (const auto problem = model::set_value(m, set.substr(0, equals), set.substr(equals + 1))) {
            report.error(fmt::format("--set {}: {}", set, problem->what), problem->hint);
        }
    }
}

void set_initial(model::Model& m, const std::vector<std::string>& words, Report& report) {
    for (const std::string& initial : words) {
        const std::size_t equals = initial.find('=');
        if (const auto problem = model::set_initial(m, trimmed(initial.substr(0, equals)), trimmed(initial.substr(equals + 1)))) {
            report.error(fmt::format("--initial {}: {}", initial, problem->what), problem->hint);
        }
    }
}

void freeze(model::Model& m, const std::vector<std::string>& words, Report& report) {
    std::vector<std::string> known, frozen;
    for (const model::Parameter& p : m.parameters) known.push_back(p.symbol.symbol().name);
    for (const std::string& name : words) {
        if (name == "all") {
            frozen = known;
        } else if (std::ranges::find(known, name) == known.end()) {
            const auto meant = did_you_mean(name, known);
            report.error(fmt::format("--freeze: no parameter '{}'", name), meant ? fmt::format("did you mean {}?", *meant) : "");
        } else {
            frozen.push_back(name);
        }
    }
    if (report.is_ok()) model::freeze(m, frozen);
}

Result<Session> open_reading(model::Reading reading, const std::string& source, const OpenOptions& options) {
    Report report;
    report.add(reading.problems);
    if (!reading.model) return report;
    auto inside = std::make_shared<Session::Inside>();
    inside->source = source;
    inside->sha256 = reading.sha256;
    inside->options = options;
    inside->as_read = std::make_unique<model::Model>(std::move(*reading.model));
    model::Model& m = *inside->as_read;
    set_values(m, options.set, report);
    set_initial(m, options.initial, report);
    if (!report.is_ok()) return report;
    if (!options.freeze.empty()) {
        inside->whole = model::copy(m, std::make_shared<sym::Pool>());
        freeze(m, options.freeze, report);
        if (!report.is_ok()) return report;
    }
    for (const Diagnostic& d : model::check_values(m)) {  // what reading has told already is not told again
        if (std::ranges::find(reading.problems, d) == reading.problems.end()) report.add(Diagnostics{d});
        if (d.severity == Diagnostic::Severity::error) report.status = Status::wrong_input;
    }
    if (!report.is_ok()) return report;
    topology::Analysis analysis = topology::analyse(m);
    report.add(analysis.problems);
    if (!analysis.topology) return report;
    inside->topology = std::move(*analysis.topology);
    inside->model = model::copy(m, std::make_shared<sym::Pool>());
    return {report, Session(std::move(inside))};
}

/// Before anything is read.
bool are_right(const OpenOptions& options, Report& report) {
    report.add(check(options));
    return report.is_ok();
}

exchange::TranslateOptions to_translate(const OpenOptions& options) {
    exchange::TranslateOptions how;
    how.base = base_named(options.base).value_or(exchange::Base::as_written);
    return how;
}

model::Reading read_any_file(const std::string& path, const OpenOptions& options) {
    std::ifstream in(path, std::ios::binary);
    std::string head(400, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    if (!exchange::is_foreign(path, head)) return model::read_file(path);
    return exchange::read(exchange::translate_file(path, to_translate(options)));
}

}  // namespace

Diagnostics check(const OpenOptions& options) {
    Report report;
    if (!options.base.empty() && !base_named(options.base))
        report.error(fmt::format("--base takes fixed or floating, not '{}'", options.base));
    if (!options.formulation.empty() && formulation::find_formulation(options.formulation) == nullptr)
        report.error(fmt::format("unknown formulation '{}'", options.formulation), "there are: " + known_formulations());
    for (const std::string& set : options.set) is_pair("--set", set, "m=2.5", report);
    for (const std::string& initial : options.initial) is_pair("--initial", initial, "hip=20deg", report);
    return report.problems;
}

Result<Session> open(const std::string& path, const OpenOptions& options) {
    Report report;
    if (!are_right(options, report)) return report;
    if (path.empty()) return report.error("the path of the model is empty", "give the name of a model file"), report;
    return open_reading(read_any_file(path, options), path, options);
}

Result<Session> open_text(std::string_view text, const std::string& name, const OpenOptions& options) {
    Report report;
    if (!are_right(options, report)) return report;
    if (!exchange::is_foreign(name, text)) return open_reading(model::read(text, name), name, options);
    return open_reading(exchange::read(exchange::translate(text, name, to_translate(options))), name, options);
}

Result<Session> open_model(const model::Model& model, const OpenOptions& options) {
    Report report;
    if (!are_right(options, report)) return report;
    return open_reading({model::copy(model, std::make_shared<sym::Pool>()), {}}, model.name, options);
}

}  // namespace linkwright::session
