// Encoding and decoding messages: FrameInfo and credits, which every frame needs, and rarer ones.
#include <benchmark/benchmark.h>

#include <array>
#include <cstring>

#include "core/session/messages/messages.h"
#include "core/video/frame_info.h"

namespace verbcast::testing {
namespace {

/// FrameInfo is its own wire format: a transport copies it once at each end.
void FrameInfoThereAndBack(benchmark::State& state) {
    FrameInfo info;
    std::array<std::byte, kFrameInfoBytes> wire;
    for (auto _ : state) {
        ++info.sequence;
        std::memcpy(wire.data(), &info, sizeof info);
        benchmark::DoNotOptimize(wire.data());
        benchmark::ClobberMemory();
        FrameInfo back;
        std::memcpy(&back, wire.data(), sizeof back);
        benchmark::DoNotOptimize(back);
    }
}
BENCHMARK(FrameInfoThereAndBack);

/// One message with the given number of credits.
void CreditThereAndBack(benchmark::State& state) {
    Credit credit;
    credit.ring = 7;
    credit.slots.count = 0;
    for (std::int64_t slot = 0; slot < state.range(0); ++slot) {
        credit.slots.push(static_cast<std::uint16_t>(slot));
    }
    std::array<std::byte, kMaxEncodedBytes> buffer;
    std::uint64_t sum = 0;
    for (auto _ : state) {
        ByteReader reader(encodeInto(buffer, credit).subspan(1));
        const Credit back = decodeMessage<Credit>(reader);
        sum += back.ring + back.slots.count;
        benchmark::DoNotOptimize(sum);
    }
}
BENCHMARK(CreditThereAndBack)->Arg(1)->Arg(8);

template <typename Message>
void messageThereAndBack(benchmark::State& state, const Message& message) {
    for (auto _ : state) {
        const std::vector<std::byte> bytes = encodeMessage(message);
        ByteReader reader(std::span<const std::byte>(bytes).subspan(1));
        benchmark::DoNotOptimize(decodeMessage<Message>(reader));
    }
}

void FormatThereAndBack(benchmark::State& state) {
    messageThereAndBack<FormatMessage>(
        state, {.epoch = 1, .format = TrackFormat::ofVideo(tightFormat(3840, 2160, PixelFormat::v210))});
}
BENCHMARK(FormatThereAndBack);

void PongThereAndBack(benchmark::State& state) {
    messageThereAndBack<Pong>(state, {.pingSentAt = 1, .receivedAt = 2, .sentAt = 3});
}
BENCHMARK(PongThereAndBack);

void ReportThereAndBack(benchmark::State& state) {
    messageThereAndBack<Report>(
        state,
        {.received = 60, .shown = 60, .skipped = 0, .latency = {60, 20, 30, 40, 50}, .clockErrorUs = 1});
}
BENCHMARK(ReportThereAndBack);

void HelloThereAndBack(benchmark::State& state) {
    Hello hello;
    hello.host = hostId();
    hello.name = "wall";
    hello.software = "verbcast";
    messageThereAndBack<Hello>(state, hello);
}
BENCHMARK(HelloThereAndBack);

}  // namespace
}  // namespace verbcast::testing
