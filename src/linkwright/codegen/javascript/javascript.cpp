#include "linkwright/codegen/javascript/javascript.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linkwright/codegen/javascript/kernel.hpp"
#include "linkwright/codegen/layout.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/codegen/statements.hpp"

namespace linkwright::codegen::javascript {
namespace {

using program::Op;

constexpr std::size_t width = 110;

std::string number(double x) {
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x < 0 ? "-Infinity" : "Infinity";
    return shortest(x);
}

std::string shared(std::size_t place) { return fmt::format("s[{}]", place); }
std::string result(std::size_t call, std::size_t k) { return fmt::format("r{}[{}]", call, k); }

std::string call(Op op, std::span<const std::string> a) {
    switch (op) {
        case Op::min: return fmt::format("smaller({}, {})", a[0], a[1]);  // a NaN as in the other languages
        case Op::max: return fmt::format("larger({}, {})", a[0], a[1]);
        case Op::select: return fmt::format("({} > 0 ? {} : {})", a[0], a[1], a[2]);
        default: return fmt::format("Math.{}({})", program::name(op), fmt::join(a, ", "));
    }
}

/// In a comment to the end of the line, which a page may hold.
std::string harmless(const std::string& text) { return replace(replace(one_line(text), "</", "< /"), "<!", "< !"); }

/// Functions that give an object of their results, however few these are.
bool gives_object(const Function& f) {
    constexpr std::array<std::string_view, 7> several{"dynamics", "rate_jacobians", "jacobians", "energy",
                                                      "momentum", "residuals",      "causes"};
    return f.results.size() > 1 || f.name.starts_with("frame_") || std::ranges::find(several, f.name) != several.end();
}

std::size_t size_of(const Result& r) { return r.rows * r.columns; }

class Writer {
public:
    Writer(const Package& package, bool is_script) : k_(package), is_script_(is_script) {}

    std::string write_module() {
        write_everything();
        return text_ + "\n" + names_between("export { ", " };");
    }

    std::string write_script() {
        write_everything();
        return fmt::format("// Equations of motion, written by {}.\n\"use strict\";\nglobalThis.linkwrightModel = (() => {{\n", made_by()) +
               text_ + "\n" + names_between("return { ", " };") + "})();\n";
    }

private:
    void write_everything() {
        if (!is_script_) write_head();
        write_symbols();
        exported("values");
        text_ += values_kernel;
        write_decisions();
        for (const Function& f : k_.routines) {
            if (f.is_called) write_routine(f);
        }
        if (k_.find("setup") == nullptr) {
            exported("setup");
            comment({"Nothing here depends on parameters."});
            line("function setup(p, out = new Float64Array(0)) {\n  return out;\n}");
        }
        for (const Function& f : k_.functions) write_function(f);
        if (has_speeds()) text_ += definite_kernel;
        if (has_speeds() && is_closed()) text_ += descriptor_kernel;
        write_accelerations();
        write_rhs();
        write_rhs_jacobian();
        write_normalise();
    }

    bool has_speeds() const { return k_.nu() > 0; }
    bool is_closed() const { return k_.m() > 0; }

    void line(const std::string& text) { text_ += text + "\n"; }

    /// Before a function; a script does without.
    void comment(const std::vector<std::string>& lines) {
        line("");
        if (is_script_) return;
        for (const std::string& l : lines) {
            for (const std::string& part : wrap(harmless(l), width - 3)) line("// " + part);
        }
    }

    void exported(const std::string& name) { exports_.push_back(name); }

    std::string names_between(const std::string& before, const std::string& after) const {
        std::vector<std::string> pieces = separated(exports_, ",");
        pieces.front() = before + pieces.front();
        pieces.back() += after;
        std::string text;
        for (const std::string& l : fill(pieces, width, "  ")) text += l + "\n";
        return text;
    }

    // ---- what it is about ----

