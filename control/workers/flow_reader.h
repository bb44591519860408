// Reads the flows of a bearer from its worker, a sheet at a time. Belongs to the control thread.
// Tests: tests/unit/control/rpc/flow_list_test.cc
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "control/workers/command_sender.h"
#include "dataplane/worker/flow_sheet.h"

namespace control {

struct FlowQuery {
  dp::UeAddress ue;
  std::uint32_t from = 0;  // the index in the bearer's table to begin at
  std::uint32_t limit;     // flows at most
};

struct FlowPage {
  bool bearer = true;                   // the UE has one
  bool followed = false;                // it has ACK stages or a proxy, for which flows are followed
  std::optional<std::uint32_t> next{};  // the index to continue at, if there may be more
};

class FlowReader {
 public:
  // `split`: null where the bearer has no proxy.
  using OnFlow = std::function<void(const dp::Flow&, const dp::SplitRow* split, dp::Time now)>;
  using OnPage = std::function<void(const FlowPage&)>;

  explicit FlowReader(CommandSender& sender) : sender_(sender) {}

  // on_page() comes last, once.
  void read(const FlowQuery& query, OnFlow on_flow, OnPage on_page);

 private:
  struct Reading;

  void proceed(const std::shared_ptr<Reading>& reading);
  void take(const std::shared_ptr<Reading>& reading, bool bearer);

  CommandSender& sender_;
};

}  // namespace control
