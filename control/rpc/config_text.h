// The configuration that a call is about: in the request, or in an upload.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "config/load.h"
#include "control/rpc/methods.h"
#include "control/rpc/params.h"

namespace control::rpc {

class ConfigText {
 public:
  // Throws Fault when it is given neither way, in both, or too long.
  ConfigText(const Request& request, const Params& params);

  // Calls `work` with the text on a thread beside the control thread: the one for short texts, or the one for
  // uploads, which no other client waits for. Then calls `then` on the control thread. A Fault that `work`
  // throws goes to `done` in place of that.
  void submit(const std::function<void(const std::string& text)>& work, std::function<void()> then,
              Done done) const;

 private:
  const Request& request_;
  std::shared_ptr<const Uploads::Pieces> pieces_;
  bool long_ = false;
};

// A text that was loaded as rncd would at its start, overrides included, and its digest.
struct LoadedText {
  config::Loaded config;
  std::string sha256;
};
// Loads the text, and goes on as ConfigText::submit(). Traces are looked up in the folder that the running
// configuration names.
void load_beside(const Request& request, const Params& params, std::function<void(LoadedText&)> work,
                 std::function<void()> then, const Done& done);

// Throws a Fault with all problems of the text, if there are any.
void need_good(const LoadedText& text);

}  // namespace control::rpc
