#include "linkwright/session/spellings.hpp"

namespace linkwright::session {

present::Spellings spellings_of(const model::Model& model) {
    present::Spellings out;
    for (const model::SymbolText& s : model.symbols) {
        const bool has_superscript = s.latex.find_first_of("^'") != s.latex.npos;
        out.emplace(s.name, has_superscript ? "{" + s.latex + "}" : s.latex);
    }
    return out;
}

}  // namespace linkwright::session
