#include "control/told/mirror/capture_file.h"

#include <algorithm>
#include <array>

#include <pcap/pcap.h>

namespace control::told {
namespace {

pcap_t* pcap_of(void* handle) { return static_cast<pcap_t*>(handle); }

// A file may have any number where the time stands.
dp::Time time_of(const timeval& stamp) {
  constexpr std::int64_t kMostSeconds = 9'000'000'000;
  const std::int64_t seconds = std::clamp<std::int64_t>(stamp.tv_sec, 0, kMostSeconds);
  const std::int64_t nanoseconds = std::clamp<std::int64_t>(stamp.tv_usec, 0, 999'999'999);
  return dp::time_ns(seconds * 1'000'000'000 + nanoseconds);
}

}  // namespace

void CaptureFile::Closer::operator()(void* handle) const { pcap_close(pcap_of(handle)); }

dp::Result<CaptureFile> CaptureFile::open(const std::string& path) {
  std::array<char, PCAP_ERRBUF_SIZE> why{};
  pcap_t* const handle =
      pcap_open_offline_with_tstamp_precision(path.c_str(), PCAP_TSTAMP_PRECISION_NANO, why.data());
  if (handle == nullptr) return dp::Error{"cannot read a capture: " + std::string(why.data())};
  CaptureFile file(handle);
  if (pcap_datalink(handle) != DLT_EN10MB) {
    return dp::Error{"found a capture of another link type in " + path + ", expected Ethernet"};
  }
  return file;
}

std::optional<CaptureFile::Frame> CaptureFile::next() {
  pcap_pkthdr* header = nullptr;
  const u_char* bytes = nullptr;
  const int found = pcap_next_ex(pcap_of(handle_.get()), &header, &bytes);
  if (found == PCAP_ERROR) damaged_ = pcap_geterr(pcap_of(handle_.get()));
  if (found != 1) return std::nullopt;
  last_ = std::max(last_, time_of(header->ts));
  return Frame{last_, {reinterpret_cast<const std::byte*>(bytes), header->caplen}};
}

}  // namespace control::told
