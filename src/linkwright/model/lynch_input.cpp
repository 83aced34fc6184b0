#include "linkwright/model/lynch_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "linkwright/base/text.hpp"

namespace linkwright::model {

namespace {

/// What there may be, with how many indices.
const std::map<std::string, std::size_t, std::less<>> known_names{
    {"NBOD", 0},   {"NGC", 0},   {"PIE", 0},  {"REF", 0},    {"DM", 0},     {"RSDA", 0},    {"TSDAINFO", 0},
    {"GOTSDA", 0}, {"NTSDA", 0}, {"TSDA", 0}, {"PITSDA", 0}, {"PJTSDA", 0}, {"PQI", 2},     {"PQJ", 2},
    {"RQI", 2},    {"RQJ", 2},   {"DL", 2},   {"SL", 2},     {"IBB", 0},    {"GRAVITY", 0}, {"JIP", 1}};

std::optional<double> number(std::string_view text) {
    double x = 0;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return x;
}

using Numbers = std::vector<std::vector<double>>;

class Checker {
public:
    Checker(const LynchStatements& statements, Diagnostics& problems) : statements_(statements), problems_(problems) {}

    std::optional<LynchInput> run() {
        collect();
        const std::optional<int> n = count("NBOD");
        if (!n || has_error_) return std::nullopt;
        if (*n < 1 || *n > 999) {
            error(entries_.at("NBOD")->where, "NBOD must be a number of bodies", "the ground counts as a body");
            return std::nullopt;
        }
        n_ = static_cast<std::size_t>(*n);
        input_.bodies.resize(n_);
        const Numbers ref = square("REF"), pie = square("PIE"), dm = square("DM"), rsda = square("RSDA"), ibb = numbers("IBB", 1, 2);
        if (has_error_) return std::nullopt;
        tree(ref, pie);
        joints(dm, ibb);
        springs(rsda);
        if (has_error_) return std::nullopt;
        coordinates();
        vectors();
        tsda();
        gravity();
        leftovers();
        if (has_error_) return std::nullopt;
        return std::move(input_);
    }

private:
    void error(Position where, std::string what, std::string hint = {}) {
        has_error_ = true;
        problems_.push_back({.file = {}, .where = where, .what = std::move(what), .hint = std::move(hint)});
    }
    void warning(Position where, std::string what, std::string hint = {}) {
        problems_.push_back(
            {.severity = Diagnostic::Severity::warning, .file = {}, .where = where, .what = std::move(what), .hint = std::move(hint)});
    }

    void collect() {
        std::vector<std::string> all;
        for (const auto& [name, indices] : known_names) all.push_back(name);
        for (const LynchEntry& e : statements_.entries) {
            const auto known = known_names.find(e.stem);
            if (known == known_names.end()) {
                const auto meant = did_you_mean(e.stem, all);
                error(e.where, fmt::format("unknown name '{}'", e.stem), meant ? fmt::format("did you mean '{}'?", *meant) : "");
            } else if (e.indices.size() != known->second) {
                error(e.where, fmt::format("{} takes {}", e.stem,
                                           known->second == 0   ? "no indices"
                                           : known->second == 1 ? "one index, a body's number"
                                                                : "two indices, numbers of bodies"));
            } else if (!entries_.emplace(e.name, &e).second) {
                error(e.where, fmt::format("{} is defined twice", e.name), fmt::format("first in line {}", entries_[e.name]->where.line));
            } else if (e.rows.empty() && e.stem != "TSDAINFO") {
                error(e.where, fmt::format("{} has no value", e.name), fmt::format("write {}: …;", e.name));
            }
        }
    }

    const LynchEntry* entry(const std::string& name, std::string_view what_for = {}) {
        used_.insert(name);
        const auto found = entries_.find(name);
        if (found != entries_.end()) return found->second;
        error(statements_.end, fmt::format("{} is missing", name), std::string(what_for));
        return nullptr;
    }

