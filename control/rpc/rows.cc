#include "control/rpc/rows.h"

#include <fmt/core.h>

namespace control::rpc {
namespace {

std::string text_of(const Row& row) {
  std::string text = '"' + std::string(row.name) + '"' + (row.need == Need::may ? "?" : "");
  if (!row.form.empty()) text += ": " + std::string(row.form);
  if (row.integers) {
    text += fmt::format(": {} to {}", row.integers->min, row.integers->max);
    if (row.need == Need::may && row.integers->usual)
      text += fmt::format(", default {}", *row.integers->usual);
  }
  return text;
}

}  // namespace

std::string text_of(Rows rows) {
  std::string text;
  Need last = Need::must;
  for (const Row& row : rows) {
    if (!text.empty()) text += row.need == Need::either && last == Need::either ? " or " : ", ";
    text += text_of(row);
    last = row.need;
  }
  return "{" + text + "}";
}

}  // namespace control::rpc
