#include "linkwright/compare/syntax_repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace linkwright::compare {

using Clock = std::chrono::steady_clock;

namespace {

/// A right side on the way to a formula.
struct Draft {
    std::vector<Token> tokens;  ///< of the right side
    std::vector<Repair> told;
    double cost = 0;
};

Repair told(const Token& at, RepairKind kind, double cost, std::string what) { return {std::move(what), kind, at.where, at.width, cost}; }

bool ends_value(const Token& t) { return t.kind == Token::Kind::number || t.kind == Token::Kind::name || t.is(")") || t.is("]"); }
bool begins_value(const Token& t) { return t.kind == Token::Kind::number || t.kind == Token::Kind::name || t.is("("); }
bool is_operator(const Token& t) { return t.is("+") || t.is("-") || t.is("*") || t.is("/") || t.is("^") || t.is("**"); }

/// Which tokens belong to name( index, … ): they are no brackets of the formula.
std::vector<bool> indices_of(const std::vector<Token>& t) {
    std::vector<bool> out(t.size(), false);
    for (std::size_t i = 0; i + 1 < t.size(); ++i) {
        if (t[i].kind != Token::Kind::name || !(t[i + 1].is("(") || t[i + 1].is("["))) continue;
        const std::string_view close = t[i + 1].is("(") ? ")" : "]";
        std::size_t k = i + 2;
        bool is_index = true;
        while (k < t.size() && !t[k].is(close)) {
            is_index &= t[k].kind == Token::Kind::number || t[k].kind == Token::Kind::name || t[k].is(",");
            if (!is_index) break;
            ++k;
        }
        if (k >= t.size() || !is_index || k == i + 2) continue;
        for (std::size_t j = i + 1; j <= k; ++j) out[j] = true;
        i = k;
    }
    return out;
}

class Mender {
public:
    Mender(const Statement& s, Language language, const std::vector<Atom>& atoms, Clock::time_point deadline,
           const std::function<void(Mend&&)>& visit)
        : s_(s), language_(language), atoms_(atoms), deadline_(deadline), visit_(visit) {}

    void all() {
        Draft start;
        for (std::size_t i = s_.equals + 1; i + 1 < s_.tokens.size(); ++i) {
            const Token& t = s_.tokens[i];
            if (t.kind == Token::Kind::strange) {
                start.told.push_back(told(t, RepairKind::text, 1, fmt::format("without the character {}", t.text)));
                start.cost += 1;
            } else {
                start.tokens.push_back(t);
            }
        }
        // what more than a few rounds would be needed for is no slip of a printer
        if (start.tokens.size() > longest || start.told.size() > rounds || count_gaps(start.tokens) > rounds + 1) return;
        std::vector<Draft> drafts = joined(std::move(start));
        drafts = lost_operators(std::move(drafts));
        drafts = stray_operators(std::move(drafts));
        for (const Draft& d : drafts) {
            if (shown_ > most || Clock::now() > deadline_) break;
            balance(d);
        }
    }

private:
    static constexpr std::size_t most = 12'000, most_drafts = 2'000, longest = 6'000, rounds = 3;
    static constexpr std::size_t most_tokens = 400'000;  // of all drafts of a kind together

    static std::size_t room(const Draft& d) {
        return std::clamp<std::size_t>(most_tokens / std::max<std::size_t>(d.tokens.size(), 1), 8, most_drafts);
    }

    /// 1l for l1: a number and a name that touch, and look like a name.
    std::vector<Draft> joined(Draft start) const {
        std::vector<Draft> out{start};
        for (std::size_t i = 0; i + 1 < start.tokens.size() && out.size() < 20; ++i) {
            const Token &a = start.tokens[i], &b = start.tokens[i + 1];
            if (a.kind != Token::Kind::number || b.kind != Token::Kind::name || a.where.line != b.where.line ||
                a.where.column + a.width != b.where.column)
                continue;
            const auto meant = std::ranges::find_if(atoms_, [&](const Atom& x) { return look_alike(a.text + b.text, x.spelling); });
            if (meant == atoms_.end()) continue;
            Draft d = out.back();
            const std::size_t at = i - (start.tokens.size() - d.tokens.size());
            d.tokens[at] = made(meant->spelling, a);
            d.tokens[at].width = a.width + b.width;
            d.tokens.erase(d.tokens.begin() + static_cast<std::ptrdiff_t>(at) + 1);
            d.told.push_back(told(d.tokens[at], RepairKind::text, 0.8,
                                  fmt::format("{} instead of {}{}, which looks like it", meant->spelling, a.text, b.text)));
            d.cost += 0.8;
            out.push_back(std::move(d));
        }
        return out;
    }

