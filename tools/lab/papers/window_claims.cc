// The statements of paper 001 section 5. Limits are the fair ones: how far a faithful model may be off from
// figures that are known as pictures only.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "tools/lab/papers/window_lines.h"
#include "tools/lab/papers/window_report.h"

namespace lab {
namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();
std::string text(const char* pattern, double value) {
  if (std::isnan(value)) return "-";
  char out[64];
  std::snprintf(out, sizeof(out), pattern, value);
  return out;
}
std::string percent(double value) { return text("%+.0f %%", value * 100); }

class Claims {
 public:
  explicit Claims(const WindowResults& results) : results_(results) {}

  std::vector<Claim> take() {
    tell_capacity();
    tell_single_user();
    tell_variants();
    tell_many_users();
    tell_round_trips();
    tell_latency();
    tell_random_loss();
    tell_congestion();
    return std::move(all_);
  }

 private:
  using enum WindowFigure;
  static constexpr Need kMust = Need::required, kMay = Need::told;

  // `low` <= value <= `high`; nothing where there is no value.
  void within(std::string what, std::string paper, std::string ours, double value, double low, double high,
              Need need = kMust) {
    if (std::isnan(value)) return;
    all_.push_back({std::move(what), std::move(paper), std::move(ours), low <= value && value <= high, need});
  }
  void gain(std::string what, std::string paper, double value, double low, double high, Need need = kMust) {
    within(std::move(what), std::move(paper), percent(value), value, low, high, need);
  }
  void holds(std::string what, std::string paper, std::string ours, bool yes, Need need = kMust) {
    all_.push_back({std::move(what), std::move(paper), std::move(ours), yes, need});
  }

  FigureCurve goodput(WindowFigure figure, unsigned users, std::string_view line) const {
    return goodput_of(results_, figure, users, line);
  }
  FigureCurve gains(WindowFigure figure, unsigned users, std::string_view line) const {
    return gain_of(results_, figure, users, line);
  }
  double gain_at(std::string_view scheme, double buffer_size) const {
    return value_at(gains(buffer, 1, scheme), buffer_size);
  }
  double full(unsigned users) const { return value_at(goodput(capacity, users, "DT"), 500); }

  void tell_capacity() {
    within("C8 one user, buffer without limit: about 600 kbit/s", "600 kbit/s", text("%.0f kbit/s", full(1)),
           full(1), 0.95 * 600, 1.05 * 600);
    within("C8 four users, the same, together: about 1.03 Mbit/s", "1 Mbit/s at most",
           text("%.0f kbit/s", full(4)), full(4), 0.95 * 1030, 1.05 * 1030);
    within("C8 eight users: about 1.14 Mbit/s", "1 Mbit/s at most", text("%.0f kbit/s", full(8)), full(8),
           0.95 * 1140, 1.05 * 1140);
  }

  // The lowest and the highest gain over buffers.
  void range(std::string what, std::string paper, std::string_view scheme) {
    const FigureCurve line = gains(buffer, 1, scheme);
    if (line.empty()) return;
    const auto [low, high] = range_of(line, 0, kAny);
    holds(std::move(what), std::move(paper), percent(low) + " to " + percent(high), true, kMay);
  }
  double least(std::string_view scheme, double from, double to) const {
    return range_of(gains(buffer, 1, scheme), from, to).first;
  }
  double most(std::string_view scheme, double from, double to) const {
    return range_of(gains(buffer, 1, scheme), from, to).second;
  }

  void tell_single_user() {
    gain("C1 one user: WRB over DT with 15 packets is about +100 %", "+100 %", gain_at("WRB", 15), 0.9, 1.1,
         kMay);
    gain("C1 WRB over DT with 15 packets is at least +40 %", "+100 %", gain_at("WRB", 15), 0.4, kAny);
    gain("C1 with 3 packets at least +200 %", "up to +360 %", gain_at("WRB", 3), 2, kAny);
    const double share = range_of(goodput(buffer, 1, "WRB"), 5, kAny).first / full(1);
    within("C1 WRB: at least 97 % of the capacity with 5 packets and more", "the maximum",
           text("%.1f %%", share * 100), share, 0.97, kAny);
    range("C2 one user, all buffers: WRS over DT", "-28 to +10 %", "WRS");
    gain("C2 WRS over DT with 3 packets: -20 to -40 %", "-28 %", gain_at("WRS", 3), -0.4, -0.2);
    gain("C2 WRS over DT with 30 packets and more: 0 to +10 %, the lowest", "+10 %", least("WRS", 30, 50), 0,
         0.1);
    gain("C2 and the highest", "+10 %", most("WRS", 30, 50), 0, 0.1);
    range("C2 AR (a reconstruction) over DT", "+1 to +120 %", "AR");
    range("C2 WRD over DT", "+2 to +138 %", "WRD");
    gain("C2 WRD over DT with 5 to 8 packets: at least +80 %", "up to +138 %", least("WRD", 5, 8), 0.8, kAny);
    gain("C2 WRD over DT with 50 packets: at most +8 %", "+2 %", gain_at("WRD", 50), -kAny, 0.08);
    order("C2 one user, up to 30 packets: DT < AR < WRD <= WRB");
  }

