#include "control/told/radius/attributes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "control/told/radius/rate_limit.h"

namespace control::told::radius {
namespace {

namespace vendor {
constexpr std::uint32_t kHuawei = 2011;
constexpr std::uint32_t kUnisphere = 4874;
constexpr std::uint32_t k3gpp = 10415;
constexpr std::uint32_t kWispr = 14122;
constexpr std::uint32_t kMikrotik = 14988;
}  // namespace vendor

// Rates by the rank of their vendors, the one that counts first.
enum Rank { mikrotik, wispr, huawei, ranks };
struct Rates {
  std::optional<std::uint64_t> uplink, downlink;
};

class Reading {
 public:
  Told read(dp::Bytes attributes) {
    for (AttributeReader reader(attributes); const auto a = reader.next();) {
      if (a->type == kVendorSpecific) {
        vendor_specific(*a);
      } else {
        standard(*a);
      }
    }
    finish();
    return std::move(told_);
  }

 private:
  void standard(const Attribute& a) {
    switch (a.type) {
      case attribute::kUserName:
        return name(told_.user, a);
      case attribute::kCallingStationId:
        return name(told_.station, a);
      case attribute::kAcctSessionId:
        return name(told_.acct_session_id, a);
      case attribute::kNasIdentifier:
        return name(told_.nas_identifier, a);
      case attribute::kClass:
        return hint(a.text());
      case attribute::kAcctStatusType:
        return integer(a, [this](std::uint32_t v) { told_.status = v; });
      case attribute::kAcctDelayTime:
        return integer(a, [this](std::uint32_t v) { told_.delay = std::chrono::seconds(v); });
      case attribute::kNasIpAddress:
        return integer(a, [this](std::uint32_t v) { nas_ipv4_ = dp::address_text(false, 0, v); });
      case attribute::kFramedIpAddress:
        return integer(a, [this](std::uint32_t v) { ue(dp::ue_ipv4(v)); });
      case attribute::kNasIpv6Address:
        return ipv6(a,
                    [this](std::uint64_t h, std::uint64_t l) { nas_ipv6_ = dp::address_text(true, h, l); });
      case attribute::kFramedIpv6Address:
        return ipv6(a, [this](std::uint64_t h, std::uint64_t l) { ue(dp::ue_ipv6_128(h, l)); });
      case attribute::kFramedIpv6Prefix:
      case attribute::kDelegatedIpv6Prefix:
        return prefix(a);
      default:
        return;
    }
  }

  void vendor_specific(const Attribute& a) {
    const auto content = VendorAttributes::of(a);
    if (!content) {
      ++told_.unreadable;
      return;
    }
    if (!std::ranges::count(kKnown, content->vendor)) return;
    AttributeReader reader(content->attributes);
    while (const auto sub = reader.next()) of_vendor(content->vendor, *sub);
    if (!reader.intact()) ++told_.unreadable;
  }

  void of_vendor(std::uint32_t who, const Attribute& a) {
    if (who == vendor::kMikrotik && a.type == 8) {
      rate_limit(a);
    } else if (who == vendor::kWispr && (a.type == 7 || a.type == 8)) {
      rate(a, a.type == 7, wispr);
    } else if (who == vendor::kHuawei && (a.type == 2 || a.type == 5)) {
      rate(a, a.type == 2, huawei);
    } else if (who == vendor::kUnisphere && a.type == 26) {
      hint(a.text());
    } else if (who == vendor::kUnisphere && a.type == 65) {
      hint(without_tag(a.text()));
    } else if (who == vendor::k3gpp && a.type == 1) {
      name(told_.imsi, a);
    } else if (who == vendor::k3gpp && (a.type == 5 || a.type == 10)) {
      hint(a.text());
    }
  }

  // RFC 2868 section 3.1: an octet of 0x1f and less before the text is a tag.
  static std::string_view without_tag(std::string_view text) {
    if (!text.empty() && static_cast<unsigned char>(text[0]) <= 0x1f) text.remove_prefix(1);
    return text;
  }