    static Token made(std::string_view text, const Token& at) {
        Token t = at;
        t.kind = text.find_first_not_of("+-*/()^") == std::string_view::npos ? Token::Kind::sign : Token::Kind::name;
        t.text = text;
        t.starts_line = false;
        return t;
    }
    /// The tokens of a name with its indices.
    std::vector<Token> spelled(const Atom& a, const Token& at) const {
        std::vector<Token> tokens;
        const TreeOrProblem parsed = parse_printed(a.spelling, language_, at.where, &tokens);
        if (parsed.problem) return {};
        tokens.pop_back();
        for (Token& t : tokens) t.where = at.where, t.width = at.width;
        return tokens;
    }

    /// Between two values that follow each other something is gone: a sign, or a sign and what opened a bracket after it.
    std::vector<Draft> lost_operators(std::vector<Draft> drafts) const {
        for (std::size_t round = 0; round < rounds; ++round) {
            std::vector<Draft> next;
            for (const Draft& d : drafts) {
                if (Clock::now() > deadline_) return {};
                const auto at = first_gap(d.tokens);
                if (!at) {
                    next.push_back(d);
                    continue;
                }
                const Token here = d.tokens[*at];
                const double off = here.starts_line ? 0.5 : 0;
                const auto insert = [&](std::vector<Token> with, const std::string& text, double cost) {
                    if (next.size() >= room(d)) return;
                    Draft e = d;
                    e.tokens.insert(e.tokens.begin() + static_cast<std::ptrdiff_t>(*at), with.begin(), with.end());
                    e.told.push_back(told(here, with.size() > 1 ? RepairKind::text : RepairKind::sign, cost,
                                          fmt::format("{} is missing before {}", text, here.text)));
                    e.cost += cost;
                    next.push_back(std::move(e));
                };
                insert({made("+", here)}, "'+'", 1 - off);
                insert({made("-", here)}, "'-'", 1.1 - off);
                insert({made("*", here)}, "'*'", 1.2 - off);
                if (!here.is("(")) continue;
                for (const std::string_view sign : {"+", "-"}) {
                    insert({made(sign, here), made("(", here)}, fmt::format("'{}('", sign), 1.6 - off);
                    for (const Atom& a : atoms_) {
                        std::vector<Token> with{made(sign, here), made("(", here)};
                        const std::vector<Token> name = spelled(a, here);
                        if (name.empty()) continue;
                        with.insert(with.end(), name.begin(), name.end());
                        with.push_back(made("*", here));
                        insert(std::move(with), fmt::format("'{}({}*'", sign, a.spelling), 2.5 - off);
                    }
                }
            }
            drafts = std::move(next);
        }
        return drafts;
    }
    std::optional<std::size_t> first_gap(const std::vector<Token>& t) const {
        const auto gaps = gaps_of(t, 1);
        return gaps.empty() ? std::nullopt : std::optional(gaps.front());
    }
    std::size_t count_gaps(const std::vector<Token>& t) const { return gaps_of(t, rounds + 2).size(); }
    std::vector<std::size_t> gaps_of(const std::vector<Token>& t, std::size_t at_most) const {
        std::vector<std::size_t> gaps;
        const std::vector<bool> is_index = indices_of(t);
        for (std::size_t i = 1; i < t.size() && gaps.size() < at_most; ++i) {
            if (!ends_value(t[i - 1]) || !begins_value(t[i]) || (is_index[i] && is_index[i - 1])) continue;
            const bool is_called = t[i].is("(") && t[i - 1].kind == Token::Kind::name && (is_index[i] || is_function(t[i - 1]));
            if (!is_called) gaps.push_back(i);
        }
        return gaps;
    }
    bool is_function(const Token& name) const {
        if (name.text.size() > 8) return false;
        const std::string text =
            name.text + (folded(name.text, language_) == "atan2" || name.text == "pow" || name.text == "min" || name.text == "max"
                             ? "(x+1,y+1)"
                             : "(x+1)");
        const TreeOrProblem parsed = parse_printed(text, language_);
        return !parsed.problem;
    }

