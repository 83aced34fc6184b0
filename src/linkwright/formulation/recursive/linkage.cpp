#include "linkwright/formulation/recursive/linkage.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "linkwright/formulation/recursive/shared_sums.hpp"
#include "linkwright/kinematics/rotor.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/spatial/exact.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"

namespace linkwright::formulation::recursive {

namespace {

using model::Joint;
using model::JointStep;
using model::StepKind;
using spatial::Rotation;

bool are_constant(const Vec3& v) { return is_constant(v[0]) && is_constant(v[1]) && is_constant(v[2]); }
double value(const Expr& e) {
    if (e.is_number()) return e.number().to_double();
    return sym::evaluate<double>(e, [](const Expr&) { return std::nan(""); });
}

/// Frames given by decimals agree up to their rounding: what is smaller than this, of what it could be, is that.
constexpr double rounding = 1e-14;
constexpr double nearly_parallel = 0.02;  // sine of the angle between two axes
Expr snapped_length(const Expr& e, double size) { return is_constant(e) && std::abs(value(e)) < rounding * size ? Expr(0) : e; }

/// An angle by its cosine and sine.
struct Angle {
    Expr c = 1, s = 0;

    Angle operator-() const { return {c, -s}; }
    /// A quarter turn is exactly one.
    Angle cleaned() const {
        const Expr x = snapped_length(c, 1), y = snapped_length(s, 1);
        if (y.is_literally(0) && is_constant(x)) return {value(x) > 0 ? 1 : -1, 0};
        if (x.is_literally(0) && is_constant(y)) return {0, value(y) > 0 ? 1 : -1};
        return *this;
    }
    bool is_none() const { return c.is_literally(1) && s.is_literally(0); }
};
Angle operator+(const Angle& a, const Angle& b) { return Angle{a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s}.cleaned(); }
/// Of q + δ. Quarter turns change names only; any other δ is added to the angle, one operation.
Angle turned_on(const Expr& q, const Angle& by) {
    if (q.is_literally(0)) return by;
    const Expr c = cos(q), s = sin(q);
    for (const int sign : {1, -1}) {
        if (by.c.is_literally(sign) && by.s.is_literally(0)) return {sign * c, sign * s};
        if (by.s.is_literally(sign) && by.c.is_literally(0)) return {-sign * s, sign * c};
    }
    const Expr angle = q + atan2(by.s, by.c);
    return {cos(angle), sin(angle)};
}
Move turn_of(std::size_t axis, const Expr& q, const Angle& by) {
    const Angle angle = turned_on(q, by);
    Move move{Move::Kind::turn};
    move.axis = axis, move.c = angle.c, move.s = angle.s;
    move.q = q, move.c0 = by.c, move.s0 = by.s;
    move.is_fixed = q.is_literally(0);
    return move;
}
Mat3 turn_z(const Angle& a) { return Mat3{{{{a.c, -a.s, 0}, {a.s, a.c, 0}, {0, 0, 1}}}}; }
Mat3 turn_x(const Angle& a) { return Mat3{{{{1, 0, 0}, {0, a.c, -a.s}, {0, a.s, a.c}}}}; }

/// A joint of the tree with one axis, or one that turns every way.
struct Item {
    enum class Kind : std::uint8_t { turn, slide, screw, skew, general };
    Kind kind;
    std::size_t inner;  ///< item, or none for the ground
    Mat3 R;             ///< fixed, from the inner item's own frame to this one's, before it moves
    Vec3 p;
    Expr q;
    std::size_t freedom = none;
    Expr pitch;
    // of a general one: moves and joints in a row
    std::vector<Move> moves;
    // turn, slide, screw: frames with z along the axis
    bool has_axis() const { return kind == Kind::turn || kind == Kind::slide || kind == Kind::screw; }
    bool turns() const { return kind == Kind::turn || kind == Kind::screw; }
    std::vector<std::size_t> outer{};
    std::size_t size = 1;  ///< items from here on
    // how the normal form gets from the inner item's final frame to this one
    Vec3 offset{};            ///< along x, y, z of the inner frame
    Angle gamma{}, alpha{};   ///< about z, then about x
    Angle zero{};             ///< about z, with the coordinate
    Expr along = 0;           ///< along z, with the coordinate
    bool is_rotated = false;  ///< R instead of the two angles
    // its final frame in its own one
    bool is_placed = false;
    Angle turned{};        ///< about z
    Expr slid = 0;         ///< along z
    Vec3 carried{};        ///< of a slide: its line has been moved
    std::size_t last = 0;  ///< move: the final frame
    Moments moments{};     ///< of the bodies in it
};

struct Placed {
    std::size_t item;  ///< or none
    Mat3 R;
    Vec3 p;
};

class Builder {
public:
    explicit Builder(const System& system) : m_(system.mechanism) {}

