// Requests and responses as the changes of rules that they are (TS 29.244 clauses 7.4 and 7.5): which fields
// a group names, and which it removes. A value with too few octets counts as not named. Plain data.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "control/told/pfcp/values.h"

namespace control::told::pfcp {

// None: not named, the field stays. A value of none: an element of length 0, the field is removed.
template <class T>
using Edit = std::optional<std::optional<T>>;

struct PdrEdit {
  std::uint16_t id = 0;
  Edit<std::uint32_t> precedence;
  Edit<std::uint8_t> source;  // an Interface
  Edit<FTeid> local;          // the UP function's end of the tunnel
  Edit<UeIp> ue;
  Edit<std::uint8_t> endpoint;  // the traffic endpoint that stands for both
  Edit<std::uint8_t> qfi;
  Edit<std::uint32_t> far;
  std::optional<std::vector<std::uint32_t>> qers;  // all of them; empty: none any more
};

struct FarEdit {
  std::uint32_t id = 0;
  Edit<std::uint8_t> action;       // the first octet of Apply Action
  Edit<std::uint8_t> destination;  // an Interface
  Edit<OuterHeader> outer;
};

struct QerEdit {
  std::uint32_t id = 0;
  Edit<Gates> gates;
  Edit<Rates> mbr;
  Edit<std::uint8_t> qfi;
};

struct EndpointEdit {  // clause 7.5.2.7
  std::uint8_t id = 0;
  Edit<FTeid> local;
  Edit<UeIp> ue;
};

template <class E>
struct Edits {
  std::vector<decltype(E::id)> removed;
  std::vector<E> created, updated;
};

// An establishment or a modification.
struct SessionEdit {
  std::optional<FSeid> cp;
  Edits<PdrEdit> pdrs;
  Edits<FarEdit> fars;
  Edits<QerEdit> qers;
  Edits<EndpointEdit> endpoints;
  std::string identity, dnn;  // empty: not named
  std::vector<FqCsid> sets;
};

// A response of any type.
struct Answer {
  std::optional<std::uint8_t> cause;
  std::optional<FSeid> up;
  std::vector<PdrEdit> pdrs;            // with the F-TEIDs and UE addresses that the UP function chose
  std::vector<EndpointEdit> endpoints;  // likewise
  std::optional<std::uint32_t> recovery;
  bool retained = false;  // the sessions of the association before were kept
};

// A request of a node.
struct NodeRequest {
  std::optional<std::uint32_t> recovery;
  bool asks_retention = false;
  std::vector<FqCsid> sets;
};

// None if elements exceed their group, or if a rule has no identifier.
std::optional<SessionEdit> read_session_edit(dp::Bytes ies);
std::optional<Answer> read_answer(dp::Bytes ies);
std::optional<NodeRequest> read_node_request(dp::Bytes ies);

}  // namespace control::told::pfcp
