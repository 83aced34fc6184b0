#pragma once
// How pages write names of a model: what [symbols] of its file says.

#include "linkwright/model/model.hpp"
#include "linkwright/present/words.hpp"

namespace linkwright::session {

/// For LaTeX. A text with a superscript is put in braces, since a power or an index may follow it.
present::Spellings spellings_of(const model::Model& model);

}  // namespace linkwright::session
