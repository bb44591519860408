// The results of a sweep on disk, a line of JSON a point, written as each is complete: what an interrupted
// sweep has done is there when it is begun again. One sweep writes at a time; it owns the object.
#pragma once
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tools/lab/figures/json.h"

namespace lab {

class SweepStore {
 public:
  // Reads FOLDER/points.jsonl if it is there; lines that were cut off are left out. Throws when the folder
  // cannot be made or the file not be written, or another sweep writes into it.
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
