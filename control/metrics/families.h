// Small words for building metric families.
#pragma once
#include <string>
#include <string_view>
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
  prometheus::ClientMetric& append(Labels labels) {
    family_.metric.emplace_back();
    family_.metric.back().label = std::move(labels);
    return family_.metric.back();
  }
  void into(Families& families) { families.push_back(std::move(family_)); }

 private:
  prometheus::MetricFamily family_;
};

}  // namespace control
