// Numbers of PFCP (TS 29.244): message types (clause 7.3), information elements (clause 8.1.2), and values of
// some elements.
#pragma once
#include <cstdint>

namespace control::told::pfcp {

inline constexpr std::uint16_t kPort = 8805;  // UDP; clause 6.4.1

enum class MessageType : std::uint8_t {
  heartbeat_request = 1,
  heartbeat_response = 2,
  association_setup_request = 5,
  association_setup_response = 6,
  association_release_request = 9,
  association_release_response = 10,
  version_not_supported_response = 11,
  node_report_request = 12,
  session_set_deletion_request = 14,
  session_set_deletion_response = 15,
  session_establishment_request = 50,
  session_establishment_response = 51,
  session_modification_request = 52,
  session_modification_response = 53,
  session_deletion_request = 54,
  session_deletion_response = 55,
  session_report_request = 56,
  session_report_response = 57,
};

enum class IeType : std::uint16_t {
  create_pdr = 1,
  pdi = 2,
  create_far = 3,
  forwarding_parameters = 4,
  create_qer = 7,
  created_pdr = 8,
  update_pdr = 9,
  update_far = 10,
  update_forwarding_parameters = 11,
  update_qer = 14,
  remove_pdr = 15,
  remove_far = 16,
  remove_qer = 18,
  cause = 19,
  source_interface = 20,
  f_teid = 21,
  gate_status = 25,
  mbr = 26,
  precedence = 29,
  destination_interface = 42,
  apply_action = 44,
  pdr_id = 56,
  f_seid = 57,
  fq_csid = 65,
  outer_header_creation = 84,
  ue_ip_address = 93,
  recovery_time_stamp = 96,
  far_id = 108,
  qer_id = 109,
  qfi = 124,
  create_traffic_endpoint = 127,
  created_traffic_endpoint = 128,
  update_traffic_endpoint = 129,
  remove_traffic_endpoint = 130,
  traffic_endpoint_id = 131,
  user_id = 141,
  apn_dnn = 159,
  session_retention_information = 183,
  association_setup_response_flags = 184,
  updated_pdr = 256,
};

// Clause 8.2.1.
namespace cause {
inline constexpr std::uint8_t kAccepted = 1;
inline constexpr std::uint8_t kMoreUsageReports = 2;  // accepts a session deletion
inline constexpr std::uint8_t kSessionContextNotFound = 65;
}  // namespace cause

// Clauses 8.2.2 and 8.2.24: source and destination interfaces have the same numbers.
enum class Interface : std::uint8_t {
  access = 0,
  core = 1,
  n6_lan = 2,
  cp_function = 3,
  lawful_interception = 4,
  virtual_network = 5,
};

// Clause 8.2.26, the first octet.
namespace apply_action {
inline constexpr std::uint8_t kDrop = 1, kForward = 2, kBuffer = 4;
}  // namespace apply_action

}  // namespace control::told::pfcp
