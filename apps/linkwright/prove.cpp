#include "linkwright/proof/prove.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "linkwright/base/text.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using proof::Certificate;
using proof::Pair;
using sym::Verdict;

struct Settings {
    Common common;
    std::optional<std::uint64_t> seed;
    std::vector<std::string> only;
    double patience = 0.5;
};

std::string bound(const Pair& p) {
    if (p.verdict != Verdict::equal) return "";
    if (p.is_heuristic()) return "heuristic";
    return fmt::format("2^{:.0f}", p.log2_error);
}

/// "fingerprint, normal form 24"
std::string witness(const Pair& p) {
    std::string text = p.points > 1 ? fmt::format("fingerprint, {} points", p.points) : "fingerprint";
    if (p.also_exact + p.only_exact > 0) text += fmt::format("; normal form ({} of {})", p.also_exact + p.only_exact, p.entries);
    if (p.numeric > 0) text += fmt::format("; numeric to {:.0e} ({} of {})", std::max(p.numeric_gap, 1e-16), p.numeric, p.entries);
    return text;
}

std::string degree(const Pair& p) { return p.degree < 1e6 ? fmt::format("{:.0f}", p.degree) : fmt::format("2^{:.0f}", std::log2(p.degree)); }

std::string closing(const Certificate& c) {
    std::size_t equal = 0, numeric = 0, heuristic = 0;
    for (const Pair& p : c.pairs) {
        equal += p.verdict == Verdict::equal ? 1 : 0;
        numeric += p.numeric > 0 ? 1 : 0;
        heuristic += p.is_heuristic() ? 1 : 0;
    }
    std::string text;
    switch (c.verdict()) {
        case Verdict::equal:
            text = fmt::format("Equal: all {} pairs are the same functions, with a probability of error below 2^{:.0f} (seed {}).\n", c.pairs.size(), c.log2_error(), c.seed);
            break;
        case Verdict::different: text = fmt::format("Different: {} of {} pairs are equal (seed {}).\n", equal, c.pairs.size(), c.seed); break;
        default: text = fmt::format("Unknown: {} of {} pairs are equal, nothing speaks against the others (seed {}).\n", equal, c.pairs.size(), c.seed);
    }
    if (heuristic > 0) {
        text += fmt::format("In {} of them the formal degree is too large for that bound: equal at every point looked at, which is no proof.\n", heuristic);
    }
    if (numeric > 0) {
        text += fmt::format("In {} of them constants of many digits were rounded: those entries agree numerically, which is no proof.\n", numeric);
    }
    return text;
}

std::string as_text(const Certificate& c, const std::string& model) {
    std::size_t width = 12, about = 8;
    for (const Pair& p : c.pairs) {
        width = std::max(width, p.a.size() + p.b.size() + 3);
        about = std::max(about, p.about.size());
    }
    std::string out = fmt::format("{}\n\n{:<{}}  {:<{}}  {:<9}  {:>7}  {:>6}  {:>9}  {:>8}  {}\n", model, "pair", width, "compared", about, "verdict", "entries", "degree", "error", "time", "witness");
    for (const Pair& p : c.pairs) {
        out += fmt::format("{:<{}}  {:<{}}  {:<9}  {:>7}  {:>6}  {:>9}  {:>5.0f} ms  {}\n", p.a + " = " + p.b, width, p.about, about, to_string(p.verdict), p.entries,
                           degree(p), bound(p), p.time.count() * 1e3, witness(p));
        if (!p.note.empty()) out += "    " + p.note + "\n";
        if (!p.why.empty()) out += fmt::format("    unknown: {}\n", p.why);
        if (p.difference) {
            out += fmt::format("    {} of {} entries differ. {}: {} says {:.17g}, {} says {:.17g}, where\n", p.differing, p.entries, p.difference->entry, p.a,
                               p.difference->a, p.b, p.difference->b);
            std::string line = "       ";
            for (const auto& [name, value] : p.difference->state) {
                const std::string word = fmt::format(" {} = {:.17g}", name, value);
                if (line.size() + word.size() > 110) out += line + "\n", line = "       ";
                line += word;
            }
            out += line + "\n";
        }
    }
    for (const std::string& left : c.left_out) out += fmt::format("left out: {}\n", left);
    return out + "\n" + closing(c);
}

