// Parsers for text with its own syntax. An error completes the sentence "expected ...".
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "dataplane/base/result.h"

namespace config {

inline constexpr std::string_view kDeviceForm =
    "af_xdp:IF, af_packet:IF, tap:NAME, pcap:IN,OUT, null, or a PCI address such as 0000:03:00.0";
dp::Result<std::string> parse_device(std::string_view text);
// The resource of a device that two ports cannot share: "interface eth1", "file out.pcap"; empty for `null`.
std::string claimed_by(std::string_view device);

inline constexpr std::string_view kListenForm = "ADDRESS:PORT such as 127.0.0.1:9464 or [::1]:9464, or off";
dp::Result<std::string> parse_listen(std::string_view text);  // empty: off

inline constexpr std::string_view kSocketForm = "path of at most 107 bytes";
dp::Result<std::string> parse_socket(std::string_view text);

inline constexpr std::string_view kFolderForm = "absolute path of a directory, or none";
dp::Result<std::string> parse_folder(std::string_view text);  // empty: none
std::string write_folder(const std::string& folder);
inline constexpr std::string_view kOptionalFileForm = "absolute path of a file, or none";
dp::Result<std::string> parse_optional_file(std::string_view text);  // empty: none; written like a folder
inline constexpr std::string_view kOptionalSocketForm = "path of at most 107 bytes, or off";
dp::Result<std::string> parse_optional_socket(std::string_view text);  // empty: off
std::string write_optional(const std::string& text);

inline constexpr std::string_view kModeForm = "octal permissions from \"0000\" to \"0777\"";
dp::Result<std::uint32_t> parse_permissions(std::string_view text);
std::string write_permissions(const std::uint32_t& mode);

inline constexpr std::string_view kGroupForm = "name or number of a group, or none";
dp::Result<std::string> parse_group(std::string_view text);  // empty: none; written like a folder

inline constexpr std::string_view kNameForm = "1 to 64 of A-Z a-z 0-9 _ . -";
bool is_class_name(std::string_view text);

dp::Result<std::string> parse_argument(std::string_view text);
// Accepts every text.
inline dp::Result<std::string> any_text(std::string_view text) { return std::string(text); }
inline std::string write_text(const std::string& text) { return text; }

}  // namespace config
