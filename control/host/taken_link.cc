#include "control/host/taken_link.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

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

// What an index belongs to: it means something in one network namespace, until the host starts anew.
std::string namespace_and_boot() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat space {};
  ::stat("/proc/self/ns/net", &space);
  return fmt::format("{}:{} {}", space.st_dev, space.st_ino, boot);
}

// What has to outlive this process is in the page cache then; what outlived the host would mean nothing.
dp::Status write_mark(const std::string& path, const std::string& text) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  errno = file ? 0 : errno;
  if (file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()))
    return dp::ok();
  return dp::Error{
      fmt::format("{}: {}; expected a file that rncd can write there, by which it brings the "
                  "interface up again even if it is killed; make room, or let rncd write",
                  path, errno == 0 ? "it was cut short" : std::strerror(errno))};
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
  auto done = write_mark(path_, fmt::format("{} {}\n", index, namespace_and_boot()));
  if (done) done = set_link_up(index, false);
  if (done) {
    index_ = index;
  } else {
    ::unlink(path_.c_str());
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
  ::unlink(path_.c_str());
  index_ = 0;
  return dp::ok();
}

void TakenLink::find() {
  std::ifstream file(path_);
  if (!file) return;
  unsigned index = 0;
  std::string where;
  if (file >> index && std::getline(file >> std::ws, where) && where == namespace_and_boot()) {
    index_ = index;
  } else {
    ::unlink(path_.c_str());
  }
}

}  // namespace control
