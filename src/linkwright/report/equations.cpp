#include "linkwright/report/equations.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "linkwright/base/sha256.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/present/sheet.hpp"
#include "linkwright/report/parts.hpp"
#include "linkwright/session/count.hpp"
#include "linkwright/session/tidy.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::report {

namespace {

Json lesson_json(const present::Sheet& sheet) {
    Json out = Json::array();
    std::size_t number = 0;
    for (const present::SheetSection& s : sheet.sections) {
        if (s.title.empty() || s.blocks.empty()) continue;
        Json blocks = Json::array();
        for (const present::SheetBlock& b : s.blocks) blocks.push_back(block_json(b, number));
        out.push_back({{"title", s.title}, {"text", ""}, {"blocks", std::move(blocks)}, {"citation", ""}});
    }
    return out;
}

Json counts_json(const session::Session& session) {
    Json out = Json::array();
    const auto counted = session::count(session);
    if (!counted) return out;
    for (const session::CountedProgram& p : counted->programs) {
        const std::string text = fmt::format("{}; once, of parameters alone: {}", codegen::describe(p.run), codegen::describe(p.setup));
        out.push_back({{"name", p.name}, {"text", text}});
    }
    return out;
}

}  // namespace

std::string hash_of_equations(const eom::EquationsOfMotion& equations) {
    present::Options exact{.to = present::To::json, .form = present::Form::recursive};
    return sha256(present::present(equations, exact));
}

EquationsOnPage make_equations(const session::Session& session, const SymbolTable& symbols, Json code, session::Watch& watch,
                               session::Report& report) {
    EquationsOnPage out;
    const session::Lease bench = session::borrow_fresh(session, "kane", report);  // the same hash again when the page is verified
    if (!bench) return out;
    const eom::EquationsOfMotion& e = bench->equations();
    out.hash = hash_of_equations(e);
    present::Options how{.form = present::Form::shorter, .spellings = symbols.spellings};
    constexpr std::chrono::milliseconds patience{3'000};  // for what is readable
    const auto is_for_a_page = [&](present::Options& options) {
        options.budget.terms = session::longest_to_read;
        options.patience = patience;
        options.goes_on = watch.hook();
    };
    is_for_a_page(how);
    const present::Sheet readable = present::sheet(e, how);
    Json& j = out.json;
    j["form"] = readable.form.ends_with('.') ? readable.form.substr(0, readable.form.size() - 1) : readable.form;
    j["hash"] = out.hash;
    j["parts"] = parts_json(readable.sections);
    j["counts"] = counts_json(session);
    present::Options fragment{.to = present::To::latex, .form = present::Form::shorter, .fragment = true, .spellings = symbols.plain};
    if (readable.is_recursive) fragment.form = present::Form::recursive;
    is_for_a_page(fragment);
    constexpr std::size_t longest_latex = 500'000;  // characters
    std::string latex = present::present(e, fragment);
    if (latex.size() > longest_latex) {
        out.notes.push_back(fmt::format("the LaTeX of {} characters is left out: derive --to latex --fragment writes it", latex.size()));
        latex.clear();
    }
    j["latex"] = std::move(latex);
    j["recursive"] = nullptr;
    if (!readable.is_recursive) {
        how.form = present::Form::recursive;
        j["recursive"] = parts_json(present::sheet(e, how).sections);
    }
    j["lesson"] = nullptr;
    const formulation::Formulation& formulation = *formulation::find_formulation(bench->formulation());
    constexpr std::size_t most_for_a_lesson = 12;  // speeds
    if (formulation.explain && e.u.size() <= most_for_a_lesson) {
        present::Options steps{.form = present::Form::shorter, .only = {"q"}, .spellings = symbols.spellings};
        if (readable.is_recursive) steps.form = present::Form::recursive;
        is_for_a_page(steps);
        j["lesson"] = lesson_json(present::sheet(formulation.explain(bench->model(), session.topology(), e), e, steps));
    } else if (formulation.explain) {
        out.notes.push_back(fmt::format("the worked derivation of {} speeds is left out: derive --steps writes it", e.u.size()));
    }
    j["code"] = std::move(code);
    return out;
}

}  // namespace linkwright::report
