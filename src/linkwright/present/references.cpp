#include "linkwright/present/references.hpp"

#include <array>

namespace linkwright::present {

namespace {

constexpr std::array<Reference, 6> all{{
    {"baruh", "Baruh and Radisavljevic",
     "H. Baruh, V. Radisavljevic: Modeling of closed kinematic chains with flexible links. Department of Mechanical and Aerospace "
     "Engineering, "
     "Rutgers University"},
    {"forehand", "Forehand et al.",
     "D. I. M. Forehand, M. P. Cartmell, R. Khanin: The theory and application of a classical Eulerian multibody code. Robert Gordon "
     "University, Aberdeen, and University of Glasgow"},
    {"hamel04", "Hamel 1904",
     "Georg Hamel: Die Lagrange-Eulerschen Gleichungen der Mechanik. Zeitschrift für Mathematik und Physik 50, 1904, 1–57"},
    {"lee90", "Lee 1990",
     "Lee: Dynamics and control of a large flexible manipulator with a parallel mechanism. Georgia Institute of Technology, 1990"},
    {"lynch88", "Lynch 1988",
     "Alan G. Lynch: A symbolic formulation for equations of motion of multibody systems. Iowa State University, 1988"},
    {"mufti83", "Mufti 1983",
     "I. H. Mufti: Equations of motion for rigid multibody systems. National Research Council Canada, Report DM-3, 1983"},
}};

bool is_of_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Where the key stands as a word of its own, from `from` on.
std::size_t find_word(std::string_view text, std::string_view key, std::size_t from = 0) {
    for (std::size_t at = text.find(key, from); at != text.npos; at = text.find(key, at + 1)) {
        const std::size_t end = at + key.size();
        if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end]))) return at;
    }
    return text.npos;
}

}  // namespace

std::span<const Reference> references() { return all; }

bool is_cited(const Reference& reference, std::string_view citation) { return find_word(citation, reference.key) != citation.npos; }

std::string readable_citation(std::string_view citation) {
    std::string out(citation);
    for (const Reference& r : all) {
        for (std::size_t at = find_word(out, r.key); at != out.npos; at = find_word(out, r.key, at + r.called.size())) {
            out.replace(at, r.key.size(), r.called);
            const std::size_t end = at + r.called.size();
            if (out.compare(end, 2, " (") == 0)
                out.insert(end, ", eq.");
            else if (out.compare(end, 1, " ") == 0)
                out.insert(end, ",");
        }
    }
    return out;
}

}  // namespace linkwright::present
