#include "linkwright/codegen/fortran/fortran.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linkwright/codegen/fortran/kernel.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/codegen/statements.hpp"

namespace linkwright::codegen::fortran {
namespace {

using program::Op;

constexpr std::size_t widest = 118;  // of 132 columns

std::string number(double x) {
    if (std::isnan(x)) return "ieee_value(1.0_dp, ieee_quiet_nan)";
    return std::isinf(x) ? "ieee_value(1.0_dp, ieee_positive_inf)" : shortest(x) + "_dp";
}
std::string shared(std::size_t place) { return fmt::format("s({})", place + 1); }
std::string result(std::size_t call, std::size_t k) { return fmt::format("r{}({})", call, k + 1); }
std::string call(Op op, std::span<const std::string> a) {
    switch (op) {
        case Op::sign: return fmt::format("sign_of({})", a[0]);
        case Op::min: return fmt::format("smaller({}, {})", a[0], a[1]);
        case Op::max: return fmt::format("larger({}, {})", a[0], a[1]);
        case Op::select: return fmt::format("merge({}, {}, {} > 0)", a[1], a[2], a[0]);
        case Op::pow: return fmt::format("(({})**({}))", a[0], a[1]);
        default: return fmt::format("{}({})", name(op), fmt::join(a, ", "));
    }
}

/// A statement, in as many lines as it takes.
std::string statement(const std::string& text, std::size_t indent) {
    std::string out;
    const std::vector<std::string> lines = wrap(std::string(indent, ' ') + text, widest, indent + 4);
    for (std::size_t i = 0; i < lines.size(); ++i) out += lines[i] + (i + 1 < lines.size() ? " &\n" : "\n");
    return out;
}

std::string comment(const std::string& text, std::size_t indent) {
    std::string out;
    for (const std::string& line : wrap(one_line(text), widest - indent - 2))
        out += std::string(indent, ' ') + (line.empty() ? "!\n" : "! " + line + "\n");
    return out;
}

/// Fortran does not tell T from t: energies are called by their names.
std::string name_of(const Result& r) { return r.name == "T" ? "kinetic" : r.name == "V" ? "potential" : r.name; }

bool is_matrix(const Result& r) { return r.is_matrix; }

class Writer {
public:
    explicit Writer(const Package& package) : k_(package) {}

    std::vector<File> write() const {
        std::string text = write_head();
        if (k_.find("setup") == nullptr) {
            text +=
                "\n  ! Nothing: this model has no constants.\n  pure subroutine setup(p, c)\n    real(dp), intent(in) :: p(np)\n"
                "    real(dp), intent(out) :: c(nc)\n    associate (unused => p)\n    end associate\n    c = 0\n  end subroutine\n";
        }
        for (const Function& f : k_.routines) {
            if (f.is_called) text += define(f);
        }
        for (const Function& f : k_.functions) text += define(f);
        text += helpers();
        if (k_.nu() > 0) {
            text += definite_kernel;
            if (k_.m() > 0) text += std::string(descriptor_kernel) + accelerations();
            text += rhs() + rhs_jacobian();
        }
        text += normalise();
        return {{k_.identifier + ".f90", text + "\nend module\n"}};
    }

private:
    std::string declaration(std::size_t a) const {
        constexpr const char* sizes[] = {"", "(nq)", "(nu)", "(nw)", "(np)", "(nc)", "(nu)", "(nm)"};
        if (a > 7) return fmt::format("    real(dp), intent(in) :: {}({})\n", k_.arguments[a].name, k_.arguments[a].entries.size());
        return fmt::format("    real(dp), intent(in) :: {}{}\n", k_.arguments[a].name, sizes[a]);
    }
    static std::string declaration(const Result& r, const char* intent) {
        const std::string shape = r.is_scalar    ? ""
                                  : is_matrix(r) ? fmt::format("({}, {})", r.rows, r.columns)
                                                 : fmt::format("({})", r.rows);
        return fmt::format("    real(dp), intent({}) :: {}{}\n", intent, name_of(r), shape);
    }

    std::vector<std::string> inputs(const Function& f) const {
        std::vector<std::string> names;
        for (const std::size_t a : f.arguments) {
            const Argument& x = k_.arguments[a];
            for (std::size_t i = 0; i < x.entries.size(); ++i) names.push_back(x.is_scalar ? x.name : fmt::format("{}({})", x.name, i + 1));
        }
        return names;
    }

