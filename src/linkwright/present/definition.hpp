#pragma once
// Definitions: how a quantity of a derivation is made of others, one line of plain text that LaTeX can set as mathematics.
//
//     K[i,k] = A[0,i] I[i] A[i,0] + sum over j of m[j] (d[k,j]^T d[i,j] E - d[k,j] d[i,j]^T)
//
// What whoever writes a definition may count on:
//
//     T[a,i]          a letter and its indices; names of bodies and joints are set upright
//     sum over j of   a sum sign; so is "sum over i, k of"
//     x^T, x^-1, x^2  transposed, inverse, power
//     B[i]', (…)'     transposed as well, after a single capital letter or a parenthesis; after any other name a rate: u' is u̇
//     a x b           cross product, when x stands alone
//     Bdot, a_hat     Ḃ, â; likewise _tilde, _bar; Q_prime, Q_second for Q′ and Q″
//     phi, omega      Greek letters
//     other words     words: three letters or more without digits, or small ones like "of"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace linkwright::present {

/// In mathematical mode. Braces are balanced whatever the text is, and nothing in it is a command.
std::string latex_definition(std::string_view definition);

/// In the midst of prose: words are words, what is mathematics stands between dollars. So it can run over several lines.
std::string latex_sentence(std::string_view definition);

/// How many characters of words stand in a row: what is mostly words is better set as prose.
std::size_t longest_prose(std::string_view definition);

}  // namespace linkwright::present
