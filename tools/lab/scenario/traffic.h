// The kinds of traffic of a server: the list from which scenario keys, help and problems are made. Plain
// settings; the draws are made in tools/lab/run/flow_run.cc.
#pragma once
#include <cstdint>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"
#include "dataplane/base/typelist.h"

namespace lab {

struct Bulk {
  static constexpr std::string_view kName = "bulk";
  static constexpr std::string_view kDoc = "one connection that never has nothing to send";
  struct Config {
    static constexpr dp::FieldTable<> kFields{};
    friend bool operator==(const Config&, const Config&) = default;
  };
};

struct Files {
  static constexpr std::string_view kName = "file";
  static constexpr std::string_view kDoc = "files one after the other, each over a connection of its own";
  struct Config {
    std::uint64_t size = 50'000;
    dp::Duration gap{30'000'000'000};
    std::uint32_t times = 0;
    static constexpr dp::FieldTable kFields{
        dp::Field{"size", &Config::size, dp::Unit::bytes, std::uint64_t{1}, std::uint64_t{1} << 40,
                  "bytes of each", "003 section 5"},
        dp::Field{"gap", &Config::gap, dp::Unit::duration, dp::Duration{0}, dp::Duration{86'400'000'000'000},
                  "mean of the exponential time from the last byte to the request for the next",
                  "003 section 5"},
        dp::Field{"times", &Config::times, dp::Unit::count, 0u, 1'000'000u, "how many; 0: until the run ends",
                  ""},
    };
    friend bool operator==(const Config&, const Config&) = default;
  };
};

struct Web {
  static constexpr std::string_view kName = "web";
  static constexpr std::string_view kDoc = "pages of objects, each object over a connection of its own";
  struct Config {
    dp::Duration gap{15'000'000'000};
    std::uint32_t objects = 5;
    dp::Duration object_gap{10'000'000};
    std::uint64_t size = 12'000;
    double shape = 1.2;
    std::uint64_t max = 1'000'000;
    static constexpr dp::FieldTable kFields{
        dp::Field{"gap", &Config::gap, dp::Unit::duration, dp::Duration{1'000'000},
                  dp::Duration{86'400'000'000'000}, "mean of the exponential time from page to page",
                  "001 Table 3"},
        dp::Field{"objects", &Config::objects, dp::Unit::count, 1u, 1000u,
                  "mean of the exponential number of objects of a page, of which there is at least one",
                  "001 Table 3"},
        dp::Field{"object_gap", &Config::object_gap, dp::Unit::duration, dp::Duration{0},
                  dp::Duration{60'000'000'000}, "mean of the exponential time from object to object",
                  "001 Table 3"},
        dp::Field{"size", &Config::size, dp::Unit::bytes, std::uint64_t{100}, std::uint64_t{1} << 30,
                  "mean of the Pareto distribution of an object's bytes, before they are cut", "001 Table 3"},
        dp::Field{"shape", &Config::shape, dp::Unit::ratio, 1.05, 10.0, "shape of that distribution",
                  "001 Table 3"},
        dp::Field{"max", &Config::max, dp::Unit::bytes, std::uint64_t{100}, std::uint64_t{1} << 40,
                  "where it is cut: a larger object has this size", "001 Table 3"},
    };
    friend bool operator==(const Config&, const Config&) = default;
  };
};

using TrafficList = dp::TypeList<Bulk, Files, Web>;
using Traffic = TrafficList::Configs;

}  // namespace lab
