#include "dataplane/rlc/am_reassembly.h"

#include "dataplane/base/expect.h"

namespace dp {

void AmReassembly::take(const AmdPdu& pdu, std::uint32_t first_sdu) noexcept {
  const unsigned skip = skip_lis_;
  skip_lis_ = 0;
  unsigned li = 0;
  if ((pdu.previous_full || pdu.previous_short) && ++li > skip) end(pdu.previous_short ? 1 : 0);
  std::size_t at = 0;
  for (unsigned i = 0; i < pdu.n_ends; ++i, ++first_sdu) {
    DP_EXPECT(pdu.ends[i] >= at && pdu.ends[i] <= pdu.data.size());
    if (++li > skip) {
      append(first_sdu, pdu.data.subspan(at, pdu.ends[i] - at));
      end(0);
    }
    at = pdu.ends[i];
  }
  if (at < pdu.data.size()) append(first_sdu, pdu.data.subspan(at));
  if (pdu.ends_sdu) end(0);
}

void AmReassembly::cut(unsigned lis) noexcept {
  if (open_ && !memory_.empty()) host_.abandon(ordinal_);
  open_ = false;
  skip_lis_ = static_cast<std::uint8_t>(lis);
}

void AmReassembly::begin(std::uint32_t ordinal) noexcept {
  open_ = true;
  ordinal_ = ordinal;
  length_ = 0;
  memory_ = host_.begin(ordinal);
}

void AmReassembly::outgrow() noexcept {
  if (!memory_.empty()) host_.abandon(ordinal_);
  memory_ = {};
  length_ = 0;
}

// 9.2.2.8: the last `padding` octets do not belong to the SDU.
void AmReassembly::end(std::size_t padding) noexcept {
  if (!open_) return;  // its start was discarded
  open_ = false;
  DP_EXPECT(memory_.empty() || length_ >= padding);
  if (!memory_.empty()) host_.end(ordinal_, length_ - padding);
}

}  // namespace dp
