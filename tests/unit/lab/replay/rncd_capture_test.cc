// A file as `rncctl capture` writes it: both ports in one.
#include <cstring>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/frames.h"
#include "tools/lab/replay/capture.h"

namespace lab {
namespace {

class File {
 public:
  File() { block(0x0a0d0d0a, numbers({0x1a2b3c4d, 1, 0xffffffff, 0xffffffff})); }
  ~File() { std::remove(path().c_str()); }

  void interface(const std::string& name) {
    std::string body = numbers({1, 65535});
    body += numbers({static_cast<std::uint32_t>(2 | name.size() << 16)}) + padded(name);
    block(1, body + numbers({1u << 16 | 9, 9, 0}));
  }
  void packet(std::uint32_t interface, std::uint32_t ns) {
    const auto frame = dp::test::frame({.payload = 10});
    const auto size = static_cast<std::uint32_t>(frame.size());
    block(6, numbers({interface, 0, ns, size, size}) +
                 padded(std::string(reinterpret_cast<const char*>(frame.data()), frame.size())));
  }
  std::string path() const { return ::testing::TempDir() + "rncd_capture_" + std::to_string(getpid()); }
  std::string written() {
    std::ofstream(path(), std::ios::binary) << bytes_;
    return path();
  }
  std::string& bytes() { return bytes_; }

 private:
  static std::string numbers(std::initializer_list<std::uint32_t> values) {
    std::string out;
    for (const std::uint32_t value : values) out.append(reinterpret_cast<const char*>(&value), sizeof value);
    return out;
  }
  static std::string padded(std::string text) {
    text.resize((text.size() + 3) / 4 * 4);
    return text;
  }
  void block(std::uint32_t type, const std::string& body) {
    const auto length = static_cast<std::uint32_t>(body.size() + 12);
    bytes_ += numbers({type, length}) + body + numbers({length});
  }

  std::string bytes_;
};

TEST(RncdCapture, EachFrameIsAtItsPort) {
  File file;
  for (const char* const name : {"core-in", "radio-out", "radio-in", "core-out", "dropped", "rlc"}) {
    file.interface(name);
  }
  for (std::uint32_t i = 0; i < 6; ++i) file.packet(i, 10 + i);
  file.packet(0, 5);
  const Capture capture = Capture::read(file.written());
  ASSERT_TRUE(capture.names_ports());
  EXPECT_EQ(capture.frames().size(), 7u);
  const Capture core = capture.at_port(SeenAt::core), radio = capture.at_port(SeenAt::radio);
  ASSERT_EQ(core.frames().size(), 3u);
  EXPECT_EQ(core.frames()[0].at, 5) << "in order of time";
  EXPECT_EQ(core.frames()[2].at, 13);
  ASSERT_EQ(radio.frames().size(), 2u);
  EXPECT_EQ(radio.frames()[1].at, 12);
  EXPECT_FALSE(radio.bytes(radio.frames()[0]).empty());
}

TEST(RncdCapture, FilesOfOtherProgramsNameNoPorts) {
  File file;
  file.interface("eth0");
  file.packet(0, 1);
  EXPECT_FALSE(Capture::read(file.written()).names_ports());
  EXPECT_TRUE(ports_of_frames("/no/such/file").empty());
}

TEST(RncdCapture, AFileThatIsCutOffIsReadNoFurther) {
  File file;
  file.interface("core-in");
  file.packet(0, 1);
  const std::string whole = file.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    file.bytes() = whole.substr(0, size);
    EXPECT_TRUE(ports_of_frames(file.written()).empty()) << size;
  }
}

}  // namespace
}  // namespace lab
