#include "dataplane/link/am/entity_host.h"

#include <cstring>

#include "dataplane/base/expect.h"
#include "dataplane/tap/tap.h"

namespace dp {
namespace {

Sdu& sdu_of(const AmSdu& sdu) {
  DP_EXPECT(sdu.cookie != nullptr);
  return *static_cast<Sdu*>(sdu.cookie);
}

}  // namespace

bool AmEntityHost::start(AmSdu& out) noexcept {
  DP_EXPECT(buffer_ != nullptr && context_ != nullptr);
  Sdu* sdu = buffer_->start(at_, *context_);
  if (sdu == nullptr) return false;
  DP_EXPECT(sdu->segments == 1 && sdu->l3_offset + sdu->ip_len <= sdu->head_len);
  out = {sdu->data + sdu->l3_offset, sdu->ip_len, sdu};
  return true;
}

void AmEntityHost::acked(const AmSdu& sdu) noexcept { buffer_->acknowledged(sdu_of(sdu), at_, *context_); }
void AmEntityHost::discarded(const AmSdu& sdu) noexcept { buffer_->given_up(sdu_of(sdu), *context_); }

void AmEntityHost::released(const AmSdu& sdu) noexcept {
  if (recalling_) {
    if (Sdu* frame = buffer_->recall(*context_)) context_->send_now(*frame, exit_);
    return;
  }
  const bool no_frame = (sdu_of(sdu).fate & kFateNoFrame) != 0;
  buffer_->retire(no_frame ? DropReason::pool : DropReason::rlc, *context_);
}

Sdu* AmEntityHost::original(std::uint32_t ordinal) const noexcept {
  const AmSdu* sdu = peer_.entity_.find(ordinal);
  return sdu == nullptr ? nullptr : &sdu_of(*sdu);
}

// The link layer's header and trailer around the packet travel beside its PDUs.
std::span<std::byte> AmEntityHost::begin(std::uint32_t ordinal) noexcept {
  Sdu* sent = original(ordinal);
  if (sent == nullptr) return {};
  Context& context = *context_;
  DP_EXPECT(copy_ == nullptr && context.frames != nullptr);
  copy_ = context.pool_has_room(1) ? context.frames->allocate(sent->frame_len) : nullptr;
  if (copy_ == nullptr) {
    sent->fate |= kFateNoFrame;
    return {};
  }
  context.account.retained += 1;
  context.account.mbufs_held += 1;
  std::memcpy(copy_->data, sent->data, sent->l3_offset);
  return {copy_->data + sent->l3_offset, std::size_t{sent->ip_len} + 1};
}

void AmEntityHost::end(std::uint32_t ordinal, std::size_t length) noexcept {
  Sdu* sent = original(ordinal);
  if (sent == nullptr || length != sent->ip_len) return abandon(ordinal);
  Context& context = *context_;
  DP_EXPECT(copy_ != nullptr && deliver_ != nullptr && context.account.retained > 0);
  Sdu& copy = *copy_;
  copy_ = nullptr;
  context.account.retained -= 1;
  context.account.mbufs_held -= 1;
  std::byte* const data = copy.data;
  const std::size_t trailer = sent->l3_offset + length;
  std::memcpy(data + trailer, sent->data + trailer, sent->frame_len - trailer);
  copy = *sent;
  copy.next = nullptr;
  copy.data = data;
  if (context.tap != nullptr) [[unlikely]]
    context.tap->replaced(*sent, copy);
  peer_.buffer_->delivered_by_peer(*sent, at_, context);
  (*deliver_)(copy);
}

void AmEntityHost::abandon(std::uint32_t) noexcept {
  Context& context = *context_;
  DP_EXPECT(copy_ != nullptr && context.account.retained > 0);
  context.account.retained -= 1;
  context.account.mbufs_held -= 1;
  context.release(*copy_);
  copy_ = nullptr;
}

void AmEntityHost::Turn::reestablish(Time radio_now) const noexcept {
  host_.failed_ = false;
  host_.entity_.reestablish(radio_now);
}

void AmEntityHost::Turn::recall(Time radio_now) const noexcept {
  host_.recalling_ = true;
  reestablish(radio_now);
  host_.recalling_ = false;
}

}  // namespace dp