    /// Two operators that follow each other, or one with nothing behind it.
    std::vector<Draft> stray_operators(std::vector<Draft> drafts) const {
        for (std::size_t round = 0; round < rounds; ++round) {
            std::vector<Draft> next;
            for (const Draft& d : drafts) {
                if (Clock::now() > deadline_) return {};
                const auto& t = d.tokens;
                std::optional<std::size_t> at;
                for (std::size_t i = 0; i < t.size() && !at; ++i) {
                    const bool opens = i == 0 || t[i - 1].is("(") || t[i - 1].is(",") || is_operator(t[i - 1]);
                    const bool is_binary = t[i].is("*") || t[i].is("/") || t[i].is("^") || t[i].is("**");
                    const bool ends = is_operator(t[i]) && (i + 1 == t.size() || t[i + 1].is(")") || t[i + 1].is(","));
                    if ((is_binary && opens) || ends) at = i;
                }
                if (!at) {
                    next.push_back(d);
                    continue;
                }
                const auto drop = [&](std::size_t i) {
                    Draft e = d;
                    e.told.push_back(told(t[i], RepairKind::sign, 1, fmt::format("without the '{}'", t[i].text)));
                    e.cost += 1;
                    e.tokens.erase(e.tokens.begin() + static_cast<std::ptrdiff_t>(i));
                    next.push_back(std::move(e));
                };
                drop(*at);
                if (*at > 0 && is_operator(t[*at - 1])) drop(*at - 1);
            }
            if (next.size() > most_drafts) next.resize(most_drafts);
            drafts = std::move(next);
        }
        return drafts;
    }

    /// As many brackets closed as opened.
    void balance(const Draft& d) {
        const std::vector<bool> is_index = indices_of(d.tokens);
        std::vector<Spot> closes, opens, ends, starts;
        int excess = 0;
        for (std::size_t i = 0; i < d.tokens.size(); ++i) {
            const Token& t = d.tokens[i];
            const bool follows_close = i > 0 && d.tokens[i - 1].is(")");
            if (!is_index[i] && t.is(")")) {
                closes.push_back({i, t.starts_line ? (follows_close ? 0.3 : 0.6) : 1.0});
                ++excess;
            }
            if (!is_index[i] && t.is("(")) {
                opens.push_back({i, 1.2});
                --excess;
            }
            const bool inside_index = is_index[i] && !t.is(")") && !t.is("]");
            const bool is_followed = i + 1 < d.tokens.size() && is_index[i + 1] && d.tokens[i + 1].text != ")" && !is_index[i];
            const bool is_called = i + 1 < d.tokens.size() && d.tokens[i + 1].is("(") && t.kind == Token::Kind::name;
            if (ends_value(t) && !inside_index && !is_followed && !is_called) {
                const bool at_line_end = i + 1 < d.tokens.size() && d.tokens[i + 1].starts_line;
                const bool before_product = i + 1 < d.tokens.size() && (d.tokens[i + 1].is("*") || d.tokens[i + 1].is("/"));
                ends.push_back({i, at_line_end ? 0.6 : before_product ? 0.8 : 1.0});
            }
            if (begins_value(t) && !is_index[i] && !(i > 0 && t.is("(") && d.tokens[i - 1].kind == Token::Kind::name))
                starts.push_back({i, 1.3});
        }
        if (excess == 0) return keep(d, {}, {});
        if (excess > 0) {
            choose(closes, static_cast<std::size_t>(excess), [&](const Spots& picked) { keep(d, picked, {}); });
            if (excess == 1) {
                for (const Spot& at : starts) keep(d, {}, {{at}, false});
            }
            return;
        }
        choose(ends, static_cast<std::size_t>(-excess), [&](const Spots& picked) { keep(d, {}, {picked, true}); });
        if (excess == -1) {
            for (const Spot& at : opens) keep(d, {at}, {});
        }
    }

