#include "control/told/pfcp/transactions.h"

#include <gtest/gtest.h>

namespace control::told::pfcp {
namespace {

using State = Transactions::State;

const Endpoint kSmfEnd{0, 1, 8805, false}, kUpfEnd{0, 2, 8805, false};

dp::Time transaction_second(std::int64_t n) { return dp::time_ns(n * 1'000'000'000); }

Request request_at(dp::Time at, std::uint32_t sequence, std::size_t bytes = 10, std::uint64_t up = 7) {
  Request request;
  request.from = kSmfEnd;
  request.to = kUpfEnd;
  request.type = MessageType::session_modification_request;
  request.sequence = sequence;
  request.up = SeidKey{address_of(kUpfEnd), up};
  request.at = at;
  request.ies.resize(bytes);
  return request;
}
Transactions::Key key(std::uint32_t sequence) { return Transactions::key_of(kSmfEnd, kUpfEnd, sequence); }

TEST(PfcpTransactions, RequestIsDueAfterASecondInTheOrderOfArrival) {
  const PfcpSettings settings;
  Transactions table(settings);
  EXPECT_EQ(table.next_due(), dp::kNever);
  table.add(request_at(transaction_second(1), 5));
  table.add(request_at(transaction_second(2), 4));
  EXPECT_EQ(table.next_due(), transaction_second(2));
  EXPECT_EQ(table.due(dp::time_ns(1'999'999'999)), nullptr);
  Transactions::Entry* const due = table.due(transaction_second(2));
  ASSERT_NE(due, nullptr);
  EXPECT_EQ(table.settle(*due, State::assumed).sequence, 5u);
  EXPECT_EQ(table.due(transaction_second(2)), nullptr);
  EXPECT_EQ(table.next_due(), transaction_second(3));
}

TEST(PfcpTransactions, SettledOneIsKnownForAMinuteWithoutItsBytes) {
  const PfcpSettings settings;
  Transactions table(settings);
  const Request whole = table.settle(*table.add(request_at(transaction_second(1), 5)), State::answered);
  EXPECT_EQ(whole.ies.size(), 10u);
  EXPECT_EQ(table.pending_bytes(), 0u);
  EXPECT_NE(table.find(key(5), transaction_second(60)), nullptr);
  EXPECT_EQ(table.find(key(5), transaction_second(61)), nullptr);
  table.expire(transaction_second(60));
  EXPECT_EQ(table.size(), 1u);
  table.expire(transaction_second(61));
  EXPECT_EQ(table.size(), 0u);
}

TEST(PfcpTransactions, NewRequestReplacesOneOfItsSequence) {
  const PfcpSettings settings;
  Transactions table(settings);
  table.settle(*table.add(request_at(transaction_second(1), 5)), State::answered);
  table.add(request_at(transaction_second(2), 5));
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table.find(key(5), transaction_second(2))->state, State::pending);
}

TEST(PfcpTransactions, PendingOnesAreBoundedInNumberAndBytes) {
  PfcpSettings settings;
  settings.pending = 2;
  settings.pending_bytes = 100;
  Transactions table(settings);
  EXPECT_NE(table.add(request_at(transaction_second(1), 1, 60)), nullptr);
  EXPECT_EQ(table.add(request_at(transaction_second(1), 2, 41)), nullptr);
  EXPECT_NE(table.add(request_at(transaction_second(1), 3, 40)), nullptr);
  EXPECT_EQ(table.add(request_at(transaction_second(1), 4, 0)), nullptr);
  EXPECT_EQ(table.pending(), 2u);
}

TEST(PfcpTransactions, OldestSettledOneMakesRoom) {
  PfcpSettings settings;
  settings.transactions = 2;
  Transactions table(settings);
  table.settle(*table.add(request_at(transaction_second(1), 1)), State::answered);
  table.add(request_at(transaction_second(1), 2));
  EXPECT_NE(table.add(request_at(transaction_second(1), 3)), nullptr);
  EXPECT_EQ(table.find(key(1), transaction_second(1)), nullptr);
  EXPECT_EQ(table.add(request_at(transaction_second(1), 4)), nullptr) << "all are pending";
  EXPECT_EQ(table.size(), 2u);
}

TEST(PfcpTransactions, EarlierOnesOfASessionAreFoundUntilTheyAreSettled) {
  const PfcpSettings settings;
  Transactions table(settings);
  Transactions::Entry* const first = table.add(request_at(transaction_second(1), 1));
  table.add(request_at(transaction_second(1), 2, 10, 8));
  const Transactions::Entry* const last = table.add(request_at(transaction_second(1), 3));
  const SeidKey session{address_of(kUpfEnd), 7};
  EXPECT_EQ(table.earlier(session, false, last->arrival), first);
  EXPECT_EQ(table.earlier(session, true, last->arrival), nullptr);
  table.settle(*first, State::assumed);
  EXPECT_EQ(table.earlier(session, false, last->arrival), nullptr);
}

TEST(PfcpTransactions, EarlierOnesOfAPairAndItsSetupsAreToldApart) {
  const PfcpSettings settings;
  Transactions table(settings);
  Transactions::Entry* const first = table.add(request_at(transaction_second(1), 1));
  Request setup = request_at(transaction_second(1), 2);
  setup.type = MessageType::association_setup_request;
  setup.up.reset();
  Transactions::Entry* const second_one = table.add(setup);
  const Transactions::Entry* const last = table.add(request_at(transaction_second(1), 3));
  const Address smf = address_of(kSmfEnd), upf = address_of(kUpfEnd);
  EXPECT_EQ(table.earlier(smf, upf, last->arrival), first);
  EXPECT_EQ(table.earlier(upf, smf, last->arrival), nullptr);
  EXPECT_EQ(table.earlier_setup(smf, upf, last->arrival), second_one);
  EXPECT_EQ(table.earlier_setup(smf, upf, second_one->arrival), nullptr);
}

TEST(PfcpTransactions, ForgottenPairLeavesOtherPairsAndLaterOnes) {
  const PfcpSettings settings;
  Transactions table(settings);
  table.settle(*table.add(request_at(transaction_second(1), 1)), State::answered);
  Request other = request_at(transaction_second(1), 1);
  other.to.lo = 3;
  table.settle(*table.add(other), State::answered);
  const std::uint64_t here = table.add(request_at(transaction_second(1), 2))->arrival;
  table.forget(address_of(kSmfEnd), address_of(kUpfEnd), here);
  EXPECT_EQ(table.find(key(1), transaction_second(1)), nullptr);
  EXPECT_NE(table.find(key(2), transaction_second(1)), nullptr);
  EXPECT_EQ(table.size(), 2u);
}

}  // namespace
}  // namespace control::told::pfcp
