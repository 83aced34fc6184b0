#include "linkwright/present/page.hpp"
#include "linkwright/present/given_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "linkwright/eom/operational_inertia.hpp"
#include "linkwright/present/references.hpp"

namespace linkwright::present {

namespace {

constexpr std::array<std::string_view, 17> all_parts{"q", "M", "f", "G",      "elimination", "energy",  "momentum", "power",     "B",
                                                     "g", "C", "J", "Lambda", "causes",      "outputs", "cut",      "parameters"};
/// Those that are there when they are asked for by name.
constexpr std::array<std::string_view, 5> parts_on_request{"g", "C", "J", "Lambda", "causes"};

std::string number(std::size_t i) { return std::to_string(i + 1); }

bool is_symmetric(const sym::Matrix& M) {
    for (std::size_t i = 0; i < M.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (M[i].size() != M.size() || M[i][j] != M[j][i]) return false;
        }
    }
    return true;
}

std::vector<std::string> names(std::span<const Expr> symbols) {
    std::vector<std::string> out;
    for (const Expr& s : symbols) out.push_back(s.symbol().name);
    return out;
}

/// . for zero, a letter for what stands in several places (−a for its negative), * for what stands in one.
std::optional<Pattern> pattern(const Label& label, const sym::Matrix& M) {
    const auto positive = [](const Expr& e) { return negative_of(e).value_or(e); };
    std::unordered_map<Expr, std::size_t> places;
    std::size_t entries = 0, zeros = 0, twins = 0;
    for (std::size_t i = 0; i < M.size(); ++i) {
        for (std::size_t j = i; j < M.size(); ++j) {
            ++entries;
            if (M[i][j].is_literally(0))
                ++zeros;
            else
                ++places[positive(M[i][j])];
        }
    }
    for (const auto& [e, times] : places) twins += times > 1 ? times : 0;
    constexpr std::size_t worth_showing = 4;  // one entry of so many
    if (M.size() < 3 || worth_showing * (zeros + twins) < entries) return std::nullopt;
    constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz";
    std::unordered_map<Expr, std::string> letters;
    Pattern out{label, std::vector(M.size(), std::vector<std::string>(M.size()))};
    for (std::size_t i = 0; i < M.size(); ++i) {
        for (std::size_t j = 0; j < M.size(); ++j) {
            const Expr e = positive(M[i][j]);
            std::string& cell = out.cells[i][j];
            if (M[i][j].is_literally(0)) {
                cell = ".";
            } else if (places[e] < 2 || (letters.size() == alphabet.size() && !letters.contains(e))) {
                cell = "*";
            } else {
                if (!letters.contains(e)) letters.insert({e, std::string(1, alphabet[letters.size()])});
                cell = (e != M[i][j] ? "-" : "") + letters.at(e);
            }
        }
    }
    return out;
}

Section letters(const eom::EquationsOfMotion& e) {
    Section s{"", {}};
    const bool is_constrained = !e.constraints.empty();
    if (is_constrained) {
        s.blocks.emplace_back(Law{"M u' + G^T lambda = f,   G u' = gamma", "M u̇ + Gᵀ λ = f,   G u̇ = γ",
                                  "M \\dot{u} + G^{T} \\lambda = f, \\qquad G \\dot{u} = \\gamma"});
    } else {
        s.blocks.emplace_back(Law{"M u' = f", "M u̇ = f", "M \\dot{u} = f"});
    }
    s.blocks.emplace_back(Legend{{"q"}, "coordinates", names(e.q)});
    s.blocks.emplace_back(Legend{{"u"}, "speeds", names(e.u)});
    if (!e.x.empty()) s.blocks.emplace_back(Legend{{"x"}, "auxiliary states", names(e.x)});
    std::vector<std::string> inputs;
    for (const eom::Input& w : e.inputs) inputs.push_back(w.symbol.symbol().name);
    if (!inputs.empty()) s.blocks.emplace_back(Legend{{"w"}, "inputs", inputs});
    s.blocks.emplace_back(Legend{{"M"}, "mass matrix"});
    s.blocks.emplace_back(Legend{{"f"}, "forcing: everything that is not `M u'`, without constraint forces"});
    if (!is_constrained) return s;
    std::vector<std::string> multipliers;
    for (const eom::Constraint& c : e.constraints) {
        if (c.lambda.is_symbol()) multipliers.push_back(c.lambda.symbol().name);
    }
    s.blocks.emplace_back(Legend{{"G"},
                                 "Jacobian of the constraints, a row for each; `phi` is the position residual,"
                                 " `gamma` the right-hand side"});
    s.blocks.emplace_back(Legend{{"lambda"}, "multipliers", multipliers});
    return s;
}

Section kinematics(const eom::EquationsOfMotion& e) {
    Section s{"Kinematics", {}};
    Entries entries;
    for (std::size_t i = 0; i < e.qdot.size(); ++i) {
        const std::string name = e.q[i].symbol().name, rate = name + "'";
        if (e.qdot[i].is_symbol() && e.qdot[i].symbol().name == rate) continue;
        const bool is_taken = e.q[i].pool().find_symbol(rate).has_value();  // a speed called hip' that is not d(hip)/dt
        entries.entries.push_back({{is_taken ? "d(" + name + ")/dt" : rate}, e.qdot[i]});
    }
    for (const auto& group : e.quaternions) {
        s.blocks.emplace_back(
            Paragraph{fmt::format("`{}`, `{}`, `{}`, `{}` are a unit quaternion, the scalar first.", e.q[group[0]].symbol().name,
                                  e.q[group[1]].symbol().name, e.q[group[2]].symbol().name, e.q[group[3]].symbol().name)});
    }
    const std::size_t shown = entries.entries.size();
    if (shown < e.qdot.size()) {
        s.blocks.emplace_back(Paragraph{shown == 0 ? "The rate of every coordinate is its speed."
                                                   : "The rate of every coordinate that is not listed is its speed."});
    }
    if (shown > 0) s.blocks.emplace_back(std::move(entries));
    return s;
}

Section auxiliary_states(const eom::EquationsOfMotion& e) {
    Entries rates;
    for (std::size_t i = 0; i < e.x.size(); ++i) rates.entries.push_back({{e.x[i].symbol().name + "'"}, e.xdot[i]});
    return {"Auxiliary states", {std::move(rates)}};
}

Section mass_matrix(const eom::EquationsOfMotion& e) {
    if (e.M.empty()) return {"Mass matrix", {}};
    return {"Mass matrix", {Matrix{{"M"}, e.M, "", is_symmetric(e.M)}}};
}

Entries listed(const std::string& symbol, std::span<const Expr> values, std::span<const std::string> index = {}) {
    Entries out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        out.entries.push_back({{symbol, {index.empty() ? number(i) : index[i]}}, values[i]});
    }
    return out;
}