    struct Spot {
        std::size_t at;
        double cost;
    };
    using Spots = std::vector<Spot>;
    struct Insertion {
        Spots at;
        bool closes = true;  ///< ")" after the token, otherwise "(" before it
    };

    /// Subsets of k spots; of more than two only among the most likely ones.
    template <class F>
    void choose(Spots spots, std::size_t k, F f) {
        if (k > spots.size() || k > 8) return;
        std::ranges::stable_sort(spots, {}, &Spot::cost);
        const std::size_t widest = k == 1 ? 400 : k == 2 ? 140 : k == 3 ? 40 : 14;
        if (spots.size() > widest) spots.resize(std::max(widest, k));
        std::vector<std::size_t> pick(k);
        for (std::size_t i = 0; i < k; ++i) pick[i] = i;
        while (Clock::now() < deadline_ && shown_ <= most) {
            Spots chosen;
            for (const std::size_t i : pick) chosen.push_back(spots[i]);
            std::ranges::sort(chosen, {}, &Spot::at);
            f(chosen);
            std::size_t i = k;
            while (i-- > 0 && pick[i] == spots.size() - k + i) {
            }
            if (i >= k) return;  // wrapped below zero
            ++pick[i];
            for (std::size_t j = i + 1; j < k; ++j) pick[j] = pick[j - 1] + 1;
        }
    }

    void keep(const Draft& d, const Spots& removed, const Insertion& inserted) {
        Mend m;
        m.told = d.told;
        m.cost = d.cost;
        m.tokens.assign(s_.tokens.begin(), s_.tokens.begin() + static_cast<std::ptrdiff_t>(s_.equals) + 1);
        for (std::size_t i = 0; i < d.tokens.size(); ++i) {
            const Token& t = d.tokens[i];
            if (const auto at = std::ranges::find(removed, i, &Spot::at); at != removed.end()) {
                m.told.push_back(told(t, RepairKind::bracket, at->cost, fmt::format("the '{}' is superfluous", t.text)));
                m.cost += at->cost;
                continue;
            }
            const auto at = std::ranges::find(inserted.at, i, &Spot::at);
            if (at != inserted.at.end() && !inserted.closes) m.tokens.push_back(made("(", t));
            m.tokens.push_back(t);
            if (at != inserted.at.end() && inserted.closes) m.tokens.push_back(made(")", t));
            if (at != inserted.at.end()) {
                m.told.push_back(told(t, RepairKind::bracket, at->cost,
                                      fmt::format("'{}' is missing {} {}", inserted.closes ? ")" : "(",
                                                  inserted.closes ? "after" : "before", shown(d.tokens, i))));
                m.cost += at->cost;
            }
        }
        m.tokens.push_back(s_.tokens.back());
        TreeOrProblem parsed = parse_tokens(m.tokens, s_.equals + 1, m.tokens.size() - 1, language_);
        if (parsed.problem || m.told.empty()) return;
        m.tree = std::move(parsed.tree);
        m.root = parsed.root;
        std::ranges::stable_sort(m.told, {}, [](const Repair& r) { return std::pair(r.where.line, r.where.column); });
        ++shown_;
        visit_(std::move(m));
    }
    /// "c(6)" for the bracket that ends it.
    static std::string shown(const std::vector<Token>& t, std::size_t i) {
        std::size_t first = i;
        if (t[i].is(")") || t[i].is("]")) {
            while (first > 0 && !t[first].is("(") && !t[first].is("[") && i - first < 6) --first;
            if (first > 0 && t[first - 1].kind == Token::Kind::name)
                --first;
            else
                first = i;
        }
        return write_tokens(t, first, i);
    }

    const Statement& s_;
    Language language_;
    const std::vector<Atom>& atoms_;
    Clock::time_point deadline_;
    const std::function<void(Mend&&)>& visit_;
    std::size_t shown_ = 0;
};

}  // namespace

void for_each_mend(const Statement& statement, Language language, const std::vector<Atom>& atoms, std::chrono::milliseconds patience,
                   const std::function<void(Mend&&)>& visit) {
    if (!statement.problem || statement.equals == 0 || statement.equals + 2 >= statement.tokens.size()) return;
    Mender(statement, language, atoms, Clock::now() + patience, visit).all();
}

}  // namespace linkwright::compare
