#include "linkwright/formulation/recursive/links.hpp"

namespace linkwright::formulation::recursive {

std::vector<std::uint32_t> links(const Linkage& l) {
    std::vector<std::size_t> outer(l.moves.size());
    for (const Move& move : l.moves) {
        if (move.kind != Move::Kind::root) ++outer[move.inner];
    }
    std::vector<std::uint32_t> link(l.moves.size());
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < link.size(); ++i) {
        const Move& move = l.moves[i];
        const bool goes_on = move.kind != Move::Kind::root && outer[move.inner] == 1 && l.true_moments[move.inner].is_zero();
        link[i] = goes_on ? link[move.inner] : count++;
    }
    return link;
}

LinkRecord::LinkRecord(const Linkage& linkage, const sym::Pool& pool) : pool_(pool), link_(links(linkage)) {
    for (const std::uint32_t link : link_) count_ = std::max(count_, link + 1);
}

void LinkRecord::begin(Sweep sweep, std::size_t move) {
    const std::uint32_t link = link_[move];
    switch (sweep) {
        case Sweep::velocities: return put(link);
        case Sweep::inertias: return put(2 * count_ - 1 - link);
        case Sweep::accelerations: return put(2 * count_ + link);
    }
}

void LinkRecord::end() { put(eom::Strand::none); }

void LinkRecord::put(std::uint32_t group) {
    const auto next = static_cast<sym::NodeId>(pool_.size());
    if (!strands_.empty() && strands_.back().first == next) strands_.pop_back();
    if (strands_.empty() || strands_.back().group != group) strands_.push_back({next, group});
}

}  // namespace linkwright::formulation::recursive
