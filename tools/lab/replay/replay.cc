#include "tools/lab/replay/replay.h"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <unordered_map>

#include "dataplane/base/expect.h"
#include "dataplane/packet/parse.h"
#include "dataplane/worker/prepare.h"
#include "dataplane/worker/worker.h"
#include "tools/lab/run/io.h"
#include "tools/lab/run/meter.h"
#include "tools/lab/run/observer.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {
namespace {

// By key, the first arrival that is still inside.
class Inside {
 public:
  void add(std::uint64_t key, std::size_t arrival) { waiting_.emplace(key, arrival); }
  std::optional<std::size_t> take(std::uint64_t key) {
    const auto [begin, end] = waiting_.equal_range(key);
    if (begin == end) return std::nullopt;
    auto first = begin;
    for (auto one = begin; one != end; ++one) {
      if (one->second < first->second) first = one;
    }
    const std::size_t arrival = first->second;
    waiting_.erase(first);
    return arrival;
  }

 private:
  std::unordered_multimap<std::uint64_t, std::size_t> waiting_;
};

class Replay : private Observer {
 public:
  explicit Replay(const ReplayInput& input)
      : input_(input),
        networks_(config::map_of(input.networks)),
        cell_(with_members(input.cell, input.bearers.size())) {
    if (input.tunnels() != nullptr) book_ = std::make_unique<dp::TunnelBook>(input.bearers.size(), 0);
    const dp::WorkerLimits limits{.max_bearers = static_cast<std::uint32_t>(input.bearers.size()),
                                  .gtp_u = input.tunnels(),
                                  .tunnels = book_.get()};
    worker_ = std::make_unique<dp::Worker<dp::ManualClock, LabIo>>(clock_, io_, *shared_, limits);
    run_.fates.resize(input.arrivals.size());
    run_.occupancy.resize(input.bearers.size());
    meters_.reserve(input.bearers.size());
    command(dp::SetNetworks{&networks_});
    command(dp::AddCell{&cell_});
    for (std::size_t i = 0; i < input.bearers.size(); ++i) add_bearer(i);
    prepare_changes();
  }
  ~Replay() override { worker_.reset(); }  // its calendar holds timers of the bearers

  ReplayRun run() {
    look();
    for (;;) {
      const dp::Time next = std::min({worker_->next_deadline(), next_arrival(), next_change()});
      if (next == dp::kNever || next > input_.end) break;
      if (next > clock_.now()) clock_.set(next);
      while (next_change() <= clock_.now()) change();
      while (next_arrival() <= clock_.now()) offer();
      while (io_.waiting() || unanswered_ > 0 || worker_->next_deadline() <= clock_.now()) poll();
      look();
    }
    clock_.set(std::max(clock_.now(), input_.end));
    for (auto& meter : meters_) run_.bearers.push_back(meter.result(clock_.now()));
    run_.residue = residue();
    return std::move(run_);
  }

 private:
  struct Prepared {
    dp::BearerSettings settings;
    dp::OwnedParts parts;  // the bearer uses the parts that it needs from here
  };

  void add_bearer(std::size_t i) {
    const ReplayBearer& one = input_.bearers[i];
    bearers_.push_back(dp::prepare_bearer(one.settings, one.number, one.seed));
    dp::Bearer& bearer = *bearers_.back();
    bearer.ue = one.ue;
    if (dp::CellMember* const member = bearer.downlink.member()) cell_.admit(*member);
    command(dp::AddBearer{&bearer});
    poll();
    meters_.emplace_back(bearer, i, one.settings.downlink.link);
  }

  void prepare_changes() {
    std::vector<dp::BearerSettings> now;
    for (const ReplayBearer& one : input_.bearers) now.push_back(one.settings);
    for (const ReplayChange& one : input_.changes) {
      const ReplayBearer& of = input_.bearers[one.bearer];
      auto& prepared = *changes_.emplace_back(std::make_unique<Prepared>());
      prepared.settings = one.settings;
      prepared.parts = dp::prepare_change(now[one.bearer], one.settings, of.number, of.seed);
      now[one.bearer] = one.settings;
    }
  }

  dp::Time next_arrival() const {
    return arrived_ < input_.arrivals.size() ? input_.arrivals[arrived_].at : dp::kNever;
  }
  dp::Time next_change() const {
    return changed_ < input_.changes.size() ? input_.changes[changed_].at : dp::kNever;
  }

  void offer() {
    const ReplayArrival& arrival = input_.arrivals[arrived_];
    DP_EXPECT(arrived_ == 0 || input_.arrivals[arrived_ - 1].at <= arrival.at);
    DP_EXPECT(arrival.frame.size() <= FramePool::kFrameBytes);
    dp::Sdu& sdu = pool_.allocate();
    std::memcpy(sdu.data, arrival.frame.data(), arrival.frame.size());
    sdu.frame_len = sdu.head_len = static_cast<std::uint32_t>(arrival.frame.size());
    inside_[dp::index(arrival.direction)].add(packet_key(arrival.frame, input_.tunnels()), arrived_);
    io_.offer(arrival.direction == dp::Direction::downlink ? dp::Side::core : dp::Side::radio, sdu);
    ++arrived_;
  }