  // Equal where the link is full: half a percent of WRD's may be chance.
  void order(std::string what) {
    std::size_t all = 0, right = 0;
    for (const auto& [x, wrb] : goodput(buffer, 1, "WRB")) {
      if (x > 30) continue;
      const auto of = [&](std::string_view scheme) { return value_at(goodput(buffer, 1, scheme), x); };
      ++all;
      right += of("DT") < of("AR") && of("AR") < of("WRD") && of("WRD") <= 1.005 * wrb ? 1u : 0u;
    }
    if (all != 0) holds(std::move(what), "yes", share_text(right, all), right == all);
  }
  static std::string share_text(std::size_t part, std::size_t all) {
    return std::to_string(part) + " of " + std::to_string(all) + " buffers";
  }

  void tell_variants() {
    const FigureCurve sack = goodput(variants, 1, "sack");
    for (const auto& [tcp, name] : {std::pair("reno", "Reno"), std::pair("westwood-nr", "Westwood-NR")}) {
      double sum = 0, count = 0;
      for (const auto& [x, y] : goodput(variants, 1, tcp)) {
        sum += value_at(sack, x) / y - 1;
        ++count;
      }
      if (count == 0) continue;
      gain("C3 one user, DT: SACK over " + std::string(name) + ", mean over buffers", "SACK is best",
           sum / count, 0, kAny);
    }
  }

  void tell_many_users() {
    double gaps[2] = {kNaN, kNaN};
    for (const unsigned users : {4u, 8u}) {
      const FigureCurve ar = goodput(buffer, users, "AR"), wrd = goodput(buffer, users, "WRD");
      const FigureCurve wrb = goodput(buffer, users, "WRB");
      double least_gap = kNaN, sum = 0, count = 0, worst = kNaN;
      for (const auto& [x, y] : wrb) {
        double best = y;
        for (const auto scheme : kSchemes) best = std::max(best, value_at(goodput(buffer, users, scheme), x));
        worst = std::isnan(worst) ? y / best : std::min(worst, y / best);
        if (x > 15) continue;
        const double gap = value_at(ar, x) / value_at(wrd, x) - 1;
        least_gap = std::isnan(least_gap) ? gap : std::min(least_gap, gap);
        sum += gap;
        ++count;
      }
      const std::string who = "C4 " + std::string(users == 4 ? "four" : "eight") + " users: ";
      gain(who + "AR over WRD up to 15 packets, the smallest", "above", least_gap, 0, kAny);
      within(who + "WRB within 2 % of the best, at worst", "the best", text("%.1f %%", worst * 100), worst,
             0.98, kAny);
      gaps[users == 8] = count == 0 ? kNaN : sum / count;
    }
    if (std::isnan(gaps[0]) || std::isnan(gaps[1])) return;
    holds("C4 the gap of AR and WRD is wider with eight users, mean up to 15 packets", "wider",
          percent(gaps[0]) + ", " + percent(gaps[1]), gaps[1] > gaps[0], kMay);
  }

  void tell_round_trips() {
    const auto round_trip_at = [&](std::string_view scheme, double kbit_s) {
      return value_at(round_trip_of(results_, 4, scheme), kbit_s);
    };
    constexpr double kAt = 900;
    const double dt = round_trip_at("DT", kAt), wrs = round_trip_at("WRS", kAt);
    const double wrd = round_trip_at("WRD", kAt), ar = round_trip_at("AR", kAt);
    if (std::isnan(dt + wrs + wrd + ar)) return;
    const std::string ours =
        text("WRD %.2f, ", wrd) + text("WRS %.2f, ", wrs) + text("DT %.2f, ", dt) + text("AR %.2f s", ar);
    holds("C5 four users, round trip at 900 kbit/s: WRD has the lowest", "WRD lowest", ours,
          wrd < std::min({wrs, dt, ar}));
    holds("C5 and AR the highest (WRB always carries more)", "AR highest", text("%.2f s", ar),
          ar > std::max({wrs, dt, wrd}));
    holds("C5 and WRS stands before DT", "", text("%.2f, ", wrs) + text("%.2f s", dt), wrs < dt, kMay);
  }

