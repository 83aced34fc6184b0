#pragma once
// Models with their packages, states to try them at, what emitted code ought to say there, and compilers.

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <map>
#include <memory>

#include "linkwright/codegen/package.hpp"
#include "linkwright/model/model.hpp"
#include "linkwright/numeric/assemble.hpp"

namespace linkwright::codegen::test {

using numeric::State;
using Values = std::vector<double>;

/// A model, its equations and its package, and states: random ones, closed where there are loops.
struct Specimen {
    std::string name;
    std::unique_ptr<model::Model> model;
    eom::EquationsOfMotion equations;
    std::unique_ptr<numeric::CompiledEquations> numbers;
    Package package;
    std::vector<State> states;
};

/// A folder of models or bench/models, read once: specimen("four_bar"); specimen("puma6+derivatives") has those of accelerations. Throws std::runtime_error when it cannot be.
const Specimen& specimen(const std::string& name);
/// A closed chain, whose package starts at the first state and has `elimination`; also "n_four_bar", ten loops side by side.
const Specimen& specimen_with_elimination(const std::string& name);
/// Any other model.
std::unique_ptr<Specimen> make_specimen(const std::string& name, model::Model model);
std::unique_ptr<Specimen> make_specimen(const std::string& name, const std::string& toml);
/// A folder of models, whose package also has poses and, as geometry, all parameters and their squares.
std::unique_ptr<Specimen> make_specimen_with_poses(const std::string& name);
/// A seeded tree of so many bodies, joints of every kind, frames turned by numbers and parameters.
model::Model random_tree(std::uint64_t seed, std::size_t bodies);
/// Names of the folders of models.
std::vector<std::string> zoo();
/// Models that have what the zoo has not: inputs, given motions, functions of every kind, awkward names.
const std::map<std::string, std::string>& oddities();

/// Models with chains that repeat, whose packages call routines whether that is shorter or not: on a carrier with springs and given
/// motions, on the ground, on each other, and many, so that functions come in parts.
const std::map<std::string, std::string>& with_repeated_chains();

/// t q u w p c udot lambda at a state; u̇ and λ solve the equations.
using Point = std::array<Values, 8>;
Point make_point(const Specimen& specimen, const State& state);

/// The results of a function at a point, by the interpreter, dense, row by row.
std::vector<Values> run(const Function& function, const Point& point);

/// Something emitted code computes, and how near it ought to come: |error| ≤ tolerance·(largest of |values|, or 1e-300).
struct Quantity {
    std::string name;  ///< "dynamics.M", "rhs_jacobian.A"
    std::size_t rows = 1, columns = 1;
    Values values;  ///< row by row
    double tolerance = 1e-13;
};

/// Everything at a point, in the order of the package's functions and their results; then, where they are written by hand,
/// accelerations.udot, accelerations.lambda, rhs.xdot, rhs_jacobian.A, rhs_jacobian.B; those of size zero are left out.
std::vector<Quantity> expected(const Specimen& specimen, const Point& point);

/// Compares what a program printed, one number after another, with what was expected of it.
void expect_near(const std::string& who, const std::vector<Quantity>& expected, std::span<const double> printed);

/// Is there such a program on the path?
bool have(const std::string& program);

struct Ran {
    int status = 0;
    std::string output;  ///< both streams
};
Ran run_command(const std::string& command);
std::vector<double> read_numbers(const std::string& text);  ///< separated by blanks; what is none becomes NaN

/// A folder that is gone at the end of the test, unless KEEP is set in the environment.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::filesystem::path& path() const { return path_; }
    void write(const std::string& name, const std::string& text) const;
    void write(const std::vector<File>& files) const;

private:
    std::filesystem::path path_;
};

/// Files against test/codegen/golden/LANGUAGE; UPDATE=1 in the environment accepts what is new.
void expect_golden(const std::string& language, const std::vector<File>& files);

/// Does the text speak of the machine or the day it was made on?
void expect_anonymous(const std::vector<File>& files);

}  // namespace linkwright::codegen::test
