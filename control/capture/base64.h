// Bytes as text of an answer (RFC 4648 section 4).
#pragma once
#include <string>
#include <string_view>

namespace control {

std::string base64(std::string_view bytes);

}  // namespace control
