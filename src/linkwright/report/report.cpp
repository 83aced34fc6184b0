#include "linkwright/report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "linkwright/base/sha256.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/model/form_signals.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/model/unit.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/model/write.hpp"
#include "linkwright/report/analysis.hpp"
#include "linkwright/report/equations.hpp"
#include "linkwright/report/motions.hpp"
#include "linkwright/report/page.hpp"
#include "linkwright/report/page_code.hpp"
#include "linkwright/report/perturbation.hpp"
#include "linkwright/report/reason.hpp"
#include "linkwright/report/scene.hpp"
#include "linkwright/report/trust.hpp"
#include "linkwright/session/digest.hpp"
#include "linkwright/session/generate.hpp"
#include "linkwright/session/inspect.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::report {

namespace {

using session::Report, session::Session;

constexpr std::array<std::string_view, 6> all_sections{"mechanism", "motion", "equations", "analysis", "perturbation", "trust"};
constexpr std::size_t most_rows = 2'000;  // of a motion in a page

struct Note {
    std::string section, text;
};

/// The file as it was read; where it is not there any more, or came from elsewhere, the model written again.
std::string text_of(const Session& session) {
    std::ifstream in(session.source(), std::ios::binary);
    if (in) {
        std::string text{std::istreambuf_iterator<char>(in), {}};
        if (sha256(text) == session::sha256_of(session)) return text;
    }
    try {
        return model::write(session.whole_model());
    } catch (const std::invalid_argument&) {
        return "";  // auxiliary states that a program built have no words
    }
}

std::string folder_of(const std::string& source) {
    const std::size_t slash = source.find_last_of('/');
    return slash == source.npos ? "" : source.substr(0, slash + 1);
}

/// What the page's code is made of: as `simulate` moves the model, filters with a period sampled. The same text again when the page is verified.
session::Lease borrow_for_code(const Session& session, Report& report) {
    return borrow_fresh(session, "recursive", report, {.sampled = model::has_samples(session.model())});
}

class PageMaker {
public:
    PageMaker(const Session& session, const ReportOptions& options) : session_(session), options_(options) {
        if (!options_.motion.rows.until && options_.motion.rows.times.empty()) options_.motion.rows.until = 10;
        if (!options_.motion.rows.samples && options_.motion.rows.times.empty()) options_.motion.rows.samples = 600;
        constexpr long most_steps = 200'000;  // of a motion that nobody asked for; what ends early says so on the page
        if (options_.motion.max_steps == session::SimulateOptions{}.max_steps) options_.motion.max_steps = most_steps;
        options_.motion.on_step = options_.on_step;
    }

    session::Result<std::string> make() {
        find_live();
        if (!report_.is_ok()) return report_;
        const std::optional<PageCode> code = mechanism();
        if (!code) return report_;
        if (has("motion")) motions();
        if (!report_.is_ok()) return report_;
        if (has("equations")) equations();
        if (has("analysis")) {
            AnalysisWords words{.live = live_, .on_step = options_.on_step};
            add_notes("analysis", [&](auto& notes) { j_["analysis"] = make_analysis(session_, words, notes); });
        }
        if (has("perturbation"))
            add_notes("perturbation",
                      [&](auto& notes) { j_["perturbation"] = make_perturbation(session_, symbols_, options_.on_step, notes); });
        if (has("trust")) trust(code->sha256);
        j_["notes"] = Json::array();
        for (const Note& n : notes_) j_["notes"].push_back({{"section", n.section}, {"text", n.text}});
        if (is_stopped_) return report_.fail("interrupted"), report_;
        return {report_, make_page(j_, code->text, code->start)};
    }

private:
    /// Names, scene and the equations as code; empty when there are no equations, and the report says why.
    std::optional<PageCode> mechanism() {
        const session::Lease bench = borrow_for_code(session_, report_);
        if (!bench) return std::nullopt;
        symbols_ = make_symbols(session_.model(), bench->equations());
        head();
        scene();
        PageCode code = make_page_code(*bench, scene_.expressions, report_);
        j_["scene"]["loads"] = code.loads;
        j_["live"] = live(bench->equations());
        j_["scene"]["size"] = size(bench->equations(), bench->numbers(session::Code::interpreted, report_));
        return code;
    }
    bool has(std::string_view section) const {
        const auto is_in = [&](const std::vector<std::string>& list) { return std::ranges::find(list, section) != list.end(); };
        return is_in(options_.also) || (options_.only.empty() ? section != "perturbation" : is_in(options_.only));
    }
    template <class F>
    void add_notes(const std::string& section, F f) {
        std::vector<std::string> notes;
        f(notes);
        for (std::string& n : notes) notes_.push_back({section, std::move(n)});
    }

