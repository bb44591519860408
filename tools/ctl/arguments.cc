#include "tools/ctl/arguments.h"

#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "config/notation/strict_json.h"
#include "config/notation/words.h"
#include "tools/ctl/input.h"

namespace ctl {

Json quantity(const std::string& text) {
  const bool digits = !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == text.npos;
  return digits ? Json(std::stoull(text)) : Json(text);
}

CLI::Validator whole_number(std::uint64_t min, std::uint64_t max) {
  const std::string range = std::to_string(min) + " to " + std::to_string(max);
  const auto check = [=](const std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    const bool good = error == std::errc() && at == end && value >= min && value <= max;
    return good ? std::string()
                : "found '" + config::shorten(text) + "', expected a whole number from " + range;
  };
  return {check, range, "whole number"};
}

Json parsed(const std::string& text) {
  if (text.empty()) return nullptr;
  auto json = config::parse_json(text);
  if (const auto* fault = std::get_if<config::JsonFault>(&json))
    throw CLI::ValidationError("JSON", fault->text);
  return std::get<Json>(std::move(json));
}

Json queue_of(const std::string& text) { return text.starts_with('{') ? parsed(text) : Json(text); }

Json proxy_of(const std::string& text) { return text.starts_with('{') ? parsed(text) : Json(text); }

Json aqm_of(const std::string& text) {
  if (text.starts_with('{')) return parsed(text);
  const auto colon = text.find(':');
  if (colon == std::string::npos) return text;
  return {{text.substr(0, colon), {{"profile", text.substr(colon + 1)}}}};
}

ListedBearers bearers_of_file(const std::string& path) {
  const std::string what = "a list of lines UE [RATE [UPLINK_RATE]]";
  ListedBearers listed{path, Json::array(), {}};
  std::istringstream lines(text_of_file(path, what));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = path + ":" + std::to_string(++number);
    std::vector<std::string> words;
    try {
      words = split_words(line);
    } catch (const std::invalid_argument& open) {
      throw CLI::ValidationError(where, open.what());
    }
    if (words.empty()) continue;
    if (words.size() > 3) {
      throw CLI::ValidationError(where,
                                 "found '" + config::shorten(line) + "', expected UE [RATE [UPLINK_RATE]]");
    }
    Json one{{"bearer", words[0]}};
    if (words.size() > 1) one["rate"] = quantity(words[1]);
    if (words.size() > 2) one["uplink_rate"] = quantity(words[2]);
    listed.bearers.push_back(std::move(one));
    listed.lines.push_back(number);
  }
  if (listed.lines.empty()) throw CLI::ValidationError(path, "names no bearer, expected " + what);
  return listed;
}

Refused ListedBearers::with_line(const Refused& refused) const {
  const auto named = [this](const std::string& sentence) {
    constexpr std::string_view kList = "bearers[";
    const auto at = sentence.find(kList);
    std::size_t index = lines.size();
    if (at != sentence.npos) {
      const char* const digits = sentence.data() + at + kList.size();
      std::from_chars(digits, sentence.data() + sentence.size(), index);
    }
    return index < lines.size() ? path + ":" + std::to_string(lines[index]) + ": " + sentence : sentence;
  };
  Refused told(named(refused.what()), refused.data, refused.code);
  if (told.data.is_object() && told.data.contains("problems")) {
    for (Json& problem : told.data["problems"]) problem = named(problem.get<std::string>());
  }
  return told;
}

Json tunnel_of(const std::string& text) {
  const auto fail = [&](const std::string& found) {
    throw CLI::ValidationError("tunnel", "found '" + config::shorten(found) +
                                             "', expected ENDPOINT,TEID[,QFI] as in 192.0.2.12,0x22,9");
  };
  std::vector<std::string> words;
  std::istringstream parts(text);
  for (std::string word; std::getline(parts, word, ',');) words.push_back(word);
  if (words.size() < 2 || words.size() > 3 || text.ends_with(',')) fail(text);
  Json tunnel{{"endpoint", words[0]}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool hex = words[i].starts_with("0x") || words[i].starts_with("0X");
    const char* const end = words[i].data() + words[i].size();
    std::uint64_t value = 0;
    const auto [at, error] = std::from_chars(words[i].data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
    if (error != std::errc() || at != end) fail(words[i]);
    tunnel[i == 1 ? "teid" : "qfi"] = value;
  }
  return tunnel;
}

Json acks_of(const std::string& text) {
  if (text.starts_with('[')) return parsed(text);
  if (text.starts_with('{')) return Json::array({parsed(text)});
  Json list = Json::array();
  std::istringstream names(text == "none" ? "" : text);
  for (std::string name; std::getline(names, name, ',');) list.push_back(name);
  return list;
}

std::pair<std::string, std::string> split_pair(const std::string& text, const char* form) {
  const auto at = text.find('=');
  if (at == 0 || at == text.npos) throw CLI::ValidationError(text, std::string("expected ") + form);
  return {text.substr(0, at), text.substr(at + 1)};
}

std::vector<std::string> split_words(const std::string& line) {
  std::vector<std::string> words;
  bool open = false;  // a word has begun, be it empty
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool space = c == ' ' || c == '\t' || c == '\r';
    if (quote == 0 && !open && c == '#') break;
    if (quote == 0 && space) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw std::invalid_argument(std::string("a quote is left open: ") + quote);
  return words;
}

}  // namespace ctl
