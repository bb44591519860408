#include "control/told/daemon/mirror_feed.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "control/told/pfcp/pfcp_source.h"
#include "control/told/session_table.h"

namespace control::told {
namespace {

// Frames of an interface are for tests/system/told/test_told.py, which has one.
TEST(MirrorFeed, ThrowsWhyAnInterfaceCannotBeCaptured) {
  SessionTable table(1);
  PfcpSource source(PfcpSettings{}, table.sink_of("pfcp"));
  try {
    MirrorFeed feed("no-such-port", 8805, source);
    FAIL() << "there is no such interface";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()).find("cannot capture on no-such-port: "), 0u) << error.what();
  }
}

}  // namespace
}  // namespace control::told
