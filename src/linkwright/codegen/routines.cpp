#include "linkwright/codegen/routines.hpp"

#include <unordered_map>

#include "linkwright/sym/parts.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::codegen {
namespace {

using sym::Expr;

/// What a routine takes now.
struct Taken {
    std::vector<Expr> parts;                ///< of fixed inputs, in the routine's pool
    std::vector<Expr> fixed;                ///< those inputs
    std::vector<std::size_t> fixed_at, at;  ///< where fixed inputs and the others stood
};

class Lowering {
public:
    Lowering(const eom::Substructures& s, sym::Pool& pool) : s_(s), pool_(pool) {}

    Routines lower() {
        for (const eom::Routine& routine : s_.routines) add(routine);
        Routines r;
        r.accelerations = moved(s_.accelerations);
        r.inverse = moved(s_.inverse);
        r.forcing = moved(s_.forcing);
        r.library = library_;
        return r;
    }

private:
    void add(const eom::Routine& routine) {
        const sym::PoolScope scope(*routine.body.pool);
        const Called body = rearranged(routine.body, *routine.body.pool);
        Taken taken;
        std::vector<Expr> all = body.values, inputs;
        for (const program::CallSite& call : body.calls) all.insert(all.end(), call.arguments.begin(), call.arguments.end());
        for (std::size_t i = 0; i < routine.inputs.size(); ++i) {
            if (routine.is_fixed[i])
                taken.fixed.push_back(routine.inputs[i]), taken.fixed_at.push_back(i);
            else
                taken.at.push_back(i);
        }
        inputs = taken.parts = sym::parts_known(all, taken.fixed);
        for (const std::size_t i : taken.at) inputs.push_back(routine.inputs[i]);
        program::Program program = program::lower(body.values, inputs, body.calls, library_);
        program.library = nullptr;
        library_->routines.push_back({routine.name, routine.about, std::move(program)});
        taken_.push_back(std::move(taken));
    }

    /// Calls pass what the routines take now. Everything in `pool`.
    Called rearranged(const eom::Computation& c, sym::Pool& pool) const {
        Called r{{}, c.values};
        for (const eom::Call& call : c.calls) {
            const Taken& taken = taken_[call.routine];
            program::CallSite site{call.routine, {}, call.results};
            sym::Transplant put_in(pool);
            for (std::size_t i = 0; i < taken.fixed.size(); ++i) put_in.replace(taken.fixed[i], call.arguments[taken.fixed_at[i]]);
            for (const Expr& part : taken.parts) site.arguments.push_back(put_in(part));
            for (const std::size_t i : taken.at) site.arguments.push_back(call.arguments[i]);
            r.calls.push_back(std::move(site));
        }
        return r;
    }

    Called moved(const eom::Computation& c) {
        const sym::PoolScope scope(pool_);
        sym::Transplant put_in(pool_);
        eom::Computation here = c;
        for (eom::Call& call : here.calls) {
            for (Expr& e : call.arguments) e = put_in(e);
            for (Expr& e : call.results) e = put_in(e);
        }
        for (Expr& e : here.values) e = put_in(e);
        return rearranged(here, pool_);
    }

    const eom::Substructures& s_;
    sym::Pool& pool_;
    std::shared_ptr<program::Library> library_ = std::make_shared<program::Library>();
    std::vector<Taken> taken_;
};

}  // namespace

Routines lower_routines(const eom::Substructures& substructures, sym::Pool& pool) { return Lowering(substructures, pool).lower(); }

}  // namespace linkwright::codegen