    void write_head() {
        for (const std::string& l : head(k_, 0)) line(l.empty() ? "//" : "// " + harmless(l));
        const bool follows = k_.find("input_values") != nullptr;
        const std::string changes =
            k_.np() == 0 ? std::string()
                         : fmt::format(", {{ {}: {} }}", quoted(k_.arguments[4].entries[0].name), number(k_.arguments[4].entries[0].value));
        for (const std::string& l : std::vector<std::string>{
                 "",
                 "Use",
                 "",
                 fmt::format("    import * as model from \"./{}.mjs\";", k_.identifier),
                 fmt::format("    const p = model.values(model.PARAMETERS{});{}", changes,
                             changes.empty() ? "" : "  // others as in the table"),
                 "    const c = model.setup(p);  // again whenever a parameter changes",
                 fmt::format("    const w = {};", follows ? "model.input_values(0, c)" : "model.values(model.INPUTS)"),
                 "    const x = Float64Array.of(...model.values(model.COORDINATES), ...model.values(model.SPEEDS));",
                 "    for (let step = 0; step < 1000; ++step) {  // Euler's method, the simplest there is",
                 fmt::format("      const rate = model.rhs(1e-3 * step, x, {}, c);", follows ? "model.input_values(1e-3 * step, c)" : "w"),
                 "      for (let i = 0; i < x.length; ++i) x[i] += 1e-3 * rate[i];",
                 "    }",
                 "    const { A, B } = model.rhs_jacobian(1, x, w, c);",
                 "",
                 "Vectors are Float64Arrays (any array-like goes in), matrices the same, row by row. Several results come as an object.",
                 "What a function returned may be handed to it again as its last argument, to be written over.",
             })
            line(l.empty() ? "//" : "// " + harmless(l));
        if (!is_closed()) return;
        line("//");
        line("// A state must fulfil the constraints (see residuals); accelerations keep it there up to the drift of the integrator.");
        line("// Rows may be redundant: of the multipliers that serve the shortest are returned. Rows that contradict each other by");
        line("// more than drift explains, and motions without inertia, throw an Error.");
    }

    void write_symbols() {
        line("");
        line(fmt::format("const name = {};", quoted(k_.name)));
        line(fmt::format("const formulation = {};", quoted(k_.formulation)));
        line(fmt::format("const NQ = {}, NU = {}, NW = {}, NP = {}, NC = {}, NM = {};", k_.nq(), k_.nu(), k_.nw(), k_.np(), k_.nc(),
                         k_.m()));
        line(!is_closed()                    ? "const RANK = 0;"
             : k_.rank == Package::undecided ? "const RANK = null;  // independent constraints: counted at every call"
                                             : fmt::format("const RANK = {};  // independent constraints, at the start", k_.rank));
        for (const char* x : {"name", "formulation", "NQ", "NU", "NW", "NP", "NC", "NM", "RANK"}) exported(x);
        write_list("COORDINATES", k_.arguments[1].entries);
        write_list("SPEEDS", k_.arguments[2].entries);
        write_list("INPUTS", k_.arguments[3].entries);
        write_list("PARAMETERS", k_.arguments[4].entries);
        write_list("CONSTRAINTS", k_.constraints);
        write_list("OUTPUTS", k_.outputs);
    }

    void write_list(const std::string& list, const std::vector<Entry>& entries) {
        exported(list);
        if (entries.empty()) return line(fmt::format("const {} = [];", list));
        line(fmt::format("const {} = [", list));
        for (const Entry& e : entries) {
            line(fmt::format("  {{ name: {}, unit: {}, about: {}, value: {} }},", quoted(e.name), quoted(e.unit), quoted(e.about),
                             number(e.value)));
        }
        line("];");
    }

    void write_decisions() {
        std::set<Op> used;
        for (const auto* list : {&k_.routines, &k_.functions}) {
            for (const Function& f : *list) {
                for (const program::Line& l : f.program.lines) used.insert(l.op);
            }
        }
        if (used.contains(Op::min)) line("\nfunction smaller(x, y) {\n  return y < x ? y : x;\n}");
        if (used.contains(Op::max)) line("\nfunction larger(x, y) {\n  return x < y ? y : x;\n}");
    }

