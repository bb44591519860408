#include "config/notation/strict_json.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "config/notation/words.h"

namespace config {
namespace {

using Json = nlohmann::json;
using Kind = JsonFault::Kind;

// The library's message for a syntax error, without the library's name and with long tokens shortened.
std::string reason_of(const Json::exception& error) {
  constexpr std::size_t kLongest = 240;
  std::string_view text = error.what();
  if (const auto end = text.find("] "); text.starts_with('[') && end != text.npos)
    text.remove_prefix(end + 2);
  return std::string(text.substr(0, kLongest)) + (text.size() > kLongest ? "..." : "");
}

// Makes the document from the parser's events; false from an event stops the parser.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(const JsonBounds& bounds) : bounds_(bounds) {}

  std::variant<Json, JsonFault> result() {
    if (fault_) return std::move(*fault_);
    return std::move(root_);
  }

  bool null() override { return add(nullptr) != nullptr; }
  bool boolean(bool value) override { return add(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return add(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return add(value) != nullptr; }
  bool number_float(number_float_t value, const string_t&) override { return add(value) != nullptr; }
  bool string(string_t& value) override { return add(std::move(value)) != nullptr; }
  bool binary(binary_t& value) override { return add(std::move(value)) != nullptr; }  // not in JSON text

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Open& top = open_.back();
    const auto [at, fresh] = top.value->get_ref<Json::object_t&>().try_emplace(std::move(name));
    top.member = at;
    return fresh || fail(Kind::duplicate, path() + " is given twice; keep one of the two");
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    return fail(Kind::syntax, "not JSON: " + reason_of(error));
  }

 private:
  // A list or object that is still open. `value` is stable: it is the last element or current member of the
  // enclosing one, which does not grow meanwhile.
  struct Open {
    Json* value;
    Json::object_t::iterator member;  // member whose key was read last
  };

  Json* add(Json value) {
    if (++values_ > bounds_.values) {
      fail(Kind::values, fmt::format("more than {} values; send them in parts", bounds_.values));
      return nullptr;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    const Open& top = open_.back();
    if (top.value->is_object()) {
      top.member->second = std::move(value);
      return &top.member->second;
    }
    auto& list = top.value->get_ref<Json::array_t&>();
    if (open_.size() == 1 && list.size() == bounds_.elements) {
      fail(Kind::elements, fmt::format("a list of more than {}; send several", bounds_.elements));
      return nullptr;
    }
    return &list.emplace_back(std::move(value));
  }

  bool open(Json empty) {
    if (open_.size() == bounds_.depth) {
      return fail(Kind::depth,
                  fmt::format("nested deeper than {} levels; nothing here needs that", bounds_.depth));
    }
    Json* const made = add(std::move(empty));
    if (made == nullptr) return false;
    open_.push_back({made, {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  bool fail(Kind kind, std::string text) {
    fault_ = JsonFault{kind, std::move(text)};
    return false;
  }

  // Path of the current member: `params.bearers[3].rate`.
  std::string path() const {
    std::string out;
    for (const Open& one : open_) {
      if (one.value->is_array()) {
        out += fmt::format("[{}]", one.value->size() - 1);
      } else {
        out += (out.empty() ? "" : ".") + shorten(one.member->first);
      }
    }
    return out;
  }

  const JsonBounds& bounds_;
  std::size_t values_ = 0;
  std::vector<Open> open_;
  Json root_;
  std::optional<JsonFault> fault_;
};

}  // namespace

std::variant<Json, JsonFault> parse_json(std::string_view text, const JsonBounds& bounds) {
  Builder builder(bounds);
  Json::sax_parse(text, &builder);
  return builder.result();
}

}  // namespace config