  void change() {
    Prepared& next = *changes_[changed_];
    const std::size_t bearer = input_.changes[changed_].bearer;
    DP_EXPECT(bearer < bearers_.size());
    ++changed_;
    command(dp::Reconfigure{bearers_[bearer].get(), &next.settings, next.parts.get()});
  }

  template <class Body>
  void command(const Body& body) {
    if (unanswered_ == dp::Mailbox::kDepth) poll();
    if (!shared_->mailbox.commands.push({++commands_, body})) throw std::logic_error("the mailbox is full");
    ++unanswered_;
  }

  void poll() {
    worker_->poll_once();
    for (const dp::Side side : dp::kSides) {
      for (dp::SduList& out = io_.sent(side); !out.empty();) left(side, out.pop());
    }
    while (!io_.released().empty()) released(io_.released().pop());
    for (dp::Answer answer; unanswered_ > 0 && shared_->mailbox.answers.pop(answer);) {
      --unanswered_;
      if (answer.status != dp::CommandStatus::done) throw std::runtime_error("the worker refused a bearer");
      const dp::AmRadioLink* const old = answer.parts.of<dp::AmKind>();
      if (old != nullptr) meters_[answer.bearer->table_index].keep_counts_of(*old);
    }
  }

  void left(dp::Side side, dp::Sdu& sdu) {
    const auto direction = side == dp::Side::radio ? dp::Direction::downlink : dp::Direction::uplink;
    if (const auto arrival = inside_[dp::index(direction)].take(packet_key(sdu.head(), input_.tunnels()))) {
      run_.fates[*arrival].left = clock_.now();
    } else {
      ++run_.made;
    }
    pool_.release(sdu);
  }

  // Called for SDUs that are dropped or delivered as another frame.
  void released(dp::Sdu& sdu) {
    if (sdu.dropped_for) {
      if (sdu.bearer != nullptr) meters_[sdu.bearer->table_index].dropped(sdu.ingress, *sdu.dropped_for);
      const auto direction = sdu.ingress == dp::Side::core ? dp::Direction::downlink : dp::Direction::uplink;
      if (const auto arrival = inside_[dp::index(direction)].take(packet_key(sdu.head(), input_.tunnels()))) {
        run_.fates[*arrival].dropped = clock_.now();
        run_.fates[*arrival].reason = *sdu.dropped_for;
      }
    }
    pool_.release(sdu);
  }

  void look() {
    for (auto& meter : meters_) meter.look(clock_.now(), this);
  }
  void occupancy(dp::Time at, std::size_t bearer, std::uint32_t sdus) override {
    run_.occupancy[bearer].push_back({at, sdus});
  }

  std::int64_t residue() {
    const dp::FrameAccount& account = worker_->context().account;
    const std::uint64_t known = io_.waiting_frames() + account.buffered + account.held + account.retained +
                                worker_->context().egress[0].frames.size() +
                                worker_->context().egress[1].frames.size();
    return account.residue() + static_cast<std::int64_t>(pool_.taken()) - static_cast<std::int64_t>(known);
  }

  const ReplayInput& input_;
  const dp::NetworkMap networks_;
  dp::ManualClock clock_;
  FramePool pool_;
  LabIo io_{pool_};
  std::unique_ptr<dp::WorkerShared> shared_ = std::make_unique<dp::WorkerShared>();
  dp::Cell cell_;
  std::unique_ptr<dp::TunnelBook> book_;  // null without tunnels
  std::vector<dp::PreparedBearer> bearers_;
  std::vector<BearerMeter> meters_;
  std::vector<std::unique_ptr<Prepared>> changes_;
  std::unique_ptr<dp::Worker<dp::ManualClock, LabIo>> worker_;
  std::array<Inside, 2> inside_;  // by direction
  std::size_t arrived_ = 0, changed_ = 0;
  std::uint64_t commands_ = 0, unanswered_ = 0;
  ReplayRun run_;
};

// FNV-1a.
void mix(std::uint64_t& key, dp::Bytes bytes) {
  for (const std::byte byte : bytes) key = (key ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
}

}  // namespace

ReplayRun replay(const ReplayInput& input) { return Replay(input).run(); }

std::uint64_t packet_key(dp::Bytes frame, const dp::GtpUSettings* gtp_u) {
  constexpr std::size_t kPortsAndNumbers = 12;
  dp::Sdu sdu{};
  sdu.data = const_cast<std::byte*>(frame.data());  // parse() only reads
  sdu.frame_len = sdu.head_len = static_cast<std::uint32_t>(frame.size());
  sdu.segments = 1;
  dp::parse(sdu, gtp_u);
  std::uint64_t key = 0xcbf29ce484222325;
  if (sdu.ip_len == 0) {
    mix(key, frame);
    return key;
  }
  DP_EXPECT(sdu.l3_offset + sdu.ip_len <= frame.size());
  const dp::Bytes packet = frame.subspan(sdu.l3_offset, sdu.ip_len);
  if (sdu.ipv6) {
    mix(key, packet.subspan(8, 32));
  } else {
    mix(key, packet.subspan(4, 4));  // identification, fragment offset
    mix(key, packet.subspan(12, 8));
  }
  if (sdu.l4_offset == 0) return key;
  const std::size_t inner = sdu.l4_offset - sdu.l3_offset;
  mix(key, packet.subspan(inner, std::min(kPortsAndNumbers, packet.size() - inner)));
  return key;
}

}  // namespace lab
