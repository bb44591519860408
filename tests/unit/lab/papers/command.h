// `rnclab paper` run by tests: its exit code, its output and its JSON.
#pragma once
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tools/common/process.h"
#include "tools/lab/cmd_paper.h"
#include "tools/lab/figures/json.h"

namespace lab::testing {

struct Ran {
  int code = 0;
  std::string said, out;  // standard error and output
  Json json;              // null when none was written
};

inline Ran ran_paper(PaperOptions options) {
  const tools::ScratchFolder scratch;
  options.json = (scratch.path() / "paper.json").string();
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Ran ran;
  ran.code = run_paper(options, "test");
  ran.out = ::testing::internal::GetCapturedStdout();
  ran.said = ::testing::internal::GetCapturedStderr();
  if (std::ifstream file(options.json); file) ran.json = Json::parse(file);
  return ran;
}

}  // namespace lab::testing
