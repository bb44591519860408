#include "control/host/interface_facts.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/host/interface_holder.h"
#include "control/loop/fd.h"
#include "dataplane/xdp/vlan_tags.h"

namespace control {
namespace {

// Ethtool and interface requests for one name.
class Query {
 public:
  explicit Query(const std::string& name) : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    name.copy(request_.ifr_name, IFNAMSIZ - 1);
  }

  template <class Command>
  bool ethtool(Command& command) {
    request_.ifr_data = reinterpret_cast<char*>(&command);
    return ::ioctl(socket_.get(), SIOCETHTOOL, &request_) == 0;
  }
  std::uint32_t value(std::uint32_t what) {
    ethtool_value command{};
    command.cmd = what;
    return ethtool(command) ? command.data : 0;
  }
  short flags() {
    return ::ioctl(socket_.get(), SIOCGIFFLAGS, &request_) == 0 ? request_.ifr_flags : short{0};
  }
  std::uint32_t mtu() {
    return ::ioctl(socket_.get(), SIOCGIFMTU, &request_) == 0 ? static_cast<std::uint32_t>(request_.ifr_mtu)
                                                              : 0;
  }

 private:
  Fd socket_;
  ifreq request_{};
};

unsigned read_number(const std::filesystem::path& path) {
  unsigned number = 0;
  std::ifstream(path) >> number;
  return number;
}

// sysfs shows the peer's index; the name behind it is the peer's only if it points back at us, for an index
// means something in its own network namespace alone.
std::string veth_peer(const std::string& name, unsigned index) {
  const unsigned link = read_number("/sys/class/net/" + name + "/iflink");
  char peer[IFNAMSIZ] = {};
  if (link == index || ::if_indextoname(link, peer) == nullptr) return {};
  return read_number(std::string("/sys/class/net/") + peer + "/iflink") == index ? peer : std::string();
}

void read_xdp(unsigned index, InterfaceFacts& facts) {
  if (::bpf_xdp_query_id(static_cast<int>(index), 0, &facts.xdp_program) != 0 || facts.xdp_program == 0)
    return;
  const Fd program(::bpf_prog_get_fd_by_id(facts.xdp_program));
  bpf_prog_info info{};
  std::uint32_t size = sizeof(info);
  if (program && ::bpf_obj_get_info_by_fd(program.get(), &info, &size) == 0) {
    facts.xdp_program_name = info.name;
  }
}

// sysfs names the interfaces below one as lower_NAME.
bool has_lower(const std::string& name) {
  std::error_code error;
  for (std::filesystem::directory_iterator at("/sys/class/net/" + name, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().filename().string().starts_with("lower_")) return true;
  }
  return false;
}

void read_peer(InterfaceFacts& facts) {
  Query peer(facts.peer);
  facts.peer_mtu = peer.mtu();
  facts.peer_checksum_offload = peer.value(ETHTOOL_GTXCSUM) != 0;
  facts.peer_gro = peer.value(ETHTOOL_GGRO) != 0;
  facts.peer_tx_vlan_off = dp::xdp::tx_vlan_off(facts.peer);
  std::uint32_t program = 0;
  const auto index = static_cast<int>(::if_nametoindex(facts.peer.c_str()));
  facts.peer_has_xdp_program = ::bpf_xdp_query_id(index, 0, &program) == 0 && program != 0;
}

}  // namespace

InterfaceFacts interface_facts(const std::string& name) {
  InterfaceFacts facts;
  const unsigned index = ::if_nametoindex(name.c_str());
  if (index == 0) return facts;
  Query query(name);
  facts.exists = true;
  facts.up = (query.flags() & IFF_UP) != 0;
  facts.mtu = query.mtu();
  ethtool_drvinfo driver{};
  driver.cmd = ETHTOOL_GDRVINFO;
  if (query.ethtool(driver)) facts.driver = driver.driver;
  ethtool_channels channels{};
  channels.cmd = ETHTOOL_GCHANNELS;
  if (query.ethtool(channels)) {
    facts.combined_channels = channels.combined_count;
    facts.receive_channels = channels.rx_count;
    facts.transmit_channels = channels.tx_count;
  }
  facts.gro = query.value(ETHTOOL_GGRO) != 0;
  facts.lro = (query.value(ETHTOOL_GFLAGS) & ETH_FLAG_LRO) != 0;
  facts.stacked = has_lower(name);
  facts.gives_vlan_tags = dp::xdp::gives_vlan_tags(index);
  facts.rx_vlan_off = dp::xdp::rx_vlan_off(name);
  read_xdp(index, facts);
  facts.holder = holder_of(index, facts.xdp_program);
  if (facts.driver == "veth") facts.peer = veth_peer(name, index);
  if (!facts.peer.empty()) read_peer(facts);
  return facts;
}

}  // namespace control
