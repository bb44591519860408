#include "control/told/mirror/capture_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "control/told/mirror/mirror.h"
#include "tests/support/told/mirror_frames.h"

namespace control::told {
namespace {

using test::joined;
using test::number;
using test::Octets;

// A file in the little-endian order of octets, with times in nanoseconds; removed in the end.
class WrittenCapture {
 public:
  explicit WrittenCapture(const Octets& octets) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(octets.data()), static_cast<std::streamsize>(octets.size()));
  }
  WrittenCapture(const WrittenCapture&) = delete;
  WrittenCapture& operator=(const WrittenCapture&) = delete;
  ~WrittenCapture() { std::filesystem::remove(path); }

  const std::string path = ::testing::TempDir() + "told_capture_" +
                           ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".pcap";
};

Octets little(std::uint32_t value) { return number(__builtin_bswap32(value), 4); }
Octets head(std::uint32_t link_type) {
  return joined(
      {little(0xa1b23c4d), little(0x00040002), little(0), little(0), little(65535), little(link_type)});
}
Octets record(std::uint32_t seconds, std::uint32_t nanoseconds, const Octets& frame) {
  const auto size = static_cast<std::uint32_t>(frame.size());
  return joined({little(seconds), little(nanoseconds), little(size), little(size), frame});
}

TEST(CaptureFile, FramesAreReadInOrderWithTheirTimes) {
  const auto frames = test::fragments_of(test::udp(8805, 8805, Octets(2000)), false, 5, 1480);
  const WrittenCapture written(joined({head(1), record(1, 5, frames[0]), record(1, 3, frames[1])}));
  auto file = CaptureFile::open(written.path);
  ASSERT_TRUE(file);
  Mirror mirror(8805);
  auto frame = file->next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->at, dp::time_ns(1'000'000'005));
  EXPECT_FALSE(mirror.take(frame->bytes, frame->at));
  frame = file->next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->at, dp::time_ns(1'000'000'005)) << "times do not decrease";
  EXPECT_TRUE(mirror.take(frame->bytes, frame->at));
  EXPECT_FALSE(file->next());
  EXPECT_EQ(file->damaged(), "");
}

TEST(CaptureFile, DamagedFileEndsWithAReason) {
  Octets octets = joined({head(1), record(1, 5, Octets(60))});
  octets.resize(octets.size() - 7);
  const WrittenCapture written(octets);
  auto file = CaptureFile::open(written.path);
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->next());
  EXPECT_NE(file->damaged(), "");
}

TEST(CaptureFile, OtherLinkTypesAndOtherFilesAreRefused) {
  {
    const WrittenCapture raw_ip(head(101));
    EXPECT_FALSE(CaptureFile::open(raw_ip.path));
  }
  const WrittenCapture text(test::text_octets("told: {pfcp: {pcap: FILE}}"));
  EXPECT_FALSE(CaptureFile::open(text.path));
  EXPECT_FALSE(CaptureFile::open(text.path + ".none"));
}

}  // namespace
}  // namespace control::told
