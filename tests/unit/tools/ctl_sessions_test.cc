// Sessions that a core has told rncd-told, as rncctl shows them.
#include <gtest/gtest.h>

#include "tests/support/fake_caller.h"

namespace ctl {
namespace {

// A page with a session that is applied, and one that is not.
struct SessionCaller : FakeCaller {
  Json call(const std::string& method, const Json& params) override {
    FakeCaller::call(method, params);
    return Json::parse(R"({"items": [
        {"ue": "10.45.0.2", "source": "radius", "peer": "192.0.2.1", "state": "applied", "since_seconds": 61,
         "told": {"downlink": 20000000, "uplink": null}, "applied": {"downlink": 20000000, "uplink": 5000000},
         "why": null},
        {"ue": "10.45.0.3", "source": "radius", "peer": "192.0.2.1", "state": "refused", "since_seconds": 2,
         "told": {"downlink": 8000000, "uplink": 8000000}, "applied": null,
         "why": "class: no class \"gold\""}], "next": null})");
  }
};

TEST(SessionList, ARowHasWhatWasToldAndAppliedAndWhyNot) {
  SessionCaller caller;
  const std::string out = shown(caller, {"show", "sessions"}).out;
  EXPECT_NE(out.find("10.45.0.2"), std::string::npos);
  EXPECT_NE(out.find("20M"), std::string::npos) << out;
  EXPECT_NE(out.find("class: no class \"gold\""), std::string::npos) << out;
}

TEST(SessionList, ItAsksTheSocketOfRncdToldUnlessAnotherIsGiven) {
  const Command sessions = parse({"show", "sessions"});
  ASSERT_NE(sessions.socket, nullptr);
  EXPECT_STREQ(sessions.socket, "/run/rncd-told/told.sock");
  EXPECT_EQ(parse({"show", "bearers"}).socket, nullptr);
}

}  // namespace
}  // namespace ctl