  void tell_latency() {
    const auto of = [&](std::string_view scheme) { return gains(latency, 1, scheme); };
    const double wrs = falls_below_zero(of("WRS")), wrd = falls_below_zero(of("WRD"));
    within("C6 WRS is above DT up to a wired round trip of 35 to 80 ms", "70 ms", text("%.0f ms", wrs), wrs,
           35, 80);
    gain("C6 WRD over DT at 200 ms: +20 to +40 %", "+27 %", value_at(of("WRD"), 200), 0.2, 0.4);
    within("C6 WRD falls below DT at 300 to 450 ms", "400 ms", text("%.0f ms", wrd), wrd, 300, 450);
    const double wrb = falls_below_zero(of("WRB"));
    within("C6 WRB the same", "400 ms", text("%.0f ms", wrb), wrb, 300, 450, kMay);
    const double worst = range_of(of("AR"), 0, 400).first;
    gain("C6 AR over DT up to 400 ms, at worst: no less than -5 %", "never below", worst, -0.05, kAny);
    gain("C6 AR over DT at 40 ms", "very good", value_at(of("AR"), 40), 0.2, kAny, kMay);
    gain("C6 AR over DT at 120 ms", "below +10 %", value_at(of("AR"), 120), -kAny, 0.1, kMay);
    gain("C6 AR over DT at 200 ms", "very close", value_at(of("AR"), 200), -0.05, 0.05, kMay);
  }

  void tell_random_loss() {
    for (const auto scheme : {"AR", "WRD", "WRB"}) {
      const FigureCurve line = goodput(random, 1, scheme);
      const double change = value_at(line, 1e-3) / value_at(line, 1e-5) - 1;
      gain("C7 random loss: " + std::string(scheme) + " at 1e-3 beside 1e-5", "starts to fall", change, -0.25,
           -0.02, kMay);
    }
    double widest = kNaN;
    for (const auto scheme : {"WRS", "AR", "WRD", "WRB"}) {
      const double gap = std::abs(value_at(gains(random, 1, scheme), 1e-2));
      widest = std::isnan(widest) ? gap : std::max(widest, gap);
    }
    within("C7 random loss: at 1e-2 all are within 5 % of DT, the farthest", "the same",
           text("%.1f %%", widest * 100), widest, 0, 0.05, kMay);
  }

  double at_loss(std::string_view scheme, double loss) const {
    const auto at = [&](std::string_view line) {
      return value_at(goodput_by_loss(results_, line), std::log10(loss));
    };
    return at(scheme) / at("DT") - 1;
  }
  void tell_congestion() {
    constexpr double kLow = 1e-5, kMiddle = 1e-4, kHigh = 1e-3;
    for (const auto scheme : {"WRB", "AR"}) {
      const double low = at_loss(scheme, kLow), high = at_loss(scheme, kHigh);
      gain("C7 congestion loss: " + std::string(scheme) + " over DT at an equal measured loss of 1e-5",
           "above", low, 0, kAny);
      if (std::isnan(low + high)) continue;
      holds("C7 and the gap closes towards 1e-3", "closes", percent(low) + ", " + percent(high), high < low);
    }
    gain("C7 congestion loss: WRB over DT at 1e-4", "above", at_loss("WRB", kMiddle), 0, kAny, kMay);
    for (const auto scheme : {"WRS", "WRD"}) {
      gain("C7 congestion loss: " + std::string(scheme) + " over DT at 1e-5", "below", at_loss(scheme, kLow),
           -kAny, 0);
    }
    double before = kNaN;  // the lowest without loss
    for (const auto& [x, s] : line_of(results_, congestion, 1, "WRD")) {
      if (s.of(&RunFigures::loss).mean > 1e-5) continue;
      before = std::isnan(before) ? s.goodput().mean : std::min(before, s.goodput().mean);
    }
    within("C7 WRD falls below 400 kbit/s before anything is lost", "below 400 kbit/s",
           text("%.0f kbit/s", before), before, 0, 400, kMay);
  }

  const WindowResults& results_;
  std::vector<Claim> all_;
};

}  // namespace

std::vector<Claim> window_claims(const WindowResults& results) { return Claims(results).take(); }

}  // namespace lab
