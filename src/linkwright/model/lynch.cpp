#include "linkwright/model/lynch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "linkwright/model/lynch_companion.hpp"
#include "linkwright/model/lynch_input.hpp"
#include "linkwright/model/lynch_text.hpp"
#include "linkwright/model/toml_value.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::model {

namespace {

bool is_zero_vector(const LynchVector& v) {
    return std::ranges::all_of(v, [](const LynchCell& c) { return is_zero_text(c.text); });
}

std::string triple(const LynchVector& v) {
    return fmt::format("[{}, {}, {}]", toml_scalar(v[0].text), toml_scalar(v[1].text), toml_scalar(v[2].text));
}

/// Indices as his names have them, DL22, with a bar where that would be ambiguous.
std::string pair_name(std::string_view stem, int i, int j) { return fmt::format("{}{}{}{}", stem, i, i > 9 || j > 9 ? "_" : "", j); }

struct Names {
    std::vector<std::string> bodies, joints;
};

class Translator {
public:
    Translator(std::string_view text, std::string file, std::string_view companion, std::string companion_file, Diagnostics& problems)
        : text_(text),
          file_(std::move(file)),
          companion_text_(companion),
          companion_file_(std::move(companion_file)),
          problems_(problems) {}

    /// The model file that says the same; empty after an error.
    std::string run() {
        Diagnostics found;
        const std::optional<Value> companion = parse_toml(companion_text_, found);
        tell(found, companion_file_);
        if (!companion) return {};
        companion_ = *companion;
        lynch_ = companion_.find_entry("lynch");
        if (lynch_ == nullptr || !lynch_->value.is(Value::Kind::string)) {
            error(lynch_ == nullptr ? Position{} : lynch_->where, "'lynch' must name a file", "write lynch = \"lynch.mac\"");
            return {};
        }
        LynchStatements statements = parse_lynch(text_);
        tell(statements.problems, file_);
        if (has_error_) return {};
        found.clear();
        apply_corrections(companion_, statements, found);
        tell(found, companion_file_);
        found.clear();
        const std::optional<LynchInput> input = check_lynch(statements, found);
        tell(found, file_);
        if (!input || has_error_) return {};
        input_ = *input;
        for (const char* key : {"parameters", "inputs"}) {
            if (const Value* table = companion_.find(key)) {
                for (const Entry& e : table->entries) values_.push_back(e.key);
            }
        }
        read_names();
        check_expressions();
        if (has_error_) return {};
        write_bodies();
        write_joints();
        write_springs();
        if (has_error_) return {};
        found.clear();
        const std::optional<std::string> head = plain_companion(companion_text_, companion_, gravity(), found);
        tell(found, companion_file_);
        if (!head) return {};
        companion_lines_ = static_cast<std::size_t>(std::ranges::count(*head, '\n'));
        return *head + generated_;
    }

    /// The lines after the companion, and where each comes from.
    std::size_t companion_lines() const { return companion_lines_; }
    const std::vector<Position>& origin() const { return origin_; }
    Position lynch_key() const { return lynch_ == nullptr ? Position{} : lynch_->where; }
    const std::string& file() const { return file_; }

private:
    void tell(const Diagnostics& found, const std::string& file) {
        for (Diagnostic d : found) {
            d.file = file;
            has_error_ = has_error_ || d.severity == Diagnostic::Severity::error;
            problems_.push_back(std::move(d));
        }
    }
    void error(Position where, std::string what, std::string hint = {}) {  // in the companion
        tell({{.file = {}, .where = where, .what = std::move(what), .hint = std::move(hint)}}, companion_file_);
    }
    void error_in_his(Position where, std::string what, std::string hint = {}) {
        tell({{.file = {}, .where = where, .what = std::move(what), .hint = std::move(hint)}}, file_);
    }
    void warning(Position where, std::string what, const std::string& file, std::string hint = {}) {
        tell({{.severity = Diagnostic::Severity::warning, .file = {}, .where = where, .what = std::move(what), .hint = std::move(hint)}},
             file);
    }

