#include "control/plane/shortcut_keeper.h"

#include <utility>

#include "control/loop/log.h"
#include "dataplane/base/expect.h"

namespace control {
namespace {

// The upper `bits` of a word of `size`.
std::uint64_t upper(std::uint64_t word, unsigned bits, unsigned size) {
  if (bits >= size) return word;
  return bits == 0 ? 0 : word & (~std::uint64_t{0} << (size - bits));
}

// The prefix of that length in which the other lies. Requires: it is not longer.
dp::Prefix wider(dp::Prefix prefix, std::uint8_t length) {
  DP_EXPECT(length <= prefix.length);
  prefix.length = length;
  prefix.hi = upper(prefix.hi, length, 64);
  prefix.lo =
      prefix.ipv6 ? upper(prefix.lo, length > 64 ? length - 64u : 0, 64) : upper(prefix.lo, length, 32);
  return prefix;
}

}  // namespace

PrefixSet::PrefixSet(const std::vector<config::Learn>& rules) {
  for (const config::Learn& rule : rules) {
    all_.insert(rule.prefix);
    lengths_.insert(rule.prefix.length);
  }
}

bool PrefixSet::covers(const dp::UeAddress& ue) const {
  const dp::Prefix own = prefix_of(ue);
  for (const std::uint8_t length : lengths_) {
    if (length > own.length) return false;
    if (all_.contains(wider(own, length))) return true;
  }
  return false;
}

ShortcutKeeper::ShortcutKeeper(dp::WireShortcut* way, BearerRegistry& registry)
    : way_(way), registry_(registry) {
  if (way_ == nullptr) return;
  registry.watch([this](const dp::UeAddress& ue, bool there) { there ? add(ue) : remove(ue); });
}

// The set is left alone if it stays the same.
void ShortcutKeeper::configure(dp::Shortcut wanted, const std::vector<config::Learn>& rules) {
  if (way_ == nullptr) return;
  PrefixSet next(rules);
  const bool uses = wanted == dp::Shortcut::strangers, used = wanted_ == dp::Shortcut::strangers;
  const bool stays = begun_ && uses == used && (!uses || (next == rules_ && set_ != Set::failed));
  wanted_ = wanted;
  if (stays) return take();
  begun_ = true;
  work_ = {};
  early_.clear();
  rules_ = std::move(next);
  set_ = Set::clearing;
  take();
  work_ = build();
}

void ShortcutKeeper::entering(dp::Mode mode) {
  blocked_ = blocked_ || mode == dp::Mode::block;
  take();
}

void ShortcutKeeper::entered(dp::Mode mode) {
  blocked_ = mode == dp::Mode::block;
  take();
}

void ShortcutKeeper::poll(Slices::Clock::time_point until) {
  if (work_ && work_.proceed(until) == Progress::done) work_ = {};
}

// Bearers come and go between two slices: the walk will find those of the registry that it has not reached.
Slices ShortcutKeeper::build() {
  for (bool more = true; more;) {
    const auto left = way_->clear(kAtOnce);
    if (!left) co_return fail(left.error());
    more = *left;
    co_await Slices::Pause{};
  }
  set_ = wanted_ == dp::Shortcut::strangers ? Set::filling : Set::unused;
  while (!early_.empty()) {
    add(early_.extract(early_.begin()).value());
    co_await Slices::Pause{};
  }
  for (auto rule = rules_.all().begin(); set_ == Set::filling && rule != rules_.all().end(); ++rule) {
    put(*rule);
    co_await Slices::Pause{};
  }
  for (auto at = registry_.all().begin(); set_ == Set::filling && at != registry_.all().end();) {
    const dp::UeAddress ue = at->first;
    add(ue);
    co_await Slices::Pause{};
    at = registry_.after(ue);
  }
  if (set_ != Set::filling) co_return;
  set_ = Set::complete;
  take();
}

void ShortcutKeeper::add(const dp::UeAddress& ue) {
  if (wanted_ != dp::Shortcut::strangers || rules_.covers(ue)) return;
  if (set_ == Set::clearing) early_.insert(ue);
  if (set_ == Set::filling || set_ == Set::complete) put(prefix_of(ue));
}

// Frames of a UE that stays in the set without a bearer go to a worker, which is no harm.
void ShortcutKeeper::remove(const dp::UeAddress& ue) {
  if (wanted_ != dp::Shortcut::strangers || rules_.covers(ue)) return;
  early_.erase(ue);
  if (registry_.has_address_of(ue)) return;  // a UE of another network has the address
  if (set_ == Set::filling || set_ == Set::complete) (void)way_->remove(prefix_of(ue));
}

void ShortcutKeeper::put(const dp::Prefix& ues) {
  if (const auto added = way_->add(ues); !added) fail(added.error());
}

void ShortcutKeeper::fail(const dp::Error& why) {
  if (std::exchange(set_, Set::failed) == Set::failed) return;
  log::warning(Event::shortcut_failed,
               {{"error", why.message},
                {"found", "the set of UEs that are no strangers to the wire's short-cut cannot be kept"},
                {"done", "frames of no bearer come to the workers again"},
                {"needed", "memory for the kernel, and a reload"}});
  take();
}

dp::Shortcut ShortcutKeeper::allowed() const {
  if (blocked_) return dp::Shortcut::none;
  const bool needs_set = wanted_ == dp::Shortcut::strangers && set_ != Set::complete;
  return needs_set ? dp::Shortcut::unparsed : wanted_;
}

void ShortcutKeeper::take() {
  const dp::Shortcut now = allowed();
  if (way_ == nullptr || now == in_force_) return;
  if (const auto taken = way_->take(now); !taken) {
    return log::warning(
        Event::shortcut_failed,
        {{"error", taken.error().message}, {"state", dp::name(in_force_)}, {"needed", dp::name(now)}});
  }
  in_force_ = now;
  log::info(Event::shortcut, {{"state", dp::name(now)}, {"wanted", dp::name(wanted_)}});
}

void WireTunnels::configure(const dp::GtpUSettings& settings) {
  if (settings == in_force_) return;
  in_force_.reset();
  if (const auto set = runtime_.set_wire_tunnels(settings); !set) {
    return log::warning(Event::wire_tunnels_failed,
                        {{"error", set.error().message},
                         {"found", "the wire's XDP program cannot be told the endpoints of tunnels"},
                         {"done", "UDP comes to the workers, also that of no bearer"},
                         {"needed", "memory for the kernel, and a reload"}});
  }
  in_force_ = settings;
}

}  // namespace control