    Linkage build() {
        find_items();
        for (std::size_t i = items_.size(); i-- > 0;) {
            if (items_[i].inner == none) continue;
            items_[items_[i].inner].outer.push_back(i);
            items_[items_[i].inner].size += items_[i].size;
        }
        for (std::size_t i = 0; i < items_.size(); ++i) {
            Item& item = items_[i];
            std::ranges::reverse(item.outer);
            std::ranges::stable_sort(item.outer, [&](std::size_t a, std::size_t b) { return items_[a].size > items_[b].size; });
            if (item.inner == none) place_root(item);
            for (const std::size_t o : item.outer) place(item, items_[o]);
        }
        place_bodies();
        for (Item& item : items_) emit(item);
        move_bodies();
        regroup();
        return std::move(result_);
    }

private:
    // ------------------------------------------------------------------------------------------------- joints, one by one

    void find_items() {
        placed_.resize(m_.X_W.size());
        placed_[model::ground] = {none, spatial::identity(), {}};
        for (const BodyIndex b : m_.topology->order) {
            if (b == model::ground) continue;
            const topology::Arc& arc = *m_.topology->arc[b];
            const Joint& joint = m_.model->joints[arc.joint];
            at_ = placed_[arc.inner];
            is_reversed_ = arc.is_reversed;
            const Pose parent = kinematics::parent_frame(joint), child = kinematics::child_frame(joint);
            fix(is_reversed_ ? child : parent);
            add(arc.joint, b);
            fix((is_reversed_ ? parent : child).inverse());
            placed_[b] = at_;
        }
    }

    void fix(const Pose& X) {
        at_.p = at_.p + at_.R * X.p;
        at_.R = at_.R * X.R.matrix();
    }

    struct Piece {
        Item::Kind kind;
        Vec3 axis;
        Expr q;
        std::size_t freedom;
        Expr pitch = 0;
    };

    void add(std::size_t index, BodyIndex b) {
        const Joint& joint = m_.model->joints[index];
        for (const model::JointMotion& motion : m_.model->joint_motions) {
            if (motion.joint == index) return add_given(joint, motion, m_.freedoms_of[b]);
        }
        const std::vector<std::size_t>& f = m_.freedoms_of[b];
        std::vector<JointStep> steps = joint_steps(joint);
        if (is_reversed_) std::ranges::reverse(steps);
        for (const JointStep& step : steps) {
            const auto piece = [&](Item::Kind kind) {
                add_piece({kind, step.axis, joint.coordinates[step.coordinate], f[step.speed], step.pitch});
            };
            switch (step.kind) {
                case StepKind::turn: piece(Item::Kind::turn); break;
                case StepKind::slide: piece(Item::Kind::slide); break;
                case StepKind::screw: piece(Item::Kind::screw); break;
                case StepKind::ball: add_general(joint, step, f); break;
                case StepKind::place: break;  // goes with the ball, in whose axes its speeds are
            }
        }
    }

    /// Slides and turns in a row, as kinematics has them for a joint that moves as given.
    void add_given(const Joint& joint, const model::JointMotion& motion, const std::vector<std::size_t>& f) {
        std::vector<Expr> q;
        for (const std::size_t i : f) {
            for (const kinematics::Coordinate& c : m_.coordinates) {
                if (c.rate == m_.freedoms[i].u) q.push_back(c.q);
            }
        }
        std::vector<Piece> pieces;
        const auto add = [&](Item::Kind kind, const Vec3& axis) { pieces.push_back({kind, axis, q[pieces.size()], f[pieces.size()]}); };
        for (const JointStep& step : joint_steps(joint)) {
            if (step.kind == StepKind::slide) add(Item::Kind::slide, step.axis);
            for (std::size_t k = 0; step.kind == StepKind::place && k < 3; ++k) add(Item::Kind::slide, spatial::unit(k));
        }
        for (const Vec3& axis : motion.axes) add(Item::Kind::turn, axis);
        if (is_reversed_) std::ranges::reverse(pieces);
        for (const Piece& piece : pieces) add_piece(piece);
    }

