// An output stream for terminals: writes characters that are not visible (words.h) as \uXXXX.
// Tests: tests/unit/config/visible_output_test.cc
#pragma once
#include <ostream>
#include <streambuf>

namespace config {

// Filters during its lifetime. Each character must be written whole, in one piece.
class VisibleOutput : private std::streambuf {
 public:
  explicit VisibleOutput(std::ostream& stream) : stream_(stream), sink_(stream.rdbuf(this)) {}
  ~VisibleOutput() override { stream_.rdbuf(sink_); }
  VisibleOutput(const VisibleOutput&) = delete;
  VisibleOutput& operator=(const VisibleOutput&) = delete;

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int_type overflow(int_type character) override;
  int sync() override { return sink_->pubsync(); }

  std::ostream& stream_;
  std::streambuf* sink_;
};

}  // namespace config
