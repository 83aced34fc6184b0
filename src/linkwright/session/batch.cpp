#include "linkwright/session/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/rank_nearby.hpp"
#include "linkwright/program/elimination.hpp"
#include "linkwright/program/parallel.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/solve/descriptor.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::session {

namespace {

using Index = Eigen::Index;
using sym::Expr;

constexpr std::array<std::string_view, 9> quantities{
    "accelerations",   "multipliers",         "mass_matrix",     "forcing", "coordinate_rates",
    "auxiliary_rates", "constraint_jacobian", "constraint_bias", "energy"};

constexpr std::size_t block = 256;  // states whose rows are put together at a time: they stay in the nearest cache

/// Asked for beside M, f, G, γ of a closed chain.
bool is_solved(const std::string& name, const eom::EquationsOfMotion& e) {
    return !e.constraints.empty() && (name == "accelerations" || name == "multipliers");
}

std::pair<std::size_t, std::size_t> size_of(const std::string& name, const eom::EquationsOfMotion& e) {
    const std::size_t n = e.u.size(), m = e.constraints.size();
    if (name == "mass_matrix") return {n, n};
    if (name == "constraint_jacobian") return {m, n};
    if (name == "multipliers" || name == "constraint_bias") return {m, 1};
    if (name == "coordinate_rates") return {e.q.size(), 1};
    if (name == "auxiliary_rates") return {e.x.size(), 1};
    if (name == "energy") return {2, 1};
    return {n, 1};
}

/// Those of straight-line code.
std::vector<Expr> expressions_of(const std::string& name, const eom::EquationsOfMotion& e) {
    std::vector<Expr> all;
    if (name == "accelerations") return eom::accelerations(e);
    if (name == "forcing") return e.f;
    if (name == "coordinate_rates") return e.qdot;
    if (name == "auxiliary_rates") return e.xdot;
    if (name == "energy") return {e.energy.kinetic, e.energy.potential};
    if (name == "mass_matrix") {
        for (const auto& row : e.M) all.insert(all.end(), row.begin(), row.end());
    }
    for (const eom::Constraint& c : e.constraints) {
        if (name == "constraint_jacobian") all.insert(all.end(), c.G.begin(), c.G.end());
        if (name == "constraint_bias") all.push_back(c.gamma);
    }
    return all;
}

/// M (the lower triangle by rows), f, G, γ of each row.
std::vector<Expr> descriptor_of(const eom::EquationsOfMotion& e) {
    std::vector<Expr> all;
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) all.push_back(e.M[i][j]);
    }
    all.insert(all.end(), e.f.begin(), e.f.end());
    for (const eom::Constraint& c : e.constraints) {
        all.insert(all.end(), c.G.begin(), c.G.end());
        all.push_back(c.gamma);
    }
    return all;
}

void check_size(const char* name, std::size_t given, std::size_t wanted) {
    if (given != wanted) throw std::invalid_argument(fmt::format("{}: {} numbers, not {}", name, given, wanted));
}

}  // namespace

struct BatchFunction::Inside {
    Names names;
    numeric::Layout layout;
    std::vector<BatchPart> parts;
    std::size_t outputs = 0;
    std::size_t straight = 0;  ///< of the outputs, the first: by `run`
    using Function = numeric::CompiledEquations::Function;
    Function run, descriptor;
    std::optional<Function> inputs;  ///< where they move
    Eigen::VectorXd input_values;    ///< where they do not
    std::size_t width() const { return static_cast<std::size_t>(layout.size()); }
    std::optional<Index> rank;                              ///< of G, where it is known
    std::optional<std::size_t> accelerations, multipliers;  ///< where they stand among the outputs, if solved for
    std::optional<Function> elimination;  ///< u̇, λ, weakest, growth, by pivots that are good at the initial state (program/elimination.hpp)

