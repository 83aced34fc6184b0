#include "linkwright/proof/own_forms.hpp"

#include <fmt/format.h>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/program/lower.hpp"
#include "linkwright/proof/rerun.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/parse.hpp"
#include "linkwright/sym/readable.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::proof {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<Expr> times(const sym::Matrix& M, const std::vector<Expr>& x) {
    std::vector<Expr> result(M.size());
    for (std::size_t i = 0; i < M.size(); ++i) {
        for (std::size_t j = 0; j < x.size(); ++j) {
            if (!M[i][j].is_literally(0)) result[i] += M[i][j] * x[j];
        }
    }
    return result;
}

Pair judged(std::string a, std::vector<Entry> of_a, std::string b, std::vector<Entry> of_b, std::string about,
            const sym::Rational& division, Clock::time_point start) {
    const sym::Rational common = common_division(of_b, common_division(of_a, division));
    Pair pair = judge(make_side(std::move(a), std::move(of_a), common), make_side(std::move(b), std::move(of_b), common));
    pair.about = std::move(about);
    pair.time = Clock::now() - start;
    return pair;
}

/// What programs compute, as named entries.
std::vector<Entry> computed(const EquationsOfMotion& e) {
    std::vector<Entry> list;
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        for (std::size_t j = i; j < e.u.size(); ++j) list.push_back({EntryKind::mass, mass_name(e, i, j), e.M[i][j]});
    }
    for (std::size_t i = 0; i < e.u.size(); ++i) list.push_back({EntryKind::force, speed_name("f", e.u[i]), e.f[i]});
    for (const eom::Constraint& c : e.constraints) {
        for (std::size_t j = 0; j < e.u.size(); ++j)
            list.push_back({EntryKind::constraint, fmt::format("G[{}, {}]", c.name, e.u[j].symbol().name), c.G[j]});
        list.push_back({EntryKind::gamma, fmt::format("gamma[{}]", c.name), c.gamma});
    }
    for (std::size_t i = 0; i < e.q.size(); ++i) list.push_back({EntryKind::rate, speed_name("rate", e.q[i]), e.qdot[i]});
    for (std::size_t i = 0; i < e.x.size(); ++i) list.push_back({EntryKind::rate, speed_name("rate", e.x[i]), e.xdot[i]});
    for (std::size_t i = 0; i < e.a.size(); ++i) list.push_back({EntryKind::acceleration, speed_name("a", e.u[i]), e.a[i]});
    for (std::size_t i = 0; i < e.inverse.size(); ++i) list.push_back({EntryKind::inverse, speed_name("inverse", e.u[i]), e.inverse[i]});
    return list;
}

}  // namespace

std::vector<Pair> own_forms(const std::string& name, const EquationsOfMotion& e, const sym::Rational& division) {
    const sym::PoolScope scope(*e.pool);
    std::vector<Pair> pairs;
    const auto named = [&](EntryKind kind, std::string_view letter, const std::vector<Expr>& values) {
        std::vector<Entry> list;
        for (std::size_t i = 0; i < values.size(); ++i) list.push_back({kind, speed_name(letter, e.u[i]), values[i]});
        return list;
    };
    if (!e.a.empty()) {
        const auto start = Clock::now();
        pairs.push_back(judged(name + ", accelerations", named(EntryKind::force, "f", times(e.M, e.a)), name,
                               named(EntryKind::force, "f", e.f), "M a = f", division, start));
    }
    if (!e.inverse.empty()) {
        const auto start = Clock::now();
        std::vector<Expr> wanted = times(e.M, e.udot);
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] -= e.f[i];
        pairs.push_back(judged(name + ", inverse", named(EntryKind::inverse, "M u' - f", e.inverse), name,
                               named(EntryKind::inverse, "M u' - f", wanted), "inverse = M u' - f", division, start));
    }
    return pairs;
}

Pair program_pair(const std::string& name, const EquationsOfMotion& shipped, const EquationsOfMotion& at, const sym::Rational& division) {
    const auto start = Clock::now();
    const std::vector<Entry> graph = computed(shipped);
    std::vector<Expr> outputs;
    for (const Entry& e : graph) outputs.push_back(e.value);
    const std::vector<Expr> inputs = sym::symbols_in(outputs);
    const program::Program program = program::lower(outputs, inputs);
    const std::vector<Expr> values = rerun(program, outputs, inputs, *at.pool);
    std::vector<Entry> run;
    for (std::size_t i = 0; i < values.size(); ++i) run.push_back({graph[i].kind, graph[i].name, values[i]});
    return judged(name, computed(at), name + ", program", std::move(run), fmt::format("{} lines carried out again", program.lines.size()),
                  division, start);
}

Pair readable_pair(const std::string& name, const EquationsOfMotion& shipped, const EquationsOfMotion& at, const sym::Rational& division,
                   std::chrono::milliseconds patience) {
    const auto start = Clock::now();
    std::vector<Entry> graph, read;
    constexpr std::size_t largest = 600, nodes_per_millisecond = 20, most_refused = 8;
    std::size_t too_large = 0, all = 0, refused = 0;
    std::size_t left = static_cast<std::size_t>(std::max<std::int64_t>(0, patience.count())) * nodes_per_millisecond;
    const sym::Names names = sym::names_of(*at.pool);
    const auto look = [&](EntryKind kind, const std::string& entry, const Expr& e, const Expr& carried) {
        ++all;
        const bool is_over = left == 0 || refused >= most_refused || Clock::now() - start > 4 * patience;
        const std::size_t size = is_over ? largest : size_up_to(e, largest);
        const bool is_affordable = size < largest && size <= left;
        if (is_affordable) left -= size;
        const auto formula = is_affordable ? sym::readable(e, {.terms = 300, .time = patience}) : sym::Affordable<sym::Formula>{};
        if (is_affordable && !formula) ++refused;
        if (!formula) {
            ++too_large;
            return;
        }
        const sym::Parsed parsed = sym::parse(sym::write(*formula), names, *at.pool);
        graph.push_back({kind, entry, carried});
        read.push_back({kind, entry, parsed.expr ? *parsed.expr : Expr(*at.pool, sym::Pool::undefined_id)});
    };
    for (std::size_t i = 0; i < shipped.u.size(); ++i) {
        for (std::size_t j = i; j < shipped.u.size(); ++j) look(EntryKind::mass, mass_name(shipped, i, j), shipped.M[i][j], at.M[i][j]);
        look(EntryKind::force, speed_name("f", shipped.u[i]), shipped.f[i], at.f[i]);
    }
    Pair pair = judged(name, std::move(graph), name + ", readable form", std::move(read), "M and f, printed and parsed", division, start);
    if (too_large > 0)
        pair.note = fmt::format("{} of {} entries are too large for the time given and stay with intermediates", too_large, all);
    return pair;
}

}  // namespace linkwright::proof
