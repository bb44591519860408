// One TCP connection of a simulation: the server's sender, the UE's receiver, and the departure time of each
// packet, for its delay. Owned by the simulation, on behalf of a flow.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/tcp/receiver.h"
#include "dataplane/tcp/sender.h"
#include "tools/lab/run/lane.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

class FlowRun;

class Connection {
 public:
  // `bytes`: size of its one transfer; none: without end.
  Connection(FlowRun& flow, std::uint64_t id, const dp::TcpPath& path, std::optional<std::uint64_t> bytes);

  // Sends the UE's request.
  void begin(Simulation& simulation);
  // Handles a packet that arrived at the UE, or at the server. The caller keeps the frame.
  void at_ue(const dp::Sdu& sdu, Simulation& simulation);
  void at_server(const dp::Sdu& sdu, Simulation& simulation);

  std::uint64_t id() const noexcept { return id_; }
  FlowRun& flow() const noexcept { return flow_; }
  const dp::TcpSender& sender() const noexcept { return sender_; }
  const dp::TcpReceiver& sink() const noexcept { return sink_; }
  // True if it will send and expect nothing more.
  bool over() const noexcept {
    return (sender_.all_acked() && sink_.finished()) || sender_.failed() || sink_.failed();
  }

  // Resets the statistics.
  void forget() noexcept;
  dp::TcpSenderStats since() const noexcept;

  void stop(Simulation& simulation);

 private:
  struct Side : LabTimer {
    Side(Connection& of, Fire fire) : LabTimer(fire), connection(of) {}
    Connection& connection;
  };
  static void server_due(LabTimer& timer, dp::Time, Simulation& simulation);
  static void ue_due(LabTimer& timer, dp::Time, Simulation& simulation);

  void pump_server(Simulation& simulation);
  void pump_ue(Simulation& simulation);
  void note_sent(dp::Sdu& sdu, std::uint64_t segments_before, Simulation& simulation);
  void end_if_over(Simulation& simulation);

  FlowRun& flow_;
  std::uint64_t id_;
  dp::TcpSender sender_;
  dp::TcpReceiver sink_;
  Side server_, ue_;
  std::vector<dp::Time> left_;  // indexed by packet number modulo the size, which exceeds the packets in
                                // flight
  dp::TcpSenderStats before_{};
  std::optional<std::uint64_t> bytes_;  // size of its transfer
  bool complete_ = false, retired_ = false;
};

}  // namespace lab
