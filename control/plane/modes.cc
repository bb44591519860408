#include "control/plane/modes.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "control/bearers/dedicated.h"
#include "control/workers/proxy_sum.h"

namespace control {

bool Modes::proxied(dp::ClassId cls) const {
  DP_EXPECT(cls < running_.config.classes.size());
  return running_.config.classes[cls].proxy.has_value() || running_.registry.proxied()[cls] != 0;
}

bool Modes::any_proxied() const {
  const auto proxied = [](const config::Class& c) { return c.proxy.has_value(); };
  return std::ranges::any_of(running_.config.classes, proxied) ||
         std::ranges::any_of(running_.registry.proxied(), [](std::uint32_t bearers) { return bearers != 0; });
}

// In `block` no frames move, so that there is nothing to wait for, and `tap` and `bypass` split nothing.
bool Modes::drains_for(dp::Mode mode) const {
  const bool passes = mode == dp::Mode::tap || mode == dp::Mode::bypass;
  return passes && this->mode() == dp::Mode::inline_ && any_proxied();
}

void Modes::begin() {
  shortcut_.entered(mode());
  configure_shortcut();
}

void Modes::set(dp::Mode mode, OnMode done, bool now) {
  if (drain_.under_way() && take_over_drain(mode, now, done)) return;
  if (!drains_for(mode)) return change(mode, {}, std::move(done));
  if (now) {
    const std::uint64_t at_risk = drain_.at_risk();
    return change(mode, {.before = at_risk, .after = at_risk}, std::move(done));
  }
  leaving_ = {mode, std::move(done)};
  drain_.begin(drain_timeout(), [this](const Drained& drained) {
    Leaving leaving = std::move(*std::exchange(leaving_, std::nullopt));
    change(leaving.mode, drained, std::move(leaving.done));
  });
}

// Handles a second request while a drain is under way. True when the request has been answered.
bool Modes::take_over_drain(dp::Mode mode, bool now, const OnMode& done) {
  if (now) {
    drain_.hurry();  // the change that the drain is for goes first
    return false;
  }
  if (leaving_ && mode == this->mode()) {
    end_drain(fmt::format("mode {} was asked for meanwhile, and stays", dp::name(mode)));
    return false;
  }
  const double left = std::chrono::duration<double>(drain_.left(Drain::Clock::now())).count();
  const std::string next = leaving_ ? std::string(dp::name(leaving_->mode)) : "what the file says";
  const std::string stay =
      leaving_ ? fmt::format(", or for {} to stay in it", dp::name(this->mode())) : std::string();
  done({std::nullopt,
        std::make_exception_ptr(Refusal(
            Refusal::Why::draining,
            fmt::format("the mode is about to be {}: split proxies have {} octets at risk, and {:.1f} s "
                        "left to let their connections go; wait, or ask with \"now\": true{}",
                        next, drain_.at_risk(), left, stay)))});
  return true;
}

// Ends the drain without a change of mode.
void Modes::end_drain(const std::string& why) {
  drain_.drop();
  drain_.release();
  if (!leaving_) return;
  const Leaving leaving = std::move(*std::exchange(leaving_, std::nullopt));
  leaving.done({std::nullopt, std::make_exception_ptr(Refusal(Refusal::Why::abandoned, why))});
}

void Modes::change(dp::Mode mode, const Drained& drained, OnMode done) {
  const auto change = std::make_shared<Change>();
  change->drained = drained;
  running_.jobs.submit(
      [this, mode, change](const JobEnd& finish) {
        const std::uint64_t resets = drain_.resets();
        if (mode == dp::Mode::inline_) drain_.release();
        shortcut_.entering(mode);
        running_.sender.send(dp::SetMode{mode}, [this, mode, change, resets, finish](const dp::Answer&) {
          shortcut_.entered(mode);
          change->was = std::exchange(running_.config.dataplane.mode, mode);
          change->drained.reset = drain_.resets() - resets;
          finish(nullptr);
        });
      },
      end_with(std::move(done), change));
}

Slices Modes::drain_for_reload(dp::Mode mode, Drain::Clock::duration bound) {
  while (drain_.under_way()) co_await Slices::Wait{};
  if (mode == dp::Mode::inline_) drain_.release();
  if (!drains_for(mode)) co_return;
  const auto ended = std::make_shared<bool>(false);
  drain_.begin(bound, [ended](const Drained&) { *ended = true; });
  while (!*ended) co_await Slices::Wait{};
}

void Modes::enter(dp::Mode mode) {
  running_.config.dataplane.mode = mode;
  shortcut_.entering(mode);
  ++entering_;
  running_.sender.send(dp::SetMode{mode}, [this](const dp::Answer&) {
    shortcut_.entered(this->mode());
    --entering_;
  });
}

dp::DrainProxies Modes::command_for(const Proxies& which, bool on) const {
  if (!on && (mode() != dp::Mode::inline_ || drain_.under_way())) {
    throw Refusal(Refusal::Why::draining,
                  fmt::format("the mode is {}: proxies split again when it is inline",
                              drain_.under_way() ? "about to change" : dp::name(mode())));
  }
  dp::DrainProxies command{.on = on, .cls = which.cls};
  if (!which.ue) return command;
  const BearerRegistry& registry = running_.registry;
  const Record* record = registry.find(*which.ue);
  if (record == nullptr) throw Refusal(Refusal::Why::no_bearer, no_bearer(registry, *which.ue));
  if (!record->settings->proxy) {
    throw Refusal(Refusal::Why::no_proxy, registry.text_of(*which.ue) + " has no proxy");
  }
  command.bearer = record->bearer;
  return command;
}

void Modes::drain_proxies(const Proxies& which, bool on, OnDraining done, Client client) {
  const auto at_risk = std::make_shared<std::uint64_t>(0);
  running_.jobs.submit(
      [this, which, on, at_risk](const JobEnd& finish) {
        running_.sender.send(command_for(which, on), [this, which, at_risk, finish](const dp::Answer&) {
          if (which.cls) *at_risk = proxies_of_class(running_.runtime, *which.cls).at_risk;
          if (!which.cls && !which.ue) *at_risk = drain_.at_risk();
          finish(nullptr);
        });
      },
      end_with(std::move(done), at_risk), std::move(client));
}

void Modes::leave(std::function<void(const Drained&)> drained) {
  running_.jobs.abandon("rncd is stopping");
  const bool draining = drains_for(dp::Mode::bypass);
  if (leaving_) end_drain("rncd is stopping; the mode was not changed");
  drain_.drop();
  if (!draining) return drained({});
  drain_.begin(drain_timeout(), std::move(drained));
}

void Modes::flush(std::function<void(std::uint64_t)> sent) {
  const std::uint64_t resets = drain_.resets();
  running_.sender.send(
      dp::SetMode{dp::Mode::bypass},
      [this, resets, sent = std::move(sent)](const dp::Answer&) { sent(drain_.resets() - resets); });
}

void Modes::hurry_leave() {
  if (drain_.under_way()) drain_.hurry();
}

void Modes::poll(Slices::Clock::time_point until) {
  drain_.poll(Slices::Clock::now());
  shortcut_.poll(until);
}

}  // namespace control