    // ---- the functions of the package ----

    std::string arguments_of(const Function& f) const {
        std::vector<std::string> names;
        for (const std::size_t a : f.arguments) names.push_back(k_.arguments[a].name);
        return joined(names, ", ");
    }

    std::vector<std::string> inputs_of(const Function& f) const {
        std::vector<std::string> names;
        for (const std::size_t a : f.arguments) {
            const Argument& x = k_.arguments[a];
            for (std::size_t i = 0; i < x.entries.size(); ++i) names.push_back(x.is_scalar ? x.name : fmt::format("{}[{}]", x.name, i));
        }
        return names;
    }

    /// "M[3] = M[1]": where each output goes.
    static std::vector<std::string> targets(const Function& f) {
        std::vector<std::string> list;
        for (const Result& r : f.results) {
            for (const std::size_t at : r.at) {
                const std::size_t mirrored = (at % r.columns) * r.columns + at / r.columns;
                if (r.is_scalar)
                    list.push_back("out." + r.name);
                else if (r.is_symmetric && mirrored != at)
                    list.push_back(fmt::format("{0}[{1}] = {0}[{2}]", r.name, at, mirrored));
                else
                    list.push_back(fmt::format("{}[{}]", r.name, at));
            }
        }
        return list;
    }

    static bool has_gaps(const Result& r) { return r.at.size() < (r.is_symmetric ? r.rows * (r.rows + 1) / 2 : size_of(r)); }

    void write_statements_of(const Function& f, const Part& part) {
        const std::vector<std::string> to = targets(f);
        for (const Assignment& s : part.assignments) {
            if (s.call) {
                write_call(*s.call);
            } else if (s.output != no_output) {
                const bool is_constant = f.name == "setup" && !is_script_;
                line(
                    fmt::format("  {} = {};{}", to[s.output], s.value,
                                is_constant ? "  // " + harmless(formula_of(k_.arguments[5].entries[f.results[0].at[s.output]], k_)) : ""));
            } else {
                line(fmt::format("  {}{} = {};", s.is_shared ? "" : "const ", s.name, s.value));
            }
        }
    }

    void write_call(const Call& call) {
        std::vector<std::string> pieces = separated(call.arguments, ",");
        if (pieces.empty()) pieces.emplace_back();
        const std::string what = fmt::format("{}([", k_.routines[call.routine].name);
        pieces.front() = (call.is_shared ? "s.set(" + what : fmt::format("const r{} = {}", call.number, what)) + pieces.front();
        pieces.back() += call.is_shared ? fmt::format("]), {});", call.place) : "]);";
        for (const std::string& l : fill(pieces, width - 2, "  ")) line("  " + l);
    }

    /// The parts of a long program, as functions that share s; then how to call them. One part alone is what it is.
    std::string write_parts_of(const Function& f, const Parts& parts) {
        if (parts.list.size() == 1) return {};
        std::string given = arguments_of(f);
        const auto is_scalar = [](const Result& r) { return r.is_scalar; };
        for (const Result& r : f.results) {
            if (!r.is_scalar) given += ", " + r.name;
        }
        if (std::ranges::any_of(f.results, is_scalar)) given += ", out";
        std::string calls;
        line("");
        line(fmt::format("const {}_shared = new Float64Array({});", f.name, std::max<std::size_t>(parts.shared, 1)));
        for (std::size_t i = 0; i < parts.list.size(); ++i) {
            line(fmt::format("\nfunction {}_{}({}, s) {{", f.name, i + 1, given));
            write_statements_of(f, parts.list[i]);
            line("}");
            calls += fmt::format("  {0}_{1}({2}, {0}_shared);\n", f.name, i + 1, given);
        }
        return calls;
    }

    Parts parts_of(const Function& f) const {
        return write_parts(f.program, {.inputs = inputs_of(f), .number = number, .call = call, .shared = shared, .result = result});
    }

    static std::string made(const Result& r) { return r.is_scalar ? "0" : fmt::format("new Float64Array({})", size_of(r)); }

