"""elastic_scipy.py PROGRAM      the flexible four-bar of elastic_bench written by hand for NumPy and SciPy, timed over 0.1 s of motion

Mass matrix and forces by Gauss quadrature over the beams with the constraints differentiated twice, integrated by DOP853. PROGRAM is elastic_bench:
its state after 0.1 s must agree, or this exits with 1.
"""
import subprocess
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

MU, EI, L, D = 0.6264, 88.32, (1.0, 1.2, 1.0), 1.2
XI, W = np.polynomial.legendre.leggauss(24)
XI, W = (XI + 1) / 2, W / 2
I = np.arange(1, 3)


class Link:
    def __init__(self, length):
        x = XI * length
        self.x, self.w = x, W * length * MU
        k = I * np.pi / length
        self.phi = np.sin(np.outer(k, x))
        # h_ij(x) = integral of phi_i' phi_j' from 0 to x
        self.h = self.shortening(k, x)
        self.tip = self.shortening(k, np.array([length]))[:, :, 0]
        self.K = np.diag(EI * k**4 * length / 2)
        self.length = length

    @staticmethod
    def shortening(k, x):
        h = np.empty((2, 2, x.size))
        for i in range(2):
            for j in range(2):
                a, b = k[i] - k[j], k[i] + k[j]
                first = x if i == j else np.sin(a * x) / a
                h[i, j] = k[i] * k[j] * (first + np.sin(b * x) / b) / 2
        return h


LINKS = [Link(length) for length in L]



def field(x, phi, h, th, y, thd, yd):
    u = -0.5 * np.einsum("i,ijx,j->x", y, h, y)
    ud = -np.einsum("i,ijx,j->x", yd, h, y)
    udd = -np.einsum("i,ijx,j->x", yd, h, yd)
    v, vd = y @ phi, yd @ phi
    e, n = np.array([np.cos(th), np.sin(th)]), np.array([-np.sin(th), np.cos(th)])
    r = np.outer(e, x + u) + np.outer(n, v)
    J = np.empty((3, 2, x.size))
    J[0] = np.outer(n, x + u) - np.outer(e, v)
    for i in range(2):
        J[1 + i] = np.outer(n, phi[i]) - np.outer(e, np.einsum("jx,j->x", h[i], y))
    bias = np.outer(e, udd) + 2 * thd * (np.outer(n, ud) - np.outer(e, vd)) - thd**2 * r
    return r, J, bias


def accelerations(w, wd):
    """w = th1 th2 th3 y11 y12 y21 y22 y31 y32, absolute angles"""
    M, f = np.zeros((9, 9)), np.zeros(9)
    place = [[0, 3, 4], [1, 5, 6], [2, 7, 8]]
    tips = []
    for k, link in enumerate(LINKS):
        p = place[k]
        r, J, bias = field(link.x, link.phi, link.h, w[p[0]], w[p[1:]], wd[p[0]], wd[p[1:]])
        zero = np.zeros((2, 1))
        tips.append(field(np.array([link.length]), zero, link.tip[:, :, None], w[p[0]], w[p[1:]], wd[p[0]], wd[p[1:]]))
        columns = [(p[i], J[i]) for i in range(3)]
        if k == 1:  # carried by the tip of the first link
            t, Jt, bt = tips[0]
            columns += [(place[0][i], np.repeat(Jt[i], link.x.size, axis=1)) for i in range(3)]
            bias = bias + bt
        for i, a in columns:
            f[i] -= np.sum(link.w * a * bias)
            for j, b in columns:
                M[i, j] += np.sum(link.w * a * b)
        f[p[1:]] -= link.K @ w[p[1:]]
    G, gamma = np.zeros((2, 9)), np.zeros(2)
    for sign, k in ((1, 0), (1, 1), (-1, 2)):
        _, J, bias = tips[k]
        for i in range(3):
            G[:, place[k][i]] += sign * J[i, :, 0]
        gamma -= sign * bias[:, 0]
    whole = np.block([[M, G.T], [G, np.zeros((2, 2))]])
    return np.linalg.solve(whole, np.concatenate([f, gamma]))[:9]


def closed(y):
    """Angles and their rates where the loop closes, for th1 = 60 degrees, th1' = 1.5."""
    w, wd = np.zeros(9), np.zeros(9)
    w[0], w[2], w[3:] = np.pi / 3, np.pi / 3, y
    wd[0] = 1.5
    place = [[0, 3, 4], [1, 5, 6], [2, 7, 8]]
    for _ in range(20):
        gap, G = np.array([-D, 0.0]), np.zeros((2, 9))
        for sign, k in ((1, 0), (1, 1), (-1, 2)):
            p, link = place[k], LINKS[k]
            r, J, _ = field(np.array([link.length]), np.zeros((2, 1)), link.tip[:, :, None], w[p[0]], w[p[1:]], 0.0, np.zeros(2))
            gap += sign * r[:, 0]
            for i in range(3):
                G[:, p[i]] += sign * J[i, :, 0]
        w[[1, 2]] -= np.linalg.solve(G[:, [1, 2]], gap)
    wd[[1, 2]] = np.linalg.solve(G[:, [1, 2]], -G[:, 0] * 1.5)
    return np.concatenate([w, wd])


def main():
    start = closed(np.array([0.005, 0.0001, 0.005, 0.0001, 0.05, 0.0001]))
    begin = time.process_time()
    run = solve_ivp(lambda t, z: np.concatenate([z[9:], accelerations(z[:9], z[9:])]), (0, 0.1), start, method="DOP853", rtol=1e-8, atol=1e-10)
    seconds = time.process_time() - begin
    ours = np.array([float(x) for x in subprocess.run([sys.argv[1], "--values"], check=True, text=True, stdout=subprocess.PIPE).stdout.split()])
    ours[1] += ours[0]
    gap = np.max(np.abs(ours - run.y[:9, -1]))
    print(f"SciPy, the same equations by hand: {10 * seconds:.1f} s for a second of motion at 1e-8 ({run.nfev} evaluations of {1e6 * seconds / run.nfev:.0f} μs in 0.1 s); states agree to {gap:.0e}")
    if not gap < 1e-6:
        sys.exit("elastic_scipy.py: the states disagree")


if __name__ == "__main__":
    main()
