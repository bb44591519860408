// Values of information elements (TS 29.244 clause 8.2). A reader returns none if the octets are too few;
// octets behind those that it knows are ignored, as a later version may add some (clause 8.1.1). Plain data.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/base/address.h"
#include "dataplane/packet/bytes.h"

namespace control::told::pfcp {

// The address of a PFCP entity or of a tunnel endpoint; the words as in dp::UeAddress.
struct Address {
  std::uint64_t hi = 0, lo = 0;
  bool ipv6 = false;
  friend auto operator<=>(const Address&, const Address&) = default;
};
std::string to_string(const Address& address);

// One address of each family at most.
struct Addresses {
  std::optional<Address> ipv4, ipv6;
  friend bool operator==(const Addresses&, const Addresses&) = default;
};

struct FSeid {  // clause 8.2.37
  std::uint64_t seid = 0;
  Addresses at;
};

struct FTeid {                            // clause 8.2.3
  bool choose = false;                    // the UP function chooses TEID and address: the response has them
  std::optional<std::uint8_t> choose_id;  // PDRs with the same one get the same F-TEID
  std::uint32_t teid = 0;
  Addresses at;
};

struct UeIp {  // clause 8.2.62; without addresses if the UP function chooses them
  std::optional<dp::UeAddress> ipv4, ipv6;
};

struct Rates {  // clauses 8.2.8 and 8.2.9, kbit/s of 1000 bit/s, 40 bits each
  std::uint64_t uplink = 0, downlink = 0;
};

struct Gates {  // clause 8.2.7; values 2 and 3 are for future use and mean closed
  bool uplink_open = true, downlink_open = true;
};

struct OuterHeader {  // clause 8.2.56, of a GTP-U tunnel
  std::uint32_t teid = 0;
  Addresses at;
};

// A set of sessions that a node names: one CSID of clause 8.2.46, with the node's address or number.
struct FqCsid {
  std::uint8_t node_type = 0;
  Address node;
  std::uint16_t csid = 0;
  friend auto operator<=>(const FqCsid&, const FqCsid&) = default;
};

std::optional<std::uint8_t> read_u8(dp::Bytes value);
std::optional<std::uint16_t> read_u16(dp::Bytes value);
std::optional<std::uint32_t> read_u32(dp::Bytes value);
std::optional<FSeid> read_f_seid(dp::Bytes value);
std::optional<FTeid> read_f_teid(dp::Bytes value);
// An address that no UE can have is left out. Of a prefix that is wider than a /64 the first /64 stands for
// the UE; a longer one is its /64, a /128 itself.
std::optional<UeIp> read_ue_ip(dp::Bytes value);
std::optional<Rates> read_rates(dp::Bytes value);
std::optional<Gates> read_gates(dp::Bytes value);
// None also if the header is not GTP-U's.
std::optional<OuterHeader> read_outer_header(dp::Bytes value);
// At most 15.
std::vector<FqCsid> read_fq_csids(dp::Bytes value);
// The IMSI's digits, or the SUPI's text (clause 8.2.101); empty if there is none that can be printed.
std::string read_identity(dp::Bytes value);
// The name with dots (TS 23.003 clause 9.1); empty if it cannot be printed.
std::string read_dnn(dp::Bytes value);

}  // namespace control::told::pfcp
