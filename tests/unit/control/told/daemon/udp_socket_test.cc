#include "control/told/daemon/udp_socket.h"

#include <cstring>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace control::told {
namespace {

// A port that is free for this process.
std::uint16_t told_port(int offset) {
  return static_cast<std::uint16_t>(20'000 + (::getpid() * 3 + offset) % 20'000);
}

Fd client_of(std::uint16_t port) {
  Fd fd(::socket(AF_INET, SOCK_DGRAM, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  return fd;
}

TEST(ToldUdpSocket, DatagramsComeWithTheirTimesAndAnswersGoBack) {
  const std::uint16_t port = told_port(0);
  UdpSocket socket({.port = port});
  const Fd client = client_of(port);
  for (const char* const text : {"first", "second"})
    ASSERT_GT(::send(client.get(), text, std::strlen(text), 0), 0);
  std::vector<std::string> taken;
  dp::Time last = dp::Time::min();
  const dp::Time now = dp::time_ns(1'000'000'000'000);
  socket.receive(now, [&](const Datagram& datagram) {
    taken.emplace_back(reinterpret_cast<const char*>(datagram.payload.data()), datagram.payload.size());
    EXPECT_EQ(datagram.from.lo, INADDR_LOOPBACK);
    EXPECT_GE(datagram.at, last);
    EXPECT_LE(datagram.at, now);
    EXPECT_GE(datagram.at, now - std::chrono::seconds(10));
    last = datagram.at;
    return taken.size() == 1 ? datagram.payload : std::span<const std::byte>{};
  });
  EXPECT_EQ(taken, (std::vector<std::string>{"first", "second"}));
  char back[16];
  EXPECT_EQ(::recv(client.get(), back, sizeof(back), MSG_DONTWAIT), 5);
  EXPECT_EQ(::recv(client.get(), back, sizeof(back), MSG_DONTWAIT), -1);
  EXPECT_EQ(socket.answers_lost(), 0u);
}

TEST(ToldUdpSocket, ADatagramBeyondItsBoundIsCountedAndNotTaken) {
  const std::uint16_t port = told_port(1);
  UdpSocket socket({.port = port});
  const Fd client = client_of(port);
  const std::string large(5000, 'x');
  ASSERT_GT(::send(client.get(), large.data(), large.size(), 0), 0);
  socket.receive(dp::time_ns(0), [](const Datagram&) {
    ADD_FAILURE() << "it was taken";
    return std::span<const std::byte>{};
  });
  EXPECT_EQ(socket.dropped(), 1u);
}

TEST(ToldUdpSocket, AnAddressThatIsTakenIsAnError) {
  const std::uint16_t port = told_port(2);
  const UdpSocket socket({.port = port});
  EXPECT_THROW(UdpSocket({.port = port}), std::system_error);
}

}  // namespace
}  // namespace control::told
