#include "control/told/pfcp/session_procedures.h"

#include <gtest/gtest.h>

#include "control/told/pfcp/outcome.h"
#include "tests/support/told/pfcp_core.h"
#include "tests/support/told/recording_sink.h"

namespace control::told::pfcp {
namespace {

struct ProcedureBench {
  PfcpSettings settings;
  test::RecordingSink sink;
  SessionTable table{settings, sink};
  SessionProcedures procedures{table};
  std::uint64_t session = 0;

  Request request(MessageType type, const test::Octets& ies, std::uint64_t up_seid = 0) {
    Request r;
    r.from = test::kSmfEnd;
    r.to = test::kUpfEnd;
    r.type = type;
    r.ies = ies;
    if (up_seid != 0) r.up = SeidKey{address_of(test::kUpfEnd), up_seid};
    return r;
  }
  std::string_view establish(const test::Octets& ies, const test::Octets& answer) {
    const Response response{1, *read_answer(answer)};
    return procedures.apply(request(MessageType::session_establishment_request, ies), &response,
                            test::at_ms(1), session);
  }
  std::string_view erase(std::uint64_t up_seid, unsigned cause) {
    const Response response{1, *read_answer(test::cause(cause))};
    return procedures.apply(request(MessageType::session_deletion_request, {}, up_seid), &response,
                            test::at_ms(2), session);
  }
};

TEST(PfcpProcedures, EstablishmentWithoutACpFSeidIsIncomplete) {
  ProcedureBench b;
  EXPECT_EQ(b.establish(test::downlink_pdr(0x0a2d0002), test::accepted_with(5)), outcome::kIncomplete);
  EXPECT_EQ(b.establish(test::establishment(1, 0x0a2d0002, 5), {}), outcome::kIncomplete) << "no cause";
  EXPECT_EQ(b.table.size(), 0u);
}

TEST(PfcpProcedures, SessionIsFoundByTheAddressOnTheWireAndByThatOfItsFSeid) {
  ProcedureBench b;
  const auto answer = test::joined({test::cause(1), test::f_seid(5, 0xc0000299)});
  EXPECT_EQ(b.establish(test::establishment(1, 0x0a2d0002, 5), answer), outcome::kApplied);
  EXPECT_EQ(b.table.by_up({address_of(test::kUpfEnd), 5}), b.table.number(b.session));
  EXPECT_EQ(b.table.by_up({Address{0, 0xc0000299, false}, 5}), b.table.number(b.session));
  EXPECT_EQ(b.table.by_cp({address_of(test::kSmfEnd), 1}), b.table.number(b.session));
}

TEST(PfcpProcedures, DeletionCountsAlsoIfReportsFollow) {
  ProcedureBench b;
  b.establish(test::establishment(1, 0x0a2d0002, 5), test::accepted_with(5));
  EXPECT_EQ(b.erase(5, 64), outcome::kRejected);
  EXPECT_EQ(b.erase(6, 1), outcome::kUnknownSession);
  EXPECT_EQ(b.erase(5, 2), outcome::kApplied);
  EXPECT_EQ(b.sink.sessions.begin()->second.state, SessionState::ending);
}

TEST(PfcpProcedures, ImsiAndDnnOfAnEstablishmentAreTheSessionsIdentityAndHint) {
  ProcedureBench b;
  const auto user =
      test::ie(141, {test::number(1, 1), test::number(8, 1), test::number(0x00010121436587f9, 8)});
  const auto dnn = test::ie(159, {test::number(3, 1), test::text_octets("ims")});
  b.establish(test::joined({test::establishment(1, 0x0a2d0002, 5), user, dnn}), test::accepted_with(5));
  EXPECT_EQ(b.sink.sessions.begin()->second.identity, "001010123456789");
  EXPECT_EQ(b.sink.sessions.begin()->second.class_hint, "ims");
}

TEST(PfcpProcedures, LateAnswerOfASessionThatIsGoneDoesNothing) {
  ProcedureBench b;
  const Response response{1, *read_answer(test::accepted_with(5))};
  b.procedures.complete(b.request(MessageType::session_establishment_request, {}), response, test::at_ms(1),
                        77);
  EXPECT_TRUE(b.sink.calls.empty());
}

}  // namespace
}  // namespace control::told::pfcp
