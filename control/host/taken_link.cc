#include "control/host/taken_link.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/core.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "config/notation/files.h"
#include "control/loop/fd.h"
#include "dataplane/base/expect.h"

namespace control {
namespace {

struct FlagsRequest {
  nlmsghdr head;
  ifinfomsg info;
};
struct FlagsAnswer {
  nlmsghdr head;
  nlmsgerr error;
};

// By its index, since it may get another name meanwhile, and this flag alone. The number of the error, or 0.
int change_flag(unsigned index, bool up) {
  const Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  const timeval patience{5, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  FlagsRequest request{};
  request.head.nlmsg_len = sizeof(request);
  request.head.nlmsg_type = RTM_NEWLINK;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  request.info.ifi_family = AF_UNSPEC;
  request.info.ifi_index = static_cast<int>(index);
  request.info.ifi_flags = up ? IFF_UP : 0;
  request.info.ifi_change = IFF_UP;
  if (::send(socket.get(), &request, sizeof(request), 0) < 0) return errno;
  FlagsAnswer answer{};
  const ssize_t size = ::recv(socket.get(), &answer, sizeof(answer), 0);
  if (size < 0) return errno;
  return static_cast<std::size_t>(size) < sizeof(answer) || answer.head.nlmsg_type != NLMSG_ERROR
             ? EPROTO
             : -answer.error.error;
}

// The scope of an interface index: it is valid in one network namespace, until the host reboots.
std::string namespace_and_boot() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat space {};
  ::stat("/proc/self/ns/net", &space);
  return fmt::format("{}:{} {}", space.st_dev, space.st_ino, boot);
}

}  // namespace

dp::Status set_link_up(unsigned index, bool up) {
  const int error = change_flag(index, up);
  if (error == 0) return dp::ok();
  char name[IFNAMSIZ] = {};
  return dp::Error{
      fmt::format("interface {} could not be {}: {}; give rncd CAP_NET_ADMIN, or run: ip link set dev {} {}",
                  ::if_indextoname(index, name) == nullptr ? std::to_string(index) : name,
                  up ? "brought up" : "taken down", std::strerror(error), name, up ? "up" : "down")};
}

// The mark comes first: who is killed between the two leaves an interface marked that is up, which does no
// harm.
dp::Status TakenLink::take(unsigned index) {
  DP_EXPECT(index_ == 0 && index != 0);
  if (auto marked = replace_file(mark_, fmt::format("{} {}\n", index, namespace_and_boot())); !marked)
    return marked;
  auto done = set_link_up(index, false);
  if (done) {
    index_ = index;
  } else {
    ::unlink(mark_.path.c_str());
  }
  return done;
}

dp::Status TakenLink::give_back() {
  if (index_ == 0) return dp::ok();
  char name[IFNAMSIZ] = {};
  const bool there = ::if_indextoname(index_, name) != nullptr;
  if (there) {
    if (auto done = set_link_up(index_, true); !done) return done;
  }
  ::unlink(mark_.path.c_str());
  index_ = 0;
  return dp::ok();
}

void TakenLink::find() {
  constexpr std::size_t kMost = 4096;
  if (!nothing_else_there(mark_)) return;
  const auto file = config::RegularFile::open(
      {.name = mark_.path, .shown = mark_.path, .what = std::string(kMarkKind.what), .most = kMost});
  const auto text = file ? file->text() : config::Checked<std::string>{};
  if (!text) return;
  std::istringstream in(*text);
  unsigned index = 0;
  std::string where;
  if (in >> index && std::getline(in >> std::ws, where) && where == namespace_and_boot()) {
    index_ = index;
  } else {
    ::unlink(mark_.path.c_str());
  }
}

}  // namespace control