    // ----------------------------------------------------------------------------------------------------------- names

    bool has_value(const std::string& name) const { return std::ranges::find(values_, name) != values_.end(); }

    void read_list(std::string_view key, std::vector<std::string>& names) {
        const Value* table = companion_.find("names");
        const Value* list = table == nullptr ? nullptr : table->find(key);
        if (list == nullptr) return;
        if (!list->is(Value::Kind::array) || list->items.size() != names.size()) {
            error(list->where, fmt::format("'{}' must be a list of {} names", key, names.size()));
            return;
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            const Value& item = list->items[i];
            if (!item.is(Value::Kind::string) || !sym::is_name(item.string)) {
                error(item.where, "not a name", "letters, digits and _, the first no digit");
            } else {
                names[i] = item.string;
            }
        }
    }

    bool is_floating() const { return input_.bodies[0].joint == LynchJoint::floating; }
    const std::string& joint_name(std::size_t body) const { return names_.joints[is_floating() ? body : body - 1]; }

    void read_names() {
        for (std::size_t i = 0; i < input_.bodies.size(); ++i) {
            const bool is_base = i == 0;
            names_.bodies.push_back(is_base && !is_floating() ? "ground" : fmt::format("body{}", i + 1));
            if (!is_base || is_floating()) names_.joints.push_back(is_base ? "base" : fmt::format("PHI{}", i + 1));
        }
        read_list("bodies", names_.bodies);
        read_list("joints", names_.joints);
        if (const Value* table = companion_.find("names")) {
            for (const Entry& e : table->entries) {
                if (e.key != "bodies" && e.key != "joints") error(e.where, fmt::format("[names] has no '{}'", e.key), "bodies, joints");
            }
        }
        if (!is_floating() && names_.bodies[0] != "ground") {
            error(companion_.find("names")->find("bodies")->where, "body 1 is the ground: its name must be \"ground\"");
        }
    }

    // ----------------------------------------------------------------------------------------------------- expressions

    std::optional<Expr> parse_cell(const LynchCell& cell) {
        sym::Names names;
        names.find = [&](std::string_view name) -> std::optional<Expr> {
            const bool is_phi = name.starts_with("PHI") && has_coordinate(cell.text);
            if (!is_phi && !has_value(std::string(name))) return std::nullopt;
            return pool_.symbol(name);
        };
        names.all = [&] { return values_; };
        names.advice = fmt::format("give it a value in [parameters] of {}", companion_file_);
        const sym::Parsed parsed = sym::parse(with_names(cell.text), names, pool_, cell.where);
        tell(parsed.problems, file_);
        return parsed.expr;
    }

    void check_cells(const LynchVector& v) {
        for (const LynchCell& cell : v) {
            const auto e = parse_cell(cell);
            if (e && has_coordinate(cell.text)) {
                error_in_his(cell.where, "a coordinate is not allowed here",
                             "PHI[i] is allowed only in DL[i,i], as the travel of a translational joint");
            }
        }
    }

    /// DL[i,i] less the travel PHI[i]·PQI[i,j], which the joint has by itself.
    void take_travel_out(LynchBody& b, int i) {
        for (std::size_t k = 0; k < 3; ++k) {
            LynchCell& cell = b.dl[k];
            const auto e = parse_cell(cell);
            if (!e || !has_coordinate(cell.text)) continue;
            const Expr travel = pool_.symbol(fmt::format("PHI{}", i));
            const std::optional<Expr> axis = b.joint == LynchJoint::translational ? parse_cell(b.pqi[k]) : std::nullopt;
            const bool is_alone = std::ranges::none_of(sym::symbols_in(*e), [&](const Expr& s) {
                return s != travel && s.symbol().name.starts_with("PHI") && !has_value(s.symbol().name);
            });
            if (!axis || !is_alone || sym::equal(sym::derivative(*e, travel), *axis) != sym::Verdict::equal) {
                error_in_his(cell.where, fmt::format("the coordinate in DL[{},{}] is not the travel of its joint", i, i),
                             "it must be PHI[i] times the entry of PQI, and joint i translational");
                continue;
            }
            cell.text = without_coordinates(cell.text);
        }
    }

