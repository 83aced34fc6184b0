#include "simbody_model.hpp"

#include <Simbody.h>

namespace linkwright::bench {

namespace {

SimTK::Vec3 simbody(const ::Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

SimTK::Transform simbody(const ::Eigen::Isometry3d& X) {
    SimTK::Mat33 R;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) R(i, j) = X.linear()(i, j);
    }
    return {SimTK::Rotation(R), simbody(X.translation().eval())};
}

}  // namespace

struct SimbodyModel::Parts {
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter{system};
    SimTK::State state;
    struct Body {
        SimTK::MobilizedBody mobilized;
        SimTK::Vec3 com, weight;
    };
    std::vector<Body> bodies;
    std::vector<int> q, u;  ///< where each coordinate and speed of a joint stands; floating bases are left out
    bool has_loops = false;
    SimTK::Vector drive, result;
    SimTK::Vector_<SimTK::SpatialVec> weights, accelerations;

    void put(const Posture& at, SimTK::Stage stage) {
        SimTK::Vector& coordinates = state.updQ();
        SimTK::Vector& speeds = state.updU();
        for (std::size_t i = 0; i < q.size(); ++i) {
            coordinates[q[i]] = at.q[i];
            speeds[u[i]] = at.u[i];
            drive[u[i]] = at.drive[i];
        }
        system.realize(state, stage);
        for (const Body& body : bodies) {
            const SimTK::Vec3 p = body.mobilized.getBodyRotation(state) * body.com;
            weights[body.mobilized.getMobilizedBodyIndex()] = SimTK::SpatialVec(p % body.weight, body.weight);
        }
    }
};

SimbodyModel::SimbodyModel(const Tree& tree) : parts_(std::make_unique<Parts>()) {
    using namespace SimTK;
    Parts& p = *parts_;
    std::vector<MobilizedBody> placed{p.matter.Ground()};
    for (const Limb& limb : tree.limbs) {
        const ::Eigen::Matrix3d& I = limb.inertia;
        const SimTK::Vec3 com = simbody(limb.com);
        const Inertia central(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
        const SimTK::Body::Rigid body(MassProperties(limb.mass, com, central.shiftFromMassCenter(-com, limb.mass)));
        // a pin turns about z, a slider travels along x, a universal joint turns about x, then y
        const bool is_along_x = limb.joint == Limb::Joint::prismatic || limb.joint == Limb::Joint::universal;
        const ::Eigen::Vector3d along = is_along_x ? ::Eigen::Vector3d::UnitX() : ::Eigen::Vector3d::UnitZ();
        const ::Eigen::Quaterniond turn = ::Eigen::Quaterniond::FromTwoVectors(along, limb.joint == Limb::Joint::free ? along : limb.axis);
        const Transform X_PF = simbody(::Eigen::Isometry3d(limb.X_PF * turn)), X_BF = simbody(::Eigen::Isometry3d(limb.X_BF * turn));
        MobilizedBody& inner = placed[limb.inner];
        switch (limb.joint) {
            case Limb::Joint::revolute: placed.push_back(MobilizedBody::Pin(inner, X_PF, body, X_BF)); break;
            case Limb::Joint::prismatic: placed.push_back(MobilizedBody::Slider(inner, X_PF, body, X_BF)); break;
            case Limb::Joint::universal: placed.push_back(MobilizedBody::Universal(inner, X_PF, body, X_BF)); break;
            case Limb::Joint::free: placed.push_back(MobilizedBody::Free(inner, X_PF, body, X_BF)); break;
        }
        p.bodies.push_back({placed.back(), com, limb.mass * simbody(tree.gravity)});
    }
    for (const Closure& c : tree.closures) {
        MobilizedBody &inner = placed[c.inner], &outer = placed[c.outer];
        if (c.is_plane)
            Constraint::PointOnLine(inner, UnitVec3(simbody(c.normal)), simbody(c.on_inner), outer, simbody(c.on_outer));
        else
            Constraint::Ball(inner, simbody(c.on_inner), outer, simbody(c.on_outer));
    }
    p.has_loops = !tree.closures.empty();
    p.state = p.system.realizeTopology();
    p.system.realizeModel(p.state);
    for (std::size_t i = 0; i < tree.limbs.size(); ++i) {
        if (tree.limbs[i].joint == Limb::Joint::free) continue;
        for (int k = 0; k < static_cast<int>(tree.limbs[i].freedoms()); ++k) {
            p.q.push_back(p.bodies[i].mobilized.getFirstQIndex(p.state) + k);
            p.u.push_back(p.bodies[i].mobilized.getFirstUIndex(p.state) + k);
        }
    }
    p.drive.resize(p.matter.getNumMobilities());
    p.drive = 0;
    p.weights.resize(p.matter.getNumBodies());
    p.weights = SpatialVec(SimTK::Vec3(0), SimTK::Vec3(0));
}

SimbodyModel::~SimbodyModel() = default;

std::string SimbodyModel::version() {
    int major = 0, minor = 0, build = 0;
    SimTK_version_simbody(&major, &minor, &build);
    return std::to_string(major) + "." + std::to_string(minor);
}

void SimbodyModel::forward(const Posture& at, std::vector<double>& accelerations) {
    Parts& p = *parts_;
    p.put(at, SimTK::Stage::Dynamics);
    if (p.has_loops)
        p.matter.calcAcceleration(p.state, p.drive, p.weights, p.result, p.accelerations);
    else
        p.matter.calcAccelerationIgnoringConstraints(p.state, p.drive, p.weights, p.result, p.accelerations);
    for (std::size_t i = 0; i < accelerations.size(); ++i) accelerations[i] = p.result[p.u[i]];
}

void SimbodyModel::inverse(const Posture& at, std::vector<double>& forces) {
    Parts& p = *parts_;
    p.put(at, SimTK::Stage::Velocity);
    p.matter.calcResidualForceIgnoringConstraints(p.state, {}, p.weights, p.drive, p.result);
    for (std::size_t i = 0; i < forces.size(); ++i) forces[i] = p.result[p.u[i]];
}

}  // namespace linkwright::bench
