#pragma once
// JavaScript (ECMAScript 2018 and later): one module, NAME.mjs, for Node, browsers and whatever else runs modules.
//
// Vectors are Float64Arrays, matrices such row by row; any array-like goes in. Functions with several results return an object of them.
// The model's words stand in strings and, of a module, in comments to the end of a line; a script has no such comments. In neither can a
// name end the comment, the string or, in a page, the script around it.

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::javascript {

/// An ES module.
std::vector<File> write(const Package& package);

/// The same as a classic script for a page, which sets globalThis.linkwrightModel to an object of all that the module exports.
std::string script(const Package& package);

/// A text as a literal: control characters, `<` and what turns the direction of writing or ends lines are escaped.
std::string quoted(const std::string& text);

}  // namespace linkwright::codegen::javascript
