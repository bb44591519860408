// The events of a run in order of time, for CSV, JSON and pictures.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tools/lab/figures/json.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/run/observer.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

// Events of a flow: segment numbers (sent, resent, received, repeated, dropped, acked), windows in segments
// (cwnd, ssthresh), timeouts. Events of a bearer: BO in SDUs (bo), bit/s (rate), lost frames of its radio
// link (downlink-lost, uplink-lost), handovers by their number (handover), the end marker of a former tunnel
// with the number of packets that left in it after the handover (end-marker).
struct TraceEvent {
  double at;               // s
  std::string_view event;  // a literal
  std::uint32_t of;        // index of the flow or bearer
  bool of_flow;
  double value;
  std::string where;  // for `dropped`: a wire, or the data plane's reason
};

class TraceRecorder : public Observer {
 public:
  explicit TraceRecorder(const Scenario& scenario);

  void sent(const DataPoint& point, bool retransmission) override;
  void acked(const DataPoint& point) override;
  void window(dp::Time at, std::size_t flow, double cwnd, double ssthresh) override;
  void timed_out(dp::Time at, std::size_t flow) override;
  void received(const DataPoint& point, std::uint32_t fresh) override;
  void dropped(const DataPoint& point, std::string_view where) override;
  void occupancy(dp::Time at, std::size_t bearer, std::uint32_t sdus) override;
  void rate(dp::Time at, std::size_t bearer, std::uint64_t bit_s) override;
  void air_lost(dp::Time at, std::size_t bearer, dp::Direction, std::uint64_t frames) override;

  void handed_over(dp::Time at, std::size_t bearer) override;
  void tunnel_ended(dp::Time at, std::size_t bearer, std::uint64_t late) override;

  const std::vector<TraceEvent>& events() const { return events_; }
  // time_s,event,of,value,where: one event a line, below one line of names.
  std::string csv() const;
  Json json() const;  // [{"event", "of", "points": [[s, value], ...]}, ...]
  TracePlot plot(const std::string& title) const;

 private:
  // Segment numbers continue over all connections of a flow.
  struct FlowState {
    std::string id;
    double mss;
    std::uint64_t connection = 0;
    double base = 0, highest = 0;
    double cwnd = -1, ssthresh = -1;
  };
  double segment(const DataPoint& point);
  void add_flow(dp::Time at, std::string_view event, std::size_t flow, double value,
                std::string_view where = {});
  void add_bearer(dp::Time at, std::string_view event, std::size_t bearer, double value);
  const std::string& name_of(const TraceEvent& event) const;

  std::vector<FlowState> flows_;
  std::vector<std::string> bearers_;
  std::vector<std::uint64_t> handovers_;  // by bearer
  std::vector<TraceEvent> events_;
};

}  // namespace lab
