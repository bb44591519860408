// Captures of other programs' tunnels: the verdict of parsing about each frame beside that of tshark. The
// folder RNCD_CAPTURES, if it is set, is read instead of captures/.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include "dataplane/packet/gtp_u.h"
#include "tests/oracle/gtp_u_compare.h"
#include "tests/support/tunnels.h"

namespace dp::test {
namespace {

// The frames of a capture that are whole.
std::vector<Buffer> frames_of(const std::string& path) {
  std::array<char, PCAP_ERRBUF_SIZE> error{};
  const std::unique_ptr<pcap_t, decltype(&pcap_close)> capture(pcap_open_offline(path.c_str(), error.data()),
                                                               &pcap_close);
  if (capture == nullptr || pcap_datalink(capture.get()) != DLT_EN10MB) {
    ADD_FAILURE() << path << ": expected a capture of Ethernet frames; " << error.data();
    return {};
  }
  std::vector<Buffer> frames;
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  while (pcap_next_ex(capture.get(), &header, &data) == 1) {
    const auto* const begin = reinterpret_cast<const std::byte*>(data);
    if (header->caplen == header->len) frames.emplace_back(begin, begin + header->caplen);
  }
  return frames;
}

using Found = std::map<GtpUVerdict, std::size_t>;

// Compares the verdicts about a capture's frames, with every address a peer.
Found compare(const std::vector<Buffer>& frames, const std::string& name, GtpUSequence sequence) {
  const GtpUSettings settings{
      .peers = {{.prefix = *parse_prefix("0.0.0.0/0")}, {.prefix = *parse_prefix("::/0")}},
      .sequence = sequence};
  const std::vector<Read> read = read_by_tshark(name.c_str(), frames);
  Found found;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    SCOPED_TRACE(name + ", frame " + std::to_string(i + 1) + ": " + read[i].of("frame.protocols"));
    const GtpUVerdict own = verdict_and_packet(frames[i], read[i], settings);
    const auto other = read[i].verdict(sequence == GtpUSequence::observe, Read::Peers::all);
    ++found[own];
    EXPECT_EQ(name_of(own), other ? name_of(*other) : "-");
  }
  return found;
}

TEST(GtpUOracle, TsharkReadsCapturesOfOtherProgramsAsParsingDoes) {
  const char* const given = std::getenv("RNCD_CAPTURES");
  const std::filesystem::path folder = given != nullptr ? given : RNCD_SOURCE_ROOT "/tests/oracle/captures";
  std::size_t captures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::vector<Buffer> frames = frames_of(entry.path());
    const std::string name = entry.path().filename();
    std::printf("  %s, %zu frames:", name.c_str(), frames.size());
    for (const auto& [verdict, count] : compare(frames, name, GtpUSequence::observe))
      std::printf(" %zu %s", count, name_of(verdict).data());
    std::printf("\n");
    compare(frames, name, GtpUSequence::ignore);
    ++captures;
  }
  EXPECT_GT(captures, 0u) << "no capture in " << folder;
}

// Names what the capture is there for.
TEST(GtpUOracle, TheCaptureOfAGgsnHasPacketsMessagesFragmentsAndNumberedPackets) {
  Found found = compare(frames_of(RNCD_SOURCE_ROOT "/tests/oracle/captures/osmo-ggsn.pcap"), "osmo-ggsn",
                        GtpUSequence::observe);
  EXPECT_GT(found[GtpUVerdict::bare], 10u);
  EXPECT_GT(found[GtpUVerdict::peeled], 30u);
  for (const GtpUVerdict verdict : {GtpUVerdict::message, GtpUVerdict::fragment, GtpUVerdict::sequence})
    EXPECT_GE(found[verdict], 3u) << name_of(verdict);
}

}  // namespace
}  // namespace dp::test
