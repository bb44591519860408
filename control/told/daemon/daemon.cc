#include "control/told/daemon/daemon.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "control/host/group.h"
#include "control/host/notify.h"
#include "control/host/signals.h"
#include "control/loop/log.h"
#include "control/told/after.h"
#include "control/told/daemon/session_rows.h"
#include "control/told/daemon/told_rpc.h"
#include "control/told/pfcp/numbers.h"
#include "control/told/pfcp/pfcp_source.h"
#include "control/told/radius/source.h"

namespace control::told {
namespace {

// Milliseconds since 1970: a later start has a higher one.
std::uint64_t generation_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

ReconcilerSettings reconciler_settings(const ToldSettings& settings, const SinkSettings& sink) {
  ReconcilerSettings out;
  out.owners = {"pfcp", "radius"};
  out.lasting = {"pfcp"};  // RADIUS has interims
  out.sink = sink;
  out.generation = generation_now();
  out.max_inherited = kMaxUes * std::size_t{settings.max_sessions};
  return out;
}

radius::RadiusSettings radius_settings(const RadiusListen& listen) {
  radius::RadiusSettings out;
  for (const ClientSettings& client : listen.clients) out.clients.push_back({client.network, client.secret});
  out.answer = listen.answer;
  return out;
}

}  // namespace

ToldDaemon::ToldDaemon(const ToldConfig& config, Instance& instance)
    : settings_(config.told),
      instance_(instance),
      sink_settings_{config.told.tunnels},
      table_(config.told.max_sessions),
      classes_(config.told.classes, config.told.default_class),
      reconciler_(table_, classes_, reconciler_settings(config.told, sink_settings_), steady_now()),
      client_(loop_, config.told.rncd, callbacks()) {
  if (!settings_.pfcp.interface.empty()) add_pfcp();
  if (!settings_.radius.clients.empty()) add_radius();
}

void ToldDaemon::add_pfcp() {
  Feed& feed = *feeds_.emplace_back(std::make_unique<Feed>(table_, "pfcp"));
  feed.source = std::make_unique<PfcpSource>(PfcpSettings{.sessions = settings_.max_sessions}, feed.log);
}

void ToldDaemon::add_radius() {
  Feed& feed = *feeds_.emplace_back(std::make_unique<Feed>(table_, "radius"));
  feed.source = std::make_unique<radius::RadiusSource>(feed.log, radius_settings(settings_.radius));
}

RncdClient::Callbacks ToldDaemon::callbacks() {
  return {[this] {
            log::info(Event::rncd_connected, {{"socket", settings_.rncd}});
            reconciler_.connected(steady_now());
          },
          [this](const std::string& why) {
            log::warning(Event::rncd_lost, {{"error", why}});
            reconciler_.disconnected(steady_now());
          },
          [this](const Json& result) { reconciler_.answered(steady_now(), result); },
          [this](const RncdRefusal& refusal) { reconciler_.refused(steady_now(), refusal); }};
}

void ToldDaemon::watch_signals() {
  signals_ = signal_descriptor();
  loop_.add(signals_.get(), EPOLLIN, [this](std::uint32_t) { on_signal(); });
}

void ToldDaemon::on_signal() {
  signalfd_siginfo info;
  while (::read(signals_.get(), &info, sizeof(info)) == sizeof(info)) {
    const OnSignal on = decided(static_cast<int>(info.ssi_signo));
    if (on == OnSignal::stop) stopping_ = true;
    if (on == OnSignal::reload) log::warning(Event::told_reload);
  }
}

void ToldDaemon::open(Feed& feed) {
  if (feed.log.source() == "pfcp") {
    feed.mirror.emplace(settings_.pfcp.interface, pfcp::kPort, *feed.source);
    loop_.add(feed.mirror->fd(), EPOLLIN, [&feed](std::uint32_t) { feed.mirror->receive(steady_now()); });
    return;
  }
  listen(feed, settings_.radius.listen);
  if (settings_.radius.coa) listen(feed, *settings_.radius.coa);
}

void ToldDaemon::listen(Feed& feed, const Endpoint& at) {
  UdpSocket& socket = feed.sockets.emplace_back(at);
  loop_.add(socket.fd(), EPOLLIN, [&feed, &socket](std::uint32_t) {
    socket.receive(steady_now(), [&feed](const Datagram& datagram) { return feed.source->take(datagram); });
  });
}

void ToldDaemon::open() {
  for (const auto& feed : feeds_) open(*feed);
  std::optional<gid_t> group;
  if (!settings_.control.group.empty()) {
    const auto found = find_group(settings_.control.group);
    if (!found) throw std::runtime_error(found.error().message);
    group = *found;
  }
  const auto handler = [this](std::string line, const Peer&, Server::Reply reply) -> std::shared_ptr<void> {
    reply(handle(line));
    return nullptr;
  };
  server_ = std::make_unique<Server>(loop_, listen_on(instance_.socket(), settings_.control.mode, group),
                                     handler, read_only_limits());
  instance_.bound();
  if (settings_.metrics.empty()) return;
  HttpPage page{"/metrics", "text/plain; version=0.0.4; charset=utf-8", [this] {
                  const std::lock_guard lock(readings_mutex_);
                  return page_of(readings_);
                }};
  page_server_ = std::make_unique<HttpServer>(listen_tcp(settings_.metrics), std::move(page));
}

std::string ToldDaemon::handle(const std::string& line) {
  return answer_line(line, [this](const Json& params) {
    return list_sessions(params, {table_, reconciler_, classes_, sink_settings_, steady_now()});
  });
}

void ToldDaemon::make_calls(dp::Time now) {
  client_.tick(now);
  while (const auto call = reconciler_.next(now)) client_.send(*call, now);
}

void ToldDaemon::step() {
  const dp::Time now = steady_now();
  dp::Time source_due = dp::kNever;
  for (const auto& feed : feeds_) source_due = std::min(source_due, feed->source->advance(now));
  make_calls(now);
  if (now >= next_tick_) tick(now);
  const dp::Time due = std::min({source_due, reconciler_.due(), client_.due(), next_tick_});
  loop_.run_once(std::clamp<dp::Duration>(due <= now ? dp::Duration{0} : due - now, dp::Duration{0},
                                          std::chrono::seconds(1)));
}

void ToldDaemon::note_problem() {
  const std::string now = client_.is_connected() ? reconciler_.problem() : client_.problem();
  if (now == problem_) return;
  problem_ = now;
  if (problem_.empty()) return;
  const Event event = client_.is_connected() ? Event::bearers_refused : Event::rncd_lost;
  log::warning(event, {{"error", problem_}});
}

void ToldDaemon::tick(dp::Time now) {
  next_tick_ = after(now, std::chrono::seconds(1));
  notify_service_manager("WATCHDOG=1");
  server_->tick();
  for (const auto& feed : feeds_) {
    feed->log.tick();
    if (feed->mirror) feed->mirror->tick();
  }
  note_problem();
  ToldReadings next = readings();
  const std::lock_guard lock(readings_mutex_);
  readings_ = std::move(next);
}

ToldReadings ToldDaemon::readings() const {
  ToldReadings out;
  for (const auto& feed : feeds_) {
    std::uint64_t dropped = feed->mirror ? feed->mirror->dropped() : 0;
    for (const UdpSocket& socket : feed->sockets) dropped += socket.dropped();
    out.sources.push_back({std::string(feed->log.source()), feed->log.by_state(), feed->source->counts(),
                           dropped, feed->log.not_taken()});
  }
  out.apply = reconciler_.apply_times();
  out.drift = reconciler_.drift();
  out.connected = reconciler_.is_connected();
  out.refusals = reconciler_.refusals();
  return out;
}

void ToldDaemon::run() {
  watch_signals();
  open();
  log::info(Event::told_started,
            {{"pfcp", settings_.pfcp.interface},
             {"radius", settings_.radius.clients.empty() ? "" : to_string(settings_.radius.listen)},
             {"rncd", settings_.rncd},
             {"socket", instance_.socket()}});
  notify_service_manager("READY=1");
  while (!stopping_) step();
  notify_service_manager("STOPPING=1");
  log::info(Event::told_stopped, {{"sessions", table_.size()}});
}

}  // namespace control::told