    struct Target {
        std::string place, mirrored;  ///< the latter may be empty
        std::size_t result;
    };
    std::vector<Target> targets(const Function& f) const {
        std::vector<Target> list;
        for (std::size_t k = 0; k < f.results.size(); ++k) {
            const Result& r = f.results[k];
            for (const std::size_t at : r.at) {
                const std::size_t i = at / r.columns + 1, j = at % r.columns + 1;
                const std::string name = name_of(r);
                list.push_back({r.is_scalar    ? name
                                : is_matrix(r) ? fmt::format("{}({}, {})", name, i, j)
                                               : fmt::format("{}({})", name, i),
                                r.is_symmetric && i != j ? fmt::format("{}({}, {})", name, j, i) : "", k});
            }
        }
        return list;
    }

    std::string zeros(const Function& f) const {
        std::string text;
        for (const Result& r : f.results) {
            if (r.at.size() < (r.is_symmetric ? r.rows * (r.rows + 1) / 2 : r.rows * r.columns))
                text += fmt::format("    {} = 0\n", name_of(r));
        }
        return text;
    }

    std::vector<bool> used_arguments(const Function& f, const Part& part) const {
        std::vector<bool> used;
        std::size_t k = 0;
        for (const std::size_t a : f.arguments) {
            const auto first = part.uses_input.begin() + static_cast<std::ptrdiff_t>(k),
                       last = first + static_cast<std::ptrdiff_t>(k_.arguments[a].entries.size());
            used.push_back(std::find(first, last, true) != last);
            k += k_.arguments[a].entries.size();
        }
        return used;
    }

    static std::string locals(const Part& part) {
        std::vector<std::string> names;
        for (const Assignment& a : part.assignments) {
            if (a.call && !a.is_shared)
                names.push_back(fmt::format("r{}({})", a.call->number, a.call->results));
            else if (a.output == no_output && !a.is_shared)
                names.push_back(a.name);
        }
        std::string text;
        for (std::size_t i = 0; i < names.size(); i += 12) {
            const std::vector<std::string> some(names.begin() + static_cast<std::ptrdiff_t>(i),
                                                names.begin() + static_cast<std::ptrdiff_t>(std::min(i + 12, names.size())));
            text += fmt::format("    real(dp) :: {}\n", fmt::join(some, ", "));
        }
        return text;
    }

    std::string body(const Function& f, const Part& part, const std::vector<Target>& to) const {
        std::string text;
        for (std::size_t i = 0; i < part.assignments.size(); ++i) {
            const Assignment& s = part.assignments[i];
            if (s.call) {
                const std::string to_array = s.is_shared ? fmt::format("s({}:{})", s.call->place + 1, s.call->place + s.call->results)
                                                         : fmt::format("r{}", s.call->number);
                text += statement(
                    fmt::format("call {}([{}], {})", k_.routines[s.call->routine].name, fmt::join(s.call->arguments, ", "), to_array), 4);
            } else if (s.output == no_output && i + 1 < part.assignments.size() && part.assignments[i + 1].joins) {
                const Assignment& next = part.assignments[++i];
                text += statement(fmt::format("{} = {}; {} = {}", s.name, s.value, next.name, next.value), 4);
            } else if (s.output == no_output) {
                text += statement(fmt::format("{} = {}", s.name, s.value), 4);
            } else {
                const Target& target = to[s.output];
                std::string line = statement(fmt::format("{} = {}", target.place, s.value), 4);
                if (f.name == "setup") line = with_note(line, k_.arguments[5].entries[f.results[0].at[s.output]]);
                text += line;
                if (!target.mirrored.empty()) text += fmt::format("    {} = {}\n", target.mirrored, target.place);
            }
        }
        return text;
    }

    std::string with_note(std::string line, const Entry& e) const {
        const std::string note = "  ! " + one_line(formula_of(e, k_));
        const std::size_t last = line.rfind('\n', line.size() - 2);
        if (line.size() - (last == std::string::npos ? 0 : last) + note.size() > 128) return line;
        line.insert(line.size() - 1, note);
        return line;
    }

