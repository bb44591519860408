// Flow queue CoDel (RFC 8290): a queue for each flow, served in turns by their bytes, those of new flows
// first; CoDel judges each queue alone, but that no packet is dropped while no more than an MTU stands behind
// it means behind it in all of them, as in Linux: a link on which others wait does not run empty by a drop.
// The queues are aqm/flow_queues.h, which control allocates.
#pragma once
#include <string_view>
#include <tuple>

#include "dataplane/aqm/codel.h"

namespace dp {

class FqCodel : public IdlePolicy {
 public:
  static constexpr std::string_view kName = "fq-codel";
  static constexpr std::string_view kDoc =
      "a queue for each flow, served in turns, CoDel in each; overflow drops from the longest";
  struct Config : CodelSettings {
    std::uint32_t flows = 1024;
    std::uint32_t quantum = 1514;
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr std::tuple kOwnFields{
        Field{"flows", &Config::flows, Unit::count, 1u, 65'536u,
              "queues, into which flows are hashed; 64 bytes of memory each, for each bearer and direction",
              "RFC 8290 section 5.2.3"},
        Field{"quantum", &Config::quantum, Unit::bytes, 64u, 65'536u,
              "bytes of a flow's turn", "RFC 8290 section 5.2.4"},
    };
    // clang-format on
    static constexpr auto kFields = std::tuple_cat(CodelSettings::kFields, kOwnFields);
  };

  FqCodel(const Config& config, Rng) noexcept : config_(config) {}

  Verdict on_dequeue(const Sdu& sdu, const QueueView& queue, Time now) noexcept {
    if (queue.flow == nullptr) return Verdict::pass;
    return queue.flow->judge(config_, sdu, queue.backlog - sdu.ip_len, now);
  }
  void reconfigure(const Config& config, const QueueView&, Time) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }

 private:
  Config config_;
};

}  // namespace dp
