#include "config/print.h"

#include "config/aqm.h"
#include "config/leg.h"
#include "config/proxy.h"
#include "config/schema.h"

namespace config {

nlohmann::json to_json(const Config& config) { return nlohmann::json(print_config(config)); }
nlohmann::json to_json(const dp::AqmConfig& aqm) { return nlohmann::json(print_aqm_values(aqm)); }
nlohmann::json to_json(const std::optional<dp::SplitConfig>& proxy) {
  return nlohmann::json(ProxyKind{}.print(proxy));
}
nlohmann::json to_json(const dp::LegSettings& leg) { return nlohmann::json(print_leg(leg)); }

}  // namespace config