Section constraints(const eom::EquationsOfMotion& e) {
    Section s{"Constraints", {}};
    sym::Matrix G;
    Entries phi;
    for (std::size_t i = 0; i < e.constraints.size(); ++i) {
        const eom::Constraint& c = e.constraints[i];
        const char* kind = c.is_holonomic ? "holonomic" : "nonholonomic";
        s.blocks.emplace_back(Paragraph{fmt::format("Row {}: {}, {}.", i + 1, c.name, kind)});
        if (c.is_holonomic) phi.entries.push_back({{"phi", {number(i)}}, c.phi});
        G.push_back(c.G);
    }
    if (!phi.entries.empty()) s.blocks.emplace_back(std::move(phi));
    s.blocks.emplace_back(Matrix{{"G"}, std::move(G)});
    return s;
}

Section right_hand_sides(const eom::EquationsOfMotion& e, bool brief) {
    Section s{"Right-hand sides of the constraints", {}, true};
    if (brief) {
        s.blocks.emplace_back(Law{"gamma = -(dG/dt) u - db/dt", "γ = −Ġ u − ḃ", "\\gamma = -\\dot{G} u - \\dot{b}"});
        s.blocks.emplace_back(
            Paragraph{"`b` in `G u + b = 0` is the contribution of given motions, and 0 where there are none. The option --only G writes "
                      "`gamma` out."});
        return s;
    }
    Entries gamma;
    for (std::size_t i = 0; i < e.constraints.size(); ++i) gamma.entries.push_back({{"gamma", {number(i)}}, e.constraints[i].gamma});
    s.blocks.emplace_back(std::move(gamma));
    return s;
}

