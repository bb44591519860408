#include "dataplane/xdp/interface.h"

#include <cerrno>

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "dataplane/xdp/descriptor.h"

namespace dp::xdp {
namespace {

// Asks for the flags, or sets them. The error, or 0.
int ask_flags(unsigned long request, const std::string& interface, ifreq& flags) {
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  interface.copy(flags.ifr_name, IFNAMSIZ - 1);
  return socket && ::ioctl(socket.get(), request, &flags) == 0 ? 0 : errno;
}

}  // namespace

bool is_promiscuous(const std::string& interface) {
  ifreq flags{};
  return ask_flags(SIOCGIFFLAGS, interface, flags) == 0 && (flags.ifr_flags & IFF_PROMISC) != 0;
}

int set_promiscuous(const std::string& interface, bool on) {
  ifreq flags{};
  if (const int why = ask_flags(SIOCGIFFLAGS, interface, flags); why != 0) return why;
  const unsigned now = static_cast<unsigned short>(flags.ifr_flags);
  flags.ifr_flags = static_cast<short>(on ? now | IFF_PROMISC : now & ~static_cast<unsigned>(IFF_PROMISC));
  return ask_flags(SIOCSIFFLAGS, interface, flags);
}

}  // namespace dp::xdp
