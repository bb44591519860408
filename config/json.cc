#include "config/json.h"

#include "config/bearers.h"
#include "config/cells.h"
#include "config/class_profiles.h"
#include "config/notation/kinds.h"

namespace config {
namespace {

constexpr int kDeepest = 32;  // deeper than any key; a value below has the wrong type

NodeId add(Tree& tree, const nlohmann::json& value, int depth) {
  if (value.is_null()) return tree.add_scalar("null", Style::null, {});
  if (value.is_string()) return tree.add_scalar(value.get_ref<const std::string&>(), Style::text, {});
  if (value.is_boolean()) return tree.add_scalar(value.get<bool>() ? "true" : "false", Style::boolean, {});
  if (!value.is_structured()) return tree.add_scalar(value.dump(), Style::number, {});
  std::vector<NodeId> children;
  if (depth < kDeepest) {
    for (const auto& item : value.items()) {
      if (value.is_object()) children.push_back(tree.add_scalar(item.key(), Style::text, {}));
      children.push_back(add(tree, item.value(), depth + 1));
    }
  }
  return value.is_object() ? tree.add_map(children, {}) : tree.add_list(children, {});
}

// load(reader, node) returns the value, or none after an error.
template <class T, class Load>
Checked<T> read(const nlohmann::json& value, const std::string& path, Load&& load,
                const Profiles& profiles = {}) {
  Tree tree("");
  const NodeId root = add(tree, value, 0);
  Reader reader(tree, path, true);
  reader.set_profiles(&profiles);
  std::optional<T> result = load(reader, tree.node(root));
  auto problems = reader.take();
  if (!problems.empty()) result.reset();
  return {std::move(result), std::move(problems)};
}

}  // namespace

Checked<dp::BearerSettings> read_settings(const nlohmann::json& value, const std::string& path,
                                          const dp::BearerSettings& start, const Profiles& profiles,
                                          TraceSource* traces) {
  return read<dp::BearerSettings>(
      value, path,
      [&](Reader& reader, const Node& node) {
        reader.set_traces(traces);
        auto settings = start;
        load_legs(reader, node, settings);
        return std::optional(settings);
      },
      profiles);
}

Checked<dp::CellSettings> read_cell(const nlohmann::json& value, const std::string& path,
                                    const dp::CellSettings& start) {
  return read<dp::CellSettings>(value, path, [&](Reader& reader, const Node& node) {
    auto settings = start;
    load_cell_settings(reader, node, settings);
    return std::optional(settings);
  });
}

Checked<dp::UeAddress> read_ue(const nlohmann::json& value, const std::string& path) {
  return read<dp::UeAddress>(value, path,
                             [](Reader& reader, const Node& node) { return load_ue(reader, node); });
}

Checked<std::uint64_t> read_rate(const nlohmann::json& value, const std::string& path) {
  return read<std::uint64_t>(value, path, [](Reader& reader, const Node& node) {
    std::uint64_t rate = 0;
    load_value(reader, node, Quantity<std::uint64_t>{dp::Unit::rate, dp::kMinRate, dp::kMaxRate}, rate);
    return std::optional(rate);
  });
}

Checked<std::uint64_t> read_reported_rate(const nlohmann::json& value, const std::string& path) {
  return read<std::uint64_t>(value, path, [](Reader& reader, const Node& node) {
    std::uint64_t rate = 0;
    load_value(reader, node, Quantity<std::uint64_t>{dp::Unit::rate, 0, dp::kMaxRate}, rate);
    return std::optional(rate);
  });
}

Checked<dp::Mode> read_mode(const nlohmann::json& value, const std::string& path) {
  return read<dp::Mode>(value, path, [](Reader& reader, const Node& node) {
    dp::Mode mode{};
    load_value(reader, node, OneOf<dp::Mode>{dp::kModeNames}, mode);
    return std::optional(mode);
  });
}

}  // namespace config
