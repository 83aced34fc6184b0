#pragma once
// What perturb found, as a page to be read: text or LaTeX; or as the sections of such a page, for a program that sets them.

#include "linkwright/present/sheet.hpp"
#include "linkwright/session/perturb_study.hpp"
#include "linkwright/sym/formula.hpp"

namespace linkwright::session {

struct PageOptions {
    sym::Style style = sym::Style::unicode;  ///< unicode: plain text; latex: a document
    bool orders = false;                     ///< every order: equation, secular terms, solution
    bool numeric = false;                    ///< numbers even where there are formulas
    present::Spellings spellings{};          ///< of names, in LaTeX
};

std::string perturbation_page(const Study& study, const PageOptions& options);

/// The same in LaTeX, section by section; `options.style` is of no account.
std::vector<present::SheetSection> perturbation_sections(const Study& study, const PageOptions& options);

}  // namespace linkwright::session
