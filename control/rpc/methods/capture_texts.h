// The texts of the methods in capture.cc, for the table of methods.
#pragma once
#include <string_view>

namespace control::rpc {

inline constexpr std::string_view kCaptureStartText =
    "captures the frames of a UE, of a port, of a cell, or those that are dropped, for this connection: it "
    "ends with it, after so many seconds or frames, or by capture.stop; snaplen: bytes of a frame; filter: a "
    "program of the classic packet filter, as tcpdump -dd prints it, which sees the frame up to snaplen; "
    "bearer: whether the UE has one; one at a time for a connection, eight in all";
inline constexpr std::string_view kCaptureReadText =
    "the next part of a capture, perhaps nothing yet; pcapng: in base64, a file when joined; frames: written "
    "so far; lost: frames that found no room; ended: nothing follows, and the capture is forgotten; why: "
    "time, frames or stopped";
inline constexpr std::string_view kCaptureStopText = "ends a capture; what was captured is still to be read";

}  // namespace control::rpc