    void add_piece(const Piece& piece) {
        const Expr& q = piece.q;
        const std::size_t freedom = piece.freedom;
        const Vec3 axis = is_reversed_ ? -piece.axis : piece.axis;
        Item item{piece.kind, at_.item, at_.R, at_.p, q, freedom, piece.pitch, {}};
        if (are_constant(axis)) {
            const auto [x, y] = spatial::plane_axes(axis);
            const Mat3 B = spatial::from_columns(x, y, axis);
            item.R = at_.R * B;
            at_ = {items_.size(), transpose(B), {}};
        } else {  // an axis that parameters choose: no frame is fitted to it
            item.kind = Item::Kind::skew;
            Move joint{Move::Kind::joint}, turn{Move::Kind::rotate};
            if (piece.kind != Item::Kind::slide) {
                turn.R = Rotation::turn(axis, q).matrix();
                turn.is_fixed = false;
                item.moves.push_back(turn);
                joint.ways.push_back({freedom, {axis, piece.pitch * axis}});
            } else {
                joint.ways.push_back({freedom, {{}, axis}});
            }
            const Expr travel = piece.kind == Item::Kind::slide ? q : piece.pitch * q;
            for (std::size_t k = 0; k < 3; ++k) {
                if (Move slide{Move::Kind::slide}; !(travel * axis[k]).is_literally(0)) {
                    slide.axis = k, slide.d = travel * axis[k], slide.is_fixed = false;
                    item.moves.push_back(slide);
                }
            }
            item.moves.push_back(joint);
            at_ = {items_.size(), spatial::identity(), {}};
        }
        items_.push_back(std::move(item));
    }

    /// Euler parameters: speeds are those of the child in its own axes, which are the inner ones of a reversed joint.
    void add_general(const Joint& joint, const JointStep& ball, const std::vector<std::size_t>& f) {
        Item item{Item::Kind::general, at_.item, at_.R, at_.p, 0, none, 0, {}};
        const std::size_t at = ball.coordinate;
        const std::vector<Expr>& q = joint.coordinates;
        Move turn{Move::Kind::rotate}, way{Move::Kind::joint};
        turn.is_fixed = false;
        turn.R = Rotation::euler_parameters({q[at], q[at + 1], q[at + 2], q[at + 3]}).matrix();
        if (is_reversed_) turn.R = transpose(turn.R);
        const Expr sign = is_reversed_ ? -1 : 1;
        for (std::size_t k = 0; k < 3; ++k) {
            Twist S;
            S.w[k] = sign;
            way.ways.push_back({f[ball.speed + k], S});
        }
        std::vector<Move> slides;
        for (const JointStep& place : joint_steps(joint)) {
            for (std::size_t k = 0; place.kind == StepKind::place && k < 3; ++k) {
                Twist S;
                S.v[k] = sign;
                way.ways.push_back({f[place.speed + k], S});
                Move slide{Move::Kind::slide};
                slide.axis = k, slide.d = sign * q[place.coordinate + k], slide.is_fixed = false;
                slides.push_back(slide);
            }
        }
        if (is_reversed_) {
            item.moves = {way, turn};
            item.moves.insert(item.moves.end(), slides.begin(), slides.end());
        } else {
            item.moves = slides;
            item.moves.push_back(turn);
            item.moves.push_back(way);
        }
        at_ = {items_.size(), spatial::identity(), {}};
        items_.push_back(std::move(item));
    }

    // -------------------------------------------------------------------------------------------------------- normal form

    /// A branch begins where its first joint is: the ground stands still in any frame.
    void place_root(Item& item) { gravity_of_[&item - items_.data()] = transposed_times(item.R, m_.model->gravity); }

