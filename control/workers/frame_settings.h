// Sends the workers what they find the bearer of a frame by: the network of each VLAN, and the tunnels that
// are looked into; owns the workers' records of tunnels. Belongs to the control thread. Requires: it outlives
// the workers' last poll.
// Tests: tests/unit/control/plane/gtp_u_test.cc
#pragma once
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "config/gtp_u.h"
#include "config/model.h"
#include "config/networks.h"
#include "control/workers/worker_setting.h"
#include "dataplane/bearer/tunnel_book.h"

namespace control {

class FrameSettings {
 public:
  // `bearers`: number that each worker may serve.
  FrameSettings(CommandSender& sender, std::size_t bearers)
      : workers_(sender.workers()),
        bearers_(bearers),
        networks_(sender, [](const dp::NetworkMap* map) { return dp::SetNetworks{map}; }),
        gtp_u_(sender, [this](const dp::GtpUSettings* settings) {
          return dp::SetGtpU{settings, books_};
        }) {}

  // Nothing is sent where no VLAN and no tunnel changes.
  void configure(const config::Config& config) {
    if (config.dataplane.gtp_u) make_books();
    networks_.configure(config::map_of(config.networks));
    gtp_u_.configure(config::settings_of(config.dataplane.gtp_u, config.networks));
  }
  // Bytes that configure() would allocate for good.
  std::uint64_t bytes_for(const config::Config& config) const {
    return config.dataplane.gtp_u ? (workers_ - owned_.size()) * dp::TunnelBook::bytes_for(bearers_) : 0;
  }
  // True if all workers have the last settings, and connections that they leave without frames are let go.
  bool settled() const { return networks_.settled() && gtp_u_.settled(); }

  // By worker; none before there were tunnels.
  const std::vector<dp::TunnelBook*>& books() const { return books_; }

 private:
  // Once: the workers keep them.
  void make_books() {
    std::random_device secret;
    while (owned_.size() < workers_) {
      const std::uint64_t seed = std::uint64_t{secret()} << 32 | secret();
      owned_.push_back(std::make_unique<dp::TunnelBook>(bearers_, seed));
      books_.push_back(owned_.back().get());
    }
  }

  std::size_t workers_;
  std::size_t bearers_;
  std::vector<std::unique_ptr<dp::TunnelBook>> owned_;
  std::vector<dp::TunnelBook*> books_;
  WorkerSetting<dp::NetworkMap, dp::SetNetworks> networks_;
  WorkerSetting<dp::GtpUSettings, dp::SetGtpU> gtp_u_;
};

}  // namespace control
