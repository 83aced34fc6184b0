#pragma once
// A model, derived; and the pool in which it is compared with print: one that does not fold, with a point of its own.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/sym/normal_form.hpp"
#include "linkwright/sym/parse.hpp"
#include "support/print.hpp"
#include "support/project_root.hpp"

namespace linkwright::print {

using sym::Expr;

inline std::string root() { return project_root(); }

struct Subject {
    explicit Subject(model::Reading reading) {
        for (const Diagnostic& d : reading.problems) {
            EXPECT_EQ(d.severity, Diagnostic::Severity::warning) << to_string(d);
        }
        model = std::make_unique<model::Model>(std::move(reading.model.value()));
        topology = topology::analyse(*model).topology.value();
        equations = formulation::kane::derive(*model, topology).equations.value();
    }
    std::unique_ptr<model::Model> model;
    topology::Topology topology;
    eom::EquationsOfMotion equations;
};

inline Subject subject(const std::string& file) { return Subject(model::read_file(root() + "/" + file)); }

/// Where ours and theirs meet: nothing that folding found is trusted here.
class Desk {
public:
    Desk() : pool_({.fold = false, .seed = 19'880'501}) {}

    Expr ours(const Expr& e) { return sym::transplant(std::span(&e, 1), pool_)[0]; }

    /// A printed formula, in names that lie on the desk.
    Expr theirs(const std::string& text) {
        const sym::Parsed parsed = sym::parse(text, sym::names_of(pool_), pool_);
        EXPECT_TRUE(parsed.expr) << to_string(parsed.problems) << " in " << text;
        return parsed.expr.value_or(Expr(pool_, sym::Pool::undefined_id));
    }

    /// Every symbol of the equations, so that a print may use it.
    void lay_out(const eom::EquationsOfMotion& e) {
        for (const auto& list : {e.q, e.u, e.udot}) sym::transplant(list, pool_);
        for (const eom::Parameter& p : e.parameters) ours(p.symbol);
        for (const eom::Input& w : e.inputs) ours(w.symbol);
    }

    /// By fingerprint and by normal form.
    void expect_equal(const Expr& e, const std::string& text, const std::string& what) {
        const Expr a = ours(e), b = theirs(text);
        EXPECT_EQ(sym::equal(a, b), sym::Verdict::equal) << what;
        const sym::ExactVerdict exact = sym::equal_exactly(a, b);
        EXPECT_EQ(exact.verdict, sym::Verdict::equal) << what << ": " << exact.why_not;
    }

private:
    sym::Pool pool_;
};

}  // namespace linkwright::print