    std::string define(const Function& f) const {
        const Parts parts =
            write_parts(f.program, {.inputs = inputs(f), .number = number, .call = call, .shared = shared, .result = result, .widest = 96});
        const std::vector<Target> to = targets(f);
        std::string text, calls;
        const bool is_whole = parts.list.size() == 1;
        for (std::size_t i = 0; i < parts.list.size() && !is_whole; ++i) {
            const Part& part = parts.list[i];
            std::set<std::size_t> results;
            for (const Assignment& a : part.assignments) {
                if (a.output != no_output) results.insert(to[a.output].result);
            }
            std::vector<std::string> names;
            std::string declarations;
            const std::vector<bool> used = used_arguments(f, part);
            for (std::size_t a = 0; a < used.size(); ++a) {
                if (used[a]) names.push_back(k_.arguments[f.arguments[a]].name), declarations += declaration(f.arguments[a]);
            }
            for (const std::size_t r : results) names.push_back(name_of(f.results[r])), declarations += declaration(f.results[r], "inout");
            if (part.uses_shared)
                names.emplace_back("s"), declarations += fmt::format("    real(dp), intent(inout) :: s({})\n", parts.shared);
            const std::string head = fmt::format("{}_{}({})", f.name, i + 1, fmt::join(names, ", "));
            text += "\n" + statement("pure subroutine " + head, 2) + declarations + locals(part) + body(f, part, to) + "  end subroutine\n";
            calls += statement("call " + head, 4);
        }
        text += "\n" + comment(f.about + " Operations: " + describe(f.operations) + ".", 2);
        for (const Result& r : f.results) text += comment("  " + name_of(r) + ": " + r.about, 2);
        if (!is_whole)
            text += comment(fmt::format("In {} parts, which share s: long functions are slow to compile.", parts.list.size()), 2);
        std::vector<std::string> names, unused;
        std::string declarations;
        std::vector<bool> used(f.arguments.size(), false);
        for (const Part& part : parts.list) {
            const std::vector<bool> here = used_arguments(f, part);
            for (std::size_t a = 0; a < used.size(); ++a) used[a] = used[a] || here[a];
        }
        for (std::size_t a = 0; a < used.size(); ++a) {
            const std::string& name = k_.arguments[f.arguments[a]].name;
            names.push_back(name);
            declarations += declaration(f.arguments[a]);
            if (!used[a]) unused.push_back(fmt::format("unused{} => {}", unused.size() + 1, name));
        }
        for (const Result& r : f.results) names.push_back(name_of(r)), declarations += declaration(r, "out");
        text += statement(fmt::format("pure {}subroutine {}({})", is_whole ? "" : "recursive ", f.name, fmt::join(names, ", ")), 2) +
                declarations;
        if (is_whole) text += locals(parts.list[0]);
        if (!is_whole) text += fmt::format("    real(dp) :: s({})\n", std::max<std::size_t>(parts.shared, 1));
        if (!unused.empty()) text += statement(fmt::format("associate ({})", fmt::join(unused, ", ")), 4) + "    end associate\n";
        text += zeros(f) + (is_whole ? body(f, parts.list[0], to) : undefined_results(f) + calls);
        return text + "  end subroutine\n";
    }

    /// A result that parts fill piece by piece is given a value first, all of it, so that it is defined whatever a compiler thinks.
    std::string undefined_results(const Function& f) const {
        std::string text;
        const std::string zeroed = zeros(f);
        for (const Result& r : f.results) {
            const std::string line = fmt::format("    {} = 0\n", name_of(r));
            if (zeroed.find(line) == std::string::npos) text += line;
        }
        return text;
    }

    std::string helpers() const {
        std::set<Op> used;
        for (const auto* list : {&k_.routines, &k_.functions}) {
            for (const Function& f : *list) {
                for (const program::Line& line : f.program.lines) used.insert(line.op);
            }
        }
        std::string text;
        const auto add = [&](Op op, const char* name, const char* arguments, const char* value) {
            if (!used.contains(op)) return;
            text += fmt::format(
                "\n  pure function {0}({1}) result(z)\n    real(dp), intent(in) :: {1}\n    real(dp) :: z\n    {2}\n  end function\n", name,
                arguments, value);
        };
        add(Op::sign, "sign_of", "x", "z = merge(1.0_dp, merge(-1.0_dp, x, x < 0), x > 0)");
        add(Op::min, "smaller", "x, y", "z = merge(y, x, y < x)");
        add(Op::max, "larger", "x, y", "z = merge(y, x, x < y)");
        return text;
    }