    void place(Item& inner, Item& item) {
        item.p += inner.carried;
        const bool may_move = inner.has_axis() && !inner.is_placed;
        inner.is_placed = true;
        const Vec3 z = column(item.R, 2);
        if (!item.has_axis() || !are_constant(z) || !are_constant(column(item.R, 0))) {  // as it is, from the inner final frame
            const Mat3 back = turn_z(-inner.turned);
            item.offset = back * (item.p - Vec3{{0, 0, inner.slid}});
            item.R = back * item.R;
            item.is_rotated = true;
            return;
        }
        if (item.kind == Item::Kind::slide) {  // only its direction counts
            item.carried = transposed_times(item.R, item.p - Vec3{{0, 0, inner.slid}});
            item.p = {{0, 0, inner.slid}};
        }
        double size = 0;
        for (std::size_t k = 0; k < 3; ++k) size += is_constant(item.p[k]) ? std::abs(value(item.p[k])) : 1;
        const bool is_parallel = std::abs(value(z[0])) < rounding && std::abs(value(z[1])) < rounding;
        Angle gamma = inner.turned;
        Expr b = inner.slid, d = 0, across = 0;
        if (is_parallel) {
            item.alpha = {value(z[2]) > 0 ? 1 : -1, 0};
            const auto direction = of_normal(item.p, size);
            if (direction && may_move) gamma = *direction;
            if (may_move && inner.kind == Item::Kind::turn) b = -inner.along;  // one slide for all the parallel axes
            const Vec3 p = transposed_times(turn_z(gamma), item.p);
            d = snapped_length(p[0], size);
            across = snapped_length(p[1], size);
            item.along = item.alpha.c * snapped_length(p[2] - b, size);
        } else {
            const Angle normal = along(snapped_length(-z[1], 1), snapped_length(z[0], 1));
            item.alpha = Angle{z[2], z[0] * normal.s - z[1] * normal.c}.cleaned();
            // p + t z is on the common normal
            const Vec3 p = transposed_times(turn_z(normal), item.p);
            gamma = normal;
            d = snapped_length(p[0], size);
            if (item.kind == Item::Kind::slide) {
                d = 0;
            } else if (std::abs(value(item.alpha.s)) > nearly_parallel) {
                const Expr t = snapped_length(p[1] / item.alpha.s, size);
                b = snapped_length(p[2] + t * item.alpha.c, size);
                item.along = -t;
            } else {  // the common normal may be far away: digits are worth more than operations
                across = snapped_length(p[1], size);
                b = p[2];
            }
        }
        if (may_move) inner.turned = gamma, inner.slid = b;
        const Mat3 rest = transpose(turn_x(item.alpha)) * (transpose(turn_z(gamma)) * item.R);
        item.zero = Angle{} + Angle{rest[0][0], rest[1][0]};
        item.gamma = gamma + -inner.turned;
        item.offset = turn_z(item.gamma) * Vec3{{d, across, 0}};
        item.offset[2] = snapped_length(b - inner.slid, size);
    }

    /// The direction from one of two parallel axes to the other, when it is a number or can be made one.
    static std::optional<Angle> of_normal(const Vec3& p, double size) {
        const Expr x = snapped_length(p[0], size), y = snapped_length(p[1], size);
        if (!x.is_literally(0) && !y.is_literally(0) && !is_constant(y / x)) return std::nullopt;
        return along(x, y);
    }

    /// The direction of (x, y) or of its opposite; y/x is a constant.
    static Angle along(const Expr& x, const Expr& y) {
        if (y.is_literally(0)) return {};
        if (x.is_literally(0)) return {0, 1};
        Expr derivative = y / x;
        if (!derivative.is_number()) derivative = Expr(value(derivative));  // roots: the nearest double will do
        const Vec3 n = *spatial::normalized(Vec3{{1, derivative, 0}});
        return Angle{n[0], n[1]}.cleaned();
    }

    // -------------------------------------------------------------------------------------------------------------- moves

    std::size_t push(Move move) {
        move.inner = move.kind == Move::Kind::root ? result_.moves.size() : end_;
        result_.moves.push_back(std::move(move));
        result_.gravity.emplace_back();
        return end_ = result_.moves.size() - 1;
    }
    void push_turn(std::size_t axis, const Angle& by, const Expr& q = 0) {
        if (q.is_literally(0) && by.is_none()) return;
        push(turn_of(axis, q, {recursive::shortened(by.c), recursive::shortened(by.s)}));
    }
    void push_slide(std::size_t axis, const Expr& d, bool is_fixed = true) {
        if (d.is_literally(0)) return;
        Move move{Move::Kind::slide};
        move.axis = axis, move.d = recursive::shortened(d), move.is_fixed = is_fixed;
        push(std::move(move));
    }
    void push_joint(std::size_t freedom, const Twist& S) {
        Move move{Move::Kind::joint};
        move.ways.push_back({freedom, S});
        push(std::move(move));
    }

