#include "control/daemon.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "control/control_sockets.h"
#include "control/host/bypass_hook.h"
#include "control/host/memory_reserve.h"
#include "control/host/notify.h"
#include "control/host/preflight_return.h"
#include "control/host/signals.h"
#include "control/leave.h"
#include "control/life_log.h"
#include "control/loop/background.h"
#include "control/loop/log.h"
#include "control/metrics/account_sum.h"
#include "control/metrics/box_watch.h"
#include "control/metrics/metrics.h"
#include "control/metrics/wire_log.h"
#include "control/options.h"
#include "control/plane/data_plane.h"
#include "control/plane/learning_log.h"
#include "control/ports/port_keeper.h"
#include "control/rpc/answer.h"
#include "control/state/commit.h"
#include "control/state/restore.h"
#include "control/state/state_keeper.h"

namespace control {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr microseconds kBusyWait{100};              // while a worker owes an answer, which wakes nobody
constexpr std::chrono::seconds kWaitForWorker{30};  // time requested from the service manager, each second
constexpr milliseconds kIdleWait{10};               // else: the delay until learnt bearers are noticed
constexpr auto kTurns = 3 * kSlice;  // for changes, and for clients, before signals are looked at
// JSON is freed through a list of 16 bytes for each value, which takes that twice while it grows. A request
// has 2^18 values at most (config/notation/strict_json.h), and two are freed at a time.
constexpr std::size_t kMemoryReserve = std::size_t{16} << 20;

config::Loaded load_again(const Ready& ready) try {
  return config::reload_file(ready.file, ready.overrides);
} catch (const std::exception& e) {
  config::Loaded failed;
  failed.problems.emplace_back().message = e.what();
  return failed;
}

class Daemon {
 public:
  Daemon(dp::Runtime& runtime, Ready& ready, Successor& successor)
      : runtime_(runtime),
        ready_(ready),
        successor_(successor),
        plane_(runtime, ready.config, ready.settings.max_bearers),
        keeper_(plane_, beside_, ready.config.control.state, fingerprint(ready.from_file)),
        commit_(plane_, keeper_, [this] { configured(); }),
        leave_(runtime, plane_.modes()),
        hook_(loop_, ready.config.dataplane.bypass_hook, ready.config.dataplane.devices),
        services_{plane_,     view_,           &beside_,      &keeper_, &commit_,
                  &successor, ready.overrides, &beside_long_, &box_},
        sockets_(loop_, ready, services_) {}

  int run();

 private:
  void begin();
  static void wait_for_worker(unsigned worker, std::chrono::seconds silent);
  void open();
  void watch_ports();
  void watch_signals();
  void on_signal();
  void reload();
  void take_over(const config::Loaded& loaded);
  void configured();
  void reloaded(bool well);
  void tick();
  void work();
  void step();
  void update_view();
  bool drain();
  void keep_state();
  int stop();

