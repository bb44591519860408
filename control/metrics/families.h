// Helpers for building metric families. A family is declared in one place, which also fills it: either in one
// expression that ends with into(), or in a FamilyGroup.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>

namespace control {

using Families = std::vector<prometheus::MetricFamily>;
using Labels = std::vector<prometheus::ClientMetric::Label>;

inline prometheus::ClientMetric::Label label(std::string_view name, std::string_view value) {
  return {std::string(name), std::string(value)};
}

class Family {
 public:
  Family(std::string name, std::string help, prometheus::MetricType type) {
    family_.name = std::move(name);
    family_.help = std::move(help);
    family_.type = type;
  }
  static Family counter(std::string name, std::string help) {
    return {std::move(name), std::move(help), prometheus::MetricType::Counter};
  }
  static Family gauge(std::string name, std::string help) {
    return {std::move(name), std::move(help), prometheus::MetricType::Gauge};
  }

  Family& add(Labels labels, double value) {
    prometheus::ClientMetric& metric = append(std::move(labels));
    (family_.type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    return *this;
  }
  Family& add(Labels labels, std::uint64_t value) {
    return add(std::move(labels), static_cast<double>(value));
  }
  // Adds a series for each name, under `label_name`. Requires: as many counts.
  template <class Counts, class Names>
  Family& add_named(const Labels& labels, std::string_view label_name, const Names& names,
                    const Counts& counts) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      Labels all = labels;
      all.push_back(label(label_name, names[i]));
      add(std::move(all), counts[i]);
    }
    return *this;
  }
  prometheus::ClientMetric& append(Labels labels) {
    family_.metric.emplace_back();
    family_.metric.back().label = std::move(labels);
    return family_.metric.back();
  }
  void into(Families& families) { families.push_back(std::move(family_)); }

 private:
  prometheus::MetricFamily family_;
};

// Takes a family's values from one reading: the labels of the reading come before the family's own.
class Series {
 public:
  Series(Family& family, const Labels& labels) : family_(family), labels_(labels) {}

  template <class Value>
  void add(const Labels& more, Value value) {
    Labels all = labels_;
    all.insert(all.end(), more.begin(), more.end());
    family_.add(std::move(all), value);
  }
  template <class Counts, class Names>
  void add_named(std::string_view label_name, const Names& names, const Counts& counts) {
    family_.add_named(labels_, label_name, names, counts);
  }
  prometheus::ClientMetric& append() { return family_.append(labels_); }

 private:
  Family& family_;
  const Labels& labels_;
};

// Families over readings of one kind, such as the counters of a class. Each is declared once, with `tell`: a
// function of a reading that returns its value, or no value as an empty optional; or one of a Series and a
// reading, if there are several series.
template <class Reading>
class FamilyGroup {
 public:
  template <class Tell>
  FamilyGroup& counter(std::string name, std::string help, Tell tell) {
    return declare(Family::counter(std::move(name), std::move(help)), std::move(tell));
  }
  template <class Tell>
  FamilyGroup& gauge(std::string name, std::string help, Tell tell) {
    return declare(Family::gauge(std::move(name), std::move(help)), std::move(tell));
  }
  template <class Tell>
  FamilyGroup& declare(Family family, Tell tell) {
    members_.push_back({std::move(family), [tell = std::move(tell)](Series series, const Reading& reading) {
                          if constexpr (std::is_invocable_v<Tell, Series, const Reading&>) {
                            tell(series, reading);
                          } else {
                            add_value(series, tell(reading));
                          }
                        }});
    return *this;
  }

  void add(const Labels& labels, const Reading& reading) {
    for (Member& member : members_) member.tell(Series(member.family, labels), reading);
  }
  // Appends the families in the order of their declaration.
  void into(Families& out) {
    for (Member& member : members_) member.family.into(out);
  }

 private:
  struct Member {
    Family family;
    std::function<void(Series, const Reading&)> tell;
  };
  template <class Value>
  static void add_value(Series& series, const std::optional<Value>& value) {
    if (value) series.add({}, *value);
  }
  template <class Value>
  static void add_value(Series& series, const Value& value) {
    series.add({}, value);
  }

  std::vector<Member> members_;
};

}  // namespace control
