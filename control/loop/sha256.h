// SHA-256 (FIPS 180-4), by which the log identifies a text.
// Tests: tests/unit/control/rpc/uploads_test.cc
#pragma once
#include <string>
#include <string_view>

namespace control {

// The digest in hexadecimal, as sha256sum prints it.
std::string sha256(std::string_view text);

}  // namespace control
