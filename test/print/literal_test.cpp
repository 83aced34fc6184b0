// Bᵀ M B and Bᵀ [f − M Ḃu − h] written out literally, against the recursion that derives them. Each is made in a pool
// of its own.

#include <algorithm>
#include <filesystem>

#include "linkwright/formulation/kane/explain.hpp"
#include "print/subject.hpp"

namespace linkwright::print {
namespace {

std::vector<std::string> model_files() {
    std::vector<std::string> files;
    for (const char* folder : {"/models", "/bench/models"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root() + folder)) {
            if (entry.path().extension() == ".toml") files.push_back(std::filesystem::relative(entry.path(), root()).string());
        }
    }
    std::ranges::sort(files);
    return files;
}

/// The literal products are over the speeds of the joints: no wheels that spin freely, no given motions, no other
/// speeds.
bool is_over_the_same_speeds(const formulation::System& system, const eom::EquationsOfMotion& e) {
    const auto& freedoms = system.mechanism.freedoms;
    if (freedoms.size() != e.u.size() || !system.mechanism.given.empty()) return false;
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        if (freedoms[i].is_own() || freedoms[i].u.symbol().name != e.u[i].symbol().name) return false;
    }
    return true;
}

TEST(Literal, ProductsAreWhatTheRecursionGives) {
    std::vector<std::string> compared;
    for (const std::string& file : model_files()) {
        SCOPED_TRACE(file);
        const Subject recursive = subject(file);
        const Subject other = subject(file);
        const sym::PoolScope scope(*other.model->pool);
        const formulation::System system = formulation::set_up(*other.model, other.topology);
        if (!is_over_the_same_speeds(system, recursive.equations)) continue;
        compared.push_back(file);
        const formulation::kane::Literal literal = formulation::kane::multiply_out(system);
        sym::Substitution put_in(system.mechanism.defined);  // forces may use the coordinates of cut joints
        Desk desk;
        std::size_t different = 0;
        for (std::size_t i = 0; i < literal.f.size(); ++i) {
            if (sym::equal(desk.ours(recursive.equations.f[i]), desk.ours(put_in(literal.f[i]))) != sym::Verdict::equal) ++different;
            for (std::size_t j = 0; j < literal.f.size(); ++j) {
                const Expr& entry = recursive.equations.M[i][j];
                if (sym::equal(desk.ours(entry), desk.ours(literal.M[i][j])) != sym::Verdict::equal) ++different;
            }
        }
        EXPECT_EQ(different, 0u);
    }
    for (const char* name : {"single_pendulum", "double_pendulum", "triple_pendulum", "stanford_arm", "satellite"}) {
        EXPECT_TRUE(std::ranges::count(compared, "models/" + std::string(name) + "/model.toml")) << name;
    }
    for (const char* name : {"triple_pendulum", "stanford_arm", "satellite"}) {
        EXPECT_TRUE(std::ranges::count(compared, "models/lynch_" + std::string(name) + "/lynch.toml")) << name;
    }
}

}  // namespace
}  // namespace linkwright::print
