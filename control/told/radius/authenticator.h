// Authentication of RADIUS packets by a shared secret: the authenticators of RFC 2866 section 3 and RFC 5176
// section 2.3, which are MD5, and the attribute Message-Authenticator of RFC 3579 section 3.2, which is
// HMAC-MD5.
// Tests: tests/oracle/radius_test.cc
#pragma once
#include <string_view>

#include "control/told/radius/packet.h"

namespace control::told::radius {

inline constexpr std::uint8_t kMessageAuthenticator = 80;

// True if a request (accounting, disconnect, CoA) was made with the secret: its authenticator is right, and
// its Message-Authenticator too, if it has one.
bool is_authentic(const PacketView& request, std::string_view secret);

bool has_message_authenticator(const PacketView& packet) noexcept;

// Writes the authenticator of a request.
void sign_request(PacketWriter& request, std::string_view secret);
// Writes the authenticator of an answer to a request with `of_request`. With `message_authenticator`, it adds
// that attribute before.
void sign_answer(PacketWriter& answer, const Authenticator& of_request, std::string_view secret,
                 bool message_authenticator);
// Adds a right Message-Authenticator to a request; call sign_request() behind it.
void add_message_authenticator(PacketWriter& request, std::string_view secret);

}  // namespace control::told::radius