    void check_expressions() {
        for (std::size_t k = 0; k < input_.bodies.size(); ++k) {
            LynchBody& b = input_.bodies[k];
            take_travel_out(b, static_cast<int>(k) + 1);
            for (const LynchVector& row : b.jip) check_cells(row);
            for (std::size_t r = 0; r < 3; ++r) {
                for (std::size_t c = 0; c < r; ++c) {
                    const auto lower = parse_cell(b.jip[r][c]), upper = parse_cell(b.jip[c][r]);
                    if (lower && upper && sym::equal(*lower, *upper) == sym::Verdict::different) {
                        error_in_his(b.jip[r][c].where, fmt::format("JIP[{}] is not symmetric", k + 1));
                    }
                }
            }
            if (b.inner != 0) {
                for (const LynchVector* v : {&b.pqi, &b.pqj, &b.rqi, &b.rqj, &b.sl}) check_cells(*v);
            }
            if (b.joint != LynchJoint::none && !has_value(fmt::format("MA{}", k + 1))) {
                error_in_his(b.where, fmt::format("the mass of body {} is not known", k + 1),
                             fmt::format("give MA{} a value in [parameters] of {}", k + 1, companion_file_));
            }
        }
        for (const LynchTsda& t : input_.tsda) {
            check_cells(t.at_i);
            check_cells(t.at_j);
        }
        parse_cell(input_.gravity);
        if (is_zero_text(input_.gravity.text)) return;
        if (!has_value("g")) {
            error_in_his(input_.gravity.where, "there is gravity, but g is not known",
                         fmt::format("give g a value in [parameters] of {}", companion_file_));
        }
        if (const Entry* e = companion_.find_entry("gravity")) {
            error(e->where, fmt::format("gravity is defined in {}", file_), "remove it here, or correct GRAVITY by a [[correction]]");
        }
    }

    // --------------------------------------------------------------------------------------------------------- writing

    void line(Position where, const std::string& text) {
        generated_ += text + "\n";
        origin_.push_back(where);
    }

    void write_bodies() {
        for (std::size_t k = 0; k < input_.bodies.size(); ++k) {
            const LynchBody& b = input_.bodies[k];
            std::string points;
            for (std::size_t n = 0; n < input_.tsda.size(); ++n) {
                const LynchTsda& t = input_.tsda[n];
                if (sliding_joint(t) != nullptr) continue;
                for (const auto& [body, at] : {std::pair{t.i, &t.at_i}, std::pair{t.j, &t.at_j}}) {
                    if (body != static_cast<int>(k) + 1 || is_zero_vector(*at)) continue;
                    points += fmt::format("{}{} = {}", points.empty() ? "" : ", ", point_name(n, body), triple(*at));
                }
            }
            if (b.joint == LynchJoint::none) {
                if (points.empty()) continue;
                line(b.where, "[ground]");
            } else {
                line(b.where, "[[body]]");
                line(b.where, fmt::format("name = \"{}\"", names_.bodies[k]));
                line(b.where, fmt::format("mass = \"MA{}\"", k + 1));
                const auto entry = [&](std::size_t r, std::size_t c) { return toml_scalar(b.jip[r][c].text); };
                std::string inertia = fmt::format("{}, {}, {}", entry(0, 0), entry(1, 1), entry(2, 2));
                if (!is_zero_text(b.jip[0][1].text) || !is_zero_text(b.jip[0][2].text) || !is_zero_text(b.jip[1][2].text)) {
                    inertia += fmt::format(", {}, {}, {}", entry(0, 1), entry(0, 2), entry(1, 2));
                }
                line(b.where, fmt::format("inertia = [{}]", inertia));
            }
            if (!points.empty()) line(b.where, fmt::format("points = {{ {} }}", points));
        }
    }

