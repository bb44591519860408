#include "config/traces/trace_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "config/notation/files.h"
#include "config/notation/words.h"

namespace config {
namespace {

constexpr std::size_t kMaxNameBytes = 255;

Checked<ErrorTracePtr> failed(std::string message) {
  return {std::nullopt, {{"", 0, 0, {}, std::move(message)}}};
}

// False for names that leave the directory, are hidden or exceed the kernel's limit.
bool is_file_name(const std::string& name) {
  return !name.empty() && name.size() <= kMaxNameBytes && name.front() != '.' &&
         std::ranges::none_of(name, [](char c) { return c == '/' || static_cast<unsigned char>(c) < 0x20; });
}

// An open directory; closes it when destroyed.
class Folder {
 public:
  explicit Folder(const std::string& path) : fd_(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}
  ~Folder() {
    if (fd_ >= 0) close(fd_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

TraceFolder::Version TraceFolder::version_of(const struct stat& status) {
  const auto ns = [](const timespec& time) { return time.tv_sec * 1'000'000'000LL + time.tv_nsec; };
  return {status.st_dev, status.st_ino, status.st_size, ns(status.st_mtim), ns(status.st_ctim)};
}

Checked<ErrorTracePtr> TraceFolder::load(const std::string& name) {
  if (folder_.empty()) {
    return failed("found '" + shorten(name) +
                  "', but requests may name no error traces here: the configuration gives no directory for "
                  "them; write `control: {traces: DIRECTORY}` in it and send SIGHUP");
  }
  if (!is_file_name(name)) {
    return failed(
        fmt::format("found '{}', expected the name of a file in {}, without '/' and not beginning with '.'",
                    shorten(name), folder_));
  }
  const Folder folder(folder_);
  if (folder.fd() < 0) {
    return failed(
        fmt::format("the directory {} (control.traces) cannot be opened: {}", folder_, std::strerror(errno)));
  }
  const auto file = RegularFile::open({.name = name,
                                       .shown = name,
                                       .what = "an error trace in " + folder_,
                                       .most = kMaxBytes,
                                       .folder = folder.fd(),
                                       .follow_link = false});
  if (!file) return {std::nullopt, file.problems};
  const Version version = version_of(file->status());
  if (const auto known = known_.find(folder_ + '/' + name); known != known_.end()) {
    if (auto trace = known->second.trace.lock(); trace && known->second.version == version)
      return {trace, {}};
  }
  const auto text = file->text();
  if (!text) return {std::nullopt, text.problems};
  auto trace = parse_error_trace(*text, name);
  if (!trace) return trace;
  std::erase_if(known_, [](const auto& one) { return one.second.trace.expired(); });
  known_[folder_ + '/' + name] = {version, *trace};
  return trace;
}

Checked<ErrorTracePtr> UnopenedTraces::load(const std::string& word) {
  if (std::ranges::find(words_, word) == words_.end()) words_.push_back(word);
  return {std::make_shared<const dp::ErrorTrace>(dp::ErrorTrace{word, {false}}), {}};
}

}  // namespace config