nlohmann::ordered_json as_json(const Certificate& c, const std::string& model) {
    nlohmann::ordered_json j;
    j["model"] = model;
    j["equal"] = c.verdict() == Verdict::equal;
    j["verdict"] = to_string(c.verdict());
    j["witness"] = c.witness();
    j["error_probability"] = std::exp2(c.log2_error());
    j["log2_error"] = c.log2_error();
    j["seed"] = c.seed;
    j["pairs"] = nlohmann::ordered_json::array();
    for (const Pair& p : c.pairs) {
        nlohmann::ordered_json k;
        k["a"] = p.a;
        k["b"] = p.b;
        k["verdict"] = to_string(p.verdict);
        k["about"] = p.about;
        k["witness"] = p.witness;
        k["entries"] = p.entries;
        k["normal_form"] = p.also_exact + p.only_exact;
        k["numeric"] = p.numeric;
        if (p.numeric > 0) k["numeric_gap"] = p.numeric_gap;
        k["points"] = p.points;
        k["degree"] = p.degree;
        k["heuristic"] = p.is_heuristic();
        if (p.verdict == Verdict::equal && !p.is_heuristic()) k["log2_error"] = p.log2_error;
        k["seconds"] = p.time.count();
        if (!p.note.empty()) k["note"] = p.note;
        if (!p.why.empty()) k["unknown"] = p.why;
        if (p.difference) {
            k["difference"] = {{"entry", p.difference->entry}, {"a", p.difference->a}, {"b", p.difference->b}};
            for (const auto& [name, value] : p.difference->state) k["difference"]["state"][name] = value;
            k["differing"] = p.differing;
        }
        j["pairs"].push_back(std::move(k));
    }
    j["left_out"] = c.left_out;
    return j;
}

int run(const Settings& settings) {
    std::vector<std::string> known;
    for (const formulation::Formulation& f : formulation::formulations()) known.emplace_back(f.name);
    for (const std::string& name : settings.only) {
        if (formulation::find_formulation(name) != nullptr) continue;
        const auto meant = did_you_mean(name, known);
        tell_error(fmt::format("unknown formulation '{}'", name), meant ? fmt::format("did you mean {}?", *meant) : fmt::format("there are: {}", fmt::join(known, ", ")));
        return wrong_input;
    }
    const auto loaded = load(settings.common);
    if (!loaded) return wrong_input;
    proof::Options options;
    if (settings.seed) options.seed = *settings.seed;
    options.formulations = settings.only;
    options.patience = options.reading = std::chrono::milliseconds(std::llround(settings.patience * 500));
    const Certificate certificate = prove(*loaded->model, loaded->topology, options);
    const std::string name = loaded->model->name.empty() ? settings.common.model : loaded->model->name;
    const int status = deliver(settings.common, settings.common.json ? dump(as_json(certificate, name)) : as_text(certificate, name));
    if (status != done) return status;
    if (certificate.pairs.empty()) {
        tell_error("no formulation applies to this model");
        return wrong_input;
    }
    return certificate.verdict() == Verdict::different ? numbers_would_not : done;
}

}  // namespace

Work declare_prove(CLI::App& words) {
    auto settings = std::make_shared<Settings>();
    declare(words, settings->common);
    words.remove_option(words.get_option("--formulation"));
    words.add_option("--only", settings->only, "Only these formulations: kane,recursive")->type_name("NAMES")->delimiter(',');
    words.add_option("--seed", settings->seed, "Draw the random point from this number, to repeat a proof")->type_name("N");
    words.add_option("--patience", settings->patience, "Seconds for the normal form and the readable form (default 0.5)")->type_name("S")->check(CLI::Range(0.0, 3600.0));
    return [settings] { return run(*settings); };
}

}  // namespace linkwright::cli
