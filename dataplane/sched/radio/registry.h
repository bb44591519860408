// The radio models as configuration and control know them: their names, texts and settings.
// sched/radio/engines.h lists their implementations. A new model is a struct here, a file of the model, and
// its name in both lists.
// Tests: tests/unit/sched/radio/radio_test.cc
#pragma once
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/typelist.h"
#include "dataplane/sched/radio/settings.h"

namespace dp {

struct HdrSpec {
  static constexpr std::string_view kName = "hdr";
  static constexpr std::string_view kDoc =
      "an emulated mobile of an HDR cell: Rayleigh fading about a mean SNR, and the highest rate that it "
      "carries";
  using Config = RadioSettings;
  static constexpr auto kSettings = kHdrFields;
};

struct ConstantSpec {
  static constexpr std::string_view kName = "constant";
  static constexpr std::string_view kDoc = "the same rate in every slot";
  using Config = RadioSettings;
  static constexpr auto kSettings = kConstantFields;
};

struct ReportedSpec {
  static constexpr std::string_view kName = "reported";
  static constexpr std::string_view kDoc =
      "the rate that was reported last, for as long as a report is valid; `initial` before and after";
  using Config = RadioSettings;
  static constexpr auto kSettings = kReportedFields;
};

struct RadioTraceSpec {
  static constexpr std::string_view kName = "trace";
  static constexpr std::string_view kDoc =
      "a recorded link: the milliseconds of a trace file in which 1500 bytes may leave, from the start "
      "again at its end";
  using Config = RadioSettings;
  static constexpr FieldTable<> kSettings{};
};

using RadioList = TypeList<HdrSpec, ConstantSpec, ReportedSpec, RadioTraceSpec>;

// A model and its settings: the parameters of a bearer's Radio (sched/radio/radio.h).
struct RadioConfig : RadioSettings {
  RadioChoice radio{RadioList::index_of("hdr")};
  friend bool operator==(const RadioConfig&, const RadioConfig&) = default;

  static constexpr auto kFields = joined(
      FieldTable{Field{"radio", &RadioConfig::radio, RadioList::kNames, "what a slot would carry", ""}},
      kRadioFields);
};

}  // namespace dp
