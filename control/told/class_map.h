// The table of classes: the class of rncd's for a session or a flow that was told without one of its own.
// Rates that were told go before those of the class.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/told/session.h"

namespace control::told {

// A row. It fits if all that it names does: a row with a pattern fits no flow.
struct ClassRow {
  std::optional<std::uint8_t> qfi;
  std::optional<std::string> class_attribute;  // a pattern of fnmatch(3) for a line of Session::class_hint
  std::string class_name;
};

// The first row that fits counts, and the default class if none does. Never changes.
class ClassMap {
 public:
  ClassMap(std::vector<ClassRow> rows, std::string default_class)
      : rows_(std::move(rows)), default_class_(std::move(default_class)) {}
  // Valid as long as the map.
  const std::string& class_of(const Session& session) const;
  const std::string& class_of(const Flow& flow) const;

 private:
  const std::string& first_fit(std::optional<std::uint8_t> qfi, std::string_view hints) const;

  std::vector<ClassRow> rows_;
  std::string default_class_;
};

}  // namespace control::told
