#include "control/workers/flow_reader.h"

#include <algorithm>
#include <utility>

#include "dataplane/base/expect.h"

namespace control {

struct FlowReader::Reading {
  dp::UeAddress ue;
  std::uint32_t left;  // flows still wanted
  OnFlow on_flow;
  OnPage on_page;
  dp::FlowSheet sheet;  // the worker's while a command is under way
};

void FlowReader::read(const FlowQuery& query, OnFlow on_flow, OnPage on_page) {
  DP_EXPECT(on_flow && on_page);
  const auto reading = std::make_shared<Reading>();
  reading->ue = query.ue;
  reading->left = query.limit;
  reading->on_flow = std::move(on_flow);
  reading->on_page = std::move(on_page);
  reading->sheet.next = query.from;
  proceed(reading);
}

// The callback keeps the sheet until the answer has brought it home.
void FlowReader::proceed(const std::shared_ptr<Reading>& reading) {
  dp::FlowSheet& sheet = reading->sheet;
  sheet.size = 0;
  sheet.wanted = std::min(reading->left, dp::FlowSheet::kCapacity);
  sender_.send(dp::ReadFlows{reading->ue, &sheet}, [this, reading](const dp::Answer& answer) {
    take(reading, answer.status != dp::CommandStatus::no_bearer);
  });
}

void FlowReader::take(const std::shared_ptr<Reading>& reading, bool bearer) {
  const dp::FlowSheet& sheet = reading->sheet;
  for (std::uint32_t i = 0; i < sheet.size; ++i) {
    reading->on_flow(sheet.flows[i], sheet.proxied ? &sheet.split[i] : nullptr, sheet.now);
  }
  DP_EXPECT(sheet.size <= reading->left);
  reading->left -= sheet.size;
  const bool more = bearer && sheet.more;
  if (more && reading->left != 0) return proceed(reading);
  reading->on_page(
      {bearer, bearer && sheet.followed, more ? std::optional(sheet.next) : std::optional<std::uint32_t>()});
}

}  // namespace control
