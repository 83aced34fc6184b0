#include "mujoco_model.hpp"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cstring>
#include <stdexcept>

namespace linkwright::bench {

namespace {

std::string text(const Eigen::Vector3d& v) { return fmt::format("{} {} {}", v.x(), v.y(), v.z()); }

std::string text(const Eigen::Quaterniond& r) { return fmt::format("{} {} {} {}", r.w(), r.x(), r.y(), r.z()); }

/// The limb and everything further out. A body's frame is given where it stands when its joint is at zero.
void write_limb(const Tree& tree, std::size_t index, std::string& xml) {
    const Limb& limb = tree.limbs[index];
    const Eigen::Isometry3d X_PB = limb.X_PF * limb.X_BF.inverse();
    // Principal axes by ourselves: MuJoCo's own from a full inertia are good to seven digits only.
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(limb.inertia);
    Eigen::Matrix3d axes = principal.eigenvectors();
    if (axes.determinant() < 0) axes.col(0) *= -1;
    xml += fmt::format("<body name=\"{}\" pos=\"{}\" quat=\"{}\">\n", limb.name, text(X_PB.translation()),
                       text(Eigen::Quaterniond(X_PB.linear())));
    xml += fmt::format("<inertial pos=\"{}\" quat=\"{}\" mass=\"{}\" diaginertia=\"{}\"/>\n", text(limb.com),
                       text(Eigen::Quaterniond(axes)), limb.mass, text(principal.eigenvalues().eval()));
    if (limb.joint == Limb::Joint::free) {
        xml += fmt::format("<freejoint name=\"{}\"/>\n", limb.joint_name);
    } else if (limb.joint == Limb::Joint::universal) {
        for (const auto& [ending, axis] : {std::pair{".1", Eigen::Vector3d::UnitX()}, std::pair{".2", Eigen::Vector3d::UnitY()}}) {
            xml += fmt::format("<joint name=\"{}{}\" type=\"hinge\" pos=\"{}\" axis=\"{}\"/>\n", limb.joint_name, ending,
                               text(limb.X_BF.translation()), text(limb.X_BF.linear() * axis));
        }
    } else {
        xml += fmt::format("<joint name=\"{}\" type=\"{}\" pos=\"{}\" axis=\"{}\"/>\n", limb.joint_name,
                           limb.joint == Limb::Joint::revolute ? "hinge" : "slide", text(limb.X_BF.translation()),
                           text(limb.X_BF.linear() * limb.axis));
    }
    for (std::size_t i = index + 1; i < tree.limbs.size(); ++i) {
        if (tree.limbs[i].inner == index + 1) write_limb(tree, i, xml);
    }
    xml += "</body>\n";
}

std::string write_mjcf(const Tree& tree) {
    std::string xml = fmt::format(
        "<mujoco model=\"{}\">\n<compiler angle=\"radian\" coordinate=\"local\" inertiafromgeom=\"false\"/>\n"
        "<option gravity=\"{}\"><flag constraint=\"{}\" contact=\"disable\" limit=\"disable\" "
        "frictionloss=\"disable\" "
        "passive=\"disable\" actuation=\"disable\"/></option>\n<worldbody>\n",
        tree.name, text(tree.gravity), tree.closures.empty() ? "disable" : "enable");
    for (std::size_t i = 0; i < tree.limbs.size(); ++i) {
        if (tree.limbs[i].inner == 0) write_limb(tree, i, xml);
    }
    xml += "</worldbody>\n<equality>\n";
    for (const Closure& c : tree.closures) {
        xml += fmt::format("<connect body1=\"{}\" body2=\"{}\" anchor=\"{}\" solimp=\"0.9999 0.9999 0.001\"/>\n",
                           tree.limbs.at(c.inner - 1).name, tree.limbs.at(c.outer - 1).name, text(c.on_inner));
    }
    return xml + "</equality>\n</mujoco>\n";
}

mjModel* load(const std::string& xml) {
    // The virtual file system is a megabyte of table: not on the stack.
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    const int place = mj_makeEmptyFileVFS(files.get(), "tree.xml", static_cast<int>(xml.size()));
    if (place < 0) throw std::runtime_error("MuJoCo takes no file of this size");
    std::memcpy(files->filedata[place], xml.data(), xml.size());
    char error[1000] = "";
    mjModel* model = mj_loadXML("tree.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + error);
    return model;
}

}  // namespace

struct MujocoModel::Parts {
    mjModel* model = nullptr;
    mjData* data = nullptr;
    std::vector<int> q, v;  ///< where each coordinate and speed of a joint stands; floating bases are left out
    ~Parts() {
        mj_deleteData(data);
        mj_deleteModel(model);
    }