    std::optional<int> count(const std::string& name) {
        const LynchEntry* e = entry(name);
        if (e == nullptr) return std::nullopt;
        const auto x = e->is_matrix ? std::nullopt : number(e->rows[0][0].text);
        if (!x || !(std::abs(*x) < 1e9) || *x != static_cast<int>(*x)) {
            error(e->where, fmt::format("{} must be a whole number", name));
            return std::nullopt;
        }
        return static_cast<int>(*x);
    }

    /// The cells of a matrix of the given size; surplus zeros at the end of a row are forgiven.
    std::optional<std::vector<std::vector<LynchCell>>> cells(const LynchEntry* e, std::size_t rows, std::size_t columns) {
        if (e == nullptr) return std::nullopt;
        if (!e->is_matrix || e->rows.size() != rows) {
            error(e->where, fmt::format("{} must be a matrix with {} {}", e->name, rows, rows == 1 ? "row" : "rows"),
                  e->is_matrix ? fmt::format("it has {}", e->rows.size()) : "write MATRIX([…], […])");
            return std::nullopt;
        }
        auto result = e->rows;
        for (std::size_t i = 0; i < rows; ++i) {
            auto& row = result[i];
            if (row.size() == columns) continue;
            const auto is_zero_cell = [](const LynchCell& c) { return number(c.text) == 0.0; };
            const std::string what = fmt::format("row {} of {} has {} entries instead of {}", i + 1, e->name, row.size(), columns);
            if (row.size() < columns || !std::all_of(row.begin() + static_cast<long>(columns), row.end(), is_zero_cell)) {
                error(row.front().where, what);
                return std::nullopt;
            }
            warning(row[columns].where, what, "the zeros at its end are ignored");
            row.resize(columns);
        }
        return result;
    }

    Numbers numbers(const std::string& name, std::size_t rows, std::size_t columns) {
        const auto text = cells(entry(name), rows, columns);
        Numbers result(rows, std::vector<double>(columns, 0.0));
        if (!text) return result;
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                const auto x = number((*text)[i][j].text);
                if (!x) error((*text)[i][j].where, fmt::format("{} holds numbers only", name));
                result[i][j] = x.value_or(0);
            }
        }
        return result;
    }
    Numbers square(const std::string& name) { return numbers(name, n_, n_); }

    Position at(const std::string& name, std::size_t i, std::size_t j) { return entries_.at(name)->rows[i][j].where; }

    /// REF says who precedes whom; PIE must be its inverse.
    void tree(const Numbers& ref, const Numbers& pie) {
        for (std::size_t i = 0; i < n_; ++i) {
            if (ref[i][i] != 1) error(at("REF", i, i), "the diagonal of REF is 1");
            for (std::size_t j = 0; j < n_; ++j) {
                if (i == j || ref[i][j] == 0) continue;
                if (ref[i][j] != -1) error(at("REF", i, j), "beside its diagonal REF holds 0 and -1");
                if (input_.bodies[i].inner != 0) error(at("REF", i, j), fmt::format("body {} has two reference bodies", i + 1));
                input_.bodies[i].inner = static_cast<int>(j) + 1;
            }
        }
        if (has_error_) return;
        for (std::size_t i = 0; i < n_; ++i) {  // walk in; a walk longer than all bodies goes in a circle
            std::vector<double> path(n_, 0.0);
            std::size_t b = i, steps = 0;
            for (; steps < n_; ++steps) {
                path[b] = 1;
                if (input_.bodies[b].inner == 0) break;
                b = static_cast<std::size_t>(input_.bodies[b].inner) - 1;
            }
            if (steps == n_ || b != 0) {
                error(at("REF", i, i), fmt::format("by REF no path leads from body {} to body 1, the base", i + 1),
                      "row i of REF has -1 in the column of the body that precedes body i");
                continue;
            }
            for (std::size_t j = 0; j < n_; ++j) {
                if (pie[i][j] == path[j]) continue;
                error(at("PIE", i, j), fmt::format("PIE is not the inverse of REF: row {} must be {}", i + 1, fmt::join(path, ", ")));
                break;
            }
        }
    }

