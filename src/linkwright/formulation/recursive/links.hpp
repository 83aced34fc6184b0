#pragma once
// Links of a linkage, and a record of what is written for each of them.

#include "linkwright/eom/strands.hpp"
#include "linkwright/formulation/recursive/linkage.hpp"

namespace linkwright::formulation::recursive {

/// Of every move the link that it belongs to: moves in a row up to where there is a mass, or a branch.
std::vector<std::uint32_t> links(const Linkage& linkage);

/// Says for which link the nodes of a pool are made, while the recursions of articulated bodies go outwards, inwards, and outwards again.
class LinkRecord {
public:
    enum class Sweep : std::uint8_t { velocities, inertias, accelerations };

    LinkRecord(const Linkage& linkage, const sym::Pool& pool);
    /// What is made from now on.
    void begin(Sweep sweep, std::size_t move);
    void end();
    eom::Strands strands() && { return std::move(strands_); }

private:
    void put(std::uint32_t group);

    const sym::Pool& pool_;
    std::vector<std::uint32_t> link_;
    std::uint32_t count_ = 0;
    eom::Strands strands_;
};

}  // namespace linkwright::formulation::recursive
