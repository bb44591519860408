// The results of a sweep on disk, one line of JSON a point, written as each point is complete, so that an
// interrupted sweep can be resumed. Only one sweep may write into a folder at a time; the sweep owns the
// object.
#pragma once
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tools/lab/figures/json.h"

namespace lab {

class SweepStore {
 public:
  // Reads FOLDER/points.jsonl if it exists, without lines that were cut off. Throws if the folder cannot be
  // made, the file cannot be written, or another sweep writes into it.
  explicit SweepStore(const std::filesystem::path& folder);
  ~SweepStore();
  SweepStore(const SweepStore&) = delete;
  SweepStore& operator=(const SweepStore&) = delete;

  const Json* find(const std::string& key) const;
  void add(const std::string& key, const Json& point);  // on disk when it returns
  const std::filesystem::path& file() const { return file_; }

 private:
  void load();

  std::filesystem::path file_;
  int fd_ = -1;
  std::map<std::string, Json> points_;
};

}  // namespace lab
