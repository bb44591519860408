// Walks a Tree and collects every problem with its place and path. Lives for one load; views the Tree.
// Tests: tests/unit/config/choice_test.cc
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/notation/node.h"
#include "config/notation/problem.h"
#include "dataplane/base/expect.h"

namespace dp {
struct AqmProfileRef;
}

namespace config {

class TraceSource;

class Reader {
 public:
  // `path` of the root: empty for a file, "params.bearers[3]" for a request.
  Reader(const Tree& tree, std::string path, bool strict)
      : tree_(tree), path_(std::move(path)), strict_(strict) {}

  // The operator's profiles; null: none. They must outlive the reader.
  void set_profiles(const std::vector<dp::AqmProfileRef>* profiles) { profiles_ = profiles; }
  const std::vector<dp::AqmProfileRef>* profiles() const { return profiles_; }

  // Resolves the key `trace`; null: its value is a path, or an error if strict.
  void set_traces(TraceSource* traces) { traces_ = traces; }
  TraceSource* traces() const { return traces_; }

  // Strict as JSON: text is no number, 1 is no text.
  bool strict() const { return strict_; }

  void fail(Place place, std::string message);
  // "found X, expected `expected`"
  void expected(const Node& node, std::string_view expected);
  void unknown_key(const Node& key, std::span<const std::string_view> names);
  // `hint` is appended: "; it takes ..."
  void missing_key(Place map, std::string_view name, std::string_view hint);

  // True for a map; an empty value counts as an empty map. Otherwise reports a problem.
  bool expect_map(const Node& node, std::span<const std::string_view> names);
  bool expect_list(const Node& node, std::string_view of);

  // True after the maximum number of problems; loops over long lists then end.
  bool full() const { return problems_.size() >= kEnough; }

  // True if there is a problem at the current path or below it.
  bool failed() const;

  // Returns the problems in the order of the file.
  std::vector<Problem> take();

  class Scope {
   public:
    Scope(Reader& reader, std::string_view key);
    Scope(Reader& reader, std::size_t index);
    // Requires: scopes end in reverse order.
    ~Scope() {
      DP_EXPECT(reader_.path_.size() >= length_);
      reader_.path_.resize(length_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Reader& reader_;
    std::size_t length_;
  };

 private:
  static constexpr std::size_t kEnough = 1000;

  const Tree& tree_;
  std::string path_;
  bool strict_;
  const std::vector<dp::AqmProfileRef>* profiles_ = nullptr;
  TraceSource* traces_ = nullptr;
  std::vector<Problem> problems_;
};

// "'tpa'", "a map", "nothing"
std::string describe(const Node& node);

}  // namespace config
