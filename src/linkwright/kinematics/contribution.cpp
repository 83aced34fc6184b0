#include "linkwright/kinematics/contribution.hpp"

#include "linkwright/kinematics/elastic.hpp"
#include "linkwright/kinematics/rotor.hpp"

namespace linkwright::kinematics {

Contributions contributions(const model::Model& model) {
    Contributions all(model.bodies.size());
    for (std::size_t b = 0; b < all.size(); ++b) {
        for (const model::Rotor& rotor : model.bodies[b].rotors) all[b].push_back(std::make_shared<Rotor>(rotor, model.t));
        if (model.bodies[b].beam) all[b].push_back(std::make_shared<Elastic>(model.bodies[b].beam->elastic));
    }
    return all;
}

}  // namespace linkwright::kinematics
