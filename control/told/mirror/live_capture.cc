#include "control/told/mirror/live_capture.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <pcap/pcap.h>

namespace control::told {
namespace {

constexpr int kSnaplen = 65'535;
constexpr int kBufferBytes = 32 << 20;
// The kernel hands over a block of frames when it is full, or after this time. In libpcap's immediate mode
// each frame would have a slot as long as the longest: 256 in 16 MiB.
constexpr int kMostWaitMs = 1;

pcap_t* live_handle(void* handle) { return static_cast<pcap_t*>(handle); }

// Fragments behind the first have no port. Frames with a VLAN tag have everything four octets later.
std::string filter_of(std::uint16_t port) {
  const std::string wanted =
      "(udp port " + std::to_string(port) + " or (ip and ip[6:2] & 0x3fff != 0) or (ip6 and ip6[6] == 44))";
  return wanted + " or (vlan and " + wanted + ")";
}

dp::Error not_opened(const std::string& interface, std::string_view why) {
  return {"cannot capture on " + interface + ": " + std::string(why)};
}

std::string why_not(pcap_t* handle, int status) {
  if (status == PCAP_ERROR_NO_SUCH_DEVICE) return "there is no such interface";
  if (status == PCAP_ERROR_PERM_DENIED) return "that needs CAP_NET_RAW";
  if (status == PCAP_ERROR_IFACE_NOT_UP) return "it is down; set it up";
  const std::string detail = pcap_geterr(handle);
  return detail.empty() ? pcap_statustostr(status) : detail;
}

// Empty if it has what is needed.
std::string set_up(pcap_t* handle, std::uint16_t port) {
  pcap_set_snaplen(handle, kSnaplen);
  pcap_set_promisc(handle, 1);
  pcap_set_timeout(handle, kMostWaitMs);
  pcap_set_buffer_size(handle, kBufferBytes);
  pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO);
  if (const int status = pcap_activate(handle); status < 0) return why_not(handle, status);
  if (pcap_datalink(handle) != DLT_EN10MB) return "found another link type, expected Ethernet";
  bpf_program program{};
  if (pcap_compile(handle, &program, filter_of(port).c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0)
    return pcap_geterr(handle);
  const int set = pcap_setfilter(handle, &program);
  pcap_freecode(&program);
  std::array<char, PCAP_ERRBUF_SIZE> why{};
  if (set != 0) return pcap_geterr(handle);
  return pcap_setnonblock(handle, 1, why.data()) == 0 ? "" : why.data();
}

}  // namespace

void LiveCapture::Closer::operator()(void* handle) const { pcap_close(live_handle(handle)); }

dp::Result<LiveCapture> LiveCapture::open(const std::string& interface, std::uint16_t port) {
  std::array<char, PCAP_ERRBUF_SIZE> why{};
  pcap_t* const handle = pcap_create(interface.c_str(), why.data());
  if (handle == nullptr) return not_opened(interface, why.data());
  LiveCapture capture(handle, -1);
  if (const std::string fault = set_up(handle, port); !fault.empty()) return not_opened(interface, fault);
  capture.fd_ = pcap_get_selectable_fd(handle);
  return capture;
}

int LiveCapture::fd() const { return fd_; }

std::optional<LiveCapture::Frame> LiveCapture::next() {
  pcap_pkthdr* header = nullptr;
  const u_char* bytes = nullptr;
  const int found = pcap_next_ex(live_handle(handle_.get()), &header, &bytes);
  if (found == PCAP_ERROR) failed_ = pcap_geterr(live_handle(handle_.get()));
  if (found != 1) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  last_ = std::max(last_, dp::time_ns(header->ts.tv_sec * kSecond + header->ts.tv_usec));
  return Frame{last_, {reinterpret_cast<const std::byte*>(bytes), header->caplen}};
}

std::uint64_t LiveCapture::lost() {
  pcap_stat counts{};
  return pcap_stats(live_handle(handle_.get()), &counts) == 0 ? counts.ps_drop : 0;
}

}  // namespace control::told
