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

}  // namespace ctl
