// libFuzzer target: lines of the control socket to the dispatcher, whose methods end at once, in slices, by a
// throw, later or never, as their parameters say. Each request is answered once, by a line of JSON or
// nothing.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "control/rpc/dispatcher.h"
#include "tests/fuzz/input.h"

namespace control::rpc {
namespace {

using dp::test::expect;

std::vector<Done> later;  // of calls that somebody else answers

Slices in_slices(Done done, std::shared_ptr<const Json> params, std::size_t pieces) {
  for (; pieces > 0; --pieces) co_await Slices::Pause{};
  done(Json(*params));
}
Slices failing(Done) {
  co_await Slices::Pause{};
  throw Fault(kNoSuchBearer, "gone in the middle");
}

void at_once(const Request& request) { request.done(Json(request.params)); }
void as_text(const Request& request) { request.done(Text{to_text(request.params)}); }
void sliced(const Request& request) {
  request.rest = in_slices(request.done, request.kept, request.params.size());
}
void fails(const Request& request) { request.rest = failing(request.done); }
void throws(const Request& request) { request.params.at("ue").get<std::string>(); }
void waits(const Request& request) { later.push_back(request.done); }
void twice(const Request& request) {
  request.done(Json(1));
  request.done(Json(2));
}

constexpr Method kTable[] = {
    Method{"once", Access::reads, "{}", "", &at_once}, Method{"text", Access::reads, "{}", "", &as_text},
    Method{"part", Access::reads, "{}", "", &sliced},  Method{"fail", Access::reads, "{}", "", &fails},
    Method{"throw", Access::reads, "{}", "", &throws}, Method{"wait", Access::reads, "{}", "", &waits},
    Method{"twice", Access::reads, "{}", "", &twice}};

// No method of the table looks at it.
alignas(Plane) std::byte no_plane[sizeof(Plane)];

void check_answer(const std::string& answer) {
  if (answer.empty()) return;
  expect(answer.find('\n') == std::string::npos, "an answer is one line");
  expect(Json::accept(answer), "an answer is JSON");
}

}  // namespace
}  // namespace control::rpc

// Two clients at a time: each line is one's or the other's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace control;
  using namespace control::rpc;
  static ViewCell view;
  Services services{reinterpret_cast<Plane&>(no_plane), view};
  Dispatcher dispatcher(services, kTable, Dispatcher::Clock::duration{0});
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::shared_ptr<void>> works;
  std::vector<int> answered;
  std::size_t begin = 0;
  for (std::size_t i = 0; begin <= text.size() && i < 8; ++i) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    answered.push_back(0);
    works.push_back(
        dispatcher.handle(text.substr(begin, end - begin), {}, [&answered, i](std::string answer) {
          expect(++answered[i] == 1, "a request is answered once");
          check_answer(answer);
        }));
    begin = end + 1;
    if (i % 2 == 1) dispatcher.run(Dispatcher::Clock::now());
  }
  for (int turns = 0; dispatcher.ready() || !later.empty(); ++turns) {
    expect(turns < 100'000, "work has an end");
    dispatcher.run(Dispatcher::Clock::now());
    for (const Done& done : std::exchange(later, {})) done(Json(0));
  }
  for (const int times : answered) expect(times == 1, "every request is answered");
  return 0;
}