    void find_live() {
        const model::ParameterValues value(session_.model());
        std::vector<std::string> known;
        for (const model::Parameter& p : session_.model().parameters) {
            if (p.is_shape_constant) continue;
            const std::string& name = p.symbol.symbol().name;
            known.push_back(name);
            const double x = value(p.symbol);
            const bool is_asked_for = std::ranges::find(options_.live, name) != options_.live.end();
            if (!is_asked_for && !(p.min && p.max)) continue;
            if (!p.value.is_number()) {  // it follows others
                if (is_asked_for) report_.error(fmt::format("--live {}: it is made of other parameters", name), "name those");
                continue;
            }
            const double reach = x == 0 ? 1 : std::abs(x);
            const double min = p.min ? value(*p.min) : x > 0 ? x / 2 : x - reach, max = p.max ? value(*p.max) : x < 0 ? x / 2 : x + reach;
            if (std::isfinite(min) && std::isfinite(max) && min < max) live_.push_back({p.symbol, min, max});
        }
        for (const std::string& name : options_.live) {
            if (std::ranges::find(known, name) == known.end())
                report_.error(fmt::format("--live: unknown parameter '{}'", name), session::hint_for(name, known, "the model has none"));
        }
    }

    void head() {
        const model::Model& m = session_.model();
        j_["format"] = "linkwright-report";
        j_["version"] = 1;
        j_["title"] = m.name.empty() ? "Mechanism" : m.name;
        const std::string made_by = codegen::made_by();
        const std::size_t blank = made_by.find(' ');
        j_["program"] = {{"name", made_by.substr(0, blank)}, {"version", blank == made_by.npos ? "" : made_by.substr(blank + 1)}};
        j_["command"] = options_.command;
        text_ = text_of(session_);
        const session::OpenOptions& how = session_.options();
        j_["model"] = {{"name", m.name}, {"file", session_.source()}, {"sha256", sha256(text_)}, {"text", text_},
                       {"set", how.set}, {"freeze", how.freeze},      {"initial", how.initial}};
        j_["summary"] = Json::array();
        const auto inspection = session::inspect(session_);
        if (inspection) {
            j_["summary"].push_back(inspection->summary);
            j_["summary"].push_back(fmt::format("Total mass {:.6g} kg.", inspection->total_mass()));
        }
        j_["sections"] = Json::array();
        for (const std::string_view s : all_sections) {
            if (has(s)) j_["sections"].push_back(s);
        }
        j_["symbols"] = symbols_.json;
        const model::ParameterValues value(m);
        j_["parameters"] = Json::array();
        for (const model::Parameter& p : m.parameters) {
            if (p.is_shape_constant || !p.value.is_number()) continue;
            const auto live = std::ranges::find(live_, p.symbol, &Live::symbol);
            const bool is_live = live != live_.end();
            j_["parameters"].push_back({{"name", p.symbol.symbol().name},
                                        {"value", value(p.symbol)},
                                        {"unit", model::unit_factor(p.unit).si},
                                        {"about", p.about},
                                        {"min", is_live ? Json(live->min) : Json()},
                                        {"max", is_live ? Json(live->max) : Json()},
                                        {"live", is_live}});
        }
        for (const char* key : {"scene", "motions", "equations", "analysis", "perturbation", "trust"}) j_[key] = nullptr;
        j_["motions"] = Json::array();
    }

    void scene() {
        std::vector<sym::Expr> live;
        for (const Live& l : live_) live.push_back(l.symbol);
        scene_ = make_scene(session_.model(), session_.topology().is_cut, live, folder_of(session_.source()));
        j_["scene"] = scene_.json;
        for (std::string& n : scene_.notes) notes_.push_back({"mechanism", std::move(n)});
    }
    /// The longest edge of the box around origins and centres of mass at the start; 1 where that is nothing.
    static double size(const eom::EquationsOfMotion& e, const numeric::CompiledEquations& numbers) {
        const numeric::AssembledState start = assemble(numbers, wanted(numbers));
        std::vector<sym::Expr> all;
        for (const eom::BodyPose& pose : e.poses) {
            for (const auto* p : {&pose.p, &pose.com}) all.insert(all.end(), p->begin(), p->end());
            for (const auto& p : pose.line) all.insert(all.end(), p.begin(), p.end());
        }
        if (all.empty()) return 1;
        const Eigen::VectorXd x = numbers.compile(all)(start.state);
        double longest = 0;
        for (Eigen::Index axis = 0; axis < 3; ++axis) {
            double low = 0, high = 0;  // the ground's origin is in it
            for (Eigen::Index i = axis; i < x.size(); i += 3) low = std::min(low, x[i]), high = std::max(high, x[i]);
            longest = std::max(longest, high - low);
        }
        return std::isfinite(longest) && longest > 0 ? longest : 1;
    }

