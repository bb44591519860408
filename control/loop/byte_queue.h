// A queue of bytes, appended at the end and taken from the front; each byte is moved a bounded number of
// times, however small the pieces. Owns its memory, and frees large memory when empty.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "dataplane/base/expect.h"

namespace control {

class ByteQueue {
 public:
  void append(std::string_view more) { text_.append(more); }

  std::string_view view() const { return std::string_view(text_).substr(taken_); }
  std::size_t size() const { return text_.size() - taken_; }
  bool empty() const { return size() == 0; }
  // Allocated bytes, used or not.
  std::size_t memory() const { return text_.capacity(); }

  // Requires: n <= size().
  void take(std::size_t n) {
    DP_EXPECT(n <= size());
    taken_ += n;
    if (empty()) {
      clear();
    } else if (taken_ > text_.size() / 2) {  // moves fewer bytes than were taken since the last move
      std::string(view()).swap(text_);
      taken_ = 0;
    }
  }
  void clear() {
    taken_ = 0;
    text_.clear();
    if (text_.capacity() > kKept) std::string().swap(text_);
  }

 private:
  static constexpr std::size_t kKept = std::size_t{1} << 16;

  std::string text_;
  std::size_t taken_ = 0;  // bytes at the front of text_ that were taken; never all of them
};

}  // namespace control
