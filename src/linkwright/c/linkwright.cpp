#include "linkwright/c/linkwright.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>

#include "linkwright/session/derive.hpp"
#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/modes.hpp"
#include "linkwright/session/simulate.hpp"
#include "linkwright/session/workbench.hpp"

namespace session = linkwright::session;
using linkwright::numeric::CompiledEquations;
using linkwright::numeric::State;

struct lw_mechanism {
    session::Session session;
    session::Names names;

    const std::vector<std::string>& list(lw_list which) const {
        static const std::vector<std::string> none;
        switch (which) {
            case LW_COORDINATES: return names.coordinates;
            case LW_SPEEDS: return names.speeds;
            case LW_STATES: return names.auxiliary;
            case LW_INPUTS: return names.inputs;
            case LW_MULTIPLIERS: return names.constraints;
            case LW_OUTPUTS: return names.outputs;
            case LW_PARAMETERS: return names.parameters;
        }
        return none;
    }
};

namespace {

std::string& problems() {
    thread_local std::string text;
    return text;
}

/// Nothing is thrown into C: what would be is a failure with its reason. `otherwise` is what the call then returns.
template <class T, class Work>
T guarded(T otherwise, Work work) noexcept {
    try {
        problems().clear();
        return work();
    } catch (const std::exception& trouble) {
        try {
            problems() = std::string("error: ") + trouble.what() + "\n";
        } catch (const std::exception&) {
            problems().clear();  // there is no memory for a reason
        }
        return otherwise;
    }
}

void tell(const session::Report& report) { problems() = to_string(report.problems); }

lw_status refuse(const char* what) {
    problems() = std::string("error: ") + what + "\n";
    return LW_WRONG_INPUT;
}

char* give(const std::string& text) {
    char* copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

/// "m=2; l=30cm"
session::OpenOptions options_of(const char* set) {
    session::OpenOptions options;
    const std::string text = set == nullptr ? "" : set;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(';', at), text.size());
        const std::string word = session::trimmed(text.substr(at, end - at));
        if (!word.empty()) options.set.push_back(word);
        at = end + 1;
    }
    return options;
}

lw_mechanism* made(session::Result<session::Session> opened) {
    tell(opened);
    if (!opened) return nullptr;
    session::Report report = opened;
    const session::Lease bench = borrow(*opened, "recursive", report);
    tell(report);
    if (!bench) return nullptr;
    return new lw_mechanism{*opened, session::names_of(bench->equations())};
}

void copy(const Eigen::VectorXd& from, double* to) {
    if (to != nullptr) std::copy_n(from.data(), from.size(), to);
}
void copy(const Eigen::MatrixXd& from, double* to) {
    if (to == nullptr) return;
    for (Eigen::Index i = 0; i < from.rows(); ++i) {
        for (Eigen::Index j = 0; j < from.cols(); ++j) *to++ = from(i, j);
    }
}

struct Where {
    double t;
    const double *q, *u, *x, *w;
};

/// Asks `work` about compiled code and the state that is meant.
lw_status at_state(const lw_mechanism* mechanism, const Where& where,
                   const std::function<lw_status(const CompiledEquations&, const State&)>& work) {
    return guarded(LW_NUMERICAL_FAILURE, [&] {
        if (mechanism == nullptr) return refuse("there is no mechanism");
        if (where.q == nullptr || where.u == nullptr) return refuse("coordinates and speeds must be given");
        session::Report report;
        const session::Lease bench = borrow(mechanism->session, "recursive", report);
        tell(report);
        if (!bench) return static_cast<lw_status>(report.status);
        const CompiledEquations& numbers = bench->numbers(session::Code::native, report);
        const auto& layout = numbers.layout();
        State state = numbers.zero_state(where.t);
        state.q = Eigen::Map<const Eigen::VectorXd>(where.q, layout.nq);
        state.u = Eigen::Map<const Eigen::VectorXd>(where.u, layout.nu);
        if (where.x != nullptr) state.x = Eigen::Map<const Eigen::VectorXd>(where.x, layout.nx);
        if (where.w != nullptr) state.w = Eigen::Map<const Eigen::VectorXd>(where.w, layout.nw);
        return work(numbers, state);
    });
}

/// With accelerations, where these can be found.
lw_status evaluated(const lw_mechanism* mechanism, const Where& where,
                    const std::function<void(const linkwright::numeric::Evaluation&)>& take) {
    return at_state(mechanism, where, [&](const CompiledEquations& numbers, const State& state) {
        const linkwright::numeric::Evaluation e = evaluate(numbers, state);
        take(e);
        if (e.is_ok) return LW_DONE;
        problems() = "error: " + e.why + "\n";
        return LW_NUMERICAL_FAILURE;
    });
}

}  // namespace