    void write_frame(Position where, std::string_view whose, const LynchVector& z, const LynchVector& x) {
        const std::string text = fmt::format("{{ z = {}, x = {} }}", triple(z), triple(x));
        if (text != "{ z = [0, 0, 1], x = [1, 0, 0] }") line(where, fmt::format("{}_axes = {}", whose, text));
    }

    void write_force(Position where, std::string_view key, const std::string& name, bool& is_any) {
        if (!has_value(name)) return;
        line(where, fmt::format("{} = \"{}\"", key, name));
        is_any = true;
    }

    /// stiffness, damping, rest and actuator, as far as they have values.
    void write_element(Position where, std::string_view kind, std::string_view letter, std::string_view rest, int i, int j) {
        const std::array<std::string, 3> names{pair_name(fmt::format("K{}", letter), i, j), pair_name(fmt::format("C{}", letter), i, j),
                                               pair_name("TAU", i, j)};
        bool is_any = false;
        write_force(where, "stiffness", names[0], is_any);
        write_force(where, "damping", names[1], is_any);
        write_force(where, "actuator", names[2], is_any);
        if (!is_any) {
            warning(where, fmt::format("the {} between bodies {} and {} has no force", kind, i, j), file_,
                    fmt::format("give {} values in [parameters] or [inputs] of {}", fmt::join(names, ", "), companion_file_));
        }
        write_force(where, "rest", fmt::format("{}{}", rest, i), is_any);
    }

    void write_joints() {
        for (std::size_t k = 0; k < input_.bodies.size(); ++k) {
            const LynchBody& b = input_.bodies[k];
            if (b.joint == LynchJoint::none) continue;
            const bool is_base = b.joint == LynchJoint::floating;
            const std::string inner = is_base ? "ground" : names_.bodies[static_cast<std::size_t>(b.inner) - 1];
            line(b.where, "[[joint]]");
            line(b.where, fmt::format("name = \"{}\"", joint_name(k)));
            line(b.where, fmt::format("type = \"{}\"", is_base                                ? "free"
                                                       : b.joint == LynchJoint::revolute      ? "revolute"
                                                       : b.joint == LynchJoint::translational ? "prismatic"
                                                                                              : "spherical"));
            line(b.where, fmt::format("parent = \"{}\"", inner));
            line(b.where, fmt::format("child = \"{}\"", names_.bodies[k]));
            if (!is_base && !is_zero_vector(b.sl)) line(b.sl[0].where, "parent_at = " + triple(b.sl));
            if (!is_zero_vector(b.dl)) {
                LynchVector back = b.dl;
                for (LynchCell& c : back) c.text = negated(c.text);
                line(b.dl[0].where, "child_at = " + triple(back));
            }
            if (is_base) continue;
            write_frame(b.pqj[0].where, "parent", b.pqj, b.rqj);
            write_frame(b.pqi[0].where, "child", b.pqi, b.rqi);
            if (b.has_rsda) write_element(b.where, "RSDA", "R", "PHI0", static_cast<int>(k) + 1, b.inner);
            for (const LynchTsda& t : input_.tsda) {
                if (sliding_joint(t) == &b) write_element(t.where, "TSDA", "T", "BETA", static_cast<int>(k) + 1, b.inner);
            }
        }
    }

    /// The translational joint that two bodies share.
    const LynchBody* sliding_joint(const LynchTsda& t) const {
        for (const auto& [outer, inner] : {std::pair{t.i, t.j}, std::pair{t.j, t.i}}) {
            const LynchBody& b = input_.bodies[static_cast<std::size_t>(outer) - 1];
            if (b.inner == inner && b.joint == LynchJoint::translational) return &b;
        }
        return nullptr;
    }

    static std::string point_name(std::size_t tsda, int body) { return fmt::format("tsda{}_{}", tsda + 1, body); }

