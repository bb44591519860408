// Brings the running data plane to what a configuration file says: at the start, and when the file is read
// again. Owns the last contents of the file, and what the workers find bearers by. Belongs to the control
// thread.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/plane/bearers.h"
#include "control/plane/cells.h"
#include "control/plane/modes.h"
#include "control/plane/reload.h"
#include "control/plane/running.h"
#include "control/workers/echo_times.h"
#include "control/workers/frame_settings.h"
#include "control/workers/tunnel_log.h"

namespace control {

// The settings that a configuration is compared with: every difference takes effect.
enum class Against : std::uint8_t { file, running };

class Reloader {
 public:
  using Refused = std::function<void(const std::string&)>;

  Reloader(Running& running, Bearers& bearers, Cells& cells, Modes& modes)
      : running_(running),
        bearers_(bearers),
        cells_(cells),
        modes_(modes),
        frame_settings_(running.sender, bearers.capacity()),
        file_(running.config) {}

  // Brings the workers to the state that the configuration describes, which preflight has judged.
  void begin(Bearers::OnApplied done);
  // Applies the configuration file that was read again: takes over every key that can change live; the keys
  // that cannot are passed to `refused`, and stay as they run. Settings made over the socket stay where the
  // file is the same as before; with Against::running they go as well.
  void reload(config::Config file, Refused refused, Bearers::OnApplied done, Against against = Against::file);

  // The last contents of the file. To be set if rncd started with something else, or last took over something
  // else.
  const config::Config& file() const { return file_; }
  void set_file(config::Config file) { file_ = std::move(file); }

  // The workers' records of tunnels, by worker; none before there were tunnels.
  const std::vector<dp::TunnelBook*>& books() const { return frame_settings_.books(); }
  // Logs what workers have reported of tunnels, and notes their echoes.
  void poll() {
    if (books().empty()) return;
    const auto text_of = [this](const dp::UeAddress& ue) { return running_.registry.text_of(ue); };
    tunnel_log_.drain(books(), text_of, TunnelLog::Clock::now());
    echo_times_.drain(books(), running_.runtime.now());
  }
  const EchoTimes& echo_times() const { return echo_times_; }

 private:
  using SharedFile = std::shared_ptr<const config::Config>;

  Slices prepare_first(Transaction& all);
  Slices prepare(SharedFile file, Refused refused, Against against, Transaction& all);
  void take_over(Reload& reload, Plan& plan);
  void add_learnt(const config::Config& wanted, Plan& plan);

  Running& running_;
  Bearers& bearers_;
  Cells& cells_;
  Modes& modes_;
  FrameSettings frame_settings_;
  TunnelLog tunnel_log_;
  EchoTimes echo_times_;
  config::Config file_;
};

}  // namespace control
