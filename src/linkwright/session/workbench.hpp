#pragma once
// Where a verb works: a model in a pool of its own, equations derived there, and code for them. Used by one call at a time, and again by the next.

#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

enum class Code : std::uint8_t { interpreted, native };

class Workbench {
public:
    Workbench(std::unique_ptr<model::Model> model, std::string formulation, const formulation::Options& options)
        : model_(std::move(model)), formulation_(std::move(formulation)), options_(options) {}

    model::Model& model() { return *model_; }
    const std::string& formulation() const { return formulation_; }
    const formulation::Options& options() const { return options_; }
    const eom::EquationsOfMotion& equations() const { return equations_; }
    const Diagnostics& problems() const { return problems_; }

    /// With parameters folded in; made once.
    const numeric::CompiledEquations& numbers(Code code, Report& report);
    /// With parameters that may change: made anew for each call.
    numeric::CompiledEquations live_numbers(Report& report);

private:
    friend struct Session::Inside;
    std::unique_ptr<model::Model> model_;  ///< at a fixed address: equations refer to it
    std::string formulation_;
    formulation::Options options_;
    eom::EquationsOfMotion equations_;
    Diagnostics problems_;  ///< of the derivation
    std::unique_ptr<numeric::CompiledEquations> interpreted_, native_;
};

/// Native code where there can be some; otherwise the interpreter, with a note.
numeric::Compile native_code(Report& report);

/// A bench for one call; afterwards it lies idle.
class Lease {
public:
    Lease(const Session& session, std::unique_ptr<Workbench> bench) : session_(session), bench_(std::move(bench)) {}
    ~Lease();
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;

    explicit operator bool() const { return bench_ != nullptr; }
    Workbench* operator->() const { return bench_.get(); }
    Workbench& operator*() const { return *bench_; }

private:
    Session session_;
    std::unique_ptr<Workbench> bench_;
};

/// Equations by the session's formulation, or by `otherwise` where it names none. Empty when they cannot be derived, and that is in the report.
Lease borrow(const Session& session, const std::string& otherwise, Report& report, const formulation::Options& options = {});

/// The same on a bench of its own, in a pool that holds a copy of the model and nothing else: whatever the session was asked before, expressions
/// that are built there come out alike.
Lease borrow_fresh(const Session& session, const std::string& otherwise, Report& report, const formulation::Options& options = {});

/// A model in a pool where nothing has been derived yet.
std::unique_ptr<model::Model> own_model(const Session& session);

/// The name that this comes to.
std::string formulation_of(const Session& session, const std::string& otherwise);

}  // namespace linkwright::session