extern "C" {

const char* lw_version(void) { return LINKWRIGHT_VERSION; }

lw_mechanism* lw_open(const char* path, const char* set) {
    return guarded<lw_mechanism*>(nullptr, [&]() -> lw_mechanism* {
        if (path == nullptr) return refuse("there is no path"), nullptr;
        return made(session::open(path, options_of(set)));
    });
}

lw_mechanism* lw_open_text(const char* text, const char* name, const char* set) {
    return guarded<lw_mechanism*>(nullptr, [&]() -> lw_mechanism* {
        if (text == nullptr) return refuse("there is no text"), nullptr;
        return made(session::open_text(text, name == nullptr ? "" : name, options_of(set)));
    });
}

void lw_close(lw_mechanism* mechanism) { delete mechanism; }

const char* lw_problems(void) { return problems().c_str(); }

size_t lw_count(const lw_mechanism* mechanism, lw_list list) { return mechanism == nullptr ? 0 : mechanism->list(list).size(); }

const char* lw_name(const lw_mechanism* mechanism, lw_list list, size_t index) {
    return index < lw_count(mechanism, list) ? mechanism->list(list)[index].c_str() : nullptr;
}

lw_status lw_start(const lw_mechanism* mechanism, double* t, double* q, double* u, double* x, double* w) {
    return guarded(LW_NUMERICAL_FAILURE, [&] {
        if (mechanism == nullptr) return refuse("there is no mechanism");
        const auto start = initial_state(mechanism->session);
        tell(start);
        if (!start) return static_cast<lw_status>(start.status);
        if (t != nullptr) *t = start->t;
        copy(start->q, q), copy(start->u, u), copy(start->x, x), copy(start->w, w);
        return static_cast<lw_status>(start.status);
    });
}

lw_status lw_equations(const lw_mechanism* mechanism, double t, const double* q, const double* u, const double* x, const double* w,
                       double* M, double* f, double* G, double* gamma) {
    return at_state(mechanism, {t, q, u, x, w}, [&](const CompiledEquations& numbers, const State& state) {
        const linkwright::numeric::Dynamics d = numbers.dynamics(state);
        copy(d.M, M), copy(d.f, f), copy(d.G, G), copy(d.gamma, gamma);
        return LW_DONE;
    });
}

lw_status lw_accelerations(const lw_mechanism* mechanism, double t, const double* q, const double* u, const double* x, const double* w,
                           double* udot, double* lambda) {
    return evaluated(mechanism, {t, q, u, x, w}, [&](const auto& e) { copy(e.accelerations, udot), copy(e.multipliers, lambda); });
}

lw_status lw_rates(const lw_mechanism* mechanism, double t, const double* q, const double* u, const double* x, const double* w,
                   double* qdot, double* xdot) {
    return at_state(mechanism, {t, q, u, x, w}, [&](const CompiledEquations& numbers, const State& state) {
        copy(numbers.coordinate_rates(state), qdot), copy(numbers.auxiliary_rates(state), xdot);
        return LW_DONE;
    });
}

lw_status lw_outputs(const lw_mechanism* mechanism, double t, const double* q, const double* u, const double* x, const double* w,
                     double* outputs) {
    return evaluated(mechanism, {t, q, u, x, w}, [&](const auto& e) { copy(e.outputs, outputs); });
}

char* lw_derive(const lw_mechanism* mechanism, const char* to) {
    return guarded<char*>(nullptr, [&]() -> char* {
        using linkwright::present::To;
        constexpr std::array<std::pair<const char*, To>, 4> formats{
            {{"text", To::text}, {"latex", To::latex}, {"markdown", To::markdown}, {"json", To::json}}};
        const auto format = std::ranges::find_if(formats, [&](const auto& f) { return to != nullptr && std::strcmp(f.first, to) == 0; });
        if (mechanism == nullptr || format == formats.end())
            return refuse("there is no mechanism, or no such format: text, latex, markdown, json"), nullptr;
        const auto page = derive(mechanism->session, {.to = format->second});
        tell(page);
        return page ? give(*page) : nullptr;
    });
}

char* lw_simulate(const lw_mechanism* mechanism, double until, size_t samples, double tolerance) {
    return guarded<char*>(nullptr, [&]() -> char* {
        if (mechanism == nullptr) return refuse("there is no mechanism"), nullptr;
        session::SimulateOptions options{.rows = {.until = until, .samples = static_cast<long>(samples)}};
        options.tolerance = tolerance;
        const auto motion = simulate(mechanism->session, options);
        tell(motion);
        return motion ? give(to_csv(motion->table())) : nullptr;
    });
}

char* lw_modes(const lw_mechanism* mechanism) {
    return guarded<char*>(nullptr, [&]() -> char* {
        if (mechanism == nullptr) return refuse("there is no mechanism"), nullptr;
        const auto found = modes(mechanism->session);
        tell(found);
        return found ? give(session::dump(to_json(*found))) : nullptr;
    });
}

void lw_free(char* text) { std::free(text); }

}  // extern "C"
