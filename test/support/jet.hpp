#pragma once
// A value with its first and second derivative by time, as a number, a vector or a matrix. Products follow Leibniz, so
// what is composed of jets has exact velocities and accelerations without any formula for them.

#include <Eigen/Dense>
#include <cmath>

#include "linkwright/sym/evaluate.hpp"

namespace linkwright::laws {

struct Jet {
    double x = 0, v = 0, a = 0;

    Jet() = default;
    Jet(double value) : x(value) {}  // NOLINT: numbers convert
    Jet(double value, double rate, double acceleration) : x(value), v(rate), a(acceleration) {}

    friend Jet operator+(const Jet& f, const Jet& g) { return {f.x + g.x, f.v + g.v, f.a + g.a}; }
    friend Jet operator-(const Jet& f, const Jet& g) { return {f.x - g.x, f.v - g.v, f.a - g.a}; }
    friend Jet operator-(const Jet& f) { return {-f.x, -f.v, -f.a}; }
    friend Jet operator*(const Jet& f, const Jet& g) { return {f.x * g.x, f.v * g.x + f.x * g.v, f.a * g.x + 2 * f.v * g.v + f.x * g.a}; }
    friend Jet operator/(const Jet& f, const Jet& g) { return f * g.through(1 / g.x, -1 / (g.x * g.x), 2 / (g.x * g.x * g.x)); }

    /// h(f), when h, h′ and h″ have these values at f.
    Jet through(double h, double dh, double ddh) const { return {h, dh * v, dh * a + ddh * v * v}; }
};

inline Jet sqrt(const Jet& f) {
    const double s = std::sqrt(f.x);
    return f.through(s, 1 / (2 * s), -1 / (4 * s * f.x));
}

struct JetVec {
    Eigen::Vector3d x = Eigen::Vector3d::Zero(), v = Eigen::Vector3d::Zero(), a = Eigen::Vector3d::Zero();

    friend JetVec operator+(const JetVec& f, const JetVec& g) { return {f.x + g.x, f.v + g.v, f.a + g.a}; }
    friend JetVec operator-(const JetVec& f, const JetVec& g) { return {f.x - g.x, f.v - g.v, f.a - g.a}; }
    friend JetVec operator*(const Jet& f, const JetVec& g) {
        return {f.x * g.x, f.v * g.x + f.x * g.v, f.a * g.x + 2 * f.v * g.v + f.x * g.a};
    }
};
inline JetVec fixed(const Eigen::Vector3d& x) { return {x, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()}; }
inline Jet dot(const JetVec& f, const JetVec& g) {
    return {f.x.dot(g.x), f.v.dot(g.x) + f.x.dot(g.v), f.a.dot(g.x) + 2 * f.v.dot(g.v) + f.x.dot(g.a)};
}
inline JetVec cross(const JetVec& f, const JetVec& g) {
    return {f.x.cross(g.x), f.v.cross(g.x) + f.x.cross(g.v), f.a.cross(g.x) + 2 * f.v.cross(g.v) + f.x.cross(g.a)};
}

struct JetMat {
    Eigen::Matrix3d x = Eigen::Matrix3d::Identity(), v = Eigen::Matrix3d::Zero(), a = Eigen::Matrix3d::Zero();

    friend JetMat operator*(const JetMat& f, const JetMat& g) {
        return {f.x * g.x, f.v * g.x + f.x * g.v, f.a * g.x + 2 * f.v * g.v + f.x * g.a};
    }
    friend JetVec operator*(const JetMat& f, const JetVec& g) {
        return {f.x * g.x, f.v * g.x + f.x * g.v, f.a * g.x + 2 * f.v * g.v + f.x * g.a};
    }
    JetMat transpose() const { return {x.transpose(), v.transpose(), a.transpose()}; }
};

inline Eigen::Matrix3d skew(const Eigen::Vector3d& k) {
    Eigen::Matrix3d m;
    m << 0, -k.z(), k.y(), k.z(), 0, -k.x(), -k.y(), k.x(), 0;
    return m;
}
/// R = exp([k] θ): Ṙ = θ̇ [k] R, R̈ = (θ̈ [k] + θ̇² [k]²) R.
inline JetMat turn(const Eigen::Vector3d& k, const Jet& angle) {
    const Eigen::Matrix3d R = Eigen::AngleAxisd(angle.x, k).toRotationMatrix(), K = skew(k);
    return {R, angle.v * K * R, (angle.a * K + angle.v * angle.v * K * K) * R};
}

}  // namespace linkwright::laws

/// Expressions evaluated at jets: their total derivatives by time, without sym's own rules for derivatives.
template <>
struct linkwright::sym::Scalar<linkwright::laws::Jet> {
    using Jet = laws::Jet;
    static Jet undefined() { return {std::nan(""), 0, 0}; }
    static Jet number(const Rational& r) { return r.to_double(); }
    static Jet pi() { return 3.14159265358979323846; }
    static Jet power(const Jet& f, const Rational& r) {
        const double n = r.to_double();
        return f.through(std::pow(f.x, n), n * std::pow(f.x, n - 1), n * (n - 1) * std::pow(f.x, n - 2));
    }
    static Jet apply(Op op, const Jet& f) {
        const double s = std::sin(f.x), c = std::cos(f.x);
        switch (op) {
            case Op::sin: return f.through(s, c, -s);
            case Op::cos: return f.through(c, -s, -c);
            case Op::exp: return f.through(std::exp(f.x), std::exp(f.x), std::exp(f.x));
            default: return undefined();
        }
    }
    static Jet apply(Op op, const Jet& f, const Jet& g) {
        switch (op) {
            case Op::min: return g.x < f.x ? g : f;
            case Op::max: return f.x < g.x ? g : f;
            default: return undefined();
        }
    }
    static Jet select(const Jet& condition, const Jet& f, const Jet& g) { return condition.x > 0 ? f : g; }
};
