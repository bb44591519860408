// Where the word of the key `trace` leads when a client of the control socket says it: never to a path of the
// client's choice. The control thread owns these and lends them to a Reader.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "config/error_trace.h"

namespace config {

class TraceSource {
 public:
  virtual ~TraceSource() = default;
  virtual Checked<ErrorTracePtr> load(const std::string& word) = 0;
};

// Files of one directory, by their names. Bearers that name the same file share one trace for as long as it
// does not change.
class TraceFolder : public TraceSource {
 public:
  // Longer ones are for the configuration file: a request keeps nobody waiting.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  // Empty: no word leads anywhere.
  explicit TraceFolder(std::string folder = {}) : folder_(std::move(folder)) {}

  void look_in(const std::string& folder) { folder_ = folder; }
  Checked<ErrorTracePtr> load(const std::string& name) override;

 private:
  // Which file it was, and in which state.
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

// Opens nothing: for a text that is only checked, where every path counts as a trace.
class UnopenedTraces : public TraceSource {
 public:
  Checked<ErrorTracePtr> load(const std::string& word) override;
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
};

}  // namespace config