    /// What the page must know to move the model by itself.
    Json live(const eom::EquationsOfMotion& e) const {
        Json out{{"why_not", why_not_live()}, {"steady", Json::array()}, {"sampling", Json::array()}};
        const auto place = [&](std::size_t x) { return e.u.size() + x; };  // states stand after the speeds
        for (const std::size_t x : e.steady) out["steady"].push_back(place(x));
        for (const eom::Sampled& s : e.sampled) {
            Json states = Json::array();
            for (const std::size_t x : s.x) states.push_back(place(x));
            out["sampling"].push_back(
                {{"name", s.name}, {"method", s.method == SampleMethod::hold ? "hold" : "tustin"}, {"x", states}, {"held", place(s.held)}});
        }
        return out;
    }
    /// What of the motion the page's code does not know; empty: nothing.
    std::string why_not_live() const {
        const auto& events = session_.model().events;
        const auto stop = std::ranges::find_if(events, [](const model::Event& event) { return event.stops; });
        if (stop != events.end()) return fmt::format("the event '{}' ends the motion, and the page looks for no events", stop->name);
        if (!options_.motion.stop.empty()) return "--stop ends the motion, and the page looks for no events";
        if (!options_.motion.inputs.empty())
            return fmt::format("inputs come from {}, which the page does not hold", options_.motion.inputs);
        return "";
    }

    void motions() {
        const auto one = [&](const Session& session, const MotionWords& words) {
            const auto r = session::simulate(session, options_.motion);
            if (r.status == session::Status::wrong_input) return report_.add(r);
            if (!r) {
                notes_.push_back({"motion", fmt::format("{}: there is no motion: {}", words.name, reason(r))});
                return;
            }
            if (r->motion.stop == motion::Stop::interrupted) is_stopped_ = true;
            add_notes("motion", [&](auto& notes) { j_["motions"].push_back(make_motion(*r, session, symbols_, words, most_rows, notes)); });
            if (!first_) first_ = *r;
        };
        const double until =
            options_.motion.rows.until.value_or(options_.motion.rows.times.empty() ? 0 : options_.motion.rows.times.back());
        one(session_, {"as the file says", fmt::format("linkwright simulate {} --until {:g}", session_.source(), until), {}});
        for (const std::string& values : options_.versus) {
            session::OpenOptions how = session_.options();
            for (const std::string& v : session::split_list({values})) how.set.push_back(v);
            const auto other = open_text(text_, session_.source(), how);
            if (!other) {
                report_.error(fmt::format("--versus {}: {}", values, reason(other)));
                continue;
            }
            const model::ParameterValues now(session_.model()), then(other->model());
            MotionWords words{values, fmt::format("linkwright simulate {} --until {:g} --set {}", session_.source(), until, values), {}};
            for (std::size_t i = 0; i < session_.model().parameters.size() && i < other->model().parameters.size(); ++i) {
                const double a = now(session_.model().parameters[i].symbol), b = then(other->model().parameters[i].symbol);
                if (a != b) words.parameters.emplace_back(session_.model().parameters[i].symbol.symbol().name, b);
            }
            one(*other, words);
        }
    }

    void equations() {
        Json code = Json::array();
        session::GenerateOptions how;
        how.languages = options_.languages;
        if (const auto r = session::generate(session_, how)) {
            constexpr std::size_t longest = 60'000;
            for (std::size_t i = 0; i < r->files.size(); ++i) {
                const std::string& text = r->files[i].text;
                const bool is_long = text.size() > longest;
                code.push_back({{"language", r->languages[i]}, {"file", r->files[i].name}, {"text", text.substr(0, longest)}});
                if (is_long)
                    notes_.push_back(
                        {"equations", fmt::format("{} is cut after {} of {} characters", r->files[i].name, longest, text.size())});
            }
        }
        session::Watch watch(options_.on_step, "entries");
        EquationsOnPage page = make_equations(session_, symbols_, std::move(code), watch, report_);
        j_["equations"] = std::move(page.json);
        for (std::string& n : page.notes) notes_.push_back({"equations", std::move(n)});
        is_stopped_ = is_stopped_ || watch.is_stopped();
    }

