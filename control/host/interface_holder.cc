#include "control/host/interface_holder.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>
#include <unistd.h>

namespace control {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
  std::string line;
  std::ifstream in(path);
  std::getline(in, line);
  return line;
}

// Calls back for each entry of a folder until it answers true; what goes meanwhile is left out.
bool any_in(const fs::path& folder, const std::function<bool(const fs::path&)>& matches) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (matches(at->path())) return true;
  }
  return false;
}

// The first process that matches, other than this one.
std::optional<Holder> find_process(const std::function<bool(const fs::path&)>& matches) {
  std::optional<Holder> found;
  any_in("/proc", [&](const fs::path& process) {
    const std::string name = process.filename();
    int pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc{} || end != name.data() + name.size() || pid == ::getpid()) return false;
    if (!matches(process)) return false;
    found = Holder{pid, first_line(process / "comm")};
    return true;
  });
  return found;
}

// Checks the program id in the process's descriptors of BPF programs and links.
bool has_program(const fs::path& process, std::uint32_t program) {
  const std::string line = fmt::format("prog_id:\t{}", program);
  return any_in(process / "fdinfo", [&](const fs::path& descriptor) {
    std::ifstream in(descriptor);
    for (std::string text; std::getline(in, text);) {
      if (text == line) return true;
    }
    return false;
  });
}

bool has_socket(const fs::path& process, const std::set<std::string>& links) {
  return any_in(process / "fd", [&](const fs::path& descriptor) {
    std::error_code error;
    return links.contains(fs::read_symlink(descriptor, error).string());
  });
}

// Packet sockets on the interface, as /proc/PID/fd calls them. Columns of the table (packet_seq_show of the
// kernel): sk RefCnt Type Proto Iface R Rmem User Inode.
std::set<std::string> packet_sockets(unsigned interface) {
  std::set<std::string> links;
  std::ifstream in("/proc/net/packet");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream columns(line);
    std::string skip, inode;
    unsigned of = 0;
    columns >> skip >> skip >> skip >> skip >> of >> skip >> skip >> skip >> inode;
    if (columns && of == interface) links.insert("socket:[" + inode + "]");
  }
  return links;
}

}  // namespace

std::optional<Holder> holder_of(unsigned interface, std::uint32_t xdp_program) {
  const auto rncd = [links = packet_sockets(interface)](const fs::path& process) {
    return !links.empty() && first_line(process / "comm") == "rncd" && has_socket(process, links);
  };
  if (auto holder = find_process(rncd)) return holder;
  if (xdp_program == 0) return std::nullopt;
  return find_process([=](const fs::path& process) { return has_program(process, xdp_program); });
}

}  // namespace control
