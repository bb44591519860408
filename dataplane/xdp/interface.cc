#include "dataplane/xdp/interface.h"

#include <cerrno>

#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "dataplane/xdp/descriptor.h"

namespace dp::xdp {
namespace {

// Returns the number of the error, or 0.
int ask(unsigned long request, const std::string& interface, ifreq& what) {
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  interface.copy(what.ifr_name, IFNAMSIZ - 1);
  return socket && ::ioctl(socket.get(), request, &what) == 0 ? 0 : errno;
}

}  // namespace

unsigned index_of(const std::string& interface) {
  return interface.empty() ? 0 : ::if_nametoindex(interface.c_str());
}

bool carries_ethernet(const std::string& interface) {
  ifreq hardware{};
  return ask(SIOCGIFHWADDR, interface, hardware) == 0 && hardware.ifr_hwaddr.sa_family == ARPHRD_ETHER;
}

bool is_promiscuous(const std::string& interface) {
  ifreq flags{};
  return ask(SIOCGIFFLAGS, interface, flags) == 0 && (flags.ifr_flags & IFF_PROMISC) != 0;
}

int set_promiscuous(const std::string& interface, bool on) {
  ifreq flags{};
  if (const int why = ask(SIOCGIFFLAGS, interface, flags); why != 0) return why;
  const unsigned now = static_cast<unsigned short>(flags.ifr_flags);
  flags.ifr_flags = static_cast<short>(on ? now | IFF_PROMISC : now & ~static_cast<unsigned>(IFF_PROMISC));
  return ask(SIOCSIFFLAGS, interface, flags);
}

}  // namespace dp::xdp
