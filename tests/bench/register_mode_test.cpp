// `bench register` without a device: a probe with a given cost.
#include "app/bench/modes/bench_modes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/transport/registry.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

class FakeProbe final : public RegistrationProbe {
  public:
    /// Registering costs this many picoseconds per byte, and at most `limit` bytes can be registered at once.
    FakeProbe(std::uint64_t picoseconds, std::uint64_t limit) : picoseconds_(picoseconds), limit_(limit) {}

    const std::string& device() const override { return name_; }

    RegistrationTimes measure(std::span<std::byte> memory) override {
        check(memory);
        ++measured_;
        return {std::chrono::nanoseconds(memory.size() * picoseconds_ / 1000), 0ns};
    }

    DeviceRegistration measure(const DeviceMemory& memory) override {
        ++measured_;
        return {{std::chrono::nanoseconds(memory.size() * picoseconds_ / 1000), 1us}, "dma-buf"};
    }

    std::shared_ptr<void> keepRegistered(std::span<std::byte> memory) override {
        largestKept_ = std::max<std::uint64_t>(largestKept_, memory.size());
        return std::make_shared<int>(0);
    }

    std::size_t measured() const { return measured_; }
    std::uint64_t largestKept() const { return largestKept_; }

  private:
    void check(std::span<std::byte> memory) const {
        if (memory.size() > limit_) {
            throw Error(ErrorKind::Resource, "RLIMIT_MEMLOCK is too small", "ulimit -l unlimited");
        }
    }

    std::string name_ = "fake0";
    std::uint64_t picoseconds_, limit_;
    std::size_t measured_ = 0;
    std::uint64_t largestKept_ = 0;
};

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
// In picoseconds per byte: no memory copies at 1000 GB/s, and none as slowly as 1 MB/s.
constexpr std::uint64_t kFast = 1;
constexpr std::uint64_t kSlow = 1'000'000;

BenchReport measure(FakeProbe& probe, const std::vector<std::uint64_t>& sizes, std::uint32_t load = 0) {
    BenchOptions options;
    options.frames = 6;
    options.load = load;
    BenchReport report;
    BenchProgress progress(true);
    registerRange(probe, {.sizes = sizes, .spreadBytes = 4096 * kKiB}, options, report, progress);
    return report;
}

bool anyNote(const BenchReport& report, const std::string& part) {
    return std::any_of(report.notes.begin(), report.notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(RegisterMode, MeasuresEachSizeAgainstACopyThatCostsTime) {
    FakeProbe probe(kFast, kUnlimited);
    const BenchReport report = measure(probe, {64 * kKiB, 256 * kKiB});
    ASSERT_GE(report.registrations.size(), 2U);
    EXPECT_EQ(probe.measured(), 6 * report.registrations.size());
    const RegisterPoint& point = report.registrations[1];
    EXPECT_EQ(point.device, "fake0");
    EXPECT_EQ(point.pages, "4 KiB");
    EXPECT_EQ(point.load, 0U);
    EXPECT_EQ(point.bytes, 256 * kKiB);
    EXPECT_DOUBLE_EQ(point.registerUs, 0.262);
    EXPECT_EQ(point.deregisterUs, 0);
    EXPECT_GT(point.copyUs, point.registerUs);
    EXPECT_GE(probe.largestKept(), 256 * kKiB) << "the copy goes into registered memory";
    ASSERT_GE(report.crossovers.size(), 1U);
    EXPECT_EQ(report.crossovers[0].bytes, 64 * kKiB);
    EXPECT_NEAR(report.crossovers[0].registerSecondsPerGib, 1.07e-3, 0.01e-3);
}

TEST(RegisterMode, FindsNoCrossoverWhereRegisteringIsSlow) {
    FakeProbe probe(kSlow, kUnlimited);
    const BenchReport report = measure(probe, {64 * kKiB, 256 * kKiB});
    ASSERT_FALSE(report.crossovers.empty());
    EXPECT_EQ(report.crossovers[0].bytes, 0U);
}

TEST(RegisterMode, MeasuresIdleAndLoaded) {
    FakeProbe probe(kFast, kUnlimited);
    const BenchReport report = measure(probe, {64 * kKiB}, 1);
    ASSERT_GE(report.registrations.size(), 2U);
    EXPECT_EQ(report.registrations[0].load, 0U);
    EXPECT_EQ(report.registrations[1].load, 1U);
    EXPECT_EQ(report.crossovers.size(), report.registrations.size());
}

TEST(RegisterMode, KeepsWhatFittedIntoTheLimit) {
    FakeProbe probe(kFast, 100 * kKiB);
    const BenchReport report = measure(probe, {64 * kKiB, 256 * kKiB, 1024 * kKiB});
    ASSERT_GE(report.registrations.size(), 1U);
    EXPECT_EQ(report.registrations[0].bytes, 64 * kKiB);
    EXPECT_TRUE(std::all_of(report.registrations.begin(), report.registrations.end(),
                            [](const RegisterPoint& point) { return point.bytes == 64 * kKiB; }));
    EXPECT_TRUE(anyNote(report, "256 KiB and more are left out"));
    EXPECT_TRUE(anyNote(report, "ulimit -l unlimited"));
}

TEST(RegisterMode, FailsWhenNothingFits) {
    FakeProbe probe(kFast, 1);
    try {
        measure(probe, {64 * kKiB});
        FAIL() << "an error was expected";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Resource);
        EXPECT_EQ(error.remedy(), "ulimit -l unlimited");
    }
}

TEST(RegisterMode, SaysWhatAStaticRingCosts) {
    FakeProbe probe(kFast, kUnlimited);
    EXPECT_TRUE(anyNote(measure(probe, {64 * kKiB}), "0 by definition"));
}

TEST(RegisterMode, NeedsADevice) {
    if (findTransport("verbs")->availability().available) {
        GTEST_SKIP() << "this machine has an RDMA device: " << findTransport("verbs")->availability().reason;
    }
    BenchOptions options;
    options.device = "none7";
    BenchReport report;
    BenchProgress progress(true);
    try {
        benchRegister(options, report, progress);
        FAIL() << "an error was expected";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device);
        EXPECT_NE(error.remedy(), "");
    }
}

}  // namespace
}  // namespace verbcast::testing
