// The part of the toy `meddler` that configuration and control know; the stage itself is meddler.h.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "dataplane/ack/stages/exclusion.h"
#include "dataplane/ack/stages/repair_config.h"
#include "dataplane/base/fields.h"

namespace dp {

struct MeddlerSpec {
  static constexpr std::string_view kName = "meddler";
  static constexpr std::string_view kDoc = "does to segments and ACKs, at random, whatever a stage may";
  static constexpr std::string_view kBypass = "safe: a toy";
  static constexpr std::string_view kAsymmetric = "nothing to a toy";
  static constexpr std::array kExcludes{AckExclusion{"later", "its copies must leave at once"},
                                        AckExclusion{"ack-rate", "its copies must leave at once"},
                                        AckExclusion{"window-regulator", "its copies must leave at once"},
                                        AckExclusion{"ack-regulator", "its copies must leave at once"}};
  struct Config {
    std::uint32_t cache = 40;
    double often = 0.03;
    Places places = Places::buffer;
    std::uint32_t kept_segments() const noexcept { return cache; }
    bool in_buffer() const noexcept { return places == Places::buffer; }
    friend bool operator==(const Config&, const Config&) = default;
    static constexpr FieldTable kFields{
        Field{"cache", &Config::cache, Unit::count, 8u, 4096u, "segments that it keeps", "a toy"},
        Field{"often", &Config::often, Unit::ratio, 0.0, 1.0, "how often it meddles", "a toy"},
        Field{"places", &Config::places, kPlacesNames, "where what it keeps has its places", "a toy"},
    };
  };
};

}  // namespace dp
