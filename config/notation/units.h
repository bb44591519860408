// Notation of quantities: 384k, 8Mbit/s, 64KiB, 200ms, 50sdu, 10%. Exact: values that are no whole number of
// the base unit (bit/s, bytes, SDUs, nanoseconds) are rejected, and printed values read back unchanged.
// Tests: tests/unit/config/units_test.cc
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/result.h"

namespace config {

// Parses all units but ratios and numbers. An error completes the sentence "expected ...".
dp::Result<std::uint64_t> parse_quantity(dp::Unit unit, std::string_view text);
std::string format_quantity(dp::Unit unit, std::uint64_t value);

// Parses ratios and numbers.
dp::Result<double> parse_real(dp::Unit unit, std::string_view text);
std::string format_real(dp::Unit unit, double value);

std::string_view unit_name(dp::Unit unit);  // "rate"
std::string unit_spellings(dp::Unit unit);  // "64k, 8M, 1G; bit/s may follow", for help and messages
std::string unit_help();                    // all units, one a line: "rate: ..."

}  // namespace config
