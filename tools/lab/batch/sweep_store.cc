#include "tools/lab/batch/sweep_store.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace lab {

SweepStore::SweepStore(const std::filesystem::path& folder) : file_(folder / "points.jsonl") {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  fd_ = open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) {
    throw std::runtime_error("--out: " + file_.string() + " cannot be written: " + std::strerror(errno) +
                             "; name a folder of yours");
  }
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    close(fd_);
    throw std::runtime_error("--out: " + file_.string() +
                             " is being written by another sweep; wait for it, or name another folder");
  }
  load();
}

SweepStore::~SweepStore() { close(fd_); }

// An interrupted write leaves a line without its end. It is removed, so that the next line begins on its own.
void SweepStore::load() {
  std::ifstream in(file_, std::ios::binary);
  off_t good = 0;
  for (std::string line; std::getline(in, line) && !in.eof();) {
    good += static_cast<off_t>(line.size()) + 1;
    Json point = Json::parse(line, nullptr, false);
    if (!point.is_object() || !point.contains("key") || !point["key"].is_string()) continue;
    const auto key = point["key"].get<std::string>();
    points_.insert_or_assign(key, std::move(point));
  }
  if (ftruncate(fd_, good) != 0) throw std::runtime_error(file_.string() + ": " + std::strerror(errno));
}

const Json* SweepStore::find(const std::string& key) const {
  const auto at = points_.find(key);
  return at == points_.end() ? nullptr : &at->second;
}

void SweepStore::add(const std::string& key, const Json& point) {
  Json line{{"key", key}};
  line.update(point);
  const std::string text = line.dump() + "\n";
  if (write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error(file_.string() + " cannot be written: " + std::strerror(errno));
  }
  points_.insert_or_assign(key, std::move(line));
}

}  // namespace lab
