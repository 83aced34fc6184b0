#include "verbs.hpp"

#include <vector>

namespace linkwright::cli {

std::span<const Verb> verbs() {
    static const std::vector<Verb> all{
        {"check", "Read a model, close it, and tell what it is: graph, matrices, freedoms, redundant constraints", declare_check},
        {"derive", "The equations of motion, to be read", declare_derive},
        {"prove", "Every formulation, the readable form and the program are the same functions: the certificate", declare_prove},
        {"compare", "Equations derived by hand or found in print against ours: which entry is wrong, and where", declare_compare},
        {"evaluate", "Numbers at a state: mass matrix, forcing, accelerations, energies, outputs", declare_evaluate},
        {"simulate", "Motion: rows of coordinates, speeds, energies, outputs over time", declare_simulate},
        {"inverse", "Forces for a prescribed motion", declare_inverse},
        {"linearize", "Small motions about an equilibrium or any state: M, C, K, B and A, B, C, D, in numbers or formulas",
         declare_linearize},
        {"perturb", "Multiple scales: modulation of amplitudes, resonances, backbone curves, steady states, approximate motion",
         declare_perturb},
        {"equilibrium", "States of rest and steady motion, with multipliers and a verdict: stable, unstable, neutral", declare_equilibrium},
        {"modes", "Eigenvalues and shapes of small motions; along a parameter: the root locus", declare_modes},
        {"structure", "Natural frequencies and shapes of beams as finite elements; component mode synthesis", declare_structure},
        {"frequency", "Transfer functions, poles and zeros, root loci; spectra of motions", declare_frequency},
        {"sensitivity", "How eigenvalues, vectors, equilibria and motions change with parameters, exactly", declare_sensitivity},
        {"place", "Parameters for wanted eigenvalues: Newton's method, or least squares within bounds", declare_place},
        {"generate", "Code that computes the equations: C, C++, Fortran, Python, Julia, MATLAB, Modelica", declare_generate},
        {"count", "How many operations each program takes", declare_count},
    };
    return all;
}

}  // namespace linkwright::cli