  void name(std::string& into, const Attribute& a) {
    if (into.empty()) into = escaped_text(a.text());
  }
  // A name that is not plain text, as a Class may be, is nothing that a pattern could be written for.
  void hint(std::string_view text) {
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    const bool plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
    const std::size_t size = told_.class_hint.size() + !told_.class_hint.empty() + text.size();
    if (!plain || text.empty() || size > kMaxHint) return;
    if (!told_.class_hint.empty()) told_.class_hint += '\n';
    told_.class_hint += text;
  }

  template <class F>
  void integer(const Attribute& a, F&& take) {
    if (const auto value = a.integer()) {
      take(*value);
    } else {
      ++told_.unreadable;
    }
  }
  template <class F>
  void ipv6(const Attribute& a, F&& take) {
    if (a.value.size() == 16) {
      take(dp::load64(a.value.data()), dp::load64(a.value.data() + 8));
    } else {
      ++told_.unreadable;
    }
  }
  // RFC 3162 section 2.3: reserved octet, length, and as many octets of the prefix as are needed at least.
  void prefix(const Attribute& a) {
    constexpr std::size_t kHead = 2;
    const unsigned length = a.value.size() < kHead ? 255 : dp::load8(a.value.data() + 1);
    if (length > 128 || a.value.size() > kHead + 16 || (a.value.size() - kHead) * 8 < length) {
      ++told_.unreadable;
      return;
    }
    std::array<std::byte, 16> octets{};
    std::copy(a.value.begin() + kHead, a.value.end(), octets.begin());
    const std::uint64_t hi = dp::load64(octets.data()), lo = dp::load64(octets.data() + 8);
    if (length == 64) {
      ue(dp::ue_ipv6_64(hi));
    } else if (length == 128) {
      ue(dp::ue_ipv6_128(hi, lo));
    } else {
      ++told_.unusable;
    }
  }
  void ue(const dp::UeAddress& address) {
    const bool there = std::ranges::count(told_.ues, address) != 0;
    if (!dp::can_be_ue(address) || (!there && told_.ues.size() == kMaxUes)) {
      ++told_.unusable;
    } else if (!there) {
      told_.ues.push_back(address);
    }
  }

  void rate(const Attribute& a, bool uplink, Rank rank) {
    integer(a, [&](std::uint32_t v) { (uplink ? rates_[rank].uplink : rates_[rank].downlink) = v; });
  }
  void rate_limit(const Attribute& a) {
    if (const auto limit = parse_rate_limit(a.text())) {
      rates_[mikrotik] = {limit->rx, limit->tx};
    } else {
      ++told_.unreadable;
    }
  }

  void finish() {
    told_.nas = !nas_ipv4_.empty() ? nas_ipv4_ : !nas_ipv6_.empty() ? nas_ipv6_ : told_.nas_identifier;
    for (const Rates& rates : rates_) {
      if (!told_.uplink) told_.uplink = rates.uplink;
      if (!told_.downlink) told_.downlink = rates.downlink;
    }
    // An address within a /64 of the session is no UE of its own.
    const auto within = [this](const dp::UeAddress& ue) {
      return ue.kind == dp::UeKind::ipv6_128 && std::ranges::count(told_.ues, dp::wider(ue)) != 0;
    };
    std::vector<dp::UeAddress> ues;
    std::ranges::remove_copy_if(told_.ues, std::back_inserter(ues), within);
    std::ranges::sort(ues);
    told_.ues = std::move(ues);
  }

  static constexpr std::array kKnown{vendor::kHuawei, vendor::kUnisphere, vendor::k3gpp, vendor::kWispr,
                                     vendor::kMikrotik};
  Told told_;
  std::string nas_ipv4_, nas_ipv6_;
  std::array<Rates, ranks> rates_;
};

}  // namespace

Told read_attributes(dp::Bytes attributes) { return Reading().read(attributes); }

std::string escaped_text(std::string_view octets) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  text.reserve(octets.size());
  for (const char c : octets) {
    if (c > ' ' && c <= '~' && c != '%') {
      text += c;
    } else {
      const auto octet = static_cast<unsigned char>(c);
      text += '%';
      text += kDigits[octet >> 4];
      text += kDigits[octet & 15];
    }
  }
  return text;
}

}  // namespace control::told::radius
