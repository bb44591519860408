#include "tools/ctl/input.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <CLI/CLI.hpp>

#include "config/notation/files.h"
#include "config/notation/words.h"

namespace ctl {
namespace {

constexpr std::size_t kMaxLine = std::size_t{1} << 20;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw CLI::ValidationError(path == "-" ? "standard input" : path, why);
}

void refuse_unread(int error) { refuse("-", std::string("cannot be read: ") + std::strerror(error)); }

// By stdio, as Lines reads it: `apply -` in a script takes what follows in it.
std::string text_of_input() {
  std::string text;
  std::array<char, 65536> chunk;
  for (;;) {
    errno = 0;
    const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), stdin);
    text.append(chunk.data(), got);
    if (got == 0 && std::ferror(stdin) != 0) refuse_unread(errno);
    if (got == 0) return text;
    if (text.size() > config::kMaxFileBytes) {
      refuse("-", "found more than " + std::to_string(config::kMaxFileBytes >> 20) +
                      " MiB, expected a shorter text");
    }
  }
}

void need_utf8(const std::string& path, const std::string& text, const std::string& what) {
  const std::size_t good = config::utf8_prefix(text);
  if (good == text.size()) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(good), '\n');
  refuse(path, "found a byte that is no UTF-8 in line " + std::to_string(line) + ", expected " + what);
}

}  // namespace

std::string text_of_file(const std::string& path, const std::string& what) {
  std::string text;
  if (path == "-") {
    text = text_of_input();
  } else {
    const auto file =
        config::RegularFile::open({path, path, what + ", or - for standard input", config::kMaxFileBytes});
    const auto read = file ? file->text() : config::Checked<std::string>{{}, file.problems};
    if (!read) refuse(path, read.problems.front().message);
    text = *read;
  }
  if (text.empty()) refuse(path, "is empty, expected " + what);
  need_utf8(path, text, what);
  return text;
}

Lines::Lines(const std::string& path, const std::string& what)
    : path_(path), what_(what), text_(path == "-" ? "" : text_of_file(path, what)) {}

std::optional<std::string> Lines::next() {
  std::optional<std::string> line;
  if (path_ == "-") {
    line = next_typed();
  } else if (std::string text; std::getline(text_, text)) {
    line = std::move(text);
  }
  if (line) ++number_;
  return line;
}

std::optional<std::string> Lines::next_typed() {
  std::string line;
  errno = 0;
  for (int c = std::getc(stdin); c != '\n'; c = std::getc(stdin)) {
    if (c == EOF) {
      if (std::ferror(stdin) != 0) refuse_unread(errno);
      if (number_ == 0 && line.empty()) refuse(path_, "is empty, expected " + what_);
      return line.empty() ? std::nullopt : std::optional(line);
    }
    line += static_cast<char>(c);
    if (line.size() > kMaxLine) {
      refuse(path_,
             "found a line of more than " + std::to_string(kMaxLine >> 20) + " MiB, expected " + what_);
    }
  }
  return line;
}

}  // namespace ctl
