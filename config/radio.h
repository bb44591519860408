// The key `radio` of the link `cell`: the name of a radio model (config/model_kind.h), and the recorded link
// for the model `trace`: a file in mahimahi's format, read once, when settings are loaded.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "config/model_kind.h"
#include "config/notation/problem.h"
#include "dataplane/sched/radio/registry.h"

namespace config {

using RadioTracePtr = std::shared_ptr<const dp::RadioTrace>;

// Each line is the millisecond in which 1500 bytes may leave, in ascending order; the last one is the length
// after which the trace repeats. Blank lines and lines that begin with `#` are ignored.
Checked<RadioTracePtr> parse_radio_trace(std::string_view text, const std::string& path);
Checked<RadioTracePtr> load_radio_trace(const std::string& path);

// The key is valid in files only: a request cannot name a path.
struct RadioTraceKind {
  std::string type() const { return "path"; }
  std::string values() const {
    return "none, or the path of a file with the milliseconds in which 1500 bytes may leave, one a line";
  }
  Json print(const RadioTracePtr& trace) const { return trace ? trace->path : "none"; }
  void load(Reader& reader, const Node& node, RadioTracePtr& into) const;
};

constexpr dp::FieldTable kRadioTraceRows{Row{"trace", &dp::RadioSettings::trace, RadioTraceKind{},
                                             "of `trace`: the recorded link, in the format of mahimahi"}};

struct RadioFamily {
  using List = dp::RadioList;
  using Settings = dp::RadioSettings;
  static auto& choice(auto& link) { return link.radio; }
  template <class Model>
  static constexpr auto rows() {
    constexpr auto kRows =
        Model::kSettings.apply([](const auto&... f) { return dp::FieldTable{quantity_row(f)...}; });
    if constexpr (std::is_same_v<Model, dp::RadioTraceSpec>) {
      return dp::joined(kRows, kRadioTraceRows);
    } else {
      return kRows;
    }
  }
};
using RadioKind = ModelKind<RadioFamily>;

}  // namespace config
