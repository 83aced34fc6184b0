#pragma once
// Which values each run has. A function of the run's number: nothing is drawn in a row.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linkwright/ensemble/distribution.hpp"

namespace linkwright::ensemble {

enum class Sampling : std::uint8_t {
    random,  ///< each value by chance
    latin,   ///< of n values of a quantity one in each of n slices of equal probability [mckay79]
    sobol,   ///< Sobol's sequence, moved by chance: every quantity and every few of them evenly covered
};

/// What is varied by chance, and what on a grid. Grid points hold the same draws, so that they differ by nothing else.
struct DesignWords {
    std::vector<Distribution> spread;
    std::vector<std::vector<double>> grid;
    std::size_t given = 0;        ///< quantities whose values are given outright, instead of all the others
    std::vector<double> table{};  ///< draws × given, by rows
    Sampling sampling = Sampling::random;
    std::size_t draws = 1;  ///< at each grid point; with indices the base samples
    std::uint64_t seed = 1;
    bool indices = false;  ///< base samples A and B, and A with one quantity after the other from B [saltelli10]
};

class Design {
public:
    explicit Design(DesignWords words);

    std::size_t runs() const { return points_ * per_point(); }
    std::size_t points() const { return points_; }  ///< of the grid; 1 without any
    /// Runs of one grid point; they stand together.
    std::size_t per_point() const { return words_.draws * (words_.indices ? words_.spread.size() + 2 : 1); }
    std::size_t quantities() const { return words_.given + words_.spread.size() + words_.grid.size(); }
    const DesignWords& words() const { return words_; }

    /// What is given; or what is spread, then what is on the grid.
    void values(std::size_t run, std::span<double> out) const;
    /// Those of a grid point.
    std::vector<double> grid_values(std::size_t point) const;

private:
    double place(std::size_t draw, std::size_t dimension) const;

    DesignWords words_;
    std::size_t points_ = 1;
    std::vector<std::vector<std::uint32_t>> slices_;  ///< of Latin hypercubes: for each dimension, in which one each draw is
};

}  // namespace linkwright::ensemble
