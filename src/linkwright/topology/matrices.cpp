#include "linkwright/topology/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "linkwright/model/joint_steps.hpp"

namespace linkwright::topology {

using model::StepKind;

IntMatrix operator*(const IntMatrix& a, const IntMatrix& b) {
    if (a.columns != b.rows) throw std::invalid_argument("matrices do not fit");
    IntMatrix c(a.rows, b.columns);
    for (std::size_t i = 0; i < a.rows; ++i) {
        for (std::size_t k = 0; k < a.columns; ++k) {
            if (a(i, k) == 0) continue;
            for (std::size_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
        }
    }
    return c;
}

IntMatrix int_identity(std::size_t n) {
    IntMatrix a(n, n);
    for (std::size_t i = 0; i < n; ++i) a(i, i) = 1;
    return a;
}

sym::Matrix rows_of(const IntMatrix& a) {
    sym::Matrix rows(a.rows);
    for (std::size_t i = 0; i < a.rows; ++i) {
        for (std::size_t j = 0; j < a.columns; ++j) rows[i].emplace_back(a(i, j));
    }
    return rows;
}

std::string to_string(const IntMatrix& a) {
    std::size_t width = 1;
    for (const int x : a.entries) width = std::max(width, fmt::formatted_size("{}", x));
    std::string text;
    for (std::size_t i = 0; i < a.rows; ++i) {
        for (std::size_t j = 0; j < a.columns; ++j) text += fmt::format("{}{:>{}}", j == 0 ? "" : " ", a(i, j), width);
        text += '\n';
    }
    return text;
}

IntMatrix path_matrix(const Topology& t) {
    const std::size_t n = t.order.size();
    IntMatrix pi(n, n);
    for (const BodyIndex i : t.order) {  // the inner body's row is there already
        if (t.arc[i]) {
            for (std::size_t j = 0; j < n; ++j) pi(i, j) = pi(t.arc[i]->inner, j);
        }
        pi(i, i) = 1;
    }
    return pi;
}

IntMatrix reference_matrix(const Topology& t) {
    IntMatrix rho = int_identity(t.order.size());
    for (BodyIndex i = 0; i < t.arc.size(); ++i) {
        if (t.arc[i]) rho(i, t.arc[i]->inner) = -1;
    }
    return rho;
}

IntMatrix distance_matrix(const Topology& t) {
    const std::size_t n = t.order.size();
    IntMatrix d(n, n);
    for (std::size_t k = 0; k < n; ++k) {
        const BodyIndex i = t.order[k];
        if (!t.arc[i]) continue;
        // A body earlier in the order is never beyond i: the way to it leads through the inner body.
        for (std::size_t l = 0; l < k; ++l) {
            const BodyIndex j = t.order[l];
            d(i, j) = d(j, i) = d(t.arc[i]->inner, j) + 1;
        }
    }
    return d;
}

std::optional<IntMatrix> joint_code_matrix(const model::Model& model, const Topology& t) {
    IntMatrix codes(t.order.size(), t.order.size());
    for (const BodyIndex i : t.order) {
        if (!t.arc[i]) continue;
        const BodyIndex inner = t.arc[i]->inner;
        const auto connect = [&](int code) { codes(i, inner) = codes(inner, i) = code; };
        const std::vector<model::JointStep> steps = joint_steps(model.joints[t.arc[i]->joint]);
        const bool flies = steps.size() == 2 && steps[0].kind == StepKind::place;
        if (flies && inner == model::ground)
            codes(i, i) = 2;
        else if (steps.size() != 1)
            return std::nullopt;
        else if (steps[0].kind == StepKind::turn)
            connect(10);
        else if (steps[0].kind == StepKind::slide)
            connect(11);
        else if (steps[0].kind == StepKind::ball)
            connect(30);
        else
            return std::nullopt;
    }
    return codes;
}

Incidence incidence(const model::Model& model, const Topology& t) {
    const std::size_t n = t.order.size() - 1;  // bodies beside the ground, and arcs
    Incidence in;
    in.S = IntMatrix(n + 1, model.joints.size());
    for (std::size_t s = 0; s < model.joints.size(); ++s) {
        in.S(model.joints[s].parent, s) += 1;
        in.S(model.joints[s].child, s) -= 1;
    }
    in.S_0 = IntMatrix(1, n);
    in.S_A = IntMatrix(n, n);
    in.S_C = IntMatrix(n, t.chords.size());
    in.T = IntMatrix(n, n);
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t s = t.arc[k + 1]->joint;
        in.S_0(0, k) = in.S(model::ground, s);
        for (std::size_t i = 0; i < n; ++i) in.S_A(i, k) = in.S(i + 1, s);
        for (BodyIndex b = k + 1; t.arc[b]; b = t.arc[b]->inner) in.T(b - 1, k) = t.arc[b]->is_reversed ? 1 : -1;
    }
    for (std::size_t c = 0; c < t.chords.size(); ++c) {
        for (std::size_t i = 0; i < n; ++i) in.S_C(i, c) = in.S(i + 1, t.chords[c]);
    }
    return in;
}

IntMatrix loop_matrix(const model::Model& model, const Topology& t) {
    IntMatrix U(t.order.size() - 1, t.loops.size());
    for (std::size_t c = 0; c < t.loops.size(); ++c) {
        BodyIndex body = model.joints[t.loops[c].chord].parent;
        for (const std::size_t s : t.loops[c].joints) {
            const model::Joint& joint = model.joints[s];
            const bool is_forward = joint.parent == body;
            const BodyIndex next = is_forward ? joint.child : joint.parent;
            const BodyIndex outer = t.arc[next] && t.arc[next]->joint == s ? next : body;
            U(outer - 1, c) = is_forward ? 1 : -1;
            body = next;
        }
    }
    return U;
}

std::vector<std::vector<BodyIndex>> chains(const Topology& t) {
    std::vector<std::vector<BodyIndex>> runs;
    for (const BodyIndex start : t.order) {
        if (!t.arc[start]) continue;
        const BodyIndex inner = t.arc[start]->inner;
        if (inner != model::ground && t.outer[inner].size() == 1) continue;  // inside a run
        std::vector<BodyIndex> run{start};
        while (t.outer[run.back()].size() == 1) run.push_back(t.outer[run.back()].front());
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace linkwright::topology
