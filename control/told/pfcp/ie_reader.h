// Walk along information elements (TS 29.244 clause 8.1.1): those of a message, or of one group. Views the
// bytes. Each element takes four octets at least, which bounds the walk.
#pragma once
#include <cstdint>
#include <optional>

#include "control/told/pfcp/numbers.h"
#include "dataplane/packet/bytes.h"

namespace control::told::pfcp {

struct Ie {
  IeType type;      // 32768 and more are an enterprise's own: their value begins with its number
  dp::Bytes value;  // empty in a modification: the element is removed
};

class IeReader {
 public:
  explicit IeReader(dp::Bytes bytes) : rest_(bytes) {}

  // None at the end, and at the first element that does not fit into the bytes.
  std::optional<Ie> next() {
    constexpr std::size_t kHead = 4;
    if (rest_.empty() || !good_) return std::nullopt;
    const std::size_t length = rest_.size() < kHead ? 0 : dp::load16(rest_.data() + 2);
    good_ = rest_.size() >= kHead && length <= rest_.size() - kHead;
    if (!good_) return std::nullopt;
    const Ie ie{IeType{dp::load16(rest_.data())}, rest_.subspan(kHead, length)};
    rest_ = rest_.subspan(kHead + length);
    return ie;
  }
  // False once an element exceeds the bytes.
  bool good() const { return good_; }

 private:
  dp::Bytes rest_;
  bool good_ = true;
};

// Calls visit(ie) for each element; it returns false if the element is a malformed group. False if an
// element exceeds the bytes or a visit has returned false.
template <class Visit>
bool for_each_ie(dp::Bytes group, Visit&& visit) {
  IeReader reader(group);
  while (const auto ie = reader.next()) {
    if (!visit(*ie)) return false;
  }
  return reader.good();
}

}  // namespace control::told::pfcp
