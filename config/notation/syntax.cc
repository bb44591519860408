#include "config/notation/syntax.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <arpa/inet.h>
#include <fmt/core.h>

#include "config/notation/words.h"

namespace config {
namespace {

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// In `pattern`, `x` stands for a hexadecimal digit.
bool matches(std::string_view text, std::string_view pattern) {
  return text.size() == pattern.size() &&
         std::equal(text.begin(), text.end(), pattern.begin(),
                    [](char c, char p) { return p == 'x' ? is_hex(c) : c == p; });
}

bool is_pci(std::string_view text) {
  return matches(text.substr(0, std::min<std::size_t>(text.size(), 11)), "xxxx:xx:xx.") &&
         text.size() == 12 && text[11] >= '0' && text[11] <= '7';
}

// The kernel's rules for interface names (dev_valid_name).
bool is_interface(std::string_view name) {
  return !name.empty() && name.size() <= 15 && name != "." && name != ".." &&
         std::ranges::none_of(
             name, [](char c) { return c == '/' || c == ':' || static_cast<unsigned char>(c) <= ' '; });
}

dp::Error bad_device(std::string_view hint = {}) { return {std::string(kDeviceForm) + std::string(hint)}; }

constexpr std::array<std::string_view, 4> kDrivers{"af_xdp", "af_packet", "tap", "pcap"};

dp::Error explain_device(std::string_view text, std::string_view driver) {
  const std::string found = shorten(text);
  if (matches(text, "xx:xx.x")) return bad_device("; write 0000:" + found);
  if (driver.size() == text.size() && is_interface(text)) {
    return bad_device(fmt::format("; for an interface write af_xdp:{} or af_packet:{}", found, found));
  }
  return bad_device(did_you_mean(driver, kDrivers));
}

}  // namespace

dp::Result<std::string> parse_device(std::string_view text) {
  if (text == "null" || is_pci(text)) return std::string(text);
  const auto driver = text.substr(0, text.find(':'));
  if (std::ranges::find(kDrivers, driver) == kDrivers.end() || driver.size() == text.size()) {
    return explain_device(text, driver);
  }
  const auto rest = text.substr(driver.size() + 1);
  if (driver == "pcap") {
    const auto comma = rest.find(',');
    const bool two = comma != std::string_view::npos && rest.find(',', comma + 1) == std::string_view::npos;
    const bool zero = rest.find('\0') != std::string_view::npos;
    if (!two || zero || rest == ",") {
      return dp::Error{"two files: pcap:IN,OUT, of which one may be left out: pcap:IN, or pcap:,OUT"};
    }
  } else if (!is_interface(rest)) {
    return dp::Error{"an interface name of 1 to 15 characters without '/', ':' or spaces after " +
                     std::string(driver) + ":"};
  }
  return std::string(text);
}

std::string claimed_by(std::string_view device) {
  if (device.empty() || device == "null") return {};
  if (is_pci(device)) {
    std::string out = "device ";
    for (char c : device) out += c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
  }
  const auto rest = device.substr(device.find(':') + 1);
  if (device.starts_with("pcap:")) {
    const auto written = rest.substr(rest.find(',') + 1);  // two ports may read one capture
    return written.empty() ? std::string() : "file " + std::string(written);
  }
  return "interface " + std::string(rest);
}

dp::Result<std::string> parse_listen(std::string_view text) {
  if (text == "off") return std::string();
  const dp::Error error{std::string(kListenForm)};
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return error;
  const auto digits = text.substr(colon + 1);
  unsigned port = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (code != std::errc{} || end != digits.data() + digits.size() || port < 1 || port > 65535) {
    return dp::Error{error.message + "; a port is a number from 1 to 65535"};
  }
  std::string host(text.substr(0, colon));
  const bool v6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (v6) host = host.substr(1, host.size() - 2);
  std::array<unsigned char, 16> raw;
  if (inet_pton(v6 ? AF_INET6 : AF_INET, host.c_str(), raw.data()) != 1) return error;
  return std::string(text);
}

std::string write_optional(const std::string& text) { return text.empty() ? "off" : text; }

dp::Result<std::string> parse_socket(std::string_view text) {
  const bool fits = !text.empty() && text.size() <= 107 && text.find('\0') == std::string_view::npos;
  return fits ? dp::Result(std::string(text)) : dp::Error{"a " + std::string(kSocketForm)};
}

namespace {

dp::Result<std::string> parse_optional_path(std::string_view text, std::string_view form) {
  if (text == "none") return std::string();
  const bool fits = text.starts_with('/') && text.size() <= 4000 && text.find('\0') == std::string_view::npos;
  return fits ? dp::Result(std::string(text)) : dp::Error{"the " + std::string(form)};
}

}  // namespace

dp::Result<std::string> parse_folder(std::string_view text) { return parse_optional_path(text, kFolderForm); }

dp::Result<std::string> parse_optional_file(std::string_view text) {
  return parse_optional_path(text, kOptionalFileForm);
}

std::string write_folder(const std::string& folder) { return folder.empty() ? "none" : folder; }

dp::Result<std::string> parse_optional_socket(std::string_view text) {
  if (text == "off") return std::string();
  const auto socket = parse_socket(text);
  return socket ? socket : dp::Error{"a " + std::string(kOptionalSocketForm)};
}

dp::Result<std::string> parse_group(std::string_view text) {
  if (text == "none") return std::string();
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-' || c == '$';
  };
  const bool name = !text.empty() && text.size() <= 32 && text[0] != '-' && std::ranges::all_of(text, fits);
  return name ? dp::Result(std::string(text)) : dp::Error{"the " + std::string(kGroupForm)};
}

dp::Result<std::uint32_t> parse_permissions(std::string_view text) {
  const bool octal = (text.size() == 3 || (text.size() == 4 && text[0] == '0')) &&
                     std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '7'; });
  if (!octal) return dp::Error{std::string(kModeForm)};
  std::uint32_t mode = 0;
  for (char c : text) mode = mode * 8 + static_cast<std::uint32_t>(c - '0');
  return mode;
}

std::string write_permissions(const std::uint32_t& mode) {
  std::string out = "0";
  for (unsigned shift : {6u, 3u, 0u}) out += static_cast<char>('0' + (mode >> shift & 7));
  return out;
}

bool is_class_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  });
}

dp::Result<std::string> parse_argument(std::string_view text) {
  const bool good = !text.empty() && text.find('\0') == std::string_view::npos;
  return good ? dp::Result(std::string(text)) : dp::Error{"an argument"};
}

}  // namespace config