    std::string write_head() const {
        std::string text;
        for (const std::string& line : head(k_, 1)) text += line.empty() ? "!\n" : "! " + one_line(line) + "\n";
        if (k_.find("energy") != nullptr)
            text += "!\n! In the code T and V are called kinetic and potential: Fortran does not tell T from t.\n";
        text +=
            "!\n!     use ID\n!     integer, parameter :: dp = kind(1d0)\n!     real(dp) :: c(nc), x(nx), xdot(nx)WORK\n!     integer :: "
            "status, step\n"
            "!     call setup(parameters, c)                   ! again whenever a parameter changes\n!     x = start\n";
        if (k_.nu() > 0) {
            text +=
                "!     do step = 0, 999                            ! Euler's method, the simplest there is\n"
                "CALL!       call rhs(1e-3_dp*step, x, INPUTS, c, xdot, status)\n!       if (status /= status_ok) exit\n"
                "!       x = x + 1e-3_dp*xdot\n!       call normalise(x)\n!     end do\n";
        }
        if (k_.m() > 0)
            text +=
                "!\n! Start where the constraints are satisfied, as start does with the parameters of the model; residuals gives their "
                "violation.\n";
        const bool follows = k_.find("input_values") != nullptr;
        text = replace(replace(text, "xdot(nx)WORK\n", follows ? "xdot(nx), w(nw)\n" : "xdot(nx)\n"), "x, INPUTS, c",
                       follows ? "x, w, c" : "x, inputs, c");
        text = replace(text, "CALL!   ", follows ? "!       call input_values(1e-3_dp*step, c, w)\n!   " : "!   ");
        text = replace(text, "use ID\n", "use " + k_.identifier + "\n");
        text += fmt::format("!\n! Two such modules in one program: use {}, only: {}_rhs => rhs, and so on.\n", k_.identifier,
                            k_.identifier.substr(0, 16));

        bool has_nan = false;
        const auto look = [&](double x) { has_nan = has_nan || !std::isfinite(x); };
        for (const Function& f : k_.functions) std::ranges::for_each(f.program.constants, look);
        for (const Function& f : k_.routines) std::ranges::for_each(f.program.constants, look);
        std::vector<std::string> ieee;
        if (k_.nu() > 0) ieee.emplace_back("ieee_is_finite");
        if (has_nan) ieee.insert(ieee.end(), {"ieee_value", "ieee_quiet_nan", "ieee_positive_inf"});
        text += fmt::format("\nmodule {}\n  use, intrinsic :: iso_fortran_env, only: dp => real64\n", k_.identifier);
        if (!ieee.empty()) text += fmt::format("  use, intrinsic :: ieee_arithmetic, only: {}\n", fmt::join(ieee, ", "));
        text += "  implicit none\n  private\n";
        std::vector<std::string> names{"setup"};
        for (const Function& f : k_.functions) {
            if (f.name != "setup") names.push_back(f.name);
        }
        if (k_.nu() > 0 && k_.m() > 0) names.emplace_back("accelerations");
        if (k_.nu() > 0) names.insert(names.end(), {"rhs", "rhs_jacobian"});
        names.emplace_back("normalise");
        text += statement(fmt::format("public :: {}", fmt::join(names, ", ")), 2) + "\n";
        const auto size = [&](const char* name, std::size_t value, const char* about) {
            text += fmt::format("  integer, parameter, public :: {} = {}  ! {}\n", name, value, about);
        };
        size("nq", k_.nq(), "coordinates"), size("nu", k_.nu(), "speeds"), size("nw", k_.nw(), "inputs"), size("np", k_.np(), "parameters");
        size("nc", k_.nc(), "constants, from setup"), size("nm", k_.m(), "constraints"), size("ny", k_.outputs.size(), "outputs");
        size("nx", k_.nq() + k_.nu(), "states x = [q; u]");
        if (k_.nu() > 0 && k_.m() > 0) {
            text += k_.rank == Package::undecided
                        ? "  integer, parameter, public :: nr = -1  ! independent constraints: counted at every call\n"
                        : fmt::format("  integer, parameter, public :: nr = {}  ! independent constraints, at the start\n", k_.rank);
        }
        text += fmt::format("\n  ! What {}rhs and rhs_jacobian may return.\n", k_.m() > 0 ? "accelerations, " : "");
        text +=
            "  integer, parameter, public :: status_ok = 0\n"
            "  integer, parameter, public :: status_no_inertia = 1     ! a motion that the constraints allow has no inertia\n"
            "  integer, parameter, public :: status_contradiction = 2  ! constraints contradict each other here\n"
            "  integer, parameter, public :: status_not_finite = 3     ! something is infinite or not a number\n\n";
        std::vector<Entry> start = k_.arguments[1].entries;
        start.insert(start.end(), k_.arguments[2].entries.begin(), k_.arguments[2].entries.end());
        values(text, "start", "nx", "Initial coordinates and speeds.", start);
        values(text, "inputs", "nw", "Default values of the inputs.", k_.arguments[3].entries);
        values(text, "parameters", "np", "Parameters of the model.", k_.arguments[4].entries);
        const auto list = [&](const char* name, const std::vector<Entry>& entries) {
            std::size_t length = 1;
            for (const Entry& e : entries) length = std::max(length, one_line(e.name).size());
            text += fmt::format("  character(len={}), protected, public :: {}({})\n", length, name, entries.size());
            for (std::size_t i = 0; i < entries.size(); ++i) {
                std::string word = one_line(entries[i].name);
                word.resize(length, ' ');
                std::string quoted = "'" + replace(word, "'", "''") + "'", lines = fmt::format("  data {}({}) /", name, i + 1);
                for (std::size_t room = 120 - lines.size(); quoted.size() > room; room = 120) {
                    lines += quoted.substr(0, room) + "&\n&";
                    quoted.erase(0, room);
                }
                text += lines + quoted + "/\n";
            }
        };
        text += "  ! Names.\n";
        list("coordinate_names", k_.arguments[1].entries);
        list("speed_names", k_.arguments[2].entries);
        list("input_names", k_.arguments[3].entries);
        list("parameter_names", k_.arguments[4].entries);
        list("constraint_names", k_.constraints);
        list("output_names", k_.outputs);
        return text + "\ncontains\n";
    }

