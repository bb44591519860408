// From words of the command line to what the socket takes: quantities, JSON, policies, ACK stages, files.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tools/ctl/client.h"

namespace ctl {

// Numbers go as numbers, "64k" and the like as they stand: rncd knows the units.
Json quantity(const std::string& text);

// All of these throw CLI::ValidationError.
Json parsed(const std::string& json);               // nothing is null
std::string text_of_file(const std::string& path);  // - is standard input
Json bearers_of_file(const std::string& path);      // a line each: UE [RATE [UPLINK_RATE]], # comments
Json proxy_of(const std::string& text);             // none, split, or the map that the socket takes
Json queue_of(const std::string& text);             // a kind of queue, or the map that the socket takes
Json aqm_of(const std::string& text);   // a policy, POLICY:PROFILE, or the map that the socket takes
Json acks_of(const std::string& text);  // names with commas between them, none, or JSON of one or a list

// At the first `=`. Throws CLI::ValidationError, with the form that it has.
std::pair<std::string, std::string> split_pair(const std::string& text, const char* form);

// Splits a script's line into words as a shell would: quotes group, a backslash escapes, `#` begins a
// comment. Throws std::invalid_argument when a quote is left open.
std::vector<std::string> split_words(const std::string& line);

}  // namespace ctl
