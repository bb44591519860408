// Numbers as people read them: "8 Mbit/s", "1.2 MiB", "12,345", "37.5 %".
#pragma once
#include <cstdint>
#include <string>

namespace ctl {

std::string rate_text(std::uint64_t bits_per_second);  // decimal prefixes; 0 is "-": no limit
std::string bytes_text(std::uint64_t bytes);           // binary prefixes
std::string count_text(std::uint64_t count);           // a comma every three digits
std::string percent_text(double ratio);                // of 1
std::string duration_text(double seconds);             // "3 d 04:05:06", "04:05:06"

// Three digits or so in at most seven columns, for tables: "12.5M" as the configuration writes rates,
// "1.2MiB", "123k" of a count from 100,000 on, "3d04h".
std::string brief_rate(std::uint64_t bits_per_second);
std::string brief_bytes(std::uint64_t bytes);
std::string brief_count(std::uint64_t count);
std::string brief_duration(double seconds);
std::string milliseconds_text(double milliseconds);  // two digits below 10: "0.057", "2.5", "250"

}  // namespace ctl
