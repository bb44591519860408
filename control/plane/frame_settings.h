// Sends the workers what they find the bearer of a frame by: the network of each VLAN, and the tunnels that
// are looked into. Belongs to the control thread.
#pragma once
#include "config/gtp_u.h"
#include "config/model.h"
#include "config/networks.h"
#include "control/plane/worker_setting.h"

namespace control {

class FrameSettings {
 public:
  explicit FrameSettings(CommandSender& sender) : networks_(sender), gtp_u_(sender) {}

  // Nothing is sent where no VLAN and no tunnel changes.
  void configure(const config::Config& config) {
    networks_.configure(config::map_of(config.networks));
    gtp_u_.configure(config::settings_of(config.dataplane.gtp_u, config.networks));
  }
  // True if all workers have the last settings, and connections that they leave without frames are let go.
  bool settled() const { return networks_.settled() && gtp_u_.settled(); }

 private:
  WorkerSetting<dp::NetworkMap, dp::SetNetworks> networks_;
  WorkerSetting<dp::GtpUSettings, dp::SetGtpU> gtp_u_;
};

}  // namespace control
