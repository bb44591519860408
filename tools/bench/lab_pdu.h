// The cost of a PDU of RLC acknowledged mode at the sending and at the receiving end: two entities face to
// face, without a worker or an air around them. Part of `rncbench lab`.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace bench {

// Nanoseconds a PDU that an end should take at most.
inline constexpr double kPduTargetNs = 30;

struct PduSubject {
  double frame_errors;      // share of the transport blocks that are lost
  std::uint64_t pdus = 0;   // AMD PDUs sent in one turn, those sent again included; all turns are the same
  std::uint64_t again = 0;  // of these, sent again
  std::vector<double> sender_ns{}, receiver_ns{};  // a PDU, in each turn
};

inline std::vector<PduSubject> pdu_subjects() { return {{0.0}, {0.1}}; }

// One turn: adds to both lists of the subject. Throws std::runtime_error when SDUs are missing afterwards.
void measure_pdus(PduSubject& subject, unsigned ttis = 20'000);

std::string pdu_table(const std::vector<PduSubject>& subjects);
nlohmann::ordered_json pdu_json(const std::vector<PduSubject>& subjects);

}  // namespace bench
