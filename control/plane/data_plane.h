// The running data plane as control holds it: the registry of bearers, the memory they live in, the mailbox,
// the running configuration. Everything here belongs to the control thread. Requires: it outlives the
// workers' last poll.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/model.h"
#include "config/trace_source.h"
#include "control/host/host_facts.h"
#include "control/loop/slices.h"
#include "control/plane/ageing.h"
#include "control/plane/applier.h"
#include "control/plane/balancer.h"
#include "control/plane/bearer_registry.h"
#include "control/plane/cells.h"
#include "control/plane/drain.h"
#include "control/plane/flow_reader.h"
#include "control/plane/jobs.h"
#include "control/plane/moved.h"
#include "control/plane/network_maps.h"
#include "control/plane/shortcut_keeper.h"
#include "dataplane/worker/runtime.h"

namespace control {

// The settings that a configuration is compared with: every difference takes effect.
enum class Against : std::uint8_t { file, running };

class DataPlane {
 public:
  using MakeWish = std::function<Slices(Wish&)>;  // called at its turn; may throw, as may its Slices
  // Each is called once, from poll() or from the call itself.
  using OnApplied = std::function<void(Ended<Applied>)>;
  struct ModeChange {
    dp::Mode was{};
    Drained drained{};
  };
  using OnMode = std::function<void(Ended<ModeChange>)>;
  using OnMoved = std::function<void(Ended<unsigned>)>;  // the worker before
  using OnPage = std::function<void(Ended<FlowPage>)>;
  struct CellSet {
    dp::CellSettings was, now;
  };
  using OnCell = std::function<void(Ended<CellSet>)>;
  using OnReported = std::function<void(Ended<std::uint32_t>)>;  // the number of reports that had no use
  // Returns the settings that a cell of these settings shall have; may throw.
  using ChangeCell = std::function<dp::CellSettings(const dp::CellSettings&)>;

  // `available`: bytes of memory that there are.
  DataPlane(dp::Runtime& runtime, config::Config config, std::uint32_t capacity,
            std::chrono::milliseconds patience = std::chrono::seconds{5},
            std::function<std::uint64_t()> available = memory_available);
  DataPlane(const DataPlane&) = delete;
  DataPlane& operator=(const DataPlane&) = delete;

  // Brings the worker to the state that the configuration describes, which preflight has judged.
  void begin(OnApplied done);
  // To be called while rncd starts: Jobs::wait_for_workers().
  void wait_for_workers(Jobs::Told told) { jobs_.wait_for_workers(std::move(told)); }

  // The whole wish is checked before any of it is begun. If the client leaves before that, none is.
  void apply(MakeWish make, OnApplied done, Client client = Client());
  void apply(std::function<Wish()> make, OnApplied done, Client client = Client());
  // Applies a wish for bearers that were there before, in another process or before a change that is taken
  // back: bearers that were learnt count as learnt. Requires: no learnt bearer is wished for that a rule has
  // learnt.
  void restore(MakeWish make, OnApplied done);
  // Drains split proxies first, if the mode leaves `inline` for one that lets all pass; `now`: does not.
  void set_mode(dp::Mode mode, OnMode done, bool now = false);
  // Selects the proxies of the bearer, or of the class, or all: from here on they let their connections go,
  // or split again. Ends with the octets at risk of the class, or of all; 0 for a bearer, which are not
  // counted apart.
  struct Proxies {
    std::optional<dp::ClassId> cls{};
    std::optional<dp::UeAddress> ue{};
  };
  using OnDraining = std::function<void(Ended<std::uint64_t>)>;
  void drain_proxies(const Proxies& which, bool on, OnDraining done, Client client = Client());
  // Moves the UE's bearer to that worker, with everything it holds; nothing of it is lost or overtaken. The
  // bearer is there when this ends.
  void move(const dp::UeAddress& ue, unsigned worker, OnMoved done, Client client = Client());
  // Makes a new cell; changes one, from its next slot on; removes one, unless a bearer is in it or a rule
  // leads there. `was` of a new cell, and `now` of one that is gone, have no meaning.
  void add_cell(const std::string& name, const dp::CellSettings& settings, OnCell done,
                Client client = Client());
  void set_cell(const std::string& name, ChangeCell change, OnCell done, Client client = Client());
  void remove_cell(const std::string& name, OnCell done, Client client = Client());
  // Passes on reports of the bits that the next slots would carry to UEs in the cell.
  void report_rates(const std::string& name, Cells::Reports reports, OnReported done,
                    Client client = Client());
  // To be called once a second with the load of the workers. Moves bearers when loads are far apart
  // (balancer.h).
  void see_load(const BusyRatios& busy) { balancer_.tick(busy, config_.dataplane.rebalance); }
  // Needs no turn: a port that is down waits for nobody.
  void set_port(const dp::SetPort& command, std::function<void()> done);
  // Queries the worker, when its turn has come.
  void read_flows(const FlowQuery& query, FlowReader::OnFlow on_flow, OnPage done, Client client = Client());
  // Applies the configuration file that was read again: takes over every key that can change live; the keys
  // that cannot are passed to `refused`, and stay as they run. Settings made over the socket stay where the
  // file is the same as before; with Against::running they go as well.
  void reload(config::Config file, std::function<void(const std::string&)> refused, OnApplied done,
              Against against = Against::file);
  // rncd is about to stop: changes that have not begun are refused, the one under way ends where it stands,
  // and split proxies are drained, whose result `drained` receives.
  void leave(std::function<void(const Drained&)> drained);
  // Sends all queued SDUs at once; resets the connections that split proxies still have at risk, whose number
  // `sent` receives. Requires: leave() has ended.
  void flush(std::function<void(std::uint64_t resets)> sent);
  // Ends now the drain that leave() waits for.
  void hurry_leave();