    void check_sizes(const BatchStates& s, std::size_t out) const;
    void pack(const BatchStates& s, std::size_t from, std::size_t count, std::vector<double>& rows) const;
    void put_inputs(std::size_t count, std::vector<double>& rows) const;
    void run_part(const BatchStates& s, std::size_t from, std::size_t to, std::span<double> out, BatchFailures& failures) const;
    void solve_part(std::span<const double> in, std::size_t first, std::size_t count, double* row, BatchFailures& failures) const;
    bool put_eliminated(const double* numbers, double* row) const;
    std::string solve(const double* numbers, double* row) const;
};

void BatchFunction::Inside::check_sizes(const BatchStates& s, std::size_t out) const {
    const std::size_t n = s.points;
    check_size("out", out, n * outputs);
    if (!s.packed.empty()) return check_size("packed", s.packed.size(), n * width());
    check_size("q", s.q.size(), n * layout.nq);
    check_size("u", s.u.size(), n * layout.nu);
    if (s.t.size() > 1) check_size("t", s.t.size(), n);
    if (!s.x.empty()) check_size("x", s.x.size(), n * layout.nx);
    if (!s.w.empty() && s.w.size() != static_cast<std::size_t>(layout.nw)) check_size("w", s.w.size(), n * layout.nw);
}

/// Inputs at their own values: expressions of t.
void BatchFunction::Inside::put_inputs(std::size_t count, std::vector<double>& rows) const {
    const std::size_t width = this->width(), nw = layout.nw;
    std::vector<double> values;
    if (inputs) {
        values.resize(count * nw);
        inputs->evaluator().batch(count, {rows.data(), count * width}, values);
    }
    for (std::size_t p = 0; p < count; ++p) {
        const double* from = inputs ? values.data() + p * nw : input_values.data();
        std::copy_n(from, nw, rows.data() + p * width + layout.w());
    }
}

void BatchFunction::Inside::pack(const BatchStates& s, std::size_t from, std::size_t count, std::vector<double>& rows) const {
    const std::size_t width = this->width();
    rows.resize(count * width);  // what nobody writes stays 0
    // Column by column: rows are short, and calling for the copy of each takes longer than the copy.
    const auto put = [&](std::span<const double> x, Index columns, Index at) {
        const auto n = static_cast<std::size_t>(columns);
        if (x.empty() || n == 0) return;
        const std::size_t step = x.size() == n ? 0 : n;  // one for all
        for (std::size_t c = 0; c < n; ++c) {
            const double* in = x.data() + from * step + c;
            double* out = rows.data() + at + c;
            for (std::size_t p = 0; p < count; ++p, in += step, out += width) *out = *in;
        }
    };
    put(s.t, 1, 0);
    put(s.q, layout.nq, layout.q());
    put(s.x, layout.nx, layout.x());
    put(s.u, layout.nu, layout.u());
    put(s.w, layout.nw, layout.w());
    if (s.w.empty() && layout.nw > 0) put_inputs(count, rows);
}

/// u̇ and λ from M, f, G, γ. Why not; empty when it went well.
std::string BatchFunction::Inside::solve(const double* x, double* row) const {
    const Index n = layout.nu, m = layout.m;
    numeric::Dynamics d{numeric::MatrixXd(n, n), numeric::MatrixXd(m, n), numeric::VectorXd(n), numeric::VectorXd(m)};
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j <= i; ++j) d.M(i, j) = d.M(j, i) = *x++;
    }
    for (Index i = 0; i < n; ++i) d.f[i] = *x++;
    for (Index r = 0; r < m; ++r) {
        for (Index j = 0; j < n; ++j) d.G(r, j) = *x++;
        d.gamma[r] = *x++;
    }
    const solve::DescriptorSolution s =
        rank ? solve::solve_descriptor(d.M, d.f, d.G, d.gamma, *rank) : solve::solve_descriptor(d.M, d.f, d.G, d.gamma);
    const auto put = [&](const std::optional<std::size_t>& at, const Eigen::VectorXd& from, Index size) {
        if (!at) return;
        for (Index i = 0; i < size; ++i) row[*at + i] = s.ok ? from[i] : std::numeric_limits<double>::quiet_NaN();
    };
    put(accelerations, s.udot, n);
    put(multipliers, s.lambda, m);
    return s.ok ? std::string() : s.why;
}

