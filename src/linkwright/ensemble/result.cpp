#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "linkwright/ensemble/ensemble.hpp"

namespace linkwright::ensemble {

namespace {

using session::Json;

constexpr std::array<const char*, 3> sampling_words{"random", "latin", "sobol"};
constexpr std::array<const char*, 4> of_words{"simulate", "modes", "equilibrium", "inverse"};

Json to_json(const Interval& i) { return Json::array({i.low, i.high}); }

Json to_json(const Collected& c, const Ensemble& r) {
    const Statistics& s = c.statistics;
    Json j{{"name", c.name}, {"count", s.count}, {"missing", s.missing}};
    if (s.count > 0) {
        j["mean"] = s.mean, j["standard_deviation"] = s.deviation, j["mean_within"] = to_json(s.mean_within);
        j["min"] = s.least, j["max"] = s.greatest;
        j["quantiles"] = Json::array();
        for (std::size_t i = 0; i < s.quantiles.size(); ++i)
            j["quantiles"].push_back({{"part", r.options.quantiles[i]}, {"value", s.quantiles[i]}});
        j["histogram"] = {{"edges", s.edges}, {"counts", s.counts}};
    }
    if (!c.indices) return j;
    j["indices"] = {
        {"base_samples", c.indices->samples}, {"left_out", c.indices->left_out}, {"variance", c.indices->variance}, {"of", Json::array()}};
    for (std::size_t k = 0; k < c.indices->of.size(); ++k) {
        const Index& i = c.indices->of[k];
        j["indices"]["of"].push_back({{"name", r.varied[k]},
                                      {"first", i.first},
                                      {"first_within", to_json(i.first_within)},
                                      {"total", i.total},
                                      {"total_within", to_json(i.total_within)}});
    }
    return j;
}

/// Reasons and how often each, the commonest first; times in them left out.
std::vector<std::pair<std::string, std::size_t>> reasons_of(const Ensemble& r) {
    std::map<std::string, std::size_t> counts;
    for (const Failure& f : r.failures) {
        std::string why = f.why;
        if (const std::size_t at = why.find("at t = "); at != std::string::npos)
            why = why.substr(0, at) + "at t = …" + why.substr(std::min(why.size(), why.find(' ', at + 7)));
        ++counts[why];
    }
    std::vector<std::pair<std::string, std::size_t>> all(counts.begin(), counts.end());
    std::ranges::stable_sort(all, std::ranges::greater{}, &std::pair<std::string, std::size_t>::second);
    return all;
}

}  // namespace

Json to_json(const Ensemble& r) {
    Json j;
    j["model"] = r.model;
    j["of"] = of_words[static_cast<std::size_t>(r.options.of)];
    j["runs"] = r.runs;
    j["sampling"] = sampling_words[static_cast<std::size_t>(r.options.sampling)];
    j["seed"] = r.options.seed;
    j["digest"] = r.digest;
    j["varied"] = r.varied;
    j["grid"] = r.grid;
    j["confidence"] = r.options.confidence;
    j["points"] = Json::array();
    for (const GridPoint& p : r.points) {
        Json point{{"values", p.values}, {"collected", Json::array()}};
        for (const Collected& c : p.collected) point["collected"].push_back(to_json(c, r));
        j["points"].push_back(std::move(point));
    }
    j["failures"] = Json::array();
    for (const Failure& f : r.failures) j["failures"].push_back({{"run", f.run}, {"why", f.why}});
    return j;
}

std::string to_text(const Ensemble& r) {
    fmt::memory_buffer out;
    const auto put = std::back_inserter(out);
    fmt::format_to(put, "{}: {} runs", r.model, r.runs);
    if (!r.varied.empty())
        fmt::format_to(put, ", {} varied ({}, seed {})", fmt::join(r.varied, ", "),
                       sampling_words[static_cast<std::size_t>(r.options.sampling)], r.options.seed);
    if (!r.grid.empty()) fmt::format_to(put, ", {} on a grid of {} points", fmt::join(r.grid, ", "), r.points.size());
    fmt::format_to(put, "\n");
    if (!r.failures.empty()) {
        fmt::format_to(put, "\n{} runs failed\n", r.failures.size());
        std::size_t told = 0;
        for (const auto& [why, count] : reasons_of(r)) {
            if (told++ == 10) break;
            fmt::format_to(put, "  {:>8}  {}\n", count, why);
        }
    }
    for (std::size_t c = 0; c < r.collectors.size(); ++c) {
        fmt::format_to(put, "\n{}\n", r.collectors[c]);
        std::string head;
        for (const std::string& name : r.grid) head += fmt::format("{:>12}", name);
        head += fmt::format("{:>13}{:>13}{:>26}{:>13}", "mean", "deviation",
                            fmt::format("mean within ({:.4g} %)", 100 * r.options.confidence), "min");
        for (const double q : r.options.quantiles) head += fmt::format("{:>13}", fmt::format("{:.4g} %", 100 * q));
        fmt::format_to(put, "{}{:>13}\n", head, "max");
        for (const GridPoint& p : r.points) {
            const Statistics& s = p.collected[c].statistics;
            for (const double v : p.values) fmt::format_to(put, "{:>12.6g}", v);
            if (s.count == 0) {
                fmt::format_to(put, "  no values\n");
                continue;
            }
            fmt::format_to(put, "{:>13.6g}{:>13.6g}{:>26}{:>13.6g}", s.mean, s.deviation,
                           fmt::format("{:.6g} .. {:.6g}", s.mean_within.low, s.mean_within.high), s.least);
            for (const double q : s.quantiles) fmt::format_to(put, "{:>13.6g}", q);
            fmt::format_to(put, "{:>13.6g}\n", s.greatest);
            const std::size_t without = s.missing >= r.failures.size() && r.points.size() == 1 ? s.missing - r.failures.size() : 0;
            if (without > 0) fmt::format_to(put, "  in {} runs it does not happen\n", without);
        }
        const auto& indices = r.points.front().collected[c].indices;
        if (!indices) continue;
        fmt::format_to(put, "  {:<16}{:>12}{:>24}{:>12}{:>24}\n", "index", "first order", "within", "total", "within");
        for (std::size_t k = 0; k < indices->of.size(); ++k) {
            const Index& i = indices->of[k];
            fmt::format_to(put, "  {:<16}{:>12.4f}{:>24}{:>12.4f}{:>24}\n", r.varied[k], i.first,
                           fmt::format("{:.4f} .. {:.4f}", i.first_within.low, i.first_within.high), i.total,
                           fmt::format("{:.4f} .. {:.4f}", i.total_within.low, i.total_within.high));
        }
    }
    return fmt::to_string(out);
}

}  // namespace linkwright::ensemble