    /// An array with its numbers; a parameter array of many continuation lines would break the limit of 255.
    static void values(std::string& text, const char* name, const char* size, const char* about, const std::vector<Entry>& entries) {
        text += fmt::format("  ! {}\n  real(dp), protected, public :: {}({})\n", about, name, size);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const double x = entries[i].value;
            if (!std::isfinite(x)) continue;
            text += fmt::format("  data {}({}) /{}_dp/  ! {}\n", name, i + 1, shortest(x),
                                one_line(entries[i].name + (entries[i].unit.empty() ? "" : ", " + entries[i].unit)));
        }
    }

    static std::string accelerations() {
        return R"(
  ! Accelerations and multipliers; where constraints are redundant, the multipliers of smallest norm.
  pure recursive subroutine accelerations(t, q, u, w, c, udot, lambda, status)
    real(dp), intent(in) :: t, q(nq), u(nu), w(nw), c(nc)
    real(dp), intent(out) :: udot(nu), lambda(nm)
    integer, intent(out) :: status
    real(dp) :: M(nu, nu), f(nu, 1), G(nm, nu), rows(nm, nu), gamma(nm), L(nm, 1), length, longest
    logical :: has_inertia
    integer :: i
    udot = 0
    lambda = 0
    status = status_not_finite
    call dynamics(t, q, u, w, c, M, f(:, 1), G, gamma)
    if (.not. (all(ieee_is_finite(M)) .and. all(ieee_is_finite(f)) .and. all(ieee_is_finite(G)) .and. &
        all(ieee_is_finite(gamma)))) return
    rows = G
    L(:, 1) = gamma
    call solve_descriptor(M, G, 1, f, L, has_inertia)
    udot = f(:, 1)
    lambda = L(:, 1)
    if (.not. (all(ieee_is_finite(udot)) .and. all(ieee_is_finite(lambda)))) return
    status = merge(status_ok, status_no_inertia, has_inertia)
    length = norm2(udot)
    longest = 0
    do i = 1, nm
      longest = max(longest, norm2(rows(i, :)))
    end do
    do i = 1, nm
      ! more than the drift of an integrator
      if (abs(dot_product(rows(i, :), udot) - gamma(i)) > 0.01_dp*(longest*length + abs(gamma(i))) + &
          (1e-6_dp + 1e-3_dp*dot_product(u, u))*merge(longest, 1.0_dp, longest > 0) .and. has_inertia) status = status_contradiction
    end do
  end subroutine
)";
    }