Section partial_velocities(const eom::EquationsOfMotion& e) {
    Section s{"Partial velocities", {}};
    const std::string axes = e.axes.empty() ? "" : " (" + e.axes + " axes)";
    s.blocks.emplace_back(
        Paragraph{"Rows: angular velocity, then velocity of the centre of mass, along x, y, z" + axes + ". A column for each speed."});
    const auto is_zero = [](const Expr& x) { return x.is_literally(0); };
    for (const eom::PartialVelocities& p : e.partial_velocities) {
        s.blocks.emplace_back(Matrix{{"B_" + p.body}, {p.B.begin(), p.B.end()}});
        if (!std::ranges::all_of(p.rest, is_zero)) {
            s.blocks.emplace_back(Paragraph{"What does not depend on the speeds:"});
            s.blocks.emplace_back(Matrix{{"b_" + p.body}, column(p.rest)});
        }
        s.blocks.emplace_back(Paragraph{"The acceleration left when `u' = 0`:"});
        s.blocks.emplace_back(Matrix{{"a_" + p.body}, column(p.Bdot_u)});
    }
    return s;
}

const eom::ForceShare* find_share(const eom::EquationsOfMotion& e, std::string_view cause) {
    const auto at = std::ranges::find(e.shares, cause, &eom::ForceShare::cause);
    return at == e.shares.end() ? nullptr : &*at;
}

Section velocity_forces(const eom::EquationsOfMotion& e) {
    Section s{"Velocity forces", {}};
    s.blocks.emplace_back(
        Paragraph{"Velocity-dependent inertia forces are `-C u` in `f`; `C` is the matrix for which `M' - 2 C` is skew-symmetric."});
    if (!e.C.empty()) s.blocks.emplace_back(Matrix{{"C"}, e.C});
    return s;
}

Section gravity_forces(const eom::EquationsOfMotion& e) {
    Section s{"Gravity", {}};
    s.blocks.emplace_back(Paragraph{"Forces that balance the weight: `-g` in `f`."});
    std::vector<Expr> g;
    if (const eom::ForceShare* weight = find_share(e, "gravity")) {
        for (const Expr& x : weight->f) g.push_back(-x);
    }
    s.blocks.emplace_back(listed("g", g));
    return s;
}

Section forces_by_cause(const eom::EquationsOfMotion& e) {
    Section s{"Forcing by cause", {}};
    s.blocks.emplace_back(Paragraph{"`f` is the sum of these."});
    for (const eom::ForceShare& share : e.shares) {
        s.blocks.emplace_back(listed("f_" + share.cause.substr(0, share.cause.find(' ')), share.f));
    }
    return s;
}

Section frame_jacobians(const eom::EquationsOfMotion& e) {
    Section s{"Jacobians", {}};
    const auto is_zero = [](const Expr& x) { return x.is_literally(0); };
    for (const eom::FrameJacobian& frame : e.jacobians) {
        s.blocks.emplace_back(
            Paragraph{fmt::format("`{}`: {}. Rows {}; a column for each speed.", frame.name, frame.about, fmt::join(frame.rows, ", "))});
        s.blocks.emplace_back(Matrix{{"J_" + frame.name}, frame.J});
        if (!std::ranges::all_of(frame.rest, is_zero)) {
            s.blocks.emplace_back(Paragraph{"What does not depend on the speeds:"});
            s.blocks.emplace_back(Matrix{{"b_" + frame.name}, sym::column(frame.rest)});
        }
        s.blocks.emplace_back(Paragraph{"The acceleration left when `u' = 0`, that is `J' u`:"});
        s.blocks.emplace_back(Matrix{{"a_" + frame.name}, sym::column(frame.bias)});
    }
    return s;
}

Section operational_inertias(const eom::EquationsOfMotion& e) {
    Section s{"Operational-space inertia", {}};
    s.blocks.emplace_back(Law{"Lambda = (J M^-1 J^T)^-1", "Λ = (J M⁻¹ Jᵀ)⁻¹", "\\Lambda = (J M^{-1} J^{T})^{-1}"});
    for (const eom::FrameJacobian& frame : e.jacobians) {
        const eom::OperationalInertia found = eom::readable_inertia(e, frame);
        std::vector<std::string> rows;
        for (const std::size_t row : found.moved) rows.push_back(frame.rows[row]);
        if (found.inertia.empty()) {
            s.blocks.emplace_back(Paragraph{fmt::format("`{}`: {}. There is none: {}.", frame.name, frame.about, found.why_none)});
            continue;
        }
        s.blocks.emplace_back(Paragraph{fmt::format("`{}`: {}. Rows and columns {}.", frame.name, frame.about, fmt::join(rows, ", "))});
        s.blocks.emplace_back(Matrix{{"Lambda_" + frame.name}, found.inertia, "", true});
    }
    return s;
}

