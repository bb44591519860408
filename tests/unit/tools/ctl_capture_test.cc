// rncctl capture: what it asks for, and what it writes.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/fake_caller.h"
#include "tools/ctl/base64.h"

namespace ctl {
namespace {

std::string temporary() { return testing::TempDir() + "capture_" + std::to_string(getpid()); }

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const Json kBegun{{"id", 4}, {"bearer", true}, {"snaplen", 128}};
Json piece(const std::string& text, bool ended = false) {
  return {
      {"pcapng", text}, {"frames", 2}, {"lost", 0}, {"ended", ended}, {"why", ended ? Json("time") : Json()}};
}

TEST(CtlBase64, ReadsWhatTheStandardWrites) {
  EXPECT_EQ(from_base64(""), "");
  EXPECT_EQ(from_base64("Zg=="), "f");
  EXPECT_EQ(from_base64("Zm8="), "fo");
  EXPECT_EQ(from_base64("Zm9v"), "foo");
  EXPECT_EQ(from_base64("+/8="), "\xfb\xff");
  for (const char* wrong : {"Zg=", "Z", "Zg=a", "Zm9v Zm9", "===="})
    EXPECT_FALSE(from_base64(wrong)) << wrong;
}

TEST(CtlCapture, WritesThePartsToTheFile) {
  FakeCaller caller;
  caller.answers = {kBegun, piece("Zm9v"), piece(""), piece("YmFy"), piece("", true)};
  const std::string path = temporary();
  const Shown said = shown(caller, {"capture", "10.45.0.2", "-w", path});
  EXPECT_EQ(content_of(path), "foobar");
  std::filesystem::remove(path);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.notes, "rncctl: 2 frames captured, 0 lost for want of room; ended: time\n");
  EXPECT_EQ(caller.asked[0].first, "capture.start");
  EXPECT_EQ(caller.asked[0].second, (Json{{"ue", "10.45.0.2"}, {"seconds", 10}, {"snaplen", 128}}));
  EXPECT_EQ(caller.asked[1], (std::pair<std::string, Json>{"capture.read", {{"id", 4}}}));
}

TEST(CtlCapture, AsksForOneSubject) {
  const auto subject = [](std::vector<std::string> words) {
    words.insert(words.begin(), "capture");
    words.insert(words.end(), {"-w", temporary()});
    FakeCaller caller;
    caller.answers = {kBegun, piece("", true)};
    shown(caller, words);
    return caller.asked[0].second;
  };
  EXPECT_EQ(subject({"--port", "core"})["port"], "core");
  EXPECT_EQ(subject({"--drops"})["drops"], true);
  EXPECT_EQ(subject({"--cell", "east"})["cell"], "east");
  EXPECT_EQ(subject({"--drops", "--frames", "7"})["frames"], 7);
  EXPECT_THROW(subject({}), CLI::ParseError);
  EXPECT_THROW(subject({"10.45.0.2", "--drops"}), CLI::ParseError);
  EXPECT_THROW(subject({"--port", "west"}), CLI::ParseError);
  EXPECT_THROW(subject({"--drops", "--snaplen", "10"}), CLI::ParseError);
  std::filesystem::remove(temporary());
}

TEST(CtlCapture, AFilterGoesAsItsProgram) {
  FakeCaller caller;
  caller.answers = {kBegun, piece("", true)};
  shown(caller, {"capture", "--drops", "--filter", "ip", "-w", temporary()});
  const Json filter = caller.asked[0].second["filter"];
  ASSERT_FALSE(filter.empty());
  EXPECT_EQ(filter[0], (Json{0x28, 0, 0, 12})) << filter;
  try {
    parse({"capture", "--drops", "--filter", "tcp prot 4", "-w", "x"});
    ADD_FAILURE() << "not refused";
  } catch (const CLI::ValidationError& refused) {
    EXPECT_NE(std::string(refused.what()).find("tcp prot 4"), std::string::npos);
  }
  std::filesystem::remove(temporary());
}

TEST(CtlCapture, AFileThatCannotBeWrittenIsNamed) {
  FakeCaller caller;
  caller.answers = {kBegun};
  try {
    shown(caller, {"capture", "--drops", "-w", "/no/such/folder/x"});
    ADD_FAILURE() << "not refused";
  } catch (const Refused& refused) {
    EXPECT_NE(std::string(refused.what()).find("/no/such/folder/x"), std::string::npos);
  }
}

}  // namespace
}  // namespace ctl