    std::string rhs() const {
        std::string text = R"(
  ! The rate of the state x = [q; u].
  pure recursive subroutine rhs(t, x, w, c, xdot, status)
    real(dp), intent(in) :: t, x(nx), w(nw), c(nc)
    real(dp), intent(out) :: xdot(nx)
    integer, intent(out) :: status
)";
        if (k_.m() > 0) text += "    real(dp) :: lambda(nm)\n";
        text += "    call rates(t, x(:nq), x(nq+1:), c, xdot(:nq))\n";
        if (k_.m() > 0) return text + "    call accelerations(t, x(:nq), x(nq+1:), w, c, xdot(nq+1:), lambda, status)\n  end subroutine\n";
        return text +
               "    call accelerations(t, x(:nq), x(nq+1:), w, c, xdot(nq+1:))\n"
               "    status = merge(status_ok, status_not_finite, all(ieee_is_finite(xdot)))\n  end subroutine\n";
    }

    std::string rhs_jacobian() const {
        const bool has_inputs = k_.nw() > 0, is_closed = k_.m() > 0;
        std::string text = "\n  ! Its derivatives: A by x, B by w.";
        if (is_closed) text += " Columns of A have a meaning only along motions that the constraints allow.";
        text += R"(
  pure recursive subroutine rhs_jacobian(t, x, w, c, A, B, status)
    real(dp), intent(in) :: t, x(nx), w(nw), c(nc)
    real(dp), intent(out) :: A(nx, nx), B(nx, nw)
    integer, intent(out) :: status
    real(dp) :: M(nu, nu), f(nu), udot(nu), lambda(nm), right(nu, nx + nw), qdot_q(nq, nq), qdot_u(nq, nu)
    logical :: is_solved
)";
        if (is_closed) {
            text += "    real(dp) :: G(nm, nu), gamma(nm), below(nm, nx + nw)\n";
        } else {
            text += "    real(dp) :: bounds(nu)\n    integer :: i\n";
        }
        text += "    A = 0\n    B = 0\n";
        if (is_closed) {
            text +=
                "    call accelerations(t, x(:nq), x(nq+1:), w, c, udot, lambda, status)\n"
                "    if (status /= status_ok .and. status /= status_contradiction) return\n"
                "    call dynamics(t, x(:nq), x(nq+1:), w, c, M, f, G, gamma)\n";
        } else {
            text +=
                "    lambda = 0\n    call accelerations(t, x(:nq), x(nq+1:), w, c, udot)\n    call dynamics(t, x(:nq), x(nq+1:), w, c, M, "
                "f)\n";
        }
        text += "    call rate_jacobians(t, x(:nq), x(nq+1:), c, qdot_q, qdot_u)\n    A(:nq, :nq) = qdot_q\n    A(:nq, nq+1:) = qdot_u\n";
        text += statement(fmt::format("call jacobians(t, x(:nq), x(nq+1:), w, udot, lambda, c, right(:, :nq), right(:, nq+1:nx){}{}{})",
                                      has_inputs ? ", right(:, nx+1:)" : "", is_closed ? ", below(:, :nq), below(:, nq+1:nx)" : "",
                                      is_closed && has_inputs ? ", below(:, nx+1:)" : ""),
                          4);
        text += "    right = -right\n";
        if (is_closed) {
            text += "    below = -below\n    call solve_descriptor(M, G, nx + nw, right, below, is_solved)\n";
        } else {
            text +=
                "    do i = 1, nu\n      bounds(i) = abs(M(i, i))\n    end do\n    call solve_definite(nu, M, bounds, right, is_solved)\n";
        }
        text += "    A(nq+1:, :) = right(:, :nx)\n";
        if (has_inputs) text += "    B(nq+1:, :) = right(:, nx+1:)\n";
        return text +
               "    status = merge(status_ok, status_no_inertia, is_solved)\n"
               "    if (.not. all(ieee_is_finite(A))) status = status_not_finite\n  end subroutine\n";
    }

    std::string normalise() const {
        std::string text =
            "\n  ! Normalises the unit quaternions among the coordinates.\n  pure subroutine normalise(q)\n    real(dp), intent(inout) :: "
            "q(:)\n";
        if (k_.quaternions.empty()) return text + "    associate (unused => q)\n    end associate\n  end subroutine\n";
        text += "    real(dp) :: length\n";
        for (const auto& g : k_.quaternions) {
            const std::string e = fmt::format("q([{}, {}, {}, {}])", g[0] + 1, g[1] + 1, g[2] + 1, g[3] + 1);
            text += fmt::format("    length = norm2({0})\n    if (length > 0) {0} = {0}/length\n", e);
        }
        return text + "  end subroutine\n";
    }

    const Package& k_;
};

}  // namespace

std::vector<File> write(const Package& package) { return Writer(package).write(); }

}  // namespace linkwright::codegen::fortran
