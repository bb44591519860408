// From words of the command line to what the socket takes: quantities, JSON, policies, ACK stages, lists.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/ctl/client.h"

namespace ctl {

// Numbers go as numbers, "64k" and the like as they stand: rncd knows the units.
Json quantity(const std::string& text);

// The check of an option: refuses what is no whole number of the range, and names the range.
CLI::Validator whole_number(std::uint64_t min, std::uint64_t max);

// All of these throw CLI::ValidationError.
Json parsed(const std::string& json);     // nothing is null
Json proxy_of(const std::string& text);   // none, split, or the map that the socket takes
Json queue_of(const std::string& text);   // a kind of queue, or the map that the socket takes
Json aqm_of(const std::string& text);     // a policy, POLICY:PROFILE, or the map that the socket takes
Json tunnel_of(const std::string& text);  // ENDPOINT,TEID[,QFI]; numbers also as 0x11
Json acks_of(const std::string& text);    // names with commas between them, none, or JSON of one or a list

// Bearers of a file, a line each: UE [RATE [UPLINK_RATE]], # comments.
struct ListedBearers {
  std::string path;
  Json bearers;
  std::vector<std::size_t> lines;  // one per bearer

  // The answer to `request`. Rncd names a bearer by its place in the list; a refusal that does so names its
  // line as well.
  template <class Request>
  Json naming_lines(Request request) const {
    try {
      return request();
    } catch (const Refused& refused) {
      throw with_line(refused);
    }
  }

 private:
  Refused with_line(const Refused& refused) const;
};
ListedBearers bearers_of_file(const std::string& path);

// At the first `=`. Throws CLI::ValidationError, with the form that it has.
std::pair<std::string, std::string> split_pair(const std::string& text, const char* form);

// Splits a script's line into words as a shell would: quotes group, a backslash escapes, `#` begins a
// comment. Throws std::invalid_argument when a quote is left open. CLI11's own split_up() knows no comments
// and no escapes outside quotes, takes `a"b c"` for two words, and accepts a quote that is left open.
std::vector<std::string> split_words(const std::string& line);

}  // namespace ctl
