#include "tools/lab/replay/capture.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <pcap/pcap.h>

namespace lab {
namespace {

using PcapFile = std::unique_ptr<pcap_t, decltype(&pcap_close)>;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + ": " + why);
}

PcapFile open_capture(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    refuse(path, std::string("cannot be read (") + std::strerror(errno) + "); give a capture that can");
  }
  char error[PCAP_ERRBUF_SIZE] = "";
  pcap_t* const pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, error);
  if (pcap == nullptr) {
    std::fclose(file);
    refuse(path, std::string("is no capture (") + error +
                     "); expected pcap or pcapng, as dumpcap and tcpdump write");
  }
  return {pcap, &pcap_close};
}

void check_link_type(const std::string& path, pcap_t* pcap) {
  const int type = pcap_datalink(pcap);
  if (type == DLT_EN10MB) return;
  const char* const name = pcap_datalink_val_to_name(type);
  refuse(path, "found link type " + (name != nullptr ? std::string(name) : std::to_string(type)) +
                   ", expected Ethernet (EN10MB); capture on one interface, not on `any`");
}

void check_whole(const std::string& path, std::size_t number, const pcap_pkthdr& header) {
  if (header.caplen == header.len) return;
  refuse(path, fmt::format(
                   "frame {} is cut off: found {} of its {} bytes, expected all; capture without a snapshot "
                   "length (dumpcap -s 0, tcpdump -s 0, rncctl capture --snaplen 65535)",
                   number, header.caplen, header.len));
}

}  // namespace

Capture Capture::read(const std::string& path) {
  const PcapFile file = open_capture(path);
  check_link_type(path, file.get());
  Capture capture;
  const std::vector<SeenAt> ports = ports_of_frames(path);
  capture.names_ports_ = !ports.empty();
  pcap_pkthdr* header = nullptr;
  const u_char* bytes = nullptr;
  int answer = 0;
  while ((answer = pcap_next_ex(file.get(), &header, &bytes)) == 1) {
    const std::size_t number = capture.frames_.size() + 1;
    check_whole(path, number, *header);
    // tv_usec holds nanoseconds, as requested when opening.
    const std::int64_t at = std::int64_t{header->ts.tv_sec} * 1'000'000'000 + header->ts.tv_usec;
    const SeenAt seen = number <= ports.size() ? ports[number - 1] : SeenAt::neither;
    capture.frames_.push_back({at, capture.data_.size(), header->caplen, seen});
    const auto* const first = reinterpret_cast<const std::byte*>(bytes);
    capture.data_.insert(capture.data_.end(), first, first + header->caplen);
  }
  if (answer == PCAP_ERROR) {
    refuse(path,
           fmt::format("is damaged after frame {} ({}); end the capture with SIGTERM or Ctrl-C, or repair it "
                       "with editcap",
                       capture.frames_.size(), pcap_geterr(file.get())));
  }
  capture.sort();
  return capture;
}

Capture Capture::at_port(SeenAt port) const {
  Capture part = *this;
  std::erase_if(part.frames_, [port](const Frame& frame) { return frame.seen != port; });
  return part;
}

void Capture::sort() {
  std::int64_t latest = frames_.empty() ? 0 : frames_.front().at;
  for (const Frame& frame : frames_) {
    if (frame.at < latest) ++unordered_;
    latest = std::max(latest, frame.at);
  }
  std::ranges::stable_sort(frames_, {}, &Frame::at);
}

}  // namespace lab
