#pragma once
// Bytes of an XML file as UTF-8. Internal to the room.

#include <optional>
#include <string>
#include <string_view>

namespace linkwright::exchange {

struct Decoded {
    std::string text;     ///< UTF-8, without a byte order mark
    std::string doubt{};  ///< what had to be guessed; mostly empty
};

/// By the byte order mark, by how the letters `<?` lie, and by the declaration.   [XML 1.0, appendix F]
Decoded decode_xml(std::string_view bytes);

}  // namespace linkwright::exchange
