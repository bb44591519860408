#include "tools/ctl/arguments.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include "config/notation/strict_json.h"

namespace ctl {

Json quantity(const std::string& text) {
  const bool digits = !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == text.npos;
  return digits ? Json(std::stoull(text)) : Json(text);
}

Json parsed(const std::string& text) {
  if (text.empty()) return nullptr;
  auto json = config::parse_json(text);
  if (const auto* fault = std::get_if<config::JsonFault>(&json))
    throw CLI::ValidationError("JSON", fault->text);
  return std::get<Json>(std::move(json));
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  if (path != "-" && !file) throw CLI::ValidationError(path, "cannot be read");
  auto& input = path == "-" ? std::cin : file;
  return {std::istreambuf_iterator<char>(input), {}};
}

Json queue_of(const std::string& text) { return text.starts_with('{') ? parsed(text) : Json(text); }

Json proxy_of(const std::string& text) { return text.starts_with('{') ? parsed(text) : Json(text); }

Json aqm_of(const std::string& text) {
  if (text.starts_with('{')) return parsed(text);
  const auto colon = text.find(':');
  if (colon == std::string::npos) return text;
  return {{text.substr(0, colon), {{"profile", text.substr(colon + 1)}}}};
}

Json bearers_of_file(const std::string& path) {
  Json list = Json::array();
  std::istringstream lines(text_of_file(path));
  for (std::string line; std::getline(lines, line);) {
    const auto words = split_words(line);
    if (words.empty()) continue;
    if (words.size() > 3) {
      throw CLI::ValidationError(path, "found '" + line + "', expected UE [RATE [UPLINK_RATE]]");
    }
    Json one{{"bearer", words[0]}};
    if (words.size() > 1) one["rate"] = quantity(words[1]);
    if (words.size() > 2) one["uplink_rate"] = quantity(words[2]);
    list.push_back(std::move(one));
  }
  return list;
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
