#include "tools/ctl/views.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "tools/common/table.h"
#include "tools/ctl/members.h"

namespace ctl::views {
namespace {

using tools::Table;

// A row for each point, and one for the rate in the request.
std::string profile(const Json& one) {
  const Json points = look(one, "/points");
  if (!points.is_array() || points.empty()) return "";
  Table::Row head;
  for (const auto& [key, value] : points.front().items()) head.push_back(">" + key);
  Table table(head);
  const auto add = [&](const Json& values, const std::string& at) {
    Table::Row row;
    for (const auto& [key, value] : points.front().items()) {
      row.push_back(key == "rate" && !at.empty() ? at : text_at(values, ("/" + key).c_str()));
    }
    table.add(row);
  };
  for (const auto& point : points) add(point, "");
  if (one.contains("values")) add(one["values"], "at " + rate(one, "/rate"));
  return text_at(one, "/policy") + " " + text_at(one, "/name") + " (" + text_at(one, "/source") + "; rtt " +
         text_at(one, "/rtt") + ")\n" + table.text({.width = tools::kTerminal}) + "\n";
}

}  // namespace

std::string profiles(const Json& result) {
  std::string text;
  const Json list = look(result, "/items");
  for (const auto& one : list) text += profile(one);
  return (text.empty() ? "no profiles\n" : text) + tools::wrapped(text_at(result, "/rule")) + "\n";
}

std::string mode(const Json& mode) {
  return "mode " + text_at(mode, "/mode") + ", frames of no bearer: " + text_at(mode, "/unknown") + "\n";
}

std::string methods(const Json& result) {
  constexpr std::size_t kIndent = 4;
  std::string text;
  for (const auto& one : look(result, "/items")) {
    const std::string doc = std::string(kIndent, ' ') + text_at(one, "/doc") +
                            (look(one, "/read_only") == true ? "; also on the read-only socket" : "");
    text +=
        tools::wrapped(text_at(one, "/name") + " " + text_at(one, "/params"), tools::kTerminal, 2 * kIndent) +
        "\n" + tools::wrapped(doc, tools::kTerminal, kIndent) + "\n";
  }
  return text;
}

std::string document(const Json& any) { return any.dump(2) + "\n"; }

std::string fields(const Json& object) {
  if (!object.is_object()) return plain(object) + "\n";
  std::string text;
  for (const auto& [name, value] : object.items()) text += name + " " + plain(value) + "\n";
  return text;
}

std::string changed(const Json& result) {
  std::string tunnels;
  const Json told = look(result, "/tunnels");
  for (const auto& [effect, number] : told.items()) {
    if (number != 0) tunnels += (tunnels.empty() ? "tunnels: " : ", ") + plain(number) + " " + effect;
  }
  return count(result, "/created") + " created, " + count(result, "/changed") + " changed, " +
         count(result, "/unchanged") + " unchanged" +
         (look(result, "/kept") > 0 ? ", " + count(result, "/kept") + " kept by others" : "") + "\n" +
         (tunnels.empty() ? "" : tunnels + "\n");
}

namespace {

// The changes beside the rates, which have their own words in the answer to a request for rates.
std::string other_changes(const Json& legs, bool rates_told) {
  std::string text;
  if (!legs.is_object()) return text;
  for (const auto& [leg, keys] : legs.items()) {
    for (const auto& [key, values] : keys.items()) {
      if (rates_told && key == "rate") continue;
      const Json& was = look(values, "/was");
      const Json& now = look(values, "/now");
      text += (text.empty() ? "" : "; ") + leg + " " + key + " " + (now.is_null() ? "none" : plain(now)) +
              ", was " + (was.is_null() ? "none" : plain(was));
    }
  }
  return text;
}

}  // namespace

std::string reconfigured(const Json& result) {
  if (!result.contains("bearer")) {
    return count(result, "/changed") + " changed, " + count(result, "/unchanged") + " unchanged, " +
           count(result, "/lost") + " frames lost, in " +
           number(look(result, "/seconds"),
                  [](double s) {
                    return count_text(static_cast<std::uint64_t>(std::llround(s * 1000))) + " ms";
                  }) +
           "\n";
  }
  const bool rates = result.contains("rate");
  std::string text = name_of(look(result, "/bearer"), result);
  if (rates) {
    text += " " + text_at(result, "/direction") + " " + rate(result, "/rate") + ", was " +
            rate(result, "/was") +
            (result.contains("uplink_was") ? " down, " + rate(result, "/uplink_was") + " up" : "");
  }
  const std::string others = other_changes(look(result, "/changed"), rates);
  if (!others.empty()) return text + (rates ? "; " : " ") + others + "\n";
  return text + (rates ? "\n" : " unchanged\n");
}

}  // namespace ctl::views
