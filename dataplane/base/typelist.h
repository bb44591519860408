// The one list of a family (AQM policies, link models): a variant to hold any member, and walks over all of
// them for configuration, help text, metrics labels and contract tests.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

namespace dp {

template <class T>
struct TypeTag {
  using type = T;
};

template <class... Ts>
struct TypeList {
  using Variant = std::variant<Ts...>;
  using Configs = std::variant<typename Ts::Config...>;  // same order as Variant
  static constexpr std::size_t kSize = sizeof...(Ts);
  static constexpr std::array<std::string_view, kSize> kNames{Ts::kName...};

  // f(TypeTag<T>) for each member, in list order.
  template <class F>
  static constexpr void for_each(F&& f) {
    (f(TypeTag<Ts>{}), ...);
  }

  // The member that `config` describes.
  template <class... Args>
  static Variant make(const Configs& config, const Args&... args) {
    return make_at<0>(config, args...);
  }

  // Its place in the list; kSize for an unknown name.
  static constexpr std::size_t index_of(std::string_view name) {
    std::size_t at = 0;
    while (at < kSize && kNames[at] != name) ++at;
    return at;
  }

  // The member called kNames[index], in a family whose members all take the same settings.
  template <class... Args>
  static Variant make_named(std::size_t index, const Args&... args) {
    return make_named_at<0>(index, args...);
  }

  // Calls f(TypeTag<T>) for the member called `name`; false when there is none.
  template <class F>
  static constexpr bool visit_named(std::string_view name, F&& f) {
    return ((Ts::kName == name ? (f(TypeTag<Ts>{}), true) : false) || ...);
  }

 private:
  template <std::size_t kAt, class... Args>
  static Variant make_at(const Configs& config, const Args&... args) {
    if constexpr (kAt + 1 < kSize) {
      if (config.index() != kAt) return make_at<kAt + 1>(config, args...);
    }
    return Variant{std::in_place_index<kAt>, *std::get_if<kAt>(&config), args...};
  }

  template <std::size_t kAt, class... Args>
  static Variant make_named_at(std::size_t index, const Args&... args) {
    if constexpr (kAt + 1 < kSize) {
      if (index != kAt) return make_named_at<kAt + 1>(index, args...);
    }
    return Variant{std::in_place_index<kAt>, args...};
  }
};

}  // namespace dp
