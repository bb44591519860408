// The lists of a family (AQM policies, link models): one of each member's description, for configuration,
// help text and metrics labels, and one of each member's engine, in the same order. A variant to hold any
// member, and walks over all of them.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "dataplane/base/expect.h"

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

  // The results of of(TypeTag<T>) for the members, in list order.
  template <class Of>
  static constexpr auto each(Of&& of) {
    return std::array{of(TypeTag<Ts>{})...};
  }

  // A member in memory of another object: kBytes bytes, aligned by kAlignment. That object keeps the index,
  // for which a variant would spend a word.
  static constexpr std::size_t kBytes = std::max({sizeof(Ts)...});
  static constexpr std::size_t kAlignment = std::max({alignof(Ts)...});
  using Storage = std::array<std::byte, kBytes>;
  // Makes the member that `config` describes, in place of the present one.
  template <class... Args>
  static void put(Storage& storage, const Configs& config, const Args&... args) {
    static_assert((std::is_trivially_destructible_v<Ts> && ...), "nobody destroys what was there");
    DP_EXPECT(reinterpret_cast<std::uintptr_t>(storage.data()) % kAlignment == 0);
    put_at<0>(storage, config, args...);
  }
  // Calls f with the member there. Requires: `index` is that of the config it was made of.
  template <class F>
  static decltype(auto) visit(Storage& storage, std::size_t index, F&& f) {
    return visit_storage<0>(storage, index, f);
  }
  // Requires: it is a T.
  template <class T>
  static T& in(Storage& storage) {
    return *std::launder(reinterpret_cast<T*>(storage.data()));
  }
  template <class T>
  static const T& in(const Storage& storage) {
    return *std::launder(reinterpret_cast<const T*>(storage.data()));
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

  // The member called kNames[index], in a family whose members all take the same settings. Requires:
  // index < kSize.
  template <class... Args>
  static Variant make_named(std::size_t index, const Args&... args) {
    DP_EXPECT(index < kSize);
    return make_named_at<0>(index, args...);
  }

  // Calls f with the variant's member, at an index that the caller keeps: std::visit would read the variant's
  // own index, far behind the member. Requires: index == variant.index().
  template <class F>
  static decltype(auto) visit_at(std::size_t index, Variant& variant, F&& f) {
    return visit_from<0>(index, variant, f);
  }

  // Calls f(TypeTag<T>) for the member called `name`; false when there is none.
  template <class F>
  static constexpr bool visit_named(std::string_view name, F&& f) {
    return ((Ts::kName == name ? (f(TypeTag<Ts>{}), true) : false) || ...);
  }

 private:
  template <std::size_t kAt, class... Args>
  static void put_at(Storage& storage, const Configs& config, const Args&... args) {
    if constexpr (kAt + 1 < kSize) {
      if (config.index() != kAt) return put_at<kAt + 1>(storage, config, args...);
    }
    new (storage.data()) std::variant_alternative_t<kAt, Variant>(*std::get_if<kAt>(&config), args...);
  }
  template <std::size_t kAt, class F>
  static decltype(auto) visit_storage(Storage& storage, std::size_t index, F& f) {
    if constexpr (kAt + 1 < kSize) {
      if (index != kAt) return visit_storage<kAt + 1>(storage, index, f);
    }
    return f(in<std::variant_alternative_t<kAt, Variant>>(storage));
  }
  template <std::size_t kAt, class F>
  static decltype(auto) visit_from(std::size_t index, Variant& variant, F& f) {
    if constexpr (kAt + 1 < kSize) {
      if (index != kAt) return visit_from<kAt + 1>(index, variant, f);
    }
    auto* const held = std::get_if<kAt>(&variant);
    if (held == nullptr) __builtin_unreachable();
    return f(*held);
  }

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

namespace detail {
template <class Engines, class Specs>
struct Runs : std::false_type {};
template <class... Es, class... Ss>
requires(sizeof...(Es) == sizeof...(Ss)) struct Runs<TypeList<Es...>, TypeList<Ss...>>
    : std::bool_constant<(std::derived_from<Es, Ss> && ...)> {
};
}  // namespace detail

// True if each member of `Engines` is the engine of the member of `Specs` at the same index: it inherits
// name, text and settings from it, so that the two lists cannot disagree.
template <class Engines, class Specs>
inline constexpr bool kRuns = dp::detail::Runs<Engines, Specs>::value;

}  // namespace dp
