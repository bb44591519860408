#include "control/host/preflight.h"

#include <gtest/gtest.h>

#include "config/json.h"
#include "control/host/sizing.h"
#include "dataplane/link/am/radio_link.h"
#include "dataplane/link/um/radio_link.h"
#include "dataplane/split/proxy.h"

namespace control {
namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;

class PreflightTest : public ::testing::Test {
 protected:
  PreflightTest() {
    settings.devices = {"af_packet:d0", "af_xdp:d1"};
    settings.huge_pages = false;
    settings.memory_bytes = 100 * kMebi;
    settings.cpus = {0, 1};
    for (PortFacts& port : host.ports) {
      port.interface = {.exists = true, .up = true, .driver = "veth", .mtu = 1500, .gives_vlan_tags = true};
    }
    host.capabilities = {true, true, true, true, true, true};
    host.memory_available = 1000 * kMebi;
    host.huge_page_size = 2 * kMebi;
    host.cpus = {0, 1};
    host.kernel = "6.1.0-18-amd64";
  }
  InterfaceFacts& core() { return host.ports[0].interface; }
  InterfaceFacts& radio() { return host.ports[1].interface; }
  Judgement judged() const { return judge(settings, estimate, host); }
  // But for the one that every af_packet port has.
  std::vector<std::string> hints() const {
    std::vector<std::string> all = judged().hints;
    std::erase_if(all,
                  [](const std::string& text) { return text.find("reassemble IPv4") != std::string::npos; });
    return all;
  }
  std::string only() const {
    const Judgement judgement = judged();
    EXPECT_EQ(judgement.complaints.size(), 1u);
    return judgement.complaints.empty() ? "" : judgement.complaints[0].text;
  }
  // The one complaint has all of these words in it.
  void expect_complaint(std::initializer_list<const char*> words, int exit_code = 4) const {
    const std::string text = only();
    for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
    EXPECT_EQ(judged().exit_code(), exit_code);
  }

