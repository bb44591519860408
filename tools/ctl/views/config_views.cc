// Views of configurations that were handed over.
#include <string>

#include "tools/ctl/members.h"
#include "tools/ctl/views.h"

namespace ctl::views {
namespace {

std::string told(const Json& value) { return value.is_null() ? "none" : plain(value); }

// "3 new, 1 removed, 2 changed", and the first of them, a line each.
std::string many(const Json& list, const char* what) {
  const auto of = [&](const char* how) {
    return look(list, how).is_number() ? look(list, how).get<std::uint64_t>() : 0;
  };
  const std::uint64_t all = of("/new") + of("/removed") + of("/changed");
  if (all == 0) return "";
  std::string text = std::string(what) + ": " + count(list, "/new") + " new, " + count(list, "/removed") +
                     " removed, " + count(list, "/changed") + " changed\n";
  const Json& first = look(list, "/first");
  for (const Json& one : first) text += "  " + plain(one) + "\n";
  if (first.size() < all) text += "  and " + count_text(all - first.size()) + " more\n";
  return text;
}

}  // namespace

std::string applied(const Json& result) {
  std::string text = changed(result);
  if (const Json& kept = look(result, "/kept"); kept.is_array()) {
    for (const Json& why : kept) text += "kept: " + why.get<std::string>() + "\n";
  }
  if (const Json& seconds = look(result, "/confirm_within"); seconds.is_number()) {
    text += "what ran before comes back in " + seconds.dump() + " s, unless: rncctl confirm\n";
  }
  if (result.contains("rolled_back")) text += "what ran before is back\n";
  return text;
}

std::string difference(const Json& result) {
  std::string text;
  for (const Json& one : look(result, "/keys")) {
    text += text_at(one, "/key") + ": " + told(look(one, "/was")) + " to " + told(look(one, "/now")) + "\n";
  }
  if (look(result, "/more_keys") != 0) text += "and " + count(result, "/more_keys") + " more keys\n";
  text += many(look(result, "/bearers"), "bearers") + many(look(result, "/rules"), "learning rules");
  for (const Json& path : look(result, "/kept")) {
    text += "kept: " + plain(path) + ", which cannot change while rncd runs; restart it\n";
  }
  return text.empty() ? "nothing would change\n" : text;
}

std::string checked(const Json& result) {
  std::string text;
  for (const auto& error : look(result, "/errors")) {
    text +=
        text_at(error, "/line") + ":" + text_at(error, "/column") + ": " + text_at(error, "/message") + "\n";
  }
  if (text.empty()) text = "the configuration is good\n";
  for (const auto& trace : look(result, "/unopened")) {
    text += "not looked at: the error trace " + trace.get<std::string>() + "\n";
  }
  return text;
}

}  // namespace ctl::views