    void put(const Posture& at) const {
        for (std::size_t i = 0; i < q.size(); ++i) {
            data->qpos[q[i]] = at.q[i];
            data->qvel[v[i]] = at.u[i];
        }
    }
};

MujocoModel::MujocoModel(const Tree& tree) : parts_(std::make_unique<Parts>()) {
    parts_->model = load(write_mjcf(tree));
    parts_->data = mj_makeData(parts_->model);
    if (static_cast<std::size_t>(parts_->model->nv) != tree.freedoms()) throw std::runtime_error("MuJoCo counts other freedoms");
    for (const Limb& limb : tree.limbs) {
        if (limb.joint == Limb::Joint::free) continue;
        const std::string first = limb.joint_name + (limb.joint == Limb::Joint::universal ? ".1" : "");
        const int joint = mj_name2id(parts_->model, mjOBJ_JOINT, first.c_str());
        for (int k = 0; k < static_cast<int>(limb.freedoms()); ++k) {
            parts_->q.push_back(parts_->model->jnt_qposadr[joint] + k);
            parts_->v.push_back(parts_->model->jnt_dofadr[joint] + k);
        }
    }
    // MuJoCo takes the loops to be closed where all joints are at zero.
    for (std::size_t i = 0; i < tree.closures.size(); ++i) {
        mjtNum* points = parts_->model->eq_data + static_cast<std::ptrdiff_t>(mjNEQDATA * i);
        std::copy_n(tree.closures[i].on_inner.data(), 3, points);
        std::copy_n(tree.closures[i].on_outer.data(), 3, points + 3);
    }
}

MujocoModel::~MujocoModel() = default;

const char* MujocoModel::version() { return mj_versionString(); }

void MujocoModel::forward(const Posture& at, std::vector<double>& accelerations) {
    const mjModel* m = parts_->model;
    mjData* d = parts_->data;
    parts_->put(at);
    if (m->neq > 0) {
        for (std::size_t i = 0; i < accelerations.size(); ++i) d->qfrc_applied[parts_->v[i]] = at.drive[i];
        mj_forward(m, d);
        for (std::size_t i = 0; i < accelerations.size(); ++i) accelerations[i] = d->qacc[parts_->v[i]];
        return;
    }
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    for (int i = 0; i < m->nv; ++i) d->qfrc_smooth[i] = -d->qfrc_bias[i];
    for (std::size_t i = 0; i < accelerations.size(); ++i) d->qfrc_smooth[parts_->v[i]] += at.drive[i];
    mj_solveM(m, d, d->qacc, d->qfrc_smooth, 1);
    for (std::size_t i = 0; i < accelerations.size(); ++i) accelerations[i] = d->qacc[parts_->v[i]];
}

void MujocoModel::inverse(const Posture& at, std::vector<double>& forces) {
    const mjModel* m = parts_->model;
    mjData* d = parts_->data;
    parts_->put(at);
    std::fill_n(d->qacc, m->nv, 0.0);
    for (std::size_t i = 0; i < forces.size(); ++i) d->qacc[parts_->v[i]] = at.drive[i];
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 1, d->qfrc_inverse);
    for (std::size_t i = 0; i < forces.size(); ++i) forces[i] = d->qfrc_inverse[parts_->v[i]];
}

}  // namespace linkwright::bench