    void emit(Item& item) {
        if (item.inner == none) {
            push({Move::Kind::root});
            result_.gravity[end_] = gravity_of_[&item - items_.data()];
        } else {
            end_ = items_[item.inner].last;
            for (std::size_t k = 0; k < 3; ++k) push_slide(k, item.offset[k]);
            if (item.is_rotated) {
                if (Move move{Move::Kind::rotate}; !(item.R == spatial::identity())) {
                    move.R = item.R;
                    for (auto& row : move.R.e) {
                        for (Expr& x : row) x = recursive::shortened(x);
                    }
                    push(std::move(move));
                }
            } else {
                push_turn(2, item.gamma);
                push_turn(0, item.alpha);
            }
        }
        const Vec3 z = spatial::unit(2);
        const Expr along = item.along + item.slid;
        switch (item.kind) {
            case Item::Kind::turn: {
                // A last link that looks the same from all sides need not be turned to be felt.
                const bool is_top = item.outer.empty() && is_symmetric(item.moments, 2);
                if (is_top) push_joint(item.freedom, {z, {}});
                push_turn(2, item.zero + item.turned, item.q);
                if (!is_top) push_joint(item.freedom, {z, {}});
                push_slide(2, along);
                break;
            }
            case Item::Kind::screw:
                push_turn(2, item.zero + item.turned, item.q);
                push_slide(2, item.pitch * item.q + along, false);
                push_joint(item.freedom, {z, item.pitch * z});
                break;
            case Item::Kind::slide:
                push_turn(2, item.zero + item.turned);
                push_slide(2, item.q + along, false);
                push_joint(item.freedom, {{}, z});
                break;
            case Item::Kind::skew:
            case Item::Kind::general:
                for (Move& move : item.moves) push(move);
                break;
        }
        item.last = end_;
    }

    // ------------------------------------------------------------------------------------------------------------- bodies

    void place_bodies() {
        result_.X_body.resize(placed_.size());
        for (BodyIndex b = 1; b < placed_.size(); ++b) {
            const Placed& placed = placed_[b];
            if (placed.item == none) continue;  // welded to the ground
            Item& item = items_[placed.item];
            const Mat3 back = turn_z(-item.turned);
            const Mat3 R = back * placed.R;
            const Vec3 p = back * (placed.p + item.carried - Vec3{{0, 0, item.slid}});
            result_.X_body[b] = {Rotation(R), p};
            const model::Body& body = m_.model->bodies[b];
            // ∫ r rᵀ about the centre of mass, then everything about the frame's origin
            const Mat3& I = body.inertia;
            Mat3 J;
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
                J[k][k] = (I[i][i] + I[j][j] - I[k][k]) / 2;
                J[i][j] = J[j][i] = -I[i][j];
            }
            const Vec3 c = p + R * body.com, h = body.mass * c;
            Moments moments{body.mass, h, Rotation(R).congruence(J) + spatial::outer(h, c)};
            double size = 0, trace = 0;
            for (std::size_t k = 0; k < 3; ++k) {
                size += size_of(p[k]) + size_of(body.com[k]);
                trace += size_of(I[k][k]);
            }
            forget_rounding(moments, size_of(body.mass) * size, trace + size_of(body.mass) * size * size);
            item.moments = shortened(item.moments + moments);
        }
    }

    static double size_of(const Expr& e) { return is_constant(e) ? std::abs(value(e)) : 0; }