/// False where the state is outside the domain of the pivots.
bool BatchFunction::Inside::put_eliminated(const double* numbers, double* row) const {
    const Index n = layout.nu, m = layout.m;
    const double weakest = numbers[n + m], growth = numbers[n + m + 1];
    if (!(weakest >= 1 && growth <= program::Elimination::most_growth) ||
        !std::all_of(numbers, numbers + n + m, [](double x) { return std::isfinite(x); }))
        return false;
    if (accelerations) std::copy_n(numbers, n, row + *accelerations);
    if (multipliers) std::copy_n(numbers + n, m, row + *multipliers);
    return true;
}

/// u̇ and λ of some states: in lanes by elimination, and by the general solver where that does not hold.
void BatchFunction::Inside::solve_part(std::span<const double> in, std::size_t first, std::size_t count, double* row,
                                       BatchFailures& failures) const {
    std::vector<double> numbers, general(descriptor.evaluator().outputs());
    if (elimination) {
        numbers.resize(count * elimination->evaluator().outputs());
        elimination->evaluator().batch(count, in, numbers);
    }
    for (std::size_t p = 0; p < count; ++p, row += outputs) {
        if (elimination && put_eliminated(numbers.data() + p * elimination->evaluator().outputs(), row)) continue;
        descriptor.evaluator().batch(1, in.subspan(p * width(), width()), general);
        const std::string why = solve(general.data(), row);
        if (why.empty()) continue;
        if (failures.count++ == 0) failures.first = first + p, failures.why = why;
    }
}

void BatchFunction::Inside::run_part(const BatchStates& s, std::size_t from, std::size_t to, std::span<double> out,
                                     BatchFailures& failures) const {
    std::vector<double> rows, plain;
    const std::size_t width = this->width();
    for (std::size_t at = from; at < to; at += block) {
        const std::size_t count = std::min(block, to - at);
        std::span<const double> in;
        if (s.packed.empty()) {
            pack(s, at, count, rows);
            in = rows;
        } else {
            in = s.packed.subspan(at * width, count * width);
        }
        if (straight == outputs) {
            run.evaluator().batch(count, in, out.subspan(at * outputs, count * outputs));
            continue;
        }
        plain.resize(count * straight);
        if (straight > 0) run.evaluator().batch(count, in, plain);
        for (std::size_t p = 0; p < count; ++p) std::copy_n(plain.data() + p * straight, straight, out.data() + (at + p) * outputs);
        solve_part(in, at, count, out.data() + at * outputs, failures);
    }
}

const Names& BatchFunction::names() const { return inside_->names; }
const numeric::Layout& BatchFunction::layout() const { return inside_->layout; }
const std::vector<BatchPart>& BatchFunction::parts() const { return inside_->parts; }
std::size_t BatchFunction::inputs() const { return inside_->width(); }
std::size_t BatchFunction::outputs() const { return inside_->outputs; }
bool BatchFunction::is_native() const { return jit::is_native(inside_->run.evaluator()); }

BatchFailures BatchFunction::operator()(const BatchStates& states, std::span<double> out, unsigned threads) const {
    inside_->check_sizes(states, out.size());
    std::mutex guard;
    BatchFailures all;
    program::run_in_parts(
        states.points,
        [&](std::size_t from, std::size_t to) {
            BatchFailures here;
            inside_->run_part(states, from, to, out, here);
            if (here.count == 0) return;
            const std::scoped_lock lock(guard);
            if (all.count == 0 || here.first < all.first) all.first = here.first, all.why = here.why;
            all.count += here.count;
        },
        threads);
    return all;
}

std::span<const std::string_view> batch_quantities() { return quantities; }

