#include "tools/lab/scenario/settings.h"

#include "config/notation/table.h"

namespace lab {
namespace {

std::string text_within(const config::Node& node) {
  const std::string text = inline_text(node);
  return node.is_scalar() && node.style() == config::Style::text ? config::Json(text).dump() : text;
}

}  // namespace

std::string inline_text(const config::Node& node) {
  const bool map = node.kind() == config::NodeKind::map;
  if (!map && node.kind() != config::NodeKind::list) return std::string(node.text());
  std::string text;
  for (std::size_t i = 0; i < node.size(); ++i) {
    text += (i == 0 ? "" : ", ") + (map ? text_within(node.key(i)) + ": " : "") +
            text_within(map ? node.value(i) : node.item(i));
  }
  return map ? "{" + text + "}" : "[" + text + "]";
}

void SettingsKind::load(config::Reader& reader, const config::Node& node, Settings& into) const {
  if (!reader.expect_map(node, {})) return;
  for (std::size_t i = 0; i < node.size(); ++i) {
    into.emplace_back(node.key(i).text(), inline_text(node.value(i)));
  }
}

}  // namespace lab
