// Resolves the key `trace` in requests of the control socket: never a path of the client's choice. The
// control thread owns these and lends them to a Reader.
// Tests: tests/unit/config/trace_source_test.cc
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "config/traces/error_trace.h"

namespace config {

class TraceSource {
 public:
  virtual ~TraceSource() = default;
  virtual Checked<ErrorTracePtr> load(const std::string& word) = 0;
};

// Files of one directory, by name. Bearers that name a file share one trace as long as the file does not
// change.
class TraceFolder : public TraceSource {
 public:
  // Longer traces must be in the configuration file: reading one for a request must not delay other clients.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  // `folder` empty: there are no traces.
  explicit TraceFolder(std::string folder = {}) : folder_(std::move(folder)) {}

  void look_in(const std::string& folder) { folder_ = folder; }
  Checked<ErrorTracePtr> load(const std::string& name) override;

 private:
  // Identity and state of a file.
  struct Version {
    unsigned long long device, inode;
    long long size, modified_ns, changed_ns;
    friend bool operator==(const Version&, const Version&) = default;
  };
  struct Known {
    Version version;
    std::weak_ptr<const dp::ErrorTrace> trace;
  };
  static Version version_of(const struct stat& status);

  std::string folder_;
  std::map<std::string, Known> known_;  // by path
};

// Opens nothing, and accepts every path: for text that is only checked.
class UnopenedTraces : public TraceSource {
 public:
  Checked<ErrorTracePtr> load(const std::string& word) override;
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
};

}  // namespace config
