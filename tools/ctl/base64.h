// Bytes in the socket's answers (RFC 4648 section 4).
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ctl {

// None if the text is no base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace ctl