  dp::dpdk::Settings settings;
  MemoryEstimate estimate{.bearers = 100};
  HostFacts host;
};

TEST_F(PreflightTest, SegmentsThatStagesMayKeepBeyondThePoolAreAHintWithTheMend) {
  dp::BearerSettings bearer;
  bearer.uplink.ack.stages = 1;
  bearer.uplink.ack.stage[0] = dp::SnoopSpec::Config{.cache = 100};
  estimate = {};
  estimate.add(bearer, 409);  // of 2560 bytes in 100 MiB
  EXPECT_EQ(estimate.kept, 40'900u);
  EXPECT_TRUE(hints().empty());
  estimate.add(bearer, 1);
  ASSERT_EQ(hints().size(), 1u);
  for (const char* word : {"keep 41000 segments", "the pool has 40960", "dataplane.memory 100 MiB",
                           "need 101 MiB", "lower `cache`"}) {
    EXPECT_NE(hints()[0].find(word), std::string::npos) << word << " in: " << hints()[0];
  }
  EXPECT_EQ(judged().exit_code(), 0);
}

TEST_F(PreflightTest, ProxiesThatMayPromiseMoreThanTheirShareAreAHintWithTheMend) {
  dp::BearerSettings bearer;
  bearer.proxy.emplace();
  const std::uint64_t each = dp::SplitProxy::mbufs_for(*bearer.proxy);
  ASSERT_GT(each, 0u);
  settings.proxy_store = 0.25;
  const std::uint64_t fit = settings.memory_bytes / 4 / 2560 / each;
  estimate = {};
  estimate.add(bearer, fit);
  EXPECT_EQ(estimate.of<dp::ProxyPart>().count, fit);
  EXPECT_EQ(estimate.promised, fit * each);
  EXPECT_GE(estimate.of<dp::ProxyPart>().bytes, fit * dp::SplitProxy::bytes_for(*bearer.proxy));
  EXPECT_TRUE(hints().empty());
  estimate.add(bearer, 1);
  ASSERT_EQ(hints().size(), 1u);
  for (const char* word : {"split proxies may promise", "dataplane.proxy_store has", "lower `store`"}) {
    EXPECT_NE(hints()[0].find(word), std::string::npos) << word << " in: " << hints()[0];
  }
  EXPECT_EQ(judged().exit_code(), 0);
}

TEST_F(PreflightTest, AProxyThatGoesOnAfterAChangeTakesNoMemoryAnew) {
  dp::BearerSettings was;
  was.proxy.emplace();
  dp::BearerSettings same = was, other = was;
  same.proxy->initial_window = 3;
  other.proxy->window *= 2;
  MemoryEstimate change;
  change.add_change(was, same);
  EXPECT_EQ(change.of<dp::ProxyPart>().count, 0u);
  change.add_change(was, other);
  EXPECT_EQ(change.of<dp::ProxyPart>().count, 1u);
}

TEST_F(PreflightTest, AHostThatHasEverythingIsNotComplainedAbout) {
  EXPECT_EQ(judged().exit_code(), 0);
  EXPECT_TRUE(hints().empty());
}

TEST_F(PreflightTest, WhatAfPacketDoesToFragmentsIsAHintOfItsPortsOnly) {
  ASSERT_EQ(judged().hints.size(), 1u);
  EXPECT_NE(judged().hints[0].find("port core (af_packet:d0)"), std::string::npos);
  EXPECT_NE(judged().hints[0].find("af_xdp:d0"), std::string::npos);
}

TEST_F(PreflightTest, AVethPeerThatTakesNothingAcrossIsNamedWithItsMend) {
  settings.devices = {"af_xdp:d0", "af_xdp:d1"};
  core().peer = "c0";
  core().peer_gro = true;
  radio().peer = "r0";
  ASSERT_EQ(judged().far_ends.size(), 1u);
  EXPECT_EQ(judged().far_ends[0].side, dp::Side::radio);
  EXPECT_EQ(
      judged().far_ends[0].text,
      "port radio (af_xdp:d1): found its veth peer r0 with GRO off and without an XDP program, needs one "
      "of these: else the kernel drops what is sent across while rncd is away; run: ethtool -K r0 gro on");
  EXPECT_EQ(judged().exit_code(), 0);
  radio().peer_has_xdp_program = true;
  EXPECT_TRUE(judged().far_ends.empty() && judged().notes.empty());
}

TEST_F(PreflightTest, AVethPeerThatCannotBeSeenIsANoteAndOtherDriversAreNot) {
  settings.devices = {"af_xdp:d0", "af_xdp:d1"};
  radio().driver = "ixgbe";
  EXPECT_TRUE(judged().far_ends.empty());
  ASSERT_EQ(judged().notes.size(), 1u);
  EXPECT_NE(judged().notes[0].find("port core (af_xdp:d0): its veth peer is in another"), std::string::npos);
}

TEST_F(PreflightTest, WhereTheKernelSendsNothingAcrossNoFarEndMatters) {
  core().peer = "c0";
  radio().peer = "r0";
  EXPECT_TRUE(judged().far_ends.empty()) << "one port is af_packet";
  settings.devices = {"af_xdp:d0", "af_xdp:d1"};
  EXPECT_EQ(judged().far_ends.size(), 2u);
  settings.wire.on_failure = dp::OnFailure::closed;
  EXPECT_TRUE(judged().far_ends.empty());
}

TEST_F(PreflightTest, ABypassHookThatCannotBeRunIsNamedWithItsMend) {
  host.bypass_hook = "/opt/relays";
  host.bypass_hook_fact = ProgramFact::fit;
  EXPECT_TRUE(judged().complaints.empty());
  host.bypass_hook_fact = ProgramFact::missing;
  expect_complaint({"dataplane.bypass_hook: found no file /opt/relays", "needs a program", "none"});
  host.bypass_hook_fact = ProgramFact::no_file;
  expect_complaint({"found /opt/relays, which is no file"});
  host.bypass_hook_fact = ProgramFact::not_executable;
  expect_complaint({"found /opt/relays not executable", "run: chmod a+rx /opt/relays"});
}

TEST_F(PreflightTest, AMissingInterfaceIsTheOnlyComplaintAboutItsPort) {
  core() = {};
  expect_complaint({"port core (af_packet:d0)", "no interface d0", "ip -brief link"});
}

TEST_F(PreflightTest, AnInterfaceThatIsDownIsNamedWithItsCommand) {
  radio().up = false;
  expect_complaint({"port radio (af_xdp:d1)", "down", "ip link set dev d1 up"});
}

TEST_F(PreflightTest, GroOnAnAfPacketPortIsAnError) {
  core().gro = true;
  EXPECT_EQ(
      only(),
      "port core (af_packet:d0): found generic-receive-offload on, needs it off: frames joined by GRO are "
      "larger than a buffer; run: ethtool -K d0 gro off");
}

TEST_F(PreflightTest, GroOnAnAfXdpPortIsTolerated) {
  radio().gro = true;
  EXPECT_TRUE(judged().complaints.empty());
}

TEST_F(PreflightTest, AnMtuBeyondTheDeviceIsNamedWithWhatFits) {
  radio().mtu = 9000;
  core().mtu = 9000;
  expect_complaint({"port radio", "MTU 9000", "ip link set dev d1 mtu "});
}

TEST_F(PreflightTest, PortsOfDifferentMtuAreAHint) {
  core().mtu = 9000;
  EXPECT_TRUE(judged().complaints.empty());
  ASSERT_EQ(hints().size(), 1u);
  EXPECT_NE(hints()[0].find("differ in MTU"), std::string::npos);
}

TEST_F(PreflightTest, ChannelsUnderAfXdpNeedAWorkerEach) {
  radio().combined_channels = 4;
  expect_complaint({"4 receive channels", "needs 1,", "ethtool -L d1 combined 1,", "dataplane.workers to 4"});
  settings.workers = 3;
  expect_complaint({"4 receive channels", "needs at most 3,", "ethtool -L d1 combined 3,"});
  settings.workers = 4;
  EXPECT_TRUE(judged().complaints.empty());
}

TEST_F(PreflightTest, AReceiveChannelUnderAfXdpNeedsATransmitChannel) {
  settings.workers = 4;
  radio().receive_channels = 3;
  radio().transmit_channels = 3;
  EXPECT_TRUE(judged().complaints.empty());
  radio().transmit_channels = 2;
  expect_complaint({"3 receive channels", "needs at most 2,", "ethtool -L d1 rx 2 tx 2"});
}

TEST_F(PreflightTest, AnXdpProgramThatIsThereAlreadyIsNamed) {
  radio().xdp_program = 42;
  expect_complaint({"XDP program 42", "ip link set dev d1 xdp off"});
}

TEST_F(PreflightTest, TheProgramThatAKilledForwarderLeftIsAHint) {
  radio().xdp_program = 42;
  for (const char* program : {"xsk_def_prog", "rncd_wire"}) {
    radio().xdp_program_name = program;
    EXPECT_EQ(judged().exit_code(), 0);
    EXPECT_EQ(hints().size(), 1u);
  }
}

TEST_F(PreflightTest, AnInterfaceThatALivingProcessHoldsIsNamedWithItAndItsWireIsNotCut) {
  for (const char* program : {"xsk_def_prog", "firewall"}) {
    radio().xdp_program = 42;
    radio().xdp_program_name = program;
    radio().holder = Holder{1234, "rncd"};
    expect_complaint({"port radio (af_xdp:d1)", "process 1234 (rncd)", "stop that process"});
    EXPECT_EQ(only().find("xdp off"), std::string::npos);
    EXPECT_TRUE(hints().empty());
  }
}

TEST_F(PreflightTest, AnAfPacketPortIsNotSharedEither) {
  core().holder = Holder{1234, "rncd"};
  expect_complaint({"port core (af_packet:d0)", "process 1234 (rncd)"});
}

TEST_F(PreflightTest, AVethPeersMtuBeyondWhatXdpAllowsIsNamedWithThePeer) {
  radio().peer = "r0";
  radio().peer_mtu = 9000;
  expect_complaint({"its veth peer r0", "ip link set dev r0 mtu"});
}

TEST_F(PreflightTest, ChecksumOffloadOfAVisiblePeerIsAHint) {
  core().peer = "c0";
  core().peer_checksum_offload = true;
  EXPECT_EQ(judged().exit_code(), 0);
  ASSERT_EQ(hints().size(), 1u);
  EXPECT_NE(hints()[0].find("ethtool -K c0 tx off"), std::string::npos);
}

TEST_F(PreflightTest, MissingCapabilitiesAloneAreAQuestionOfPermission) {
  host.capabilities = {};
  settings.devices[1] = "null";
  expect_complaint({"CAP_NET_ADMIN, CAP_NET_RAW", "root"}, 5);
}

TEST_F(PreflightTest, MissingCapabilitiesBesideAMissingInterfaceAreAQuestionOfHardware) {
  host.capabilities = {};
  core() = {};
  EXPECT_EQ(judged().exit_code(), 4);
}

TEST_F(PreflightTest, AfXdpNeedsLockedMemoryByCapabilityOrByLimit) {
  host.capabilities.ipc_lock = false;
  expect_complaint({"CAP_IPC_LOCK", "ulimit -l 8192"}, 5);
  host.memlock_bytes = 8 * kMebi;
  EXPECT_TRUE(judged().complaints.empty());
}

TEST_F(PreflightTest, NullPortsNeedNoPermission) {
  host.capabilities = {};
  settings.devices = {"null", "null"};
  EXPECT_TRUE(judged().complaints.empty());
}

TEST_F(PreflightTest, AnOldKernelHasNoAfXdp) {
  host.kernel = "4.19.0";
  expect_complaint({"Linux 4.19.0", "5.17", "af_packet:d1"});
}

TEST_F(PreflightTest, TooLittleMemoryNamesBothFigures) {
  host.memory_available = 50 * kMebi;
  expect_complaint({"found 50 MiB available", "needs 13", "dataplane.memory"});
}

TEST_F(PreflightTest, TheMemoryOfAirLinksCountsAndIsNamed) {
  estimate.bearers = 5000, estimate.of<dp::AmPart>() = PartsEstimate{4096, 4096 * 250'000};
  expect_complaint({"found 1000 MiB available", "4096 air links 977 MiB", "limits of learnt",
                    "windows of the `am` links"});
  host.memory_available = 1300 * kMebi;
  EXPECT_TRUE(judged().complaints.empty());
}

TEST_F(PreflightTest, TheMemoryOfFlowQueuesCountsAndIsNamed) {
  estimate.bearers = 5000, estimate.of<dp::QueuesPart>(0) = PartsEstimate{5000, 5000 * 200'000};
  expect_complaint({"found 1000 MiB available", "flow queues 954 MiB", "or `flows` of fq-codel"});
}

TEST_F(PreflightTest, TheMemoryOfShortFlowPriorityCountsAndIsNamed) {
  estimate.bearers = 5000, estimate.of<dp::QueuesPart>(1) = PartsEstimate{5000, 5000 * 200'000};
  expect_complaint({"found 1000 MiB available", "short-flow priority 954 MiB", "or `flows` of sfp"});
}

TEST_F(PreflightTest, TheMemoryOfCellsAndRadiosCountsAndIsNamed) {
  estimate = {.cells = 1000, .cell_bytes = 600'000'000}, estimate.of<dp::MemberPart>().bytes = 500'000'000;
  expect_complaint({"found 1000 MiB available", "radios of bearers in cells 477 MiB", "1000 cells 573 MiB",
                    "or `members` of cells"});
}

TEST_F(PreflightTest, TheMemoryOfUmLinksCountsAndIsNamed) {
  estimate.bearers = 5000, estimate.of<dp::UmPart>() = PartsEstimate{5000, 5000 * 200'000};
  expect_complaint({"found 1000 MiB available", "radios of `um` links 954 MiB"});
}

TEST_F(PreflightTest, PortsWithFramesInSeveralPiecesAreAHintForAirLinksOnly) {
  settings.devices[0] = "pcap:,";
  host.ports[0] = {.interface = {}, .pci = {}, .file_readable = true};
  EXPECT_TRUE(hints().empty());
  estimate.of<dp::AmPart>().count = 1;
  ASSERT_EQ(hints().size(), 1u);
  EXPECT_NE(hints()[0].find("more than 2048 bytes"), std::string::npos) << hints()[0];
  radio().mtu = 3000;
  EXPECT_NE(hints()[0].find("more than 3022 bytes"), std::string::npos) << hints()[0];
}

TEST_F(PreflightTest, TooFewHugePagesNameTheCommandWithTheCount) {
  settings.huge_pages = true;
  expect_complaint({"found 0 MiB of free huge pages", "needs 132 MiB", "sysctl vm.nr_hugepages=66"});
}

TEST_F(PreflightTest, ACpuThatTheProcessMayNotUseIsNamed) {
  settings.cpus = {0, 7};
  expect_complaint({"CPU 7", "may run on 0,1"});
}

TEST_F(PreflightTest, TwoPortsOnOneInterfaceAreRefused) {
  settings.devices = {"af_packet:d0", "af_packet:d0"};
  expect_complaint({"found d0 for both"});
}

TEST_F(PreflightTest, APciDeviceWithAKernelDriverNamesTheCommandThatBindsIt) {
  settings.devices[0] = "0000:03:00.0";
  host.ports[0].pci = {.exists = true, .driver = "ixgbe", .iommu = true};
  expect_complaint({"driver ixgbe", "dpdk-devbind.py --bind=vfio-pci 0000:03:00.0"});
}

TEST_F(PreflightTest, AnUnknownKindOfDeviceListsTheKinds) {
  settings.devices[0] = "dpdk:eth0";
  expect_complaint({"port core", "af_xdp:INTERFACE"});
}

TEST_F(PreflightTest, EverythingWrongIsSaidAtOnce) {
  core().gro = true;
  core().up = false;
  radio() = {};
  host.memory_available = 0;
  EXPECT_EQ(judged().complaints.size(), 4u);
}

TEST(KernelRelease, ComparesMajorThenMinor) {
  EXPECT_TRUE(kernel_at_least("5.4.0-generic", 5, 4));
  EXPECT_TRUE(kernel_at_least("6.0", 5, 4));
  EXPECT_FALSE(kernel_at_least("5.3.18", 5, 4));
  EXPECT_FALSE(kernel_at_least("4.19", 5, 4));
}

TEST(Sizing, AutoTakesTheDocumentedShares) {
  HostFacts host;
  host.memory_available = 1600 * kMebi;
  host.cpus = {0, 1, 2, 3};
  config::Config config;
  auto settings = size_for(config, host);
  EXPECT_FALSE(settings->huge_pages);
  EXPECT_EQ(settings->memory_bytes, 200 * kMebi);
  EXPECT_EQ(settings->max_bearers, 65'536u);
  EXPECT_EQ(settings->cpus, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(settings->power, dp::dpdk::Power::poll);
  host.huge_page_bytes_free = 400 * kMebi;
  settings = size_for(config, host);
  EXPECT_TRUE(settings->huge_pages);
  EXPECT_EQ(settings->memory_bytes, 300 * kMebi);
}

TEST(Sizing, AirsAreEstimatedForListedBearersAndForAllThatMayBeLearnt) {
  config::Config config;
  dp::LegSettings leg{.link = dp::AmLinkConfig{}, .rate = 384'000};
  config.classes = {{"plain", {.link = dp::ShaperSpec::Config{}, .rate = 1'000'000}, {}},
                    {"radio", leg, leg}};
  config.bearers = {{dp::ue_ipv4(1), 0}, {dp::ue_ipv4(2), 1}};
  config.learn = {{{}, 1, 1000}};
  const MemoryEstimate estimate = estimate_memory(config);
  EXPECT_EQ(estimate.bearers, 1002u);
  EXPECT_EQ(estimate.of<dp::AmPart>().count, 1001u);
  MemoryEstimate air;
  air.add(config::settings_of(config.classes, 1));
  const std::uint64_t one = air.of<dp::AmPart>().bytes;
  EXPECT_EQ(estimate.of<dp::AmPart>().bytes, 1001 * one);
  EXPECT_GT(one, sizeof(dp::AmRadioLink) + 2 * 1024 * 42u) << "both windows of PDUs";
  MemoryEstimate plain;
  plain.add(config::settings_of(config.classes, 0));
  EXPECT_EQ(plain.bytes(), plain.bearer_bytes());
}

TEST(Sizing, WhatLegsCrossOverUmIsEstimatedInBothDirections) {
  config::Config config;
  dp::LegSettings leg{.link = dp::UmLinkConfig{}, .rate = 384'000};
  config.classes = {{"down", leg, {}}, {"both", leg, leg}};
  config.learn = {{{}, 0, 1000}, {{}, 1, 10}};
  EXPECT_EQ(estimate_memory(config).of<dp::UmPart>().bytes, 1020 * sizeof(dp::UmRadioLink));
}

TEST(Sizing, FlowQueuesAreEstimatedInBothDirections) {
  config::Config config;
  dp::LegSettings leg{.link = dp::ShaperSpec::Config{}, .rate = 384'000, .aqm = dp::FqCodelSpec::Config{}};
  config.classes = {{"fair", leg, {}}, {"fairer", leg, leg}};
  config.learn = {{{}, 0, 1000}, {{}, 1, 10}};
  const MemoryEstimate estimate = estimate_memory(config);
  MemoryEstimate one;
  one.add(config::settings_of(config.classes, 0));
  EXPECT_GE(one.of<dp::QueuesPart>(0).bytes, 1024 * 64u);
  EXPECT_EQ(estimate.of<dp::QueuesPart>(0).bytes, 1020 * one.of<dp::QueuesPart>(0).bytes);
  EXPECT_GE(one.of<dp::AqmPart>().bytes, 64u);
  EXPECT_EQ(estimate.of<dp::AqmPart>().bytes, 1020 * one.of<dp::AqmPart>().bytes) << "AQM instances too";
}

TEST(Sizing, ShortFlowPriorityIsEstimatedByItsFlows) {
  config::Config config;
  dp::LegSettings leg{
      .link = dp::ShaperSpec::Config{}, .rate = 384'000, .queue = dp::SfpSpec::Config{.flows = 4096}};
  config.classes = {{"short", leg, {}}};
  config.learn = {{{}, 0, 1000}};
  const std::uint64_t one = estimate_memory(config).of<dp::QueuesPart>(1).bytes / 1000;
  EXPECT_GE(one, 4096 * 34u);
  EXPECT_LE(one, 4096 * 34u + 512);
  EXPECT_EQ(estimate_memory(config).of<dp::QueuesPart>(0).bytes, 0u);
  EXPECT_EQ(estimate_memory(config).of<dp::AqmPart>().bytes, 0u);
}

TEST(Sizing, WorkersGetACpuEachBehindTheMainOneAndShareWhereThereAreFewer) {
  HostFacts host;
  host.cpus = {0, 1, 2, 3};
  config::Config config;
  config.dataplane.workers = 2;
  EXPECT_EQ(size_for(config, host)->workers, 2u);
  EXPECT_EQ(size_for(config, host)->cpus, (std::vector<unsigned>{0, 1, 2}));
  config.dataplane.workers = 5;
  EXPECT_EQ(size_for(config, host)->cpus, (std::vector<unsigned>{0, 1, 2, 3}));
  config.dataplane.workers.reset();
  EXPECT_EQ(size_for(config, host)->workers, 1u);
  config.dataplane.cpus = {3, 1, 2};
  EXPECT_EQ(size_for(config, host)->workers, 2u) << "as many as CPUs are named for them";
}

}  // namespace
}  // namespace control
