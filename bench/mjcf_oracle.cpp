// What MuJoCo itself makes of MJCF files: mass matrix, bias, passive and actuator forces at seeded random states, as JSON. `mjcf_oracle FILE.xml` prints it;
// test/exchange/mjcf keeps what it printed, so that the tests need no MuJoCo. `mjcf_oracle --check FILE.xml …` compares the files beside the models with
// what the library says now.
//
// Where a model has equality constraints, states are moved onto them, q by Newton steps with MuJoCo's own rows, u by projection.

#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::ordered_json;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Engine {
    mjModel* m = nullptr;
    mjData* d = nullptr;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    explicit Engine(const std::string& file) {
        char why[1000] = "";
        m = mj_loadXML(file.c_str(), nullptr, why, sizeof why);
        if (!m) {
            std::cerr << file << ": " << why << "\n";
            return;
        }
        m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_CLAMPCTRL;
        for (int i = 0; i < m->nu; ++i) m->actuator_forcelimited[i] = 0;
        d = mj_makeData(m);
    }
    ~Engine() {
        if (d) mj_deleteData(d);
        if (m) mj_deleteModel(m);
    }
};

// A 64-bit linear congruential generator, so that numbers are the same everywhere.
struct Random {
    std::uint64_t x = 20260101;
    double between(double low, double high) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        return low + (high - low) * static_cast<double>(x >> 11) * 0x1p-53;
    }
};

void draw(const mjModel* m, mjData* d, Random& random) {
    for (int j = 0; j < m->njnt; ++j) {
        double* q = d->qpos + m->jnt_qposadr[j];
        const int type = m->jnt_type[j];
        if (type == mjJNT_FREE)
            for (int i = 0; i < 3; ++i) *q++ = random.between(-1, 1);
        if (type == mjJNT_FREE || type == mjJNT_BALL) {
            for (int i = 0; i < 4; ++i) q[i] = random.between(-1, 1);
            mju_normalize4(q);
        } else {
            *q = m->qpos0[m->jnt_qposadr[j]] + random.between(-1, 1);
        }
    }
    for (int i = 0; i < m->nv; ++i) d->qvel[i] = random.between(-2, 2);
    for (int i = 0; i < m->nu; ++i) d->ctrl[i] = random.between(-1, 1);
    for (int i = 0; i < m->na; ++i) d->act[i] = random.between(-1, 1);
}

// Rows of the equality constraints, and what they are off by.
Matrix equality_rows(const mjModel* m, const mjData* d, Eigen::VectorXd& off) {
    std::vector<int> rows;
    for (int i = 0; i < d->nefc; ++i)
        if (d->efc_type[i] == mjCNSTR_EQUALITY) rows.push_back(i);
    Matrix J(rows.size(), m->nv);
    off.resize(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        off[static_cast<Eigen::Index>(r)] = d->efc_pos[rows[r]];
        for (int c = 0; c < m->nv; ++c) J(static_cast<Eigen::Index>(r), c) = d->efc_J[rows[r] * m->nv + c];
    }
    return J;
}

bool close(const mjModel* m, mjData* d) {
    Eigen::VectorXd off;
    for (int step = 0; step < 60; ++step) {
        mj_fwdPosition(m, d);
        const Matrix J = equality_rows(m, d, off);
        if (J.rows() == 0) return true;
        const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(J);
        if (off.norm() < 1e-13) {
            Eigen::Map<Eigen::VectorXd> u(d->qvel, m->nv);
            u -= solver.solve(J * u).eval();
            return true;
        }
        const Eigen::VectorXd move = -solver.solve(off);
        mj_integratePos(m, d->qpos, move.data(), std::min(1.0, 0.5 / move.norm()));
    }
    return false;
}

Json row(const double* x, int n) { return std::vector<double>(x, x + n); }

Json at_state(const mjModel* m, mjData* d) {
    mj_forward(m, d);
    Json state;
    state["qpos"] = row(d->qpos, m->nq);
    state["qvel"] = row(d->qvel, m->nv);
    state["ctrl"] = row(d->ctrl, m->nu);
    state["act"] = row(d->act, m->na);
    std::vector<double> full(static_cast<std::size_t>(m->nv * m->nv));
    mj_fullM(m, full.data(), d->qM);
    state["M"] = Json::array();
    for (int i = 0; i < m->nv; ++i) state["M"].push_back(row(full.data() + i * m->nv, m->nv));
    state["bias"] = row(d->qfrc_bias, m->nv);
    state["passive"] = row(d->qfrc_passive, m->nv);
    state["actuator"] = row(d->qfrc_actuator, m->nv);
    Eigen::VectorXd off;
    const Matrix J = equality_rows(m, d, off);
    state["J"] = Json::array();
    for (Eigen::Index i = 0; i < J.rows(); ++i) state["J"].push_back(row(J.data() + i * m->nv, m->nv));
    return state;
}

Json describe(const mjModel* m) {
    static const char* const types[] = {"free", "ball", "slide", "hinge"};
    Json about;
    about["mujoco"] = mj_version();
    about["joints"] = Json::array();
    for (int j = 0; j < m->njnt; ++j)
        about["joints"].push_back({{"name", m->names + m->name_jntadr[j]},
                                   {"type", types[m->jnt_type[j]]},
                                   {"qpos", m->jnt_qposadr[j]},
                                   {"dof", m->jnt_dofadr[j]}});
    about["actuators"] = Json::array();
    for (int i = 0; i < m->nu; ++i) about["actuators"].push_back(m->names + m->name_actuatoradr[i]);
    about["mass"] = mj_getTotalmass(m);
    about["qpos0"] = row(m->qpos0, m->nq);
    if (m->nkey > 0) about["key"] = row(m->key_qpos, m->nq);
    return about;
}

Json tell(const std::string& file) {
    const Engine engine(file);
    if (!engine.d) return {};
    Json all = describe(engine.m);
    all["states"] = Json::array();
    Random random;
    for (int tries = 0; tries < 40 && all["states"].size() < 3; ++tries) {
        mj_resetData(engine.m, engine.d);
        draw(engine.m, engine.d, random);
        if (close(engine.m, engine.d)) all["states"].push_back(at_state(engine.m, engine.d));
    }
    return all;
}

// Numbers within 1e-9 of their size, anything else the same; states that constraints moved may differ in their last digits.
bool agree(const Json& a, const Json& b) {
    if (a.is_number() && b.is_number()) return std::abs(a.get<double>() - b.get<double>()) <= 1e-9 * (1 + std::abs(a.get<double>()));
    if (a.size() != b.size() || a.type() != b.type()) return false;
    if (!a.is_structured()) return a == b;
    for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
        if (!agree(*x, *y)) return false;
    return true;
}

int check(const std::vector<std::string>& files) {
    int bad = 0;
    for (const std::string& file : files) {
        std::ifstream in(file.substr(0, file.size() - 4) + ".json");
        Json kept = Json::parse(in, nullptr, false), now = tell(file);
        kept.erase("mujoco");
        now.erase("mujoco");
        const bool same = !now.empty() && agree(kept, now);
        std::cout << file << (same ? ": the same\n" : ": DIFFERENT\n");
        bad += !same;
    }
    return bad ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (words.empty() || (words.front() == "--check" && words.size() < 2)) {
        std::cerr << "usage: mjcf_oracle FILE.xml      or: mjcf_oracle --check FILE.xml...\n";
        return 2;
    }
    if (words.front() == "--check") return check({words.begin() + 1, words.end()});
    const Json all = tell(words.front());
    if (all.empty()) return 2;
    std::cout << all.dump(1, ' ') << "\n";
    return 0;
}
