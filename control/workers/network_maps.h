// Sends the workers the network of each VLAN. Belongs to the control thread.
#pragma once
#include <cstdint>
#include <memory>

#include "config/networks.h"
#include "control/workers/command_sender.h"

namespace control {

class NetworkMaps {
 public:
  explicit NetworkMaps(CommandSender& sender) : sender_(sender) {}

  // Takes the networks of the configuration; nothing is sent where no VLAN changes.
  void configure(const config::Networks& networks);
  // True if all workers have the last map, and connections that it leaves without frames are let go.
  bool settled() const { return unanswered_ == 0; }

 private:
  using Map = std::shared_ptr<const dp::NetworkMap>;

  void send(const Map& map, const Map& before, bool again);

  CommandSender& sender_;
  Map current_;  // the last map sent; null: none was
  std::uint32_t unanswered_ = 0;
};

}  // namespace control
