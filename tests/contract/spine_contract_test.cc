// The table of contents of each spine names the files of its folder, no more and no fewer.
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "dataplane/downlink/downlink.h"
#include "dataplane/uplink/uplink.h"

namespace dp {
namespace {

template <std::size_t N>
void expect_folder_holds(const std::string& folder, const std::array<std::string_view, N>& stages) {
  std::set<std::string> expected{folder};
  for (std::string_view stage : stages) expected.emplace(stage);
  std::set<std::string> found;
  const auto path = std::filesystem::path(RNCD_SOURCE_ROOT) / "dataplane" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) found.insert(entry.path().stem());
  EXPECT_EQ(found, expected);
}

TEST(Spine, DownlinkTableOfContentsMatchesItsFolder) { expect_folder_holds("downlink", downlink::kStages); }
TEST(Spine, UplinkTableOfContentsMatchesItsFolder) { expect_folder_holds("uplink", uplink::kStages); }

}  // namespace
}  // namespace dp
