// Other users of a worker's CPU, as /proc and /sys have it, and the hint that preflight makes of them.
#include "control/host/preflight_cpus.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "control/host/cpu_facts.h"

namespace control {
namespace {

using Cpus = std::vector<unsigned>;

TEST(CpuList, IsReadAsTheKernelWritesIt) {
  EXPECT_EQ(cpu_list("0-2,5,8-9"), (Cpus{0, 1, 2, 5, 8, 9}));
  EXPECT_EQ(cpu_list("3"), Cpus{3});
  for (const char* none : {"", "\n", "(null)", "-", ",", "5-3"}) EXPECT_EQ(cpu_list(none), Cpus{}) << none;
}

class CpuFactsTest : public ::testing::Test {
 protected:
  CpuFactsTest() {
    write("/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1,3\n");
    write("/sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "2\n");
  }
  ~CpuFactsTest() override { std::filesystem::remove_all(root); }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
  void process(int pid, const std::string& name, int parent, const std::string& cpus) const {
    write("/proc/" + std::to_string(pid) + "/status", "Name:\t" + name + "\nUmask:\t0022\nPPid:\t" +
                                                          std::to_string(parent) + "\nCpus_allowed_list:\t" +
                                                          cpus + "\n");
  }
  const std::string root = ::testing::TempDir() + "cpu_facts_" + std::to_string(::getpid());
};

TEST_F(CpuFactsTest, ProcessesThatMayRunThereAreCountedAndKernelThreadsAreNot) {
  process(1, "systemd", 0, "0-3");
  process(2, "kthreadd", 0, "0-3");
  process(17, "ksoftirqd/1", 2, "1");
  process(300, "bound elsewhere", 1, "0,2-3");
  process(301, "a b", 1, "1");
  process(302, "third", 1, "0-7");
  const auto facts = cpu_facts(Cpus{1, 2}, root);
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[0].others, 3u);
  EXPECT_EQ(facts[0].names.size(), 2u);
  EXPECT_EQ(facts[1].others, 3u);
}

TEST_F(CpuFactsTest, SiblingsAndIsolationAreRead) {
  write("/sys/devices/system/cpu/isolated", "1-2\n");
  write("/sys/devices/system/cpu/nohz_full", "2\n");
  const auto facts = cpu_facts(Cpus{1, 2}, root);
  EXPECT_EQ(facts[0].siblings, Cpus{3});
  EXPECT_TRUE(facts[0].isolated && !facts[0].tickless);
  EXPECT_TRUE(facts[1].siblings.empty() && facts[1].isolated && facts[1].tickless);
}

TEST_F(CpuFactsTest, WhatIsNotThereIsNotShared) {
  const auto facts = cpu_facts(Cpus{7}, root + "/nowhere");
  EXPECT_TRUE(facts[0].others == 0 && facts[0].siblings.empty() && !facts[0].isolated);
}

TEST(WorkerCpus, ComeAfterControlsAndEachOnce) {
  dp::dpdk::Settings settings;
  settings.cpus = {4, 5, 6};
  settings.workers = 2;
  EXPECT_EQ(worker_cpus(settings), (Cpus{5, 6}));
  settings.workers = 5;
  EXPECT_EQ(worker_cpus(settings), (Cpus{5, 6, 4}));
}

// The one hint, or nothing.
std::string hint(const std::vector<CpuFacts>& facts) {
  dp::dpdk::Settings settings;
  settings.cpus = {0, 1};
  HostFacts host;
  host.worker_cpus = facts;
  Judgement out;
  judge_shared_cpus(settings, host, out);
  EXPECT_LE(out.hints.size(), 1u);
  return out.hints.empty() ? "" : out.hints[0];
}

TEST(SharedCpus, AreAHintThatSaysWithWhom) {
  EXPECT_EQ(hint({}), "");
  EXPECT_EQ(hint({{.cpu = 1}}), "");
  EXPECT_EQ(hint({{.cpu = 1, .isolated = true, .tickless = true}}), "");
  const auto says = [](const CpuFacts& facts, const std::string& words) {
    EXPECT_NE(hint({facts}).find("CPU " + std::to_string(facts.cpu) + " is shared with " + words),
              std::string::npos)
        << hint({facts});
  };
  says({.cpu = 1, .others = 9, .names = {"systemd", "sshd"}}, "systemd, sshd and 7 more processes; a worker");
  says({.cpu = 1, .others = 1, .names = {"sshd"}}, "sshd; a worker");
  says({.cpu = 1, .siblings = {3}}, "CPU 3, which is another hardware thread of its core;");
  says({.cpu = 1, .isolated = true}, "the kernel's tick, since nohz_full= does not name it;");
  says({.cpu = 0}, "rncd's control thread;");
  EXPECT_NE(hint({{.cpu = 0}, {.cpu = 1, .siblings = {3}}}).find("thread; CPU 1 is"), std::string::npos);
}

}  // namespace
}  // namespace control