    void trust(const std::string& code_hash) {
        Report derived;
        std::string equations_hash = j_["equations"].is_object() ? j_["equations"].value("hash", "") : "";
        if (equations_hash.empty()) {
            if (const session::Lease bench = borrow_fresh(session_, "kane", derived))
                equations_hash = hash_of_equations(bench->equations());
        }
        TrustWords words{.hashes = {{"model", sha256(text_)}, {"equations", equations_hash}, {"code", code_hash}},
                         .versions = {{"linkwright", j_["program"]["version"].get<std::string>()}},
                         .verify = "linkwright report --verify page.html",
                         .on_step = options_.on_step};
        add_notes("trust",
                  [&](auto& notes) { j_["trust"] = make_trust(session_, first_ ? &*first_ : nullptr, options_.motion, words, notes); });
    }

    const Session& session_;
    ReportOptions options_;
    Report report_;
    Json j_;
    std::string text_;
    SymbolTable symbols_;
    Scene scene_;
    std::vector<Live> live_;
    std::vector<Note> notes_;
    std::optional<session::Simulation> first_;
    bool is_stopped_ = false;
};

}  // namespace

std::span<const std::string_view> sections() { return all_sections; }

Diagnostics check(const ReportOptions& options) {
    Report report;
    const auto are_sections = [&](const char* option, const std::vector<std::string>& list) {
        for (const std::string& s : list) {
            if (std::ranges::find(all_sections, s) == all_sections.end())
                report.error(fmt::format("{}: no section '{}'", option, s),
                             fmt::format("the sections are {}", fmt::join(all_sections, ", ")));
        }
    };
    are_sections("--only", options.only);
    are_sections("--also", options.also);
    session::SimulateOptions motion = options.motion;
    if (!motion.rows.until && motion.rows.times.empty()) motion.rows.until = 10;
    report.add(session::check(motion));
    report.add(session::check(session::GenerateOptions{.languages = options.languages}));
    return report.problems;
}

session::Result<std::string> report(const Session& session, const ReportOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    return PageMaker(session, options).make();
}

bool Verification::is_right() const { return std::ranges::all_of(lines, &Line::is_same); }

session::Result<Verification> verify(std::string_view html) {
    Report report;
    const auto page = read_page(html);
    const Json j = page ? Json::parse(page->report, nullptr, false) : Json();
    if (!j.is_object() || j.value("format", "") != "linkwright-report" || !j.contains("model") || !j["model"].is_object()) {
        report.error("this is no page of linkwright report");
        return report;
    }
    const Json& m = j["model"];
    const auto words = [&](const char* key) {
        std::vector<std::string> out;
        if (m.contains(key) && m[key].is_array()) {
            for (const Json& w : m[key]) {
                if (w.is_string()) out.push_back(w.get<std::string>());
            }
        }
        return out;
    };
    const std::string text = m.value("text", "");
    session::OpenOptions how;
    how.set = words("set"), how.freeze = words("freeze"), how.initial = words("initial");
    const auto session = open_text(text, m.value("file", "page"), how);
    report.add(session.problems);
    if (!session) return report;
    std::map<std::string, std::string> stated;
    if (j.contains("trust") && j["trust"].is_object()) {
        for (const Json& h : j["trust"].value("hashes", Json::array())) stated[h.value("what", "")] = h.value("sha256", "");
    }
    stated.try_emplace("model", m.value("sha256", ""));
    const session::Lease code_bench = borrow_for_code(*session, report), bench = borrow_fresh(*session, "kane", report);
    if (!bench || !code_bench) return report;
    std::vector<std::string> live;
    for (const Json& p : j.value("parameters", Json::array())) {
        if (p.is_object() && p.value("live", false)) live.push_back(p.value("name", ""));
    }
    std::vector<sym::Expr> symbols;
    for (const model::Parameter& p : session->model().parameters) {
        if (std::ranges::find(live, p.symbol.symbol().name) != live.end()) symbols.push_back(p.symbol);
    }
    const Scene scene = make_scene(session->model(), session->topology().is_cut, symbols, "");
    const PageCode code = make_page_code(*code_bench, scene.expressions, report);
    Verification v;
    const auto line = [&](const std::string& what, const std::string& name, const std::string& found) {
        v.lines.push_back({what, stated[name], found});
    };
    line("model in the page", "model", sha256(text));
    line("equations derived again", "equations", hash_of_equations(bench->equations()));
    line("code in the page", "code", sha256(page->code));
    line("code written again", "code", code.sha256);
    if (!v.is_right()) report.fail("the page is not what its model, equations and code say");
    return {report, std::move(v)};
}

}  // namespace linkwright::report
