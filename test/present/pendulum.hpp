#pragma once
// Small systems written down by hand, and ways to read a page back.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "linkwright/present/present.hpp"
#include "linkwright/sym/parse.hpp"
#include "linkwright/sym/substitute.hpp"
#include "support/print.hpp"

namespace linkwright::present::test {

using namespace sym;
using eom::EquationsOfMotion;

/// Two uniform rods, planar, angles relative; an input torque at the second joint.
inline EquationsOfMotion double_pendulum() {
    EquationsOfMotion e;
    e.pool = std::make_shared<Pool>();
    const PoolScope scope(*e.pool);
    e.name = "Double pendulum";
    e.formulation = "kane";
    e.t = symbol("t", Role::time);
    const Expr m1 = symbol("m1"), m2 = symbol("m2"), l1 = symbol("l1"), l2 = symbol("l2"), g = symbol("g");
    const Expr tau = symbol("tau", Role::input);
    e.parameters = {
        {m1, 1, "kg", "upper rod"}, {m2, 2, "kg", "lower rod"}, {l1, 0.5, "m", ""}, {l2, l1 / 2, "m", ""}, {g, 9.81, "m/s^2", ""}};
    e.inputs = {{tau, 0, "N m", "elbow motor"}};
    e.q = {symbol("q1", Role::coordinate), symbol("q2", Role::coordinate)};
    e.u = {symbol("q1'", Role::speed), symbol("q2'", Role::speed)};
    e.udot = {symbol("q1''", Role::acceleration), symbol("q2''", Role::acceleration)};
    e.qdot = e.u;
    const Expr q1 = e.q[0], q2 = e.q[1], u1 = e.u[0], u2 = e.u[1];
    const Expr c = m2 * l1 * l2 * cos(q2) / 2, s = m2 * l1 * l2 * sin(q2) / 2;
    const Expr M22 = m2 * l2 * l2 / 3, M12 = M22 + c;
    const Expr upper = m1 * l1 * l1 / 3, elbow = m2 * l1 * l1, M11 = upper + elbow + M22 + 2 * c;  // in this order: compilers differ
    e.M = {{M11, M12}, {M12, M22}};
    e.f = {s * u2 * (2 * u1 + u2) - (m1 / 2 + m2) * g * l1 * sin(q1) - m2 * g * l2 * sin(q1 + q2) / 2,
           tau - s * u1 * u1 - m2 * g * l2 * sin(q1 + q2) / 2};
    e.energy = {M11 * u1 * u1 / 2 + M12 * u1 * u2 + M22 * u2 * u2 / 2, -(m1 / 2 + m2) * g * l1 * cos(q1) - m2 * g * l2 * cos(q1 + q2) / 2};
    e.power = tau * u2;
    e.outputs = {{"tip.x", l1 * sin(q1) + l2 * sin(q1 + q2)}};
    return e;
}

/// The cells of "[ a  b + c ]", which stand at least two spaces apart.
inline std::vector<std::string> cells_of(std::string_view row) {
    row = row.substr(row.find('[') + 1);
    row = row.substr(0, row.rfind(" ]"));
    std::vector<std::string> cells;
    while (row.find_first_not_of(' ') != row.npos) {
        row.remove_prefix(row.find_first_not_of(' '));
        const std::size_t end = std::min(row.find("  "), row.size());
        cells.emplace_back(row.substr(0, end));
        while (cells.back().ends_with(' ')) cells.back().pop_back();
        row.remove_prefix(end);
    }
    return cells;
}

/// What a page of plain text says: "M[1][2]" → its right-hand side, continuation lines joined, and matrices entry by entry.
inline std::map<std::string, std::string> equations_of(const std::string& text) {
    std::map<std::string, std::string> found;
    std::string* last = nullptr;
    std::string matrix;
    std::set<std::string> matrices;
    std::size_t row = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        const std::size_t equals = line.find(" = ");
        const bool begins_matrix = line.starts_with("  ") && equals != std::string::npos && line.substr(equals).starts_with(" = [ ");
        if (begins_matrix) matrix = line.substr(2, equals - 2), row = 0, matrices.insert(matrix);
        if (begins_matrix || (!matrix.empty() && line.find_first_not_of(' ') == line.find("[ "))) {
            const std::vector<std::string> cells = cells_of(line);
            ++row;
            for (std::size_t j = 0; j < cells.size(); ++j) {
                found[matrix + "[" + std::to_string(row) + "][" + std::to_string(j + 1) + "]"] = cells[j];
            }
            last = nullptr;
            continue;
        } else {
            matrix.clear();
        }
        if (line.starts_with("     ") && last != nullptr && equals == std::string::npos) {
            *last += " " + line;
        } else if (line.starts_with("  ") && line[2] != ' ' && equals != std::string::npos) {
            if (const std::string symbol = line.substr(2, line.find('[') - 2);
                matrices.erase(symbol) > 0) {  // what stood before was a pattern
                std::erase_if(found, [&](const auto& x) { return x.first.starts_with(symbol + "["); });
            }
            last = &(found[line.substr(2, equals - 2)] = line.substr(equals + 3));
        } else {
            last = nullptr;
        }
    }
    return found;
}

/// The expression a text means in the pool, with intermediates that have been read before.
inline Expr meaning(const std::string& text, Pool& pool, const std::map<std::string, Expr>& intermediates = {}) {
    Names names = names_of(pool);
    const auto symbols = names.find;
    names.find = [&](std::string_view name) -> std::optional<Expr> {
        const auto found = intermediates.find(std::string(name));
        return found != intermediates.end() ? found->second : symbols(name);
    };
    const Parsed parsed = parse(text, names, pool);
    EXPECT_TRUE(parsed.expr) << text;
    return parsed.expr.value_or(Expr(pool, Pool::undefined_id));
}

}  // namespace linkwright::present::test
