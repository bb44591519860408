// The box's ports at which `rncctl capture` saw the frames of its files: their interfaces have names.
// Tests: tests/unit/lab/replay/rncd_capture_test.cc
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lab {

// `neither`: dropped frames, and PDUs of RLC.
enum class SeenAt : std::uint8_t { core, radio, neither };

// By frame, in the file's order; empty for files of other programs.
std::vector<SeenAt> ports_of_frames(const std::string& path);

}  // namespace lab