    void write_springs() {
        for (std::size_t n = 0; n < input_.tsda.size(); ++n) {
            const LynchTsda& t = input_.tsda[n];
            if (sliding_joint(t) != nullptr) continue;
            const auto end = [&](int body, const LynchVector& at) {
                const std::string& name = names_.bodies[static_cast<std::size_t>(body) - 1];
                return is_zero_vector(at) ? name : fmt::format("{}.{}", name, point_name(n, body));
            };
            line(t.where, "[[spring]]");
            line(t.where, fmt::format("from = \"{}\"", end(t.j, t.at_j)));
            line(t.where, fmt::format("to = \"{}\"", end(t.i, t.at_i)));
            write_element(t.where, "TSDA", "T", "BETA", t.i, t.j);
        }
    }

    /// GRAVITY in the words of a model file; nothing when there is none.
    std::string gravity() const {
        const std::string& factor = input_.gravity.text;
        if (is_zero_text(factor)) return {};
        LynchVector g{LynchCell{"0", {}}, LynchCell{"0", {}}, LynchCell{"0", {}}};
        g[input_.gravity_axis].text = factor == "1" ? "g" : factor == "-1" ? "-g" : fmt::format("({})*g", factor);
        return "gravity = " + triple(g);
    }

    std::string_view text_;
    std::string file_;
    std::string_view companion_text_;
    std::string companion_file_;
    Diagnostics& problems_;
    Value companion_;
    const Entry* lynch_ = nullptr;
    LynchInput input_;
    Names names_;
    std::vector<std::string> values_;  ///< names of parameters and inputs
    sym::Pool pool_;
    std::string generated_;
    std::vector<Position> origin_;
    std::size_t companion_lines_ = 0;
    bool has_error_ = false;
};

std::optional<std::string> content(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

std::string lynch_as_toml(std::string_view text, std::string file, std::string_view companion, std::string companion_file,
                          Diagnostics& problems) {
    return Translator(text, std::move(file), companion, std::move(companion_file), problems).run();
}

Reading read_lynch(std::string_view text, std::string file, std::string_view companion, const std::string& companion_file) {
    Diagnostics problems;
    Translator translator(text, std::move(file), companion, companion_file, problems);
    const std::string toml = translator.run();
    if (toml.empty()) return {std::nullopt, std::move(problems)};
    Reading reading = read(toml, companion_file);
    // What was written here came from his file.
    for (Diagnostic& d : reading.problems) {
        if (d.where.line > translator.companion_lines()) {
            d.where = translator.origin().at(d.where.line - translator.companion_lines() - 1);
            d.file = translator.file();
        }
    }
    if (reading.model) {
        const auto settle = [&](auto& list) {
            for (auto& element : list) {
                if (element.where.line > translator.companion_lines()) element.where = translator.lynch_key();
            }
        };
        settle(reading.model->bodies);
        settle(reading.model->joints);
        settle(reading.model->springs);
    }
    problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
    reading.problems = std::move(problems);
    return reading;
}

Reading read_lynch_files(const std::filesystem::path& companion) {
    const auto refused = [](const std::string& file, Position where, std::string what, std::string hint) {
        Reading reading;
        reading.problems.push_back({.file = file, .where = where, .what = std::move(what), .hint = std::move(hint)});
        return reading;
    };
    const std::string companion_file = companion.string();
    const std::optional<std::string> companion_text = content(companion);
    if (!companion_text) return refused(companion_file, {}, "the file cannot be read", "check the path and the permissions");
    Diagnostics problems;
    const std::optional<Value> table = parse_toml(*companion_text, problems);
    const Value* lynch = table ? table->find("lynch") : nullptr;
    std::optional<std::string> text = "";
    std::filesystem::path file;
    if (lynch != nullptr && lynch->is(Value::Kind::string)) {
        file = companion.parent_path() / lynch->string;
        text = content(file);
        if (!text)
            return refused(companion_file, lynch->where, fmt::format("the file '{}' cannot be read", lynch->string),
                           "its path starts at the folder of this file");
    }
    return read_lynch(*text, file.string(), *companion_text, companion_file);
}

}  // namespace linkwright::model
