// The program rncd-told: sockets, sources, reconciler and its connection, in one event loop.
#pragma once
#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/host/instance.h"
#include "control/loop/event_loop.h"
#include "control/loop/http_server.h"
#include "control/rpc/server.h"
#include "control/told/class_map.h"
#include "control/told/daemon/mirror_feed.h"
#include "control/told/daemon/session_log.h"
#include "control/told/daemon/settings.h"
#include "control/told/daemon/told_metrics.h"
#include "control/told/daemon/udp_socket.h"
#include "control/told/session_table.h"
#include "control/told/sink/reconciler.h"
#include "control/told/sink/rncd_client.h"

namespace control::told {

// One thread's; the page of the metrics is served on a thread of its own.
class ToldDaemon {
 public:
  // `instance` has the control socket's path. Throws std::system_error.
  ToldDaemon(const ToldConfig& config, Instance& instance);

  // Until a signal ends it, or stop().
  void run();
  void stop() noexcept { stopping_ = true; }

 private:
  // A source and what it reads: sockets, or a mirror.
  struct Feed {
    Feed(SessionTable& table, std::string_view name) : log(table, name) {}
    SessionLog log;
    std::unique_ptr<Source> source{};
    std::list<UdpSocket> sockets{};
    std::optional<MirrorFeed> mirror{};
  };

  void watch_signals();
  void on_signal();
  void open();
  void add_pfcp();
  void add_radius();
  void open(Feed& feed);
  void listen(Feed& feed, const Endpoint& at);
  RncdClient::Callbacks callbacks();
  void step();
  void make_calls(dp::Time now);
  void tick(dp::Time now);
  void note_problem();
  ToldReadings readings() const;
  std::string handle(const std::string& line);

  const ToldSettings settings_;
  Instance& instance_;
  const SinkSettings sink_settings_;
  EventLoop loop_;
  Fd signals_;
  SessionTable table_;
  ClassMap classes_;
  std::vector<std::unique_ptr<Feed>> feeds_;
  Reconciler reconciler_;
  RncdClient client_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<HttpServer> page_server_;
  std::string problem_;  // the last that was logged
  std::mutex readings_mutex_;
  ToldReadings readings_;  // a second old at most
  dp::Time next_tick_ = dp::Time::min();
  std::atomic<bool> stopping_{false};
};

}  // namespace control::told