    /// Frames given by decimals leave 1e-17 where a product of inertia should be nothing, and tell two moments apart that should
    /// be equal.
    static void forget_rounding(Moments& a, double h, double J) {
        for (Expr& x : a.h.e) x = snapped_length(x, h);
        for (auto& row : a.J.e) {
            for (Expr& x : row) x = snapped_length(x, J);
        }
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (snapped_length(a.J[i][i] - a.J[j][j], J).is_literally(0)) a.J[i][i] = a.J[j][j];
            }
        }
    }

    void move_bodies() {
        result_.true_moments.resize(result_.moves.size());
        for (const Item& item : items_) result_.true_moments[item.last] = item.moments;
        result_.move_of.assign(placed_.size(), none);
        std::unordered_map<const kinematics::Contribution*, std::size_t> freedom_of;
        for (std::size_t i = 0; i < m_.freedoms.size(); ++i) {
            if (m_.freedoms[i].is_own()) freedom_of.emplace(m_.freedoms[i].of.get(), i);
        }
        for (BodyIndex b = 1; b < placed_.size(); ++b) {
            const bool is_fixed = placed_[b].item == none;
            const std::size_t last = result_.move_of[b] = is_fixed ? none : items_[placed_[b].item].last;
            for (const auto& c : m_.contributions[b]) {
                const auto& rotor = dynamic_cast<const kinematics::Rotor&>(*c);
                Wheel wheel{last, result_.X_body[b].R * rotor.axis(), rotor.axial_inertia(), rotor.held_speed(), {}};
                if (const auto own = freedom_of.find(c.get()); own != freedom_of.end()) wheel.freedom = own->second;
                result_.wheels.push_back(std::move(wheel));
            }
        }
    }

    /// About the axis k through the origin.
    static bool is_symmetric(const Moments& a, std::size_t k) {
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        for (const Expr& x : {a.h[i], a.h[j], a.J[i][j], a.J[i][k], a.J[j][k]}) {
            if (!x.is_literally(0)) return false;
        }
        return a.J[i][i] == a.J[j][j];
    }

    /// What a joint cannot feel, with its inner link: then what is left of a link that turns about z is h_x, h_y and the upper
    /// rows of J [gautier90, khalil87, there in terms of the inertia tensor].
    void regroup() {
        result_.moments = result_.true_moments;
        for (std::size_t i = result_.moves.size(); i-- > 0;) {
            const Move& move = result_.moves[i];
            if (move.kind == Move::Kind::root) {
                result_.moments[i] = {};
                continue;
            }
            Moments& own = result_.moments[i];
            if (own.is_zero()) continue;
            const Moments passed = unfelt(move, own);
            if (passed.is_zero()) continue;
            own = {own.m - passed.m, own.h - passed.h, own.J + Expr(-1) * passed.J};
            result_.moments[move.inner] = shortened(result_.moments[move.inner] + inwards(move, passed));
        }
    }

    /// Fractions that grow from link to link are cut where no double could tell.
    static Moments shortened(Moments a) {
        const auto cut = [](Expr& x) { x = recursive::shortened(x); };
        cut(a.m);
        for (Expr& x : a.h.e) cut(x);
        for (auto& row : a.J.e) std::ranges::for_each(row, cut);
        return a;
    }

    static Moments unfelt(const Move& move, const Moments& own) {
        const auto about = [&](std::size_t k) {
            Moments part{own.m, {}, {}};
            part.h[k] = own.h[k];
            part.J[k][k] = own.J[k][k];
            return part;
        };
        switch (move.kind) {
            case Move::Kind::root: return {};
            case Move::Kind::turn: return move.is_fixed || is_symmetric(own, move.axis) ? own : about(move.axis);
            case Move::Kind::slide: return move.is_fixed ? own : Moments{0, {}, own.J};
            case Move::Kind::rotate: return move.is_fixed ? own : Moments{own.m, {}, {}};
            case Move::Kind::joint: break;
        }
        bool turns = false, slides = false;
        for (const Move::MotionAxis& way : move.ways) turns |= !is_zero(way.S.w), slides |= !is_zero(way.S.v);
        if (!turns) return {0, {}, own.J};
        const Vec3& w = move.ways[0].S.w;
        for (std::size_t k = 0; move.ways.size() == 1 && k < 3; ++k) {
            if (!(w == spatial::unit(k) || w == -spatial::unit(k))) continue;
            if (!slides) {
                Moments part = about(k);  // what turns like a sphere is left like one: its torque is 2 J ω̇
                if (is_symmetric(own, k)) part.J[k][k] -= own.J[(k + 1) % 3][(k + 1) % 3];
                return part;
            }
            Moments part;  // a screw
            part.J[k][k] = own.J[k][k];
            return is_zero(cross(w, move.ways[0].S.v)) ? part : Moments{};
        }
        return slides ? Moments{} : Moments{own.m, {}, {}};
    }

    const Mechanism& m_;
    std::vector<Item> items_;
    std::vector<Placed> placed_;
    Placed at_{};
    bool is_reversed_ = false;
    std::unordered_map<std::size_t, Vec3> gravity_of_;
    std::size_t end_ = 0;
    Linkage result_;
};

}  // namespace