    void write_function(const Function& f) {
        exported(f.name);
        const Parts parts = parts_of(f);
        const std::string calls = write_parts_of(f, parts);
        write_words(f, parts.list.size());
        std::vector<std::string> arrays, fresh;
        for (const Result& r : f.results) {
            if (!r.is_scalar) arrays.push_back(r.name);
            fresh.push_back(fmt::format("{}: {}", r.name, made(r)));
        }
        const bool is_object = gives_object(f);
        const std::string before = fmt::format("function {}({}, out = ", f.name, arguments_of(f)),
                          short_one = "{ " + joined(fresh, ", ") + " }";
        if (!is_object)
            line(before + made(f.results[0]) + ") {");
        else if (before.size() + short_one.size() + 3 <= width)
            line(before + short_one + ") {");
        else
            line(before + "{\n  " + joined(fresh, ",\n  ") + ",\n}) {");
        if (!is_object)
            line(fmt::format("  const {} = out;", f.results[0].name));
        else if (!arrays.empty())
            line(fmt::format("  const {{ {} }} = out;", joined(arrays, ", ")));
        for (const Result& r : f.results) {
            if (has_gaps(r)) line(r.is_scalar ? fmt::format("  out.{} = 0;", r.name) : fmt::format("  {}.fill(0);", r.name));
        }
        if (calls.empty())
            write_statements_of(f, parts.list[0]);
        else
            text_ += calls;
        line("  return out;\n}");
    }

    void write_words(const Function& f, std::size_t parts) {
        std::vector<std::string> words{f.about};
        for (const Result& r : f.results) {
            const std::string shape = r.is_scalar   ? ""
                                      : r.is_matrix ? fmt::format(" ({} x {})", r.rows, r.columns)
                                                    : fmt::format(" ({})", r.rows);
            words.push_back(fmt::format("{}{}: {}.", r.name, shape, r.about));
        }
        words.push_back(
            fmt::format("Operations: {}.{}", describe(f.operations),
                        parts == 1 ? "" : fmt::format(" In {} parts, which share an array: engines do not like long functions.", parts)));
        comment(words);
    }

    /// Takes one array and gives one.
    void write_routine(const Function& f) {
        const Parts parts = parts_of(f);
        const std::string calls = write_parts_of(f, parts);
        comment({f.about, "Operations: " + describe(f.operations) + "."});
        line(fmt::format("function {}(x) {{\n  const y = new Float64Array({});", f.name, size_of(f.results[0])));
        if (calls.empty())
            write_statements_of(f, parts.list[0]);
        else
            text_ += calls;
        line("  return y;\n}");
    }

    // ---- what is written by hand ----

