// One end of the air: the callbacks of its RLC AM entity. It sends the SDUs of one leg's buffer and assembles
// copies of those that the other end sends. Owned by its AmRadioLink.
// Tests: tests/unit/link/am_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/buffer/buffer.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/visit.h"
#include "dataplane/rlc/am_entity.h"

namespace dp {

// deliver(sdu) takes over an SDU that has crossed; a reference to a callable that outlives the call.
class Deliver {
 public:
  template <class F>
  explicit Deliver(F& f)
      : callable_(&f), call_([](void* callable, Sdu& sdu) { (*static_cast<F*>(callable))(sdu); }) {}
  void operator()(Sdu& sdu) const { call_(callable_, sdu); }

 private:
  void* callable_;
  void (*call_)(void*, Sdu&);
};

class AmEntityHost final : private AmHost {
 public:
  AmEntityHost(const AmConfig& config, const AmEntityHost& peer)
      : peer_(peer), entity_(config, *this, Time{}) {}

  void attach(RlcBuffer& buffer, Side exit) noexcept {
    buffer_ = &buffer;
    exit_ = exit;
  }

  // The scope of a call into the entity, whose callbacks act upon the worker's context, at time `at` of the
  // leg; `deliver` takes the SDUs delivered. Requires: no other is alive; `deliver` is not null if PDUs
  // arrive.
  class Turn {
   public:
    Turn(AmEntityHost& host, Context& context, Time at, const Deliver* deliver = nullptr) noexcept
        : visit_(host.context_, context), host_(host) {
      host.at_ = at;
      host.deliver_ = deliver;
    }
    ~Turn() { host_.deliver_ = nullptr; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    AmEntity& entity() const noexcept { return host_.entity_; }
    void reestablish(Time radio_now) const noexcept;
    // Like reestablish(), but SDUs on their way are sent at once instead of being given up.
    void recall(Time radio_now) const noexcept;

   private:
    Visit visit_;
    AmEntityHost& host_;
  };
  const AmEntity& entity() const noexcept { return entity_; }

  // A RESET failed for good: both ends must be re-established.
  bool failed() const noexcept { return failed_; }

  // Adds the frame that is being assembled, beside those in the legs.
  void add_to(Holdings& sum) const noexcept {
    if (copy_ == nullptr) return;
    ++sum.retained;
    ++sum.mbufs;
  }

 private:
  bool waiting() const noexcept override { return buffer_->waiting() && !buffer_->held(); }
  bool start(AmSdu& sdu) noexcept override;
  void acked(const AmSdu& sdu) noexcept override;
  void discarded(const AmSdu& sdu) noexcept override;
  void released(const AmSdu& sdu) noexcept override;
  std::span<std::byte> begin(std::uint32_t ordinal) noexcept override;
  void end(std::uint32_t ordinal, std::size_t length) noexcept override;
  void abandon(std::uint32_t ordinal) noexcept override;
  void unrecoverable() noexcept override { failed_ = true; }

  Sdu* original(std::uint32_t ordinal) const noexcept;

  const AmEntityHost& peer_;
  RlcBuffer* buffer_ = nullptr;
  Side exit_{};
  Context* context_ = nullptr;  // valid during a Turn, as are the next two
  Time at_{};
  const Deliver* deliver_ = nullptr;
  Sdu* copy_ = nullptr;  // being assembled
  bool recalling_ = false;
  bool failed_ = false;
  AmEntity entity_;
};

}  // namespace dp