/// Symbol = definition, symbol = value, note; what is not there is left out.
void add_line(Section& s, const eom::Step::Line& line) {
    const bool is_defined = !line.definition.empty();
    const std::string citation = readable_citation(line.citation);
    if (is_defined) s.blocks.emplace_back(Definition{{line.symbol}, line.definition, citation});
    if (!line.value.empty()) s.blocks.emplace_back(Matrix{{line.symbol}, line.value, is_defined ? "" : citation});
    if (!line.note.empty()) s.blocks.emplace_back(Note{line.note});
}

std::vector<Section> steps(const eom::Derivation& derivation) {
    std::vector<Section> out;
    for (const eom::Step& step : derivation.steps) {
        Section s{fmt::format("Step {}. {}", out.size() + 1, step.title), {}};
        if (!step.text.empty()) s.blocks.emplace_back(Paragraph{step.text});
        for (const eom::Step::Line& line : step.lines) add_line(s, line);
        if (!step.citation.empty()) s.blocks.emplace_back(Paragraph{"[" + readable_citation(step.citation) + "]"});
        out.push_back(std::move(s));
    }
    return out;
}

/// The works that a derivation cites; nothing when it cites none.
std::optional<Section> cited_works(const eom::Derivation& derivation) {
    Section s{"References", {}};
    for (const Reference& r : references()) {
        const auto cites = [&](const auto& what) { return is_cited(r, what.citation); };
        const bool is_there = std::ranges::any_of(
            derivation.steps, [&](const eom::Step& step) { return cites(step) || std::ranges::any_of(step.lines, cites); });
        if (is_there) s.blocks.emplace_back(Paragraph{fmt::format("[{}] {}.", r.called, r.written)});
    }
    if (s.blocks.empty()) return std::nullopt;
    return s;
}

}  // namespace

std::span<const std::string_view> parts() { return all_parts; }

bool is_wanted(const Options& options, std::string_view part) {
    if (!options.only.empty()) return std::ranges::find(options.only, part) != options.only.end();
    if (std::ranges::find(parts_on_request, part) != parts_on_request.end()) return false;
    return options.to == To::json || (part != "momentum" && part != "power" && part != "cut");
}

std::optional<Expr> negative_of(const Expr& e) {
    if (e.op() != sym::Op::mul) return std::nullopt;
    if (e.arg(0).is_literally(-1)) return e.arg(1);
    return e.arg(1).is_literally(-1) ? std::optional(e.arg(0)) : std::nullopt;
}

std::vector<Block> entry_by_entry(const Label& label, const sym::Matrix& rows, bool is_symmetric) {
    constexpr std::size_t many = 6;
    const bool is_column = rows.size() > 1 && std::ranges::all_of(rows, [](const auto& row) { return row.size() == 1; });
    Entries all, others;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = is_symmetric ? i : 0; j < rows[i].size(); ++j) {
            Entry entry{{label.symbol, {number(i)}}, rows[i][j]};
            if (!is_column) entry.label.index.push_back(number(j));
            if (!rows[i][j].is_literally(0)) others.entries.push_back(entry);
            all.entries.push_back(std::move(entry));
        }
    }
    if (all.entries.size() - others.entries.size() <= many) return {std::move(all)};
    if (others.entries.empty()) return {Paragraph{"All entries of `" + label.symbol + "` are 0."}};
    return {std::move(others), Paragraph{"All other entries of `" + label.symbol + "` are 0."}};
}

Label of_one(const Matrix& m) { return m.is_symmetric ? Label{m.label.symbol, {"1", "1"}} : m.label; }

std::vector<Block> spread(const Matrix& m) {
    std::vector<Block> out;
    if (m.is_symmetric && m.rows.size() > 1) {
        out.emplace_back(Paragraph{"`" + m.label.symbol + "` is symmetric: the entries on and above the diagonal."});
        if (auto p = pattern(m.label, m.rows)) out.emplace_back(std::move(*p));
    }
    for (Block& b : entry_by_entry(m.label, m.rows, m.is_symmetric)) out.push_back(std::move(b));
    return out;
}