    void write_accelerations() {
        if (!is_closed()) {
            if (k_.find("accelerations") != nullptr) return;
            exported("accelerations");
            comment({"No accelerations: every motion is given."});
            return line("function accelerations(t, q, u, w, c, out = new Float64Array(0)) {\n  return out;\n}");
        }
        exported("accelerations");
        if (!has_speeds()) {
            comment({"No accelerations, as there are no speeds, and multipliers that carry nothing."});
            return line(
                "function accelerations(t, q, u, w, c, out = { udot: new Float64Array(0), lambda: new Float64Array(NM) }) {\n"
                "  out.lambda.fill(0);\n  return out;\n}");
        }
        comment({"Accelerations and multipliers: M udot + G' lambda = f, G udot = gamma.", "udot (NU): accelerations.",
                 "lambda (NM): multipliers of the constraints, the shortest where rows are redundant."});
        text_ += R"(const acceleration_room = {
  M: new Float64Array(NU * NU), f: new Float64Array(NU), G: new Float64Array(NM * NU), gamma: new Float64Array(NM),
  rows: new Float64Array(NM * NU), udot: new Float64Array(NU), lambda: new Float64Array(NM),
};
function are_finite(x) {
  for (let i = 0; i < x.length; ++i) {
    if (!Number.isFinite(x[i])) return false;
  }
  return true;
}
function accelerations(t, q, u, w, c, out = { udot: new Float64Array(NU), lambda: new Float64Array(NM) }) {
  const { udot, lambda } = out, { M, f, G, gamma, rows } = acceleration_room;
  M.fill(0), f.fill(0), G.fill(0), gamma.fill(0);
  dynamics(t, q, u, w, c, acceleration_room);
  rows.set(G);
  udot.set(f);
  lambda.set(gamma);
  if (!(are_finite(M) && are_finite(f) && are_finite(G) && are_finite(gamma))) {
    udot.fill(NaN);
    lambda.fill(NaN);
    return out;
  }
  if (!solve_descriptor(NU, NM, RANK, M, G, 1, udot, lambda)) throw new Error("a motion that the constraints allow has no inertia");
  let longest = 0, drift = 1e-6;
  for (let i = 0; i < NM; ++i) longest = Math.max(longest, norm(NU, rows, i * NU, 1));
  for (let j = 0; j < NU; ++j) drift += 1e-3 * u[j] * u[j];
  const length = norm(NU, udot, 0, 1);
  for (let i = 0; i < NM; ++i) {
    let left = -gamma[i];
    for (let j = 0; j < NU; ++j) left += rows[i * NU + j] * udot[j];
    // more than the drift of an integrator
    const allowed = 0.01 * (longest * length + Math.abs(gamma[i])) + drift * (longest > 0 ? longest : 1);
    if (Math.abs(left) > allowed) throw new Error("constraints contradict each other here");
  }
  return out;
}
)";
    }

    void write_rhs() {
        exported("rhs");
        comment({"The rate of the state x = [q; u]."});
        line("function rhs(t, x, w, c, out = new Float64Array(NQ + NU)) {");
        write_state();
        if (k_.find("rates") != nullptr) line("  rates(t, q, u, c, out.subarray(0, NQ));");
        if (has_speeds()) {
            line(is_closed() ? "  out.set(accelerations(t, q, u, w, c, acceleration_room).udot, NQ);"
                             : "  accelerations(t, q, u, w, c, out.subarray(NQ));");
        }
        line("  return out;\n}");
    }

    void write_state() {
        line("  const state = x instanceof Float64Array ? x : new Float64Array(x), q = state.subarray(0, NQ), u = state.subarray(NQ);");
    }

    void write_rhs_jacobian() {
        exported("rhs_jacobian");
        comment({fmt::format("Its derivatives at one state: A (NX x NX) by x and B (NX x NW) by w, NX = NQ + NU.{}",
                             is_closed() ? " Columns of A mean something along motions that the constraints allow." : "")});
        line("function rhs_jacobian(t, x, w, c) {");
        line("  const nx = NQ + NU, A = new Float64Array(nx * nx), B = new Float64Array(nx * NW);");
        write_state();
        line("  const put = (block, columns, to, stride, row, column) => {  // block's rows into `to`");
        line(
            "    for (let i = 0; i < block.length; ++i) to[(row + Math.floor(i / columns)) * stride + column + (i % columns)] = block[i];");
        line("  };");
        if (const Function* f = k_.find("rate_jacobians")) {
            line(fmt::format("  const {{ {} }} = rate_jacobians(t, q, u, c);", joined(result_names(*f), ", ")));
            if (find_result(f, "qdot_q") != nullptr) line("  put(qdot_q, NQ, A, nx, 0, 0);");
            if (find_result(f, "qdot_u") != nullptr) line("  put(qdot_u, NU, A, nx, 0, NQ);");
        }
        const Function* jacobians = k_.find("jacobians");
        if (has_speeds() && jacobians != nullptr) write_slope(*jacobians);
        line("  return { A, B };\n}");
    }