  dp::Runtime& runtime_;
  Ready& ready_;
  Successor& successor_;
  EventLoop loop_;
  DataPlane plane_;
  LatestView view_;
  Background beside_;
  Background beside_long_;  // for texts that take seconds
  StateKeeper keeper_;
  Commit commit_;
  Leave leave_;
  BypassHook hook_;
  bool reloading_ = false;
  bool reload_again_ = false;
  LastOutcome reload_;
  const LastOutcome::Moment life_began_ = std::chrono::system_clock::now();
  BoxWatch box_;
  Services services_;
  ControlSockets sockets_;
  LearningLog learning_log_;
  SilenceLog silence_log_;
  WireLog wire_log_;
  std::unique_ptr<MetricsServer> metrics_;
  std::unique_ptr<PortKeeper> ports_;
  Fd signals_;
  bool started_ = false;
  bool stopping_ = false;
  Clock::time_point next_tick_ = Clock::now();
};

// A start that waits for a CPU is better than one that ends and is tried again: it goes on when the CPU
// comes.
void Daemon::wait_for_worker(unsigned worker, std::chrono::seconds silent) {
  log::warning(Event::worker_awaited, {{"worker", worker},
                                       {"seconds", silent.count()},
                                       {"found", "no answer: it does not get its CPU"},
                                       {"expected", "a CPU of its own (dataplane.cpus) that nothing stops"}});
  notify_service_manager(fmt::format("EXTEND_TIMEOUT_USEC={}", microseconds{kWaitForWorker}.count()));
}

// The configuration of the file is in force before rncd reports that it is ready.
void Daemon::begin() {
  plane_.wait_for_workers(wait_for_worker);
  // Shared: on a signal to stop, this returns before the answer comes.
  const auto ended = std::make_shared<std::optional<Ended<Applied>>>();
  plane_.reloader().begin([ended](Ended<Applied> how) { *ended = std::move(how); });
  while (!*ended && !stopping_) step();
  if (*ended && (*ended)->why != nullptr) std::rethrow_exception((*ended)->why);
  if (!ready_.saved || stopping_) return;
  keeper_.pause(true);  // on a signal to stop meanwhile, the saved state stays
  const auto restored = std::make_shared<bool>(false);
  auto saved = std::make_shared<const SavedState>(std::move(*std::exchange(ready_.saved, std::nullopt)));
  restore(plane_, std::move(saved), ready_.from_file, [restored] { *restored = true; });
  while (!*restored && !stopping_) step();
  if (!*restored) return;
  keeper_.pause(false);
  log::configure(plane_.config().log);
}

void Daemon::open() {
  const config::Config& config = ready_.config;
  if (!config.metrics.listen.empty()) {
    metrics_ = MetricsServer::open(config.metrics.listen, std::make_shared<Metrics>(runtime_, view_));
  }
  sockets_.open();
}

// Without the kernel's messages rncd runs as before, and logs which ability is missing.
void Daemon::watch_ports() {
  const auto check = [settings = ready_.settings](dp::Side side) {
    return unfit_to_return(settings.devices, settings.workers, side);
  };
  const auto unfit = [settings = ready_.settings, &runtime = runtime_](dp::Side side) {
    return unfit_while_bound(settings.devices, settings.workers, side, runtime.port(side).max_frame);
  };
  try {
    ports_ = std::make_unique<PortKeeper>(loop_, plane_, TakenLink(ready_.config.control.socket), check,
                                          unfit, [this] { update_view(); });
  } catch (const std::system_error& e) {
    log::warning(Event::ports_unwatched, {{"error", e.what()}});
  }
}

void Daemon::watch_signals() {
  signals_ = signal_descriptor();
  loop_.add(signals_.get(), EPOLLIN, [this](std::uint32_t) { on_signal(); });
}

void Daemon::on_signal() {
  signalfd_siginfo info{};
  if (::read(signals_.get(), &info, sizeof(info)) != sizeof(info)) return;
  const int signal = static_cast<int>(info.ssi_signo);
  const OnSignal on = decided(signal);
  const char* const does = on == OnSignal::stop ? "stop" : on == OnSignal::reload ? "reload" : "nothing";
  log::info(Event::signal,
            {{"name", ::strsignal(signal)}, {"pid", info.ssi_pid}, {"uid", info.ssi_uid}, {"does", does}});
  if (on == OnSignal::reload) {
    sockets_.mend();
    return reload();
  }
  if (on != OnSignal::stop) return;
  if (stopping_) leave_.hurry();  // a second request to stop does not wait
  stopping_ = true;
}

// The file is read on the thread beside. A signal that comes meanwhile causes one more reading afterwards.
void Daemon::reload() {
  if (std::exchange(reloading_, true)) {
    reload_again_ = true;
    return;
  }
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const auto usec = static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
  notify_service_manager(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", usec));
  const auto loaded = std::make_shared<config::Loaded>();
  beside_.submit(
      Client(), [loaded, &ready = ready_] { *loaded = load_again(ready); },
      [this, loaded] { take_over(*loaded); });
}

void Daemon::take_over(const config::Loaded& loaded) {
  if (!loaded) {
    for (const config::Problem& problem : loaded.problems) {
      log::error(Event::reload_refused, {{"problem", config::to_string(problem)}});
    }
    return reloaded(false);
  }
  if (commit_.pending()) {
    log::error(Event::reload_refused,
               {{"problem", "a change waits to be confirmed; confirm it or roll it back first"}});
    return reloaded(false);
  }
  const auto refused = [](const std::string& why) { log::warning(Event::reload_kept, {{"reason", why}}); };
  const std::uint64_t disk = fingerprint(*loaded);
  plane_.reloader().reload(*loaded, refused, [this, disk](const Ended<Applied>& ended) {
    if (ended.why != nullptr) {
      log::error(Event::reload_failed, {{"error", rpc::fault_of(ended.why).message}});
    } else {
      keeper_.file_read(disk);
      configured();
      log::info(Event::reloaded, {{"file", ready_.file},
                                  {"changed", ended.done->changed},
                                  {"created", ended.done->created},
                                  {"removed", ended.done->removed},
                                  {"unchanged", ended.done->unchanged}});
    }
    reloaded(ended.why == nullptr);
  });
}

void Daemon::configured() {
  log::configure(plane_.config().log);
  update_view();
}

void Daemon::reloaded(bool well) {
  reload_.note(well);
  update_view();
  reloading_ = false;
  notify_service_manager("READY=1");
  if (std::exchange(reload_again_, false) && !stopping_) reload();
}

void Daemon::update_view() {
  View view = view_of(plane_);
  view.load = box_.load();
  sockets_.add_stats(view);
  for (const dp::Side side : dp::kSides) {
    if (ports_) view.ports[dp::index(side)] = ports_->view(side);
  }
  view.life = {life_began_, reload_, keeper_.last(), commit_.pending()};
  view_.set(std::move(view));
}

void Daemon::tick() {
  next_tick_ = Clock::now() + std::chrono::seconds(1);
  box_.sample(runtime_, Clock::now());
  if (started_) {
    silence_log_.sample(box_.load());
    wire_log_.sample(runtime_.wire());
  }
  // This tick shows that control makes progress. One worker that makes none is enough for a restart.
  if (std::ranges::all_of(box_.load(), &WorkerLoad::polling)) {
    notify_service_manager("WATCHDOG=1");
    hook_.tick(Clock::now());
  }
  if (plane_.modes().mode() == dp::Mode::inline_) plane_.moves().see_load(box_.busy_ratios());
  if (ports_) ports_->tick();
  commit_.tick(Clock::now());
  keeper_.tick(Clock::now());
  update_view();
  const std::vector<std::string> full = plane_.bearers().full_rules();
  const auto unlearnt = learning_log_.sample(sum_accounts(runtime_), full, Clock::now());
  if (unlearnt) log::warning(Event::ues_not_learnt, *unlearnt);
  sockets_.tick();
}

// Signals and descriptors come first; then changes and clients get a few slices each.
void Daemon::work() {
  const bool ready = plane_.ready() || sockets_.ready() || keeper_.ready() || commit_.ready();
  const bool idle = plane_.idle() && beside_.idle() && beside_long_.idle();
  loop_.run_once(ready ? microseconds{} : idle ? microseconds{kIdleWait} : kBusyWait);
  plane_.poll(Clock::now() + kTurns);
  beside_.poll();
  beside_long_.poll();
  commit_.poll(Clock::now() + kTurns);
  keeper_.poll(Clock::now() + kSlice);  // the state waits longer than clients do
  if (ports_) ports_->poll();
  sockets_.run(kTurns);
}

// Throws std::bad_alloc once there is no memory but the reserve.
void Daemon::step() {
  work();
  if (MemoryReserve::needed()) throw std::bad_alloc();
  if (Clock::now() >= next_tick_) tick();
}

// Sends everything that rncd holds, if that can be done in a bounded time.
bool Daemon::drain() {
  leave_.begin();
  notify_service_manager(
      fmt::format("EXTEND_TIMEOUT_USEC={}", std::chrono::ceil<microseconds>(leave_.bound()).count()));
  while (leave_.poll()) work();
  return leave_.well();
}

// Saves the state before jobs are abandoned.
void Daemon::keep_state() {
  if (successor_.chosen()) successor_.leave_state(keeper_.text());
  keeper_.save_at_end();
}

int Daemon::stop() {
  if (!successor_.chosen()) notify_service_manager("STOPPING=1");
  keep_state();
  sockets_.stop_listening();
  if (ports_) ports_->stop();
  const bool drained = drain();
  metrics_.reset();
  runtime_.stop();
  return tell_stopped(sum_accounts(runtime_), drained) ? kExitOk : kExitRuntime;
}

int Daemon::run() {
  watch_signals();
  begin();
  reload_.note(true);  // the file that start has read
  if (!stopping_) {
    if (const auto opened = runtime_.open(); !opened)
      log::error(Event::port_not_fed, {{"error", opened.error().message}});
    wire_log_.begin(runtime_.wire());
    watch_ports();
    tick();
    open();
    started_ = true;
    wire_log_.started(runtime_.wire());
    plane_.wait_for_workers(nullptr);
    tell_started(runtime_, plane_, ready_);
    notify_service_manager("READY=1");
    hook_.ready();
  }
  while (!stopping_ && !successor_.chosen() && runtime_.running()) step();
  stopping_ = true;
  for (hook_.leave(); hook_.busy() && !leave_.hurried();) work();
  if (!runtime_.running()) {
    log::error(Event::worker_stopped, {{"needed", "a worker that runs until it is told to stop"}});
    runtime_.stop();
    return kExitRuntime;
  }
  return stop();
}

int run_guarded(dp::Runtime& runtime, Ready& ready, Successor& successor) {
  try {
    const MemoryReserve reserve(kMemoryReserve);
    Daemon daemon(runtime, ready, successor);
    // The workers hold bearers that the daemon owns: they stop before it goes, whatever happens.
    struct Stopper {
      dp::Runtime& runtime;
      ~Stopper() { runtime.stop(); }
    } stopper{runtime};
    return daemon.run();
  } catch (const std::system_error& e) {
    const bool permission = e.code().value() == EACCES || e.code().value() == EPERM;
    log::say(e.what());
    return permission ? kExitPermission : kExitRuntime;
  } catch (const std::bad_alloc&) {
    // Changes under way may be half done: starting rncd again is better than going on.
    log::say(
        "found no more memory for control, and ends; give it more (MemoryMax of its unit, ulimit -v), or "
        "lower dataplane.max_bearers or dataplane.memory");
    return kExitRuntime;
  } catch (const std::exception& e) {
    log::say(e.what());
    return kExitRuntime;
  }
}

}  // namespace

int run(dp::Runtime& runtime, Ready& ready, Successor& successor) {
  log::share_cpus_of_caller();  // EAL has left the calling thread one CPU
  const int code = run_guarded(runtime, ready, successor);
  ready.leave();
  return code;
}

}  // namespace control
