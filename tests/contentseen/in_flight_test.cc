#include "contentseen/in_flight.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "contentseen/detectors/simhash_detector.h"

namespace contentseen {
namespace {

TEST(InFlight, NumbersRunFromOne) {
  const auto owned = SimHashDetector::Create(3);
  const SimHashDetector& detector = **owned;
  InFlight in_flight(detector);
  const InFlight::Call first(in_flight, {});
  const InFlight::Call second(in_flight, {});
  EXPECT_EQ(first.sequence(), 1u);
  EXPECT_EQ(second.sequence(), 2u);
}

TEST(InFlight, NobodyWaitsForStrangersOrLaterCalls) {
  const auto owned = SimHashDetector::Create(3);
  const SimHashDetector& detector = **owned;
  InFlight in_flight(detector);
  const Signature low = {0};
  const Signature high = {~Fingerprint{0}};
  const Signature near_low = {7};
  InFlight::Call first(in_flight, {.body = {1, 1}, .text = {1, 2}, .signature = &low});
  InFlight::Call stranger(in_flight, {.body = {2, 1}, .text = {2, 2}, .signature = &high});
  InFlight::Call without_keys(in_flight, {});
  InFlight::Call also_without_keys(in_flight, {});
  InFlight::Call later(in_flight, {.body = {1, 1}, .text = {1, 2}, .signature = &near_low});
  first.WaitForEarlier();
  stranger.WaitForEarlier();
  without_keys.WaitForEarlier();
  also_without_keys.WaitForEarlier();
}

// Between the end of waiting and the end of the call each of these is alone, in order of number.
void ExpectAloneInOrder(const std::vector<InFlight::Announcement>& announcements) {
  const auto owned = SimHashDetector::Create(3);
  const SimHashDetector& detector = **owned;
  InFlight in_flight(detector);
  // Relaxed would do: the calls order one another. Sequentially consistent for simplicity.
  std::atomic<int> inside = 0;
  std::atomic<std::uint64_t> last = 0;
  std::vector<std::thread> threads;
  for (const InFlight::Announcement& announcement : announcements) {
    threads.emplace_back([&, announcement] {
      for (int i = 0; i < 500; ++i) {
        InFlight::Call call(in_flight, announcement);
        call.WaitForEarlier();
        EXPECT_EQ(++inside, 1);
        EXPECT_LT(last.exchange(call.sequence()), call.sequence());
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(InFlight, EqualBodiesGoOneByOne) {
  ExpectAloneInOrder(std::vector<InFlight::Announcement>(4, {.body = {1, 2}}));
}

TEST(InFlight, EqualTextsGoOneByOne) {
  ExpectAloneInOrder(std::vector<InFlight::Announcement>(4, {.text = {1, 2}}));
}

TEST(InFlight, SimilarSignaturesGoOneByOne) {
  const Signature a = {0b001};
  const Signature b = {0b010};
  const Signature c = {0b111};
  ExpectAloneInOrder({{.signature = &a}, {.signature = &b}, {.signature = &c}});
}

}  // namespace
}  // namespace contentseen