    /// M δu̇ + Gᵀ δλ = −r_x δx, G δu̇ = −s_x δx
    void write_slope(const Function& jacobians) {
        line(is_closed() ? "  const { udot, lambda } = accelerations(t, q, u, w, c), { M, G } = dynamics(t, q, u, w, c);"
                         : "  const udot = accelerations(t, q, u, w, c), lambda = [], { M } = dynamics(t, q, u, w, c);");
        line(fmt::format("  const {{ {} }} = jacobians(t, q, u, w, udot, lambda, c);", joined(result_names(jacobians), ", ")));
        line("  const k = nx + NW, X = new Float64Array(NU * k);");
        const auto gather = [&](const char* letter, const char* to) {
            for (const std::string& block : jacobian_blocks(jacobians, letter)) {
                const char by = block.back();
                line(fmt::format("  put({}, {}, {}, k, 0, {});", block,
                                 by == 'q'   ? "NQ"
                                 : by == 'u' ? "NU"
                                             : "NW",
                                 to,
                                 by == 'q'   ? "0"
                                 : by == 'u' ? "NQ"
                                             : "nx"));
            }
            line(fmt::format("  for (let i = 0; i < {0}.length; ++i) {0}[i] = -{0}[i];", to));
        };
        gather("r", "X");
        if (is_closed()) {
            line("  const L = new Float64Array(NM * k);");
            gather("s", "L");
            line("  const is_ok = solve_descriptor(NU, NM, RANK, M, G, k, X, L);");
        } else {
            line("  const is_ok = solve_definite(NU, M, 0, NU, Float64Array.from(udot, (_, i) => Math.abs(M[i * NU + i])), k, X, 0);");
        }
        line("  if (!is_ok) throw new Error(\"a motion that the constraints allow has no inertia\");");
        line("  for (let i = 0; i < NU; ++i) {");
        line("    A.set(X.subarray(i * k, i * k + nx), (NQ + i) * nx);");
        line("    B.set(X.subarray(i * k + nx, i * k + k), (NQ + i) * NW);");
        line("  }");
    }

    void write_normalise() {
        if (k_.quaternions.empty()) return;
        exported("normalise");
        comment({"The coordinates with unit quaternions of length 1; normalise(q, q) writes them over."});
        std::vector<std::string> groups;
        for (const auto& g : k_.quaternions) groups.push_back(fmt::format("[{}]", fmt::join(g, ", ")));
        line("function normalise(q, out = Float64Array.from(q)) {");
        line(fmt::format("  for (const group of [{}]) {{", joined(groups, ", ")));
        line("    const length = Math.sqrt(group.reduce((sum, i) => sum + q[i] * q[i], 0));");
        line("    if (length > 0) for (const i of group) out[i] = q[i] / length;");
        line("  }\n  return out;\n}");
    }

    const Package& k_;
    bool is_script_;
    std::string text_;
    std::vector<std::string> exports_;
};

}  // namespace

std::string quoted(const std::string& text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 15> hidden{{
        {"<", "\\u003c"},
        {"\u061C", "\\u061c"},
        {"\u200E", "\\u200e"},
        {"\u200F", "\\u200f"},
        {"\u2028", "\\u2028"},
        {"\u2029", "\\u2029"},
        {"\u202A", "\\u202a"},
        {"\u202B", "\\u202b"},
        {"\u202C", "\\u202c"},
        {"\u202D", "\\u202d"},
        {"\u202E", "\\u202e"},
        {"\u2066", "\\u2066"},
        {"\u2067", "\\u2067"},
        {"\u2068", "\\u2068"},
        {"\u2069", "\\u2069"},
    }};
    std::string literal;
    for (const char x : text) {
        if (x == '"' || x == '\\')
            literal += std::string("\\") + x;
        else if (static_cast<unsigned char>(x) < 32 || x == 127)
            literal += fmt::format("\\u{:04x}", static_cast<unsigned char>(x));
        else
            literal += x;
    }
    for (const auto& [character, escape] : hidden) literal = replace(std::move(literal), std::string(character), std::string(escape));
    return "\"" + literal + "\"";
}

std::vector<File> write(const Package& package) { return {{package.identifier + ".mjs", Writer(package, false).write_module()}}; }

std::string script(const Package& package) { return Writer(package, true).write_script(); }

}  // namespace linkwright::codegen::javascript
