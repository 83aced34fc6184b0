#include "linkwright/model/affine.hpp"

#include <algorithm>
#include <unordered_map>

#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::model {

using namespace sym;

namespace {

/// What the shape says: the degree in the symbols, where 2 stands for anything that is not linear.
struct Shape {
    int degree;
    bool has_kink;  ///< abs, sign, min, max or if of a speed: second derivatives lie there
};

Shape shape_of(const Expr& root, Role role) {
    std::unordered_map<NodeId, int> degree;
    bool has_kink = false;
    for (const Expr& e : nodes_below(std::span(&root, 1))) {
        const auto arg = [&](std::size_t i) { return degree.at(e.arg(i).id()); };
        int d = 0;
        switch (e.op()) {
            case Op::undefined:
            case Op::number:
            case Op::pi: break;
            case Op::symbol: d = e.symbol().role == role ? 1 : 0; break;
            case Op::add: d = std::max(arg(0), arg(1)); break;
            case Op::mul: d = std::min(2, arg(0) + arg(1)); break;
            case Op::select: d = arg(0) > 0 ? 2 : std::max(arg(1), arg(2)); break;
            default:
                for (std::size_t i = 0; i < e.arity(); ++i) d = std::max(d, arg(i) > 0 ? 2 : 0);
        }
        const bool may_have_kink =
            e.op() == Op::abs || e.op() == Op::sign || e.op() == Op::min || e.op() == Op::max || e.op() == Op::select;
        has_kink = has_kink || (may_have_kink && d == 2);
        degree[e.id()] = d;
    }
    return {degree.at(root.id()), has_kink};
}

}  // namespace

bool is_affine(const Expr& e, Role role) {
    const Shape shape = shape_of(e, role);
    if (shape.degree < 2) return true;
    if (shape.has_kink) return false;
    std::vector<Expr> speeds = symbols_in(e);
    std::erase_if(speeds, [&](const Expr& s) { return s.symbol().role != role; });
    for (const Expr& first : gradient(e, speeds)) {
        for (const Expr& second : gradient(first, speeds)) {
            if (is_zero(second) != Verdict::equal) return false;
        }
    }
    return true;
}

}  // namespace linkwright::model
