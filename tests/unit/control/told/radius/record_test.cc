#include "control/told/radius/record.h"

#include <gtest/gtest.h>

#include "tests/support/told/memory_sink.h"

namespace control::told::radius {
namespace {

Record record_of(std::uint64_t serial, const std::string& user) {
  Record record;
  record.serial = serial;
  record.acct_session_id = std::to_string(serial);
  record.user = user;
  record.session.ues = {test::ue("10.45.0.2")};
  return record;
}

TEST(RadiusNameIndex, FindsRecordsByEachOfTheirNamesTheOldestFirst) {
  NameIndex index;
  Record first = record_of(1, "ada"), second = record_of(2, "bob");
  index.add(second);
  index.add(first);
  using Found = std::vector<Record*>;
  EXPECT_EQ(index.find(name_of(test::ue("10.45.0.2")), 9), (Found{&first, &second}));
  EXPECT_EQ(index.find(name_of(test::ue("10.45.0.2")), 1), (Found{&first}));
  EXPECT_EQ(index.find(name_of_user("bob"), 9), (Found{&second}));
  EXPECT_EQ(index.find(name_of_acct_session("1"), 9), (Found{&first}));
  EXPECT_EQ(index.find(name_of_station("bob"), 9), Found{});
}

TEST(RadiusNameIndex, ARemovedRecordLeavesNothing) {
  NameIndex index;
  Record record = record_of(1, "ada");
  record.station = "49170";
  record.imsi = "00101";
  index.add(record);
  EXPECT_EQ(index.size(), 5u);
  index.remove(record);
  EXPECT_EQ(index.size(), 0u);
}

TEST(RadiusRecord, FitsARequestThatNamesNothingElse) {
  const Record record = record_of(1, "ada");
  Told told;
  EXPECT_TRUE(record.fits(told));
  told.user = "ada";
  told.ues = {test::ue("10.45.0.2")};
  EXPECT_TRUE(record.fits(told));
  told.imsi = "00101";
  EXPECT_FALSE(record.fits(told));
}

}  // namespace
}  // namespace control::told::radius
