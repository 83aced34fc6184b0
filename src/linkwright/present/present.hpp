#pragma once
// Equations of motion for people and machines: the engine of `linkwright derive`.

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/base/goes_on.hpp"
#include "linkwright/eom/equations.hpp"
#include "linkwright/present/words.hpp"
#include "linkwright/sym/normal_form.hpp"

namespace linkwright::present {

using sym::Expr;

enum class To : std::uint8_t { text, markdown, latex, json };

/// readable: every entry a formula of its own, collected and factored; long roots that are repeated are intermediates. recursive:
/// the graph as straight-line code, with intermediates z1, z2, … for what is used more than once. shorter: readable, unless that is long and
/// the other is shorter; the page says so.
enum class Form : std::uint8_t { readable, recursive, shorter };

struct Options {
    To to = To::text;
    Form form = Form::readable;
    std::vector<std::string> only{};  ///< of parts(); empty: what there is to say (JSON: everything)
    std::size_t digits = 6;           ///< of numbers on pages, 1 to 17; what is short is exact, and so is JSON
    bool fragment = false;            ///< LaTeX to be put into a document: no \documentclass, no title
    Spellings spellings{};            ///< how LaTeX writes names of the model
    std::vector<std::string> cut{};   ///< outputs that are coordinates and speeds of cut joints: shown when `only` asks for "cut"
    std::string elimination{};        ///< of closed chains: by which pivots the linear system is solved, and where these are good; prose
    bool unicode = false;             ///< text with θ₁ and ·; without, its formulas are the expression language
    /// What one entry may cost in readable form, and all of them together. What costs more is written recursively.
    sym::Budget budget{.terms = 20'000, .time = std::chrono::milliseconds(2'000)};
    std::chrono::milliseconds patience{20'000};
    GoesOn goes_on{};  ///< asked before every entry; stopped: the rest is not made readable, and the page is none to be shown
};

/// What `only` may name: q M f G elimination energy momentum power B outputs cut parameters; and g C J Lambda causes, which the equations must have been
/// asked for. The caller refuses other words; present() throws std::invalid_argument.
std::span<const std::string_view> parts();

std::string present(const eom::EquationsOfMotion& equations, const Options& options);

/// The worked derivation, step by step, and then the equations.
std::string present(const eom::Derivation& derivation, const eom::EquationsOfMotion& equations, const Options& options);

/// Operations of the readable form, summed over the entries: what a printed appendix is compared with.
sym::Affordable<double> operations(std::span<const Expr> entries, sym::Budget budget = {});
sym::Affordable<double> operations(const sym::Matrix& rows, sym::Budget budget = {});

}  // namespace linkwright::present
