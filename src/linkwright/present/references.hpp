#pragma once
// The works that derivations cite. In the library and in JSON a citation is a key of references.bib and a place, "lynch88 (4.14)"; on a
// page it is "Lynch 1988, eq. (4.14)", and the works that were cited are listed at its end.

#include <span>
#include <string>
#include <string_view>

namespace linkwright::present {

struct Reference {
    std::string_view key;      ///< of references.bib
    std::string_view called;   ///< in the text: "Lynch 1988"
    std::string_view written;  ///< in the list: authors, title, where, year
};

std::span<const Reference> references();

/// Every key of the table that stands as a word of its own becomes author and year; "(4.14)" after it an equation.
std::string readable_citation(std::string_view citation);

bool is_cited(const Reference& reference, std::string_view citation);

}  // namespace linkwright::present
