// The parameters of the methods, as rows: the text of rpc.methods, the check for unknown names and the ranges
// of integers come from them. Settings of bearers are rows of the configuration's tables (config/schema.h).
// Tests: tests/unit/control/rpc/params_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/model.h"

namespace control::rpc {

enum class Need : std::uint8_t {
  must,
  may,
  either,  // one of the adjacent rows that are `either` too
};

struct Integers {
  std::uint64_t min, max;
  std::optional<std::uint64_t> usual = {};  // used when it is not given and need not be
};

struct Row {
  std::string_view name;
  Need need = Need::must;
  std::string_view form = {};  // the value's form in the text; empty if the name explains it
  std::optional<Integers> integers = {};
};

using Rows = std::span<const Row>;

// {"ue", "limit"?: 1 to 1000, default 100}
std::string text_of(Rows rows);

inline constexpr Row kUe{"ue"};
inline constexpr Row kLimit{"limit", Need::may, {}, Integers{1, 1000, 100}};
inline constexpr std::string_view kRateForm = R"("2M" or bit/s)";
inline constexpr std::string_view kGateForm = R"("open", "hold" or "closed")";
inline constexpr std::string_view kProxyForm = R"("none" or {"split": {...}})";
inline constexpr std::string_view kYesForm = "true or false";

// The rows of both.
template <std::size_t kCount, std::size_t kMore>
constexpr std::array<Row, kCount + kMore> join(const std::array<Row, kCount>& rows,
                                               const std::array<Row, kMore>& more) {
  std::array<Row, kCount + kMore> all{};
  std::copy(rows.begin(), rows.end(), all.begin());
  std::copy(more.begin(), more.end(), all.begin() + kCount);
  return all;
}

inline constexpr std::array<Row, 0> kNothing{};
// Beside a UE: its dedicated bearer; without them its default one.
inline constexpr Row kQfi{"qfi", Need::may, "0 to 63"};
inline constexpr std::string_view kTeidForm = R"("0x21" or 33)";
inline constexpr Row kTeid{"teid", Need::may, kTeidForm};
inline constexpr Row kOwner{"owner", Need::may, "name of a program"};
inline constexpr std::array kOneUe{kUe, kQfi, kTeid};
inline constexpr std::array kRelease{Row{"ue", Need::either},
                                     Row{"ues", Need::either, R"([UE or {"ue", "qfi"?, "teid"?}, ...])"},
                                     kQfi, kTeid};
inline constexpr std::array kRemoval{Row{"ue", Need::either},
                                     Row{"ues", Need::either, R"([UE or {"ue", "qfi"?, "teid"?}, ...])"},
                                     kQfi, kTeid, kOwner};
inline constexpr std::array kBearerMove{kUe, kQfi, kTeid,
                                        Row{"worker", Need::must, {}, Integers{0, config::kMaxWorkers - 1}}};
inline constexpr std::array kOneBearer{kUe,
                                       kQfi,
                                       kTeid,
                                       Row{"downlink_teid", Need::may, kTeidForm},
                                       Row{"class", Need::may},
                                       Row{"cell", Need::may},
                                       Row{"downlink", Need::may, "{...}"},
                                       Row{"uplink", Need::may, "{...}"},
                                       Row{"proxy", Need::may, kProxyForm},
                                       Row{"tunnel", Need::may, R"({"downlink"?, "uplink"?, "handover"?})"}};
inline constexpr std::array kBearerTunnel{Row{"downlink", Need::may, "{...}"},
                                          Row{"uplink", Need::may, "{...}"},
                                          Row{"handover", Need::may, R"("keep", "rewrite" or "send")"}};
inline constexpr std::array kOneTunnel{Row{"endpoint"}, Row{"teid", Need::must, {}, Integers{1, 0xffff'ffff}},
                                       Row{"qfi", Need::may, {}, Integers{0, 63}}};
inline constexpr std::array kManyBearers{Row{"bearers", Need::must, "[...]"}};
inline constexpr std::uint64_t kMostSecondsKept = 31 * 86400;
// The keeper of the bearers that are set.
inline constexpr std::array kKeeping{kOwner, Row{"ttl", Need::may, {}, Integers{1, kMostSecondsKept}},
                                     Row{"generation", Need::may, {}, Integers{0, ~std::uint64_t{0}, 0}}};
inline constexpr auto kSetOne = join(kOneBearer, kKeeping);
inline constexpr auto kSetMany = join(kManyBearers, kKeeping);
inline constexpr std::array kBearerList{Row{"class", Need::may}, kOwner, Row{"cursor", Need::may}, kLimit,
                                        Row{"members", Need::may, R"(["class", "downlink.rate", ...])"}};
inline constexpr std::array kBearerTop{
    Row{"by", Need::may, R"("rate", "used", "queue", "delay", "drops" or "marks")"},
    Row{"direction", Need::may, R"("downlink" or "uplink")"},
    Row{"reverse", Need::may, kYesForm},
    Row{"class", Need::may},
    Row{"prefix", Need::may, "address or prefix"},
    Row{"limit", Need::may, {}, Integers{1, 100, 20}}};
inline constexpr std::array kCellList{Row{"cursor", Need::may}, kLimit};
inline constexpr std::array kFlowList{kUe, kQfi, kTeid,
                                      Row{"cursor", Need::may, {}, Integers{0, 0xffffffff, 0}}, kLimit};
inline constexpr std::array kTunnelList{
    Row{"ue", Need::may},     kQfi,  kTeid, Row{"peer", Need::may, "address or prefix"},
    Row{"cursor", Need::may}, kLimit};
inline constexpr std::array kEventList{Row{"after", Need::may, {}, Integers{0, ~std::uint64_t{0}}},
                                       Row{"cursor", Need::may, {}, Integers{0, ~std::uint64_t{0}}},
                                       Row{"event", Need::may},
                                       Row{"level", Need::may, R"("debug", "info", "warning" or "error")"},
                                       Row{"about", Need::may, "UE, port, class, cell or another word"},
                                       kLimit};
inline constexpr std::array kRrc{
    Row{"bearers", Need::either, R"([UE or {"bearer", ...}, ...])"},
    Row{"class", Need::either},
    Row{"bearer", Need::either},
    kQfi,
    kTeid,
    Row{"rate", Need::may, kRateForm},
    Row{"direction", Need::may, R"("downlink", "uplink" or "both")"},
    Row{"uplink_rate", Need::may, kRateForm},
    Row{"aqm", Need::may, "{...}"},
    Row{"uplink_aqm", Need::may, "{...}"},
    Row{"gate", Need::may, kGateForm},
    Row{"uplink_gate", Need::may, kGateForm},
    Row{"queue", Need::may, "{...}"},
    Row{"ack", Need::may, "[...]"},
    Row{"proxy", Need::may, kProxyForm},
};
inline constexpr Rows kRrcOfOne = Rows(kRrc).subspan(2);  // the rows of an entry of `bearers` too
inline constexpr std::array kProfileGet{Row{"policy", Need::may}, Row{"name", Need::may},
                                        Row{"rate", Need::may, kRateForm}};
inline constexpr Row kCell{"cell"};
inline constexpr std::array kRelocate{kUe, kQfi, kTeid, kCell};
inline constexpr std::array kOneCell{kCell};
inline constexpr auto kCellOf = dp::CellSettings::kFields.apply([](const auto&... field) {
  return std::array{kCell, Row{"scheduler", Need::may, R"(NAME or {NAME: {...}})"},
                    Row{field.name, Need::may}...};
});
inline constexpr std::array kCellReport{kCell, Row{"rates", Need::must, R"([{"ue", "rate"}, ...])"}};
inline constexpr std::array kOneRate{kUe, kQfi, kTeid, Row{"rate", Need::must, kRateForm}};
inline constexpr std::array kModeSet{Row{"mode", Need::must, R"("inline", "tap", "bypass" or "block")"},
                                     Row{"now", Need::may, kYesForm}};
inline constexpr std::array kProxyDrain{
    Row{"class", Need::either},     Row{"ue", Need::either}, Row{"all", Need::either, "true"}, kQfi, kTeid,
    Row{"off", Need::may, kYesForm}};
inline constexpr std::array kCaptureStart{Row{"ue", Need::either},
                                          Row{"port", Need::either, R"("core" or "radio")"},
                                          Row{"drops", Need::either, "true"},
                                          Row{"cell", Need::either},
                                          Row{"seconds", Need::may, {}, Integers{1, 3600, 10}},
                                          Row{"frames", Need::may, {}, Integers{1, ~std::uint64_t{0}}},
                                          Row{"snaplen", Need::may, {}, Integers{64, 65535, 128}},
                                          Row{"filter", Need::may, "[[code, jt, jf, k], ...]"}};
inline constexpr std::array kOneCapture{Row{"id", Need::must, {}, Integers{1, ~std::uint64_t{0}}}};
inline constexpr Row kConfigRow{"config", Need::either, "YAML text"};
inline constexpr Row kUploadRow{"upload", Need::either, {}, Integers{1, ~std::uint64_t{0}}};
inline constexpr std::array kConfigUpload{Row{"text", Need::must, "YAML text, at most 1 MiB"},
                                          Row{"upload", Need::may, {}, Integers{1, ~std::uint64_t{0}}}};
inline constexpr std::array kConfigCheck{kConfigRow, kUploadRow};
inline constexpr std::array kConfigDiff{kConfigRow, kUploadRow};
inline constexpr std::array kConfigApply{
    kConfigRow, kUploadRow, Row{"confirm", Need::may, {}, Integers{1, 86400}}, Row{"file", Need::may}};
inline constexpr std::array kUpgrade{Row{"program", Need::must, "absolute path"}};

}  // namespace control::rpc
