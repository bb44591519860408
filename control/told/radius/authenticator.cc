#include "control/told/radius/authenticator.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include <md5.h>

namespace control::told::radius {
namespace {

constexpr std::size_t kAuthenticatorAt = 4;
constexpr Authenticator kZeros{};

dp::Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

Authenticator md5(std::initializer_list<dp::Bytes> parts) {
  MD5_CTX context;
  MD5Init(&context);
  for (const dp::Bytes part : parts) {
    MD5Update(&context, reinterpret_cast<const std::uint8_t*>(part.data()), part.size());
  }
  Authenticator digest;
  MD5Final(reinterpret_cast<std::uint8_t*>(digest.data()), &context);
  return digest;
}

// RFC 2104.
Authenticator hmac_md5(std::string_view secret, std::initializer_list<dp::Bytes> parts) {
  std::array<std::byte, MD5_BLOCK_LENGTH> inner{}, outer{};
  if (secret.size() > inner.size()) {
    const Authenticator key = md5({bytes_of(secret)});
    std::copy(key.begin(), key.end(), inner.begin());
  } else {
    std::copy_n(bytes_of(secret).begin(), secret.size(), inner.begin());
  }
  std::transform(inner.begin(), inner.end(), outer.begin(), [](std::byte b) { return b ^ std::byte{0x5c}; });
  std::transform(inner.begin(), inner.end(), inner.begin(), [](std::byte b) { return b ^ std::byte{0x36}; });
  MD5_CTX context;
  MD5Init(&context);
  MD5Update(&context, reinterpret_cast<const std::uint8_t*>(inner.data()), inner.size());
  for (const dp::Bytes part : parts) {
    MD5Update(&context, reinterpret_cast<const std::uint8_t*>(part.data()), part.size());
  }
  Authenticator digest;
  MD5Final(reinterpret_cast<std::uint8_t*>(digest.data()), &context);
  return md5({outer, digest});
}

// In a time that does not depend on the octets.
bool equal(dp::Bytes a, dp::Bytes b) noexcept {
  if (a.size() != b.size()) return false;
  std::byte difference{};
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == std::byte{};
}

// MD5 of a packet with another authenticator in place of its own.
Authenticator digest_of(dp::Bytes packet, const Authenticator& in_place, std::string_view secret) {
  return md5(
      {packet.first(kAuthenticatorAt), in_place, packet.subspan(PacketView::kHeader), bytes_of(secret)});
}

// HMAC-MD5 of a packet with another authenticator, and with zeros in place of the digest at `at`.
Authenticator message_authenticator(dp::Bytes packet, const Authenticator& in_place, std::size_t at,
                                    std::string_view secret) {
  return hmac_md5(secret, {packet.first(kAuthenticatorAt), in_place,
                           packet.subspan(PacketView::kHeader, at - PacketView::kHeader), kZeros,
                           packet.subspan(at + kZeros.size())});
}

void write(PacketWriter& packet, std::size_t at, const Authenticator& digest) {
  std::copy(digest.begin(), digest.end(), packet.bytes().begin() + static_cast<std::ptrdiff_t>(at));
}

void add_digest(PacketWriter& packet, const Authenticator& in_place, std::string_view secret) {
  packet.add(kMessageAuthenticator, kZeros);
  if (!packet.whole()) return;
  const std::size_t at = packet.bytes().size() - kZeros.size();
  write(packet, at, message_authenticator(packet.bytes(), in_place, at, secret));
}

}  // namespace

// At most two digests of the packet beside its own: no one can make two attributes that each have the other's
// digest right.
bool is_authentic(const PacketView& request, std::string_view secret) {
  if (!equal(digest_of(request.bytes(), kZeros, secret), request.authenticator())) return false;
  for (AttributeReader reader(request.attributes()); const auto attribute = reader.next();) {
    if (attribute->type != kMessageAuthenticator) continue;
    if (attribute->value.size() != kZeros.size()) return false;
    const auto at = static_cast<std::size_t>(attribute->value.data() - request.bytes().data());
    if (!equal(message_authenticator(request.bytes(), kZeros, at, secret), attribute->value)) return false;
  }
  return true;
}

bool has_message_authenticator(const PacketView& packet) noexcept {
  AttributeReader reader(packet.attributes());
  for (auto attribute = reader.next(); attribute; attribute = reader.next()) {
    if (attribute->type == kMessageAuthenticator) return true;
  }
  return false;
}

void sign_request(PacketWriter& request, std::string_view secret) {
  write(request, kAuthenticatorAt, digest_of(request.bytes(), kZeros, secret));
}

void sign_answer(PacketWriter& answer, const Authenticator& of_request, std::string_view secret,
                 bool message_authenticator) {
  if (message_authenticator) add_digest(answer, of_request, secret);
  write(answer, kAuthenticatorAt, digest_of(answer.bytes(), of_request, secret));
}

void add_message_authenticator(PacketWriter& request, std::string_view secret) {
  add_digest(request, kZeros, secret);
}

}  // namespace control::told::radius
