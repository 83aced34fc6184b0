#pragma once
// What perturb found, as a page to be read: text or LaTeX.

#include "linkwright/session/perturb_study.hpp"
#include "linkwright/sym/formula.hpp"

namespace linkwright::session {

struct PageOptions {
    sym::Style style = sym::Style::unicode;  ///< unicode: plain text; latex: a document
    bool orders = false;                     ///< every order: equation, secular terms, solution
    bool numeric = false;                    ///< numbers even where there are formulas
};

std::string perturbation_page(const Study& study, const PageOptions& options);

}  // namespace linkwright::session