Page make_page(const eom::EquationsOfMotion& e, const eom::Derivation* derivation, const Options& options, bool brief) {
    Page page{e.name.empty() ? "Equations of motion" : e.name, {}, {}};
    const auto wanted = [&](std::string_view part) { return is_wanted(options, part); };
    const auto add = [&](Section s) { page.after.push_back(std::move(s)); };
    if (wanted("q")) page.before.push_back(letters(e));
    if (wanted("q") && !e.assumptions.empty()) {
        Section assumptions{"Assumptions", {}};
        for (const std::string& line : e.assumptions) assumptions.blocks.emplace_back(Paragraph{line + "."});
        page.before.push_back(std::move(assumptions));
    }
    if (wanted("parameters") && e.parameters.size() + e.inputs.size() > 0) {
        Table parameters, constants, inputs;
        const std::vector<Expr> values = given_values(e);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const eom::Parameter& p = e.parameters[i];
            (p.is_shape_constant ? constants : parameters)
                .rows.push_back({p.symbol.symbol().name, values[i], p.unit, p.about, !p.is_shape_constant});
        }
        for (const auto& w : e.inputs) inputs.rows.push_back({w.symbol.symbol().name, w.value, w.unit, w.about});
        if (!parameters.rows.empty()) page.before.push_back({"Parameters", {std::move(parameters)}});
        if (!constants.rows.empty()) page.before.push_back({"Shape constants of the beams", {std::move(constants)}});
        if (!inputs.rows.empty()) page.before.push_back({"Inputs, with their default values", {std::move(inputs)}});
    }
    if (derivation != nullptr) page.after = steps(*derivation);
    if (wanted("q") && !e.q.empty()) add(kinematics(e));
    if (wanted("q") && !e.x.empty()) add(auxiliary_states(e));
    if (wanted("M")) add(mass_matrix(e));
    if (wanted("f")) add({"Forcing", {listed("f", e.f)}});
    const bool tells_elimination = wanted("elimination") && !options.elimination.empty();
    if (wanted("G") && !e.constraints.empty()) {
        Section rows = constraints(e);
        if (tells_elimination) rows.blocks.emplace_back(Paragraph{options.elimination});
        add(std::move(rows)), add(right_hand_sides(e, brief));
    } else if (tells_elimination) {
        add({"Solution of the linear system", {Paragraph{options.elimination}}});
    }
    if (wanted("energy")) add({"Energy", {Entries{{{{"T"}, e.energy.kinetic}, {{"V"}, e.energy.potential}}}}});
    if (wanted("power")) {
        add({"Power",
             {Paragraph{"Power supplied by actuators, dampers and given motions: `d(T + V)/dt = P`."}, Entries{{{{"P"}, e.power}}}}});
    }
    if (wanted("momentum")) {
        const std::array<std::string, 3> axes{"x", "y", "z"};
        add({"Momentum",
             {Paragraph{"Linear `p` and angular `H`, about the ground's origin, along the ground's axes."},
              listed("p", e.momentum.linear, axes), listed("H", e.momentum.angular, axes)}});
    }
    if (wanted("B") && !e.partial_velocities.empty()) add(partial_velocities(e));
    if (wanted("C")) add(velocity_forces(e));
    if (wanted("g")) add(gravity_forces(e));
    if (wanted("causes")) add(forces_by_cause(e));
    if (wanted("J")) add(frame_jacobians(e));
    if (wanted("Lambda")) add(operational_inertias(e));
    Entries outputs, cut;
    for (const eom::Output& o : e.outputs) {
        const bool is_of_cut_joint = std::ranges::find(options.cut, o.name) != options.cut.end();
        (is_of_cut_joint ? cut : outputs).entries.push_back({{o.name}, o.value});
    }
    if (wanted("outputs") && !outputs.entries.empty()) add({"Outputs", {std::move(outputs)}});
    if (wanted("cut") && !cut.entries.empty()) add({"Coordinates and speeds of cut joints", {std::move(cut)}});
    if (derivation != nullptr) {
        if (auto works = cited_works(*derivation)) add(*std::move(works));
    }
    return page;
}

std::vector<std::vector<Expr>> expressions(const Page& page) {
    std::vector<std::vector<Expr>> out;
    std::unordered_set<Expr> seen;
    const auto meet = [&](const Expr& e) {
        if (seen.insert(e).second) out.back().push_back(e);
    };
    for (const Section& section : page.after) {
        out.emplace_back();
        for (const Block& block : section.blocks) {
            if (const auto* entries = std::get_if<Entries>(&block)) {
                for (const Entry& entry : entries->entries) meet(entry.value);
            } else if (const auto* matrix = std::get_if<Matrix>(&block)) {
                for (const auto& row : matrix->rows) std::ranges::for_each(row, meet);
            }
        }
    }
    return out;
}

}  // namespace linkwright::present
