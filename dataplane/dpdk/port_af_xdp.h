// Between the two files of the AF_XDP port: XDP programs that are on an interface before us.
#pragma once
#include <cstdint>
#include <string>

#include "dataplane/base/result.h"
#include "dataplane/dpdk/device.h"

namespace dp::dpdk {

// Fails when a program is attached that is not the leftover of a killed forwarder. Touches nothing.
Status check_xdp_program(const std::string& interface);

// Until the kernel has let go of all queues, two seconds at most. False: somebody else has one.
bool wait_for_xdp_queues(const std::string& interface);

// Takes such a leftover away.
Status remove_xdp_leftover(const std::string& interface);

// The program attached to an interface, by its id; 0: none.
std::uint32_t xdp_program_on(unsigned interface);

// A program that somebody put in the place of ours. The driver removes what it finds when it is closed.
class ForeignProgram {
 public:
  ForeignProgram() = default;
  // Holds whatever program is on the interface and is not `ours`.
  ForeignProgram(unsigned interface, std::uint32_t ours);
  ~ForeignProgram();
  ForeignProgram(const ForeignProgram&) = delete;
  ForeignProgram& operator=(const ForeignProgram&) = delete;
  ForeignProgram(ForeignProgram&& other) noexcept;
  ForeignProgram& operator=(ForeignProgram&& other) noexcept;

  // Attaches it again where it is gone.
  void put_back();

 private:
  unsigned interface_ = 0;
  std::uint32_t flags_ = 0;
  int fd_ = -1;
};

}  // namespace dp::dpdk