  // Exchanges messages with the worker and works on changes until the time has come. True when something
  // came.
  bool poll(Slices::Clock::time_point until = Slices::Clock::now() + 4 * kSlice);
  // Nothing is under way.
  bool idle() const { return sender_.idle() && jobs_.idle(); }
  // Work waits for the next poll(), and for nothing else.
  bool ready() const {
    return jobs_.ready() || sender_.ready() || balancer_.ready() || shortcut_.ready() || !stocked_up_;
  }

  dp::Runtime& runtime() const { return runtime_; }
  const config::Config& config() const { return config_; }
  // The last contents of the file. To be set if rncd started with something else, or last took over something
  // else.
  const config::Config& file() const { return file_; }
  void set_file(config::Config file) { file_ = std::move(file); }
  // The error traces that requests may name.
  config::TraceFolder& traces() const;
  const BearerRegistry& registry() const { return registry_; }
  Cells& cells() { return cells_; }
  const Cells& cells() const { return cells_; }
  // The settings that a bearer of the class is made with. Requires: there is such a class.
  const SharedSettings& settings_of(dp::ClassId cls) const { return stock_.settings_of(cls); }
  std::size_t stocked() const { return stock_.stocked(); }
  const AgedCounts& aged() const { return ageing_.counts(); }
  const MovedCounts& moved() const { return moved_; }
  std::vector<std::string> full_rules() const { return stock_.full_rules(config_.networks); }
  // Its name on the control socket: "10.45.0.2", in a network "10.45.0.2@NAME".
  std::string text_of(const dp::UeAddress& ue) const { return registry_.text_of(ue); }
  // The worker that has the UE's bearer, or would have it.
  unsigned worker_of(const dp::UeAddress& ue) const { return sender_.worker_of(ue); }
  std::uint32_t capacity() const { return capacity_; }
  dp::Mode mode() const { return config_.dataplane.mode; }
  // True if the class has a proxy, or a bearer of it does. Requires: there is such a class.
  bool proxied(dp::ClassId cls) const;
  // The frames that take the wire's short-cut now.
  dp::Shortcut shortcut() const { return shortcut_.in_force(); }
  // The drain before a change of mode, or before the end.
  const Drain& drain() const { return drain_; }

 private:
  void on_learnt(dp::Bearer& bearer);
  void move_for(MovedFor why, const dp::UeAddress& ue, unsigned worker, OnMoved done, Client client);
  void rebalance(const Rebalancing& found);
  void age();
  void follow(const dp::UeAddress& ue);
  void configure_stock();
  CellRecord* cell_at(config::CellId id);
  CellRecord& need_cell(const std::string& name);
  std::vector<CellRecord*> make_cells(const std::vector<config::Cell>& cells);
  void bring_cells(const std::vector<config::Cell>& wanted);
  void remove_cells(std::shared_ptr<const std::vector<std::string>> names, std::size_t from,
                    const std::function<void(const std::string&)>& refused,
                    const std::function<void()>& done);
  void forget_cell(const std::string& name);
  Slices settle_rules();
  struct Undertaking;
  using SharedFile = std::shared_ptr<const config::Config>;
  using Refused = std::function<void(const std::string&)>;

  bool any_proxied() const;
  bool drains_for(dp::Mode mode) const;
  void change_mode(dp::Mode mode, const Drained& drained, OnMode done);
  bool take_over_drain(dp::Mode mode, bool now, const OnMode& done);
  void end_mode_drain(const std::string& why);
  Slices drain_for_reload(dp::Mode mode, Drain::Clock::duration bound);

  void submit(std::function<Slices(Undertaking&)> prepare, OnApplied done, Client client);
  Slices prepare_first(Undertaking& all);
  Slices prepare_wish(MakeWish make, Undertaking& all);
  Slices prepare_reload(SharedFile file, Refused refused, Against against, Undertaking& all);
  Slices check(Undertaking& all, Foreseen to_come);
  void add_learnt(const config::Config& wanted, Plan& plan);
  void check_room(const Plan& plan) const;
  void check_cells(const Plan& plan) const;
  void check_host(const dp::UeAddress& ue, const dp::Bearer& bearer, unsigned worker) const;
  void check_memory(const Foreseen& bearers, const Foreseen& to_come) const;

  dp::Runtime& runtime_;
  config::Config config_;  // the running configuration: modes and classes follow live changes
  config::Config file_;    // the last contents of the file
  mutable config::TraceFolder traces_;
  std::uint32_t capacity_;
  std::function<std::uint64_t()> available_;
  BearerRegistry registry_;
  ShortcutKeeper shortcut_;
  WireTunnels wire_tunnels_;
  BearerSlab slab_;
  CommandSender sender_;
  Cells cells_;
  NetworkMaps network_maps_;
  Stock stock_;
  Applier applier_;
  Ageing ageing_;
  bool ageing_asked_ = false;  // its turn has not ended
  Drain drain_;
  // The change of mode that a drain is for, once one was requested.
  struct Leaving {
    dp::Mode mode;
    OnMode done;
  };
  std::optional<Leaving> leaving_;
  Balancer balancer_;
  MovedCounts moved_{};
  FlowReader flow_reader_;
  bool stocked_up_ = true;
  std::vector<dp::UeAddress> learnt_meanwhile_;  // UEs learnt while the current job is prepared
  Jobs jobs_;
};

}  // namespace control
