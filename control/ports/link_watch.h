// The kernel's reports on network interfaces, over rtnetlink: notifies of changes, and looks up the present
// state. Belongs to the control thread and sees the process's own network namespace
// (dataplane/decisions/093).
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "control/loop/event_loop.h"
#include "control/ports/port_state.h"

namespace control {

// One message of the kernel about an interface itself (not about its place in a bridge, or the like).
struct LinkMessage {
  bool deleted = false;
  Link link;
};

// The messages about interfaces in the bytes read from the socket; a message that cannot be parsed ends them.
std::vector<LinkMessage> parse_link_messages(std::span<const std::byte> bytes);

class LinkWatch {
 public:
  // `deleted`: indices of interfaces that went away, which may be in use again already. Empty when anything
  // may have changed, including changes whose messages were lost because too many came at once.
  using OnChange = std::function<void(const std::vector<unsigned>& deleted)>;

  // Throws std::system_error.
  LinkWatch(EventLoop& loop, OnChange on_change);
  ~LinkWatch();
  LinkWatch(const LinkWatch&) = delete;
  LinkWatch& operator=(const LinkWatch&) = delete;

  // The present state of the interface; index 0 when there is none. Nothing when the kernel gave no answer.
  std::optional<Link> by_index(unsigned index);
  std::optional<Link> by_name(const std::string& name);

 private:
  void on_readable();
  std::optional<Link> ask(unsigned index, const std::string& name);

  EventLoop& loop_;
  OnChange on_change_;
  Fd events_;
  Fd questions_;
  unsigned sequence_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace control