    void joints(const Numbers& dm, const Numbers& ibb) {
        if (ibb[0][0] != 1) error(at("IBB", 0, 0), "there must be one base body", "put the others on joints to body 1");
        if (ibb[0][1] != 0 && ibb[0][1] != 1) error(at("IBB", 0, 1), "the second entry of IBB is 1 (ground) or 0 (floating)");
        const bool is_floating = ibb[0][1] == 0;
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < n_; ++j) {
                const double code = dm[i][j];
                if (i == j) {
                    const double expected = i == 0 && is_floating ? 0.2 : 0.0;
                    if (code != expected) {
                        error(at("DM", i, i), fmt::format("DM[{},{}] must be {:.1f}", i + 1, i + 1, expected),
                              i == 0 ? "0.2 is a floating base, and IBB says whether there is one" : "");
                    }
                    continue;
                }
                const auto hangs_on = [&](std::size_t a, std::size_t b) { return input_.bodies[a].inner == static_cast<int>(b) + 1; };
                if (hangs_on(i, j) || hangs_on(j, i)) {
                    if (code == 0) error(at("DM", i, j), fmt::format("REF connects bodies {} and {}, DM does not", i + 1, j + 1));
                } else if (code != 0) {
                    error(at("DM", i, j), fmt::format("DM connects bodies {} and {}, REF does not", i + 1, j + 1),
                          "a joint that closes a loop belongs in the companion file, as [[joint]] with cut = true");
                }
                if (code != dm[j][i] && i > j) error(at("DM", i, j), "DM is not symmetric");
                if (!hangs_on(i, j)) continue;
                input_.bodies[i].joint = code == 1.0   ? LynchJoint::revolute
                                         : code == 1.1 ? LynchJoint::translational
                                         : code == 3.0 ? LynchJoint::spherical
                                                       : LynchJoint::none;
                if (code != 0 && input_.bodies[i].joint == LynchJoint::none) {
                    error(at("DM", i, j), fmt::format("{} is not the code of a joint", entries_.at("DM")->rows[i][j].text),
                          "1.0 is a revolute joint, 1.1 a translational one, 3.0 a spherical one");
                }
            }
        }
        if (is_floating) input_.bodies[0].joint = LynchJoint::floating;
    }

    void springs(const Numbers& rsda) {
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < n_; ++j) {
                if (rsda[i][j] == 0) continue;
                const std::size_t outer = std::max(i, j);
                const bool is_mine = input_.bodies[i].inner == static_cast<int>(j) + 1;
                LynchBody& body = input_.bodies[is_mine ? i : j];
                const bool is_theirs = input_.bodies[j].inner == static_cast<int>(i) + 1;
                if (rsda[i][j] != 1) error(at("RSDA", i, j), "RSDA holds 0 and 1");
                if ((!is_mine && !is_theirs) || body.joint != LynchJoint::revolute) {
                    error(at("RSDA", i, j), fmt::format("no revolute joint connects bodies {} and {}", outer + 1, std::min(i, j) + 1),
                          "a rotational spring needs one");
                }
                body.has_rsda = true;
            }
        }
    }

    void coordinates() {
        std::size_t expected = 0;
        for (const LynchBody& b : input_.bodies) {
            expected += b.joint == LynchJoint::floating ? 7 : b.joint == LynchJoint::spherical ? 4 : b.joint == LynchJoint::none ? 0 : 1;
        }
        const auto n = count("NGC");
        if (n && *n != static_cast<int>(expected)) {
            error(entries_.at("NGC")->where, fmt::format("NGC is {}, but the joints have {} coordinates", *n, expected),
                  "a floating base has seven");
        }
    }

    LynchVector vector(const std::string& name, std::string_view what_for) {
        const auto column = cells(entry(name, what_for), 3, 1);
        if (!column) return {};
        return {(*column)[0][0], (*column)[1][0], (*column)[2][0]};
    }

    void vectors() {
        for (std::size_t k = 0; k < n_; ++k) {
            LynchBody& b = input_.bodies[k];
            const std::size_t i = k + 1;
            b.dl = vector(fmt::format("DL[{},{}]", i, i), "the vector from a body's joint to its centre of mass");
            const std::string jip = fmt::format("JIP[{}]", i);
            if (const auto rows = cells(entry(jip, "the inertia matrix of a body"), 3, 3)) {
                for (std::size_t r = 0; r < 3; ++r) b.jip[r] = {(*rows)[r][0], (*rows)[r][1], (*rows)[r][2]};
                b.where = entries_.at(jip)->where;
            }
            if (b.inner == 0) continue;
            const std::string pair = fmt::format("[{},{}]", i, b.inner);
            b.pqi = vector("PQI" + pair, "the joint's axis in the outer body");
            b.pqj = vector("PQJ" + pair, "the joint's axis in the inner body");
            b.rqi = vector("RQI" + pair, "a direction across the axis, in the outer body");
            b.rqj = vector("RQJ" + pair, "a direction across the axis, in the inner body");
            b.sl = vector("SL" + pair, "the vector from the inner body's centre of mass to the joint");
            if (const auto pq = entries_.find("PQI" + pair); pq != entries_.end()) b.where = pq->second->where;
        }
    }

    void tsda() {
        used_.insert("TSDAINFO");
        const LynchEntry* go = entry("GOTSDA", "START or STOP: whether translational springs follow");
        if (go == nullptr) return;
        const std::string word = go->is_matrix ? "" : go->rows[0][0].text;
        if (word != "START" && word != "STOP") error(go->where, "GOTSDA is START or STOP");
        if (word != "START") return;
        const auto n = count("NTSDA");
        if (!n || *n < 0 || *n > 9999) return;
        const auto rows = static_cast<std::size_t>(*n);
        const Numbers pairs = numbers("TSDA", rows, 2);
        const auto at_i = cells(entry("PITSDA"), rows, 3), at_j = cells(entry("PJTSDA"), rows, 3);
        if (!at_i || !at_j) return;
        for (std::size_t k = 0; k < rows; ++k) {
            const auto is_body = [&](double x) { return x >= 1 && x <= static_cast<double>(n_) && x == static_cast<int>(x); };
            if (!is_body(pairs[k][0]) || !is_body(pairs[k][1])) {
                error(at("TSDA", k, 0), fmt::format("row {} of TSDA does not name two bodies", k + 1));
                continue;
            }
            const auto triple = [&](const auto& m) { return LynchVector{m[k][0], m[k][1], m[k][2]}; };
            input_.tsda.push_back(
                {static_cast<int>(pairs[k][0]), static_cast<int>(pairs[k][1]), triple(*at_i), triple(*at_j), at("TSDA", k, 0)});
        }
    }

    void gravity() {
        const auto row = cells(entry("GRAVITY", "MATRIX([Y, -1]) is gravity against y"), 1, 2);
        if (!row) return;
        const std::string& axis = (*row)[0][0].text;
        input_.gravity = (*row)[0][1];
        if (axis.size() != 1 || std::string("XYZxyz").find(axis) == std::string::npos) {
            error((*row)[0][0].where, "the first entry of GRAVITY is X, Y or Z");
            return;
        }
        input_.gravity_axis = std::string("XYZxyz").find(axis) % 3;
    }

    void leftovers() {
        for (const auto& [name, e] : entries_) {
            if (used_.contains(name)) continue;
            if (e->stem.find("TSDA") != std::string::npos) {
                warning(e->where, fmt::format("{} is ignored", name), "GOTSDA says STOP");
            } else {
                error(e->where, fmt::format("{} belongs to no body or joint", name),
                      "its indices are a body and the body that precedes it in REF");
            }
        }
    }

    const LynchStatements& statements_;
    Diagnostics& problems_;
    std::map<std::string, const LynchEntry*> entries_;
    std::set<std::string> used_;
    std::size_t n_ = 0;
    LynchInput input_;
    bool has_error_ = false;
};

}  // namespace

std::optional<LynchInput> check_lynch(const LynchStatements& statements, Diagnostics& problems) {
    return Checker(statements, problems).run();
}

}  // namespace linkwright::model
