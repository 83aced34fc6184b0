// Any bytes at all: the parser answers with an expression or with problems that lie inside the text; an expression prints,
// reads back as itself, differentiates, and has a readable form that is the same function or a reason why not.

#include <cstdio>
#include <cstdlib>

#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/parse.hpp"
#include "linkwright/sym/readable.hpp"
#include "linkwright/sym/taylor.hpp"

using namespace linkwright;

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

bool is_error(const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; }

/// Not after the end of the text, line by line.
bool is_inside(Position p, std::string_view text) {
    const Position end = position_at(text, text.size());
    if (p.line < 1 || p.column < 1 || p.line > end.line) return false;
    return p.line < end.line || p.column <= end.column;
}

void check(std::string_view text, sym::Pool& pool) {
    const sym::Parsed parsed = sym::parse(text, sym::names_of(pool), pool);
    bool has_error = false;
    for (const Diagnostic& d : parsed.problems) {
        has_error = has_error || is_error(d);
        require(is_inside(d.where, text), "a problem lies inside the text");
        require(!d.what.empty() && !d.what.ends_with('.'), "a problem is a sentence without a full stop");
        require(d.what.size() + d.hint.size() < 1000, "a problem is short");
    }
    require(parsed.expr.has_value() != has_error, "an expression or an error, not both");
    require(parsed.problems.size() <= 21, "the list of problems ends");
    if (!parsed.expr) return;
    require(&parsed.expr->pool() == &pool, "the expression lives in its pool");
    const sym::Expr e = *parsed.expr;
    require(sym::parse(text, sym::names_of(pool), pool).expr == e, "reading twice gives one node");

    constexpr std::size_t longest = 20'000;
    for (const sym::Style style : {sym::Style::unicode, sym::Style::latex}) {
        require(sym::print(e, {.style = style, .longest = longest}).size() <= longest + 3, "printing ends");
    }
    const std::string printed = sym::print(e, {.style = sym::Style::text, .longest = longest});
    if (printed.size() > longest) return;
    require(sym::parse(printed, sym::names_of(pool), pool).expr == e, "what is printed reads back as itself");

    const sym::Expr x = *pool.find_symbol("x");
    const sym::Expr derivative = sym::derivative(e, x);
    const auto series = sym::taylor(e, std::array{sym::Increment{x, x, pool.symbol("t", sym::Role::time)}}, 1);
    const bool exists = !derivative.is_undefined() && !series[1].is_undefined();
    require(!exists || sym::equal(series[1], derivative * pool.symbol("t", sym::Role::time)) != sym::Verdict::different,
            "the first Taylor coefficient is the derivative");
    const auto formula = sym::readable(e, {.terms = 300, .time = std::chrono::milliseconds(50)});
    require(formula.value.has_value() == formula.why_not.empty(), "a readable form or a reason");
    if (formula) require(sym::equal(sym::to_expr(*formula, pool), e) != sym::Verdict::different, "it is the same function");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    sym::Pool pool({.fold = data[0] % 2 == 0});
    const sym::PoolScope scope(pool);
    for (const char* name : {"x", "y", "hip", "hip'", "fly.wx", "arm.1"}) pool.symbol(name);
    pool.symbol("t", sym::Role::time);
    pool.quaternion({"e0", "e1", "e2", "e3"});
    check({reinterpret_cast<const char*>(data + 1), size - 1}, pool);
    return 0;
}