Diagnostics check(const BatchOptions& options) {
    Report report;
    const std::vector<std::string> known(quantities.begin(), quantities.end());
    if (options.what.empty()) report.error("there is nothing to compute", hint_for("", known));
    for (std::size_t i = 0; i < options.what.size(); ++i) {
        const std::string& name = options.what[i];
        if (std::ranges::find(known, name) == known.end())
            report.error(fmt::format("unknown quantity '{}'", name), hint_for(name, known));
        else if (std::find(options.what.begin(), options.what.begin() + static_cast<std::ptrdiff_t>(i), name) !=
                 options.what.begin() + static_cast<std::ptrdiff_t>(i))
            report.error(fmt::format("'{}' is asked for twice", name));
    }
    return report.problems;
}

namespace {

/// Straight-line parts first, those that are solved for after them; in the order asked for within both.
void lay_out(BatchFunction::Inside& b, const std::vector<std::string>& what, const eom::EquationsOfMotion& e) {
    for (const bool solved : {false, true}) {
        for (const std::string& name : what) {
            if (is_solved(name, e) != solved) continue;
            const auto [rows, columns] = size_of(name, e);
            BatchPart part{name, b.outputs, rows, columns, name == "mass_matrix" || name == "constraint_jacobian"};
            if (solved) (name == "accelerations" ? b.accelerations : b.multipliers) = part.at;
            b.outputs += part.size();
            b.parts.push_back(std::move(part));
        }
        if (!solved) b.straight = b.outputs;
    }
    std::ranges::sort(b.parts, {}, [&](const BatchPart& p) { return std::ranges::find(what, p.name) - what.begin(); });
}

/// How loops are solved for: the rank that emitted code has (generate.hpp), and pivots that are good at the initial state. None where rows are redundant:
/// beside the constraints the general solver finds their compromise.
void prepare_loops(BatchFunction::Inside& b, const numeric::CompiledEquations& numbers) {
    const std::vector<Expr> system = descriptor_of(numbers.equations());
    b.descriptor = numbers.compile(system);
    const numeric::AssembledState start = assemble(numbers, wanted(numbers));
    if (!start.is_ok()) return;
    b.rank = rank_nearby(numbers, start.state).generic();
    if (*b.rank < b.layout.m) return;
    const Eigen::VectorXd in = arguments(b.layout, start.state);
    std::vector<double> reference(b.descriptor.evaluator().outputs());
    b.descriptor.evaluator().batch(1, {in.data(), static_cast<std::size_t>(in.size())}, reference);
    if (!std::ranges::all_of(reference, [](double x) { return std::isfinite(x); })) return;
    const auto n = static_cast<std::size_t>(b.layout.nu), m = static_cast<std::size_t>(b.layout.m);
    program::Elimination e = program::eliminate(numbers.lower(system), {n, m}, reference);
    if (!e.is_ok() || static_cast<Index>(e.rank()) != *b.rank) return;
    e.program.outputs.resize(n + m + 2);  // u̇, λ, weakest, growth
    b.elimination = numbers.compile(std::move(e.program));
}

}  // namespace

Result<BatchFunction> compile_batch(const Session& session, const BatchOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench) return report;
    const eom::EquationsOfMotion& e = bench->equations();
    const numeric::CompiledEquations& numbers = bench->numbers(options.interpret ? Code::interpreted : Code::native, report);

    auto b = std::make_shared<BatchFunction::Inside>();
    b->names = names_of(e);
    b->layout = numbers.layout();
    lay_out(*b, options.what, e);
    std::vector<Expr> straight;
    for (const BatchPart& part : b->parts) {
        if (is_solved(part.name, e)) continue;
        const std::vector<Expr> some = expressions_of(part.name, e);
        straight.insert(straight.end(), some.begin(), some.end());
    }
    b->run = numbers.compile(straight);
    if (b->straight < b->outputs) prepare_loops(*b, numbers);
    std::vector<Expr> inputs;
    for (const eom::Input& w : e.inputs) inputs.push_back(w.value);
    const bool move = std::ranges::any_of(inputs, [&](const Expr& w) { return sym::depends_on(w, e.t); });
    if (move) b->inputs = numbers.compile(inputs);
    b->input_values = numbers.input_values(0);
    return {report, BatchFunction(std::move(b))};
}

}  // namespace linkwright::session