bool is_constant(const Expr& e) { return e.is_number() || sym::symbols_in(e).empty(); }

Expr shortened(const Expr& e) {
    constexpr std::size_t most = 320;
    constexpr int kept = 120;
    if (!e.is_number() || e.number().bits() < most) return e;
    const double size = std::abs(value(e));
    if (!(size > 1e-200 && size < 1e200)) return e;
    const sym::Rational scale = power(sym::Rational(2), kept - std::ilogb(size));
    return (e.number() * scale + sym::Rational(1, 2)).floor() / scale;
}

bool Moments::is_zero() const {
    if (!m.is_literally(0) || !spatial::is_zero(h)) return false;
    for (const auto& row : J.e) {
        for (const Expr& x : row) {
            if (!x.is_literally(0)) return false;
        }
    }
    return true;
}

Move joined(const Move& first, const Move& second) {
    return turn_of(first.axis, first.q + second.q, Angle{first.c0, first.s0} + Angle{second.c0, second.s0});
}

Linkage take_apart(const System& system) { return Builder(system).build(); }

Vec3 inwards(const Move& m, const Vec3& v) {
    if (m.kind == Move::Kind::rotate) return m.R * v;
    if (m.kind != Move::Kind::turn) return v;
    const std::size_t i = (m.axis + 1) % 3, j = (m.axis + 2) % 3;
    Vec3 r = v;
    r[i] = combination(m.c, v[i], -m.s, v[j]);
    r[j] = combination(m.s, v[i], m.c, v[j]);
    return r;
}

Vec3 outwards(const Move& m, const Vec3& v) {
    if (m.kind == Move::Kind::rotate) return transposed_times(m.R, v);
    if (m.kind != Move::Kind::turn) return v;
    const std::size_t i = (m.axis + 1) % 3, j = (m.axis + 2) % 3;
    Vec3 r = v;
    r[i] = combination(m.c, v[i], m.s, v[j]);
    r[j] = combination(m.c, v[j], -m.s, v[i]);
    return r;
}

Wrench inwards(const Move& m, const Wrench& F) {
    if (m.kind == Move::Kind::slide) {
        Wrench r = F;
        const std::size_t i = (m.axis + 1) % 3, j = (m.axis + 2) % 3;
        r.t[i] = sum(F.t[i], -(m.d * F.f[j]));
        r.t[j] = sum(F.t[j], m.d * F.f[i]);
        return r;
    }
    return {inwards(m, F.t), inwards(m, F.f)};
}

Mat3 turned(const Move& m, const Mat3& S) {
    if (m.kind == Move::Kind::rotate) return Rotation(m.R).congruence(S);
    if (m.kind != Move::Kind::turn) return S;
    // In the plane: with A = c (S_ii − S_jj) − 2 s S_ij, S_ii' = S_jj + cA, S_jj' = S_ii − cA, S_ij' = S_ij + sA
    const std::size_t k = m.axis, i = (k + 1) % 3, j = (k + 2) % 3;
    Mat3 r = S;
    const Expr A = m.c * (S[i][i] - S[j][j]) - m.s * (2 * S[i][j]), cA = m.c * A;
    r[i][i] = S[j][j] + cA;
    r[j][j] = S[i][i] - cA;
    r[i][j] = r[j][i] = S[i][j] + m.s * A;
    r[i][k] = r[k][i] = m.c * S[i][k] - m.s * S[j][k];
    r[j][k] = r[k][j] = m.s * S[i][k] + m.c * S[j][k];
    return r;
}

Moments inwards(const Move& m, const Moments& a) {
    if (m.kind != Move::Kind::slide) return {a.m, inwards(m, a.h), turned(m, a.J)};
    // ∫ (r + d e)(r + d e)ᵀ
    Moments r = a;
    const std::size_t k = m.axis;
    r.h[k] += m.d * a.m;
    for (std::size_t i = 0; i < 3; ++i) {
        if (i != k) r.J[i][k] = r.J[k][i] = a.J[i][k] + m.d * a.h[i];
    }
    r.J[k][k] += m.d * (a.h[k] + r.h[k]);
    return r;
}

}  // namespace linkwright::formulation::recursive
