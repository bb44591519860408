// Runs tshark, a reader of captures that is not ours, and hands back the fields it found.
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace dp::test {

// A row a frame, a column a field; a field that occurs several times has its values joined with semicolons.
inline std::vector<std::vector<std::string>> tshark(const std::string& capture,
                                                    const std::vector<std::string>& fields,
                                                    const std::string& options) {
  std::string command = "timeout 120 tshark -n -r '" + capture + "' --enable-heuristic rlc_udp " + options +
                        " -T fields -E separator='|' -E occurrence=a -E aggregator=';'";
  for (const auto& field : fields) command += " -e " + field;
  std::FILE* pipe = popen((command + " 2>'" + capture + ".log'").c_str(), "r");
  std::string out;
  char chunk[65536];
  for (std::size_t n; pipe != nullptr && (n = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;)
    out.append(chunk, n);
  const int status = pipe == nullptr ? -1 : pclose(pipe);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << "tshark failed (missing? tools/setup installs it): " << command << "; its messages: " << capture
      << ".log";
  if (status == 0) std::remove((capture + ".log").c_str());
  std::vector<std::vector<std::string>> rows;
  for (std::size_t at = 0, end; (end = out.find('\n', at)) != std::string::npos; at = end + 1) {
    auto& row = rows.emplace_back(1);
    for (std::size_t i = at; i < end; ++i) {
      if (out[i] == '|') {
        row.emplace_back();
      } else {
        row.back() += out[i];
      }
    }
  }
  return rows;
}

}  // namespace dp::test
