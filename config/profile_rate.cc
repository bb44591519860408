#include "config/profile_rate.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "dataplane/base/expect.h"

namespace config {
namespace {

using dp::Amount;
using dp::Duration;

// Tolerance for rounding errors of whole numbers.
constexpr double kSlack = 1e-9;

double in(const Amount& amount, bool bytes) {
  return amount.value * (bytes && !amount.bytes ? double{Amount::kSduBytes} : 1.0);
}

Amount amount(double value, bool bytes, const Amount& max) {
  const double most = in(max, bytes);
  return {static_cast<std::uint32_t>(std::min(std::ceil(value * (1 - kSlack)), most)), bytes};
}

// Rounds to four digits: more would suggest false precision.
double rounded(double value) {
  if (value == 0) return 0;
  const double step = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
  return std::round(value / step) * step;
}

Duration to_microseconds(double ns) {
  return std::chrono::microseconds{static_cast<std::int64_t>(std::round(ns / 1000))};
}

// Interpolates from `a` to `b` by the share `way`.
template <class T, class Field>
T between(const T& a, const T& b, double way, const Field& field) {
  const auto line = [way](double from, double to) { return from + (to - from) * way; };
  if constexpr (std::is_same_v<T, Amount>) {
    const bool bytes = a.bytes || b.bytes;
    return amount(line(in(a, bytes), in(b, bytes)), bytes, field.max);
  } else if constexpr (std::is_same_v<T, Duration>) {
    return to_microseconds(line(static_cast<double>(a.count()), static_cast<double>(b.count())));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(rounded(line(a, b)));
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (!field.names.empty()) return a;
    return static_cast<T>(std::llround(line(static_cast<double>(a), static_cast<double>(b))));
  } else {
    return a;
  }
}

template <class C>
C blend(const C& low, const C& high, double way) {
  C out = low;
  dp::for_each_field<C>([&](const auto& field) {
    const auto& a = low.*field.member;
    const auto& b = high.*field.member;
    if (!(a == b)) out.*field.member = between(a, b, way, field);
  });
  return out;
}

template <class C>
void stretch(C& config, double factor, std::uint32_t keys) {
  for_each_key<C>([&](const auto& field, std::uint32_t bit) {
    using Value = std::decay_t<decltype(config.*field.member)>;
    if constexpr (std::is_same_v<Value, Duration>) {
      if ((keys & bit) == 0) return;
      Duration& value = config.*field.member;
      value = std::min(to_microseconds(static_cast<double>(value.count()) * factor), field.max);
    }
  });
}

// The setting of that name, if the profile gives it.
template <class C>
Amount* find_amount(C& config, std::uint32_t keys, std::string_view name, Amount& max) {
  Amount* found = nullptr;
  for_each_key<C>([&](const auto& field, std::uint32_t bit) {
    using Value = std::decay_t<decltype(config.*field.member)>;
    if constexpr (std::is_same_v<Value, Amount>) {
      if ((keys & bit) == 0 || field.name != name) return;
      found = &(config.*field.member);
      max = field.max;
    }
  });
  return found;
}

// 002 section 5: minth at least 2 x BDP.
template <class C>
void keep_above_bdp(C& config, const dp::AqmProfile& profile, std::uint64_t rate) {
  Amount max;
  Amount* const minth = find_amount(config, profile.keys, "minth", max);
  if (minth == nullptr) return;
  const double bdp = std::chrono::duration<double>(profile.rtt).count() * static_cast<double>(rate) / 8;
  const double least = 2 * bdp / (minth->bytes ? 1 : Amount::kSduBytes);
  if (least * (1 - kSlack) <= minth->value) return;
  const double was = minth->value;
  *minth = amount(least, minth->bytes, max);
  if (Amount* const maxth = find_amount(config, profile.keys, "maxth", max)) {
    const double factor = was > 0 ? minth->value / was : 1;
    *maxth = amount(maxth->value * factor, maxth->bytes, max);
  }
}

template <class C>
C of_points(const dp::AqmProfile& profile, std::uint64_t rate) {
  const auto& points = profile.points;
  const auto values = [](const dp::AqmProfile::Point& p) -> const C& { return std::get<C>(p.values); };
  const auto above = std::ranges::lower_bound(points, rate, {}, &dp::AqmProfile::Point::rate);
  if (above == points.end()) return values(points.back());
  if (above->rate == rate) return values(*above);
  if (above == points.begin()) {
    C out = values(*above);
    stretch(out, static_cast<double>(above->rate) / static_cast<double>(rate), profile.keys);
    return out;
  }
  const auto& below = *(above - 1);
  const auto log = [](std::uint64_t r) { return std::log(static_cast<double>(r)); };
  return blend(values(below), values(*above),
               (log(rate) - log(below.rate)) / (log(above->rate) - log(below.rate)));
}

}  // namespace

dp::AqmConfig at_rate(const dp::AqmProfile& profile, std::uint64_t rate) {
  DP_EXPECT(!profile.points.empty() && rate > 0);
  return std::visit(
      [&]<class C>(const C&) -> dp::AqmConfig {
        C out = of_points<C>(profile, rate);
        keep_above_bdp(out, profile, rate);
        return out;
      },
      profile.points.front().values);
}

void follow_profile(dp::LegSettings& leg) {
  if (!leg.origin.profile || leg.rate == 0) return;
  const dp::AqmProfile& profile = *leg.origin.profile;
  const dp::AqmConfig wanted = at_rate(profile, leg.rate);
  std::visit(
      [&]<class C>(C& config) {
        const C* values = std::get_if<C>(&wanted);
        if (values == nullptr) return;
        for_each_key<C>([&](const auto& field, std::uint32_t bit) {
          const bool taken = (profile.keys & bit) != 0 && (leg.origin.own & bit) == 0;
          if (taken) config.*field.member = values->*field.member;
        });
      },
      leg.aqm);
}

}  // namespace config
