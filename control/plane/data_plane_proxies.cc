// The mode of the data plane, and its split proxies, which are drained before the mode changes.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "control/plane/data_plane.h"
#include "control/workers/proxy_sum.h"

namespace control {

bool DataPlane::proxied(dp::ClassId cls) const {
  DP_EXPECT(cls < config_.classes.size());
  return config_.classes[cls].proxy.has_value() || registry_.proxied()[cls] != 0;
}

bool DataPlane::any_proxied() const {
  const auto proxied = [](const config::Class& c) { return c.proxy.has_value(); };
  return std::ranges::any_of(config_.classes, proxied) ||
         std::ranges::any_of(registry_.proxied(), [](std::uint32_t bearers) { return bearers != 0; });
}

// In `block` no frames move, so that there is nothing to wait for, and `tap` and `bypass` split nothing.
bool DataPlane::drains_for(dp::Mode mode) const {
  const bool passes = mode == dp::Mode::tap || mode == dp::Mode::bypass;
  return passes && this->mode() == dp::Mode::inline_ && any_proxied();
}

void DataPlane::set_mode(dp::Mode mode, OnMode done, bool now) {
  if (drain_.under_way() && take_over_drain(mode, now, done)) return;
  if (!drains_for(mode)) return change_mode(mode, {}, std::move(done));
  if (now) {
    const std::uint64_t at_risk = drain_.at_risk();
    return change_mode(mode, {.before = at_risk, .after = at_risk}, std::move(done));
  }
  leaving_ = {mode, std::move(done)};
  drain_.begin(config_.modes.drain_timeout, [this](const Drained& drained) {
    Leaving leaving = std::move(*std::exchange(leaving_, std::nullopt));
    change_mode(leaving.mode, drained, std::move(leaving.done));
  });
}

// Handles a second request while a drain is under way. True when the request has been answered.
bool DataPlane::take_over_drain(dp::Mode mode, bool now, const OnMode& done) {
  if (now) {
    drain_.hurry();  // the change that the drain is for goes first
    return false;
  }
  if (leaving_ && mode == this->mode()) {
    end_mode_drain(fmt::format("mode {} was asked for meanwhile, and stays", dp::name(mode)));
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
void DataPlane::end_mode_drain(const std::string& why) {
  drain_.drop();
  drain_.release();
  if (!leaving_) return;
  const Leaving leaving = std::move(*std::exchange(leaving_, std::nullopt));
  leaving.done({std::nullopt, std::make_exception_ptr(Refusal(Refusal::Why::abandoned, why))});
}

void DataPlane::change_mode(dp::Mode mode, const Drained& drained, OnMode done) {
  const auto change = std::make_shared<ModeChange>();
  change->drained = drained;
  jobs_.submit(
      [this, mode, change](const JobEnd& finish) {
        const std::uint64_t resets = drain_.resets();
        if (mode == dp::Mode::inline_) drain_.release();
        shortcut_.entering(mode);
        sender_.send(dp::SetMode{mode}, [this, mode, change, resets, finish](const dp::Answer&) {
          shortcut_.entered(mode);
          change->was = std::exchange(config_.dataplane.mode, mode);
          change->drained.reset = drain_.resets() - resets;
          finish(nullptr);
        });
      },
      end_with(std::move(done), change));
}

// A requested drain ends first; its change of mode then waits behind the reload.
Slices DataPlane::drain_for_reload(dp::Mode mode, Drain::Clock::duration bound) {
  while (drain_.under_way()) co_await Slices::Wait{};
  if (mode == dp::Mode::inline_) drain_.release();
  if (!drains_for(mode)) co_return;
  const auto ended = std::make_shared<bool>(false);
  drain_.begin(bound, [ended](const Drained&) { *ended = true; });
  while (!*ended) co_await Slices::Wait{};
}

void DataPlane::drain_proxies(const Proxies& which, bool on, OnDraining done, Client client) {
  const auto at_risk = std::make_shared<std::uint64_t>(0);
  jobs_.submit(
      [this, which, on, at_risk](const JobEnd& finish) {
        if (!on && (mode() != dp::Mode::inline_ || drain_.under_way())) {
          throw Refusal(Refusal::Why::draining,
                        fmt::format("the mode is {}: proxies split again when it is inline",
                                    drain_.under_way() ? "about to change" : dp::name(mode())));
        }
        dp::DrainProxies command{.on = on, .cls = which.cls};
        if (which.ue) {
          const Record* record = registry_.find(*which.ue);
          if (record == nullptr) {
            throw Refusal(Refusal::Why::no_bearer, "no bearer " + text_of(*which.ue));
          }
          if (!record->settings->proxy) {
            throw Refusal(Refusal::Why::no_proxy, text_of(*which.ue) + " has no proxy");
          }
          command.bearer = record->bearer;
        }
        sender_.send(command, [this, which, at_risk, finish](const dp::Answer&) {
          if (which.cls) *at_risk = proxies_of_class(runtime_, *which.cls).at_risk;
          if (!which.cls && !which.ue) *at_risk = drain_.at_risk();
          finish(nullptr);
        });
      },
      end_with(std::move(done), at_risk), std::move(client));
}

void DataPlane::leave(std::function<void(const Drained&)> drained) {
  jobs_.abandon("rncd is stopping");
  const bool draining = drains_for(dp::Mode::bypass);
  if (leaving_) end_mode_drain("rncd is stopping; the mode was not changed");
  drain_.drop();
  if (!draining) return drained({});
  drain_.begin(config_.modes.drain_timeout, std::move(drained));
}

void DataPlane::flush(std::function<void(std::uint64_t)> sent) {
  const std::uint64_t resets = drain_.resets();
  sender_.send(dp::SetMode{dp::Mode::bypass},
               [this, resets, sent = std::move(sent)](const dp::Answer&) { sent(drain_.resets() - resets); });
}

void DataPlane::hurry_leave() {
  if (drain_.under_way()) drain_.hurry();
}

}  // namespace control
