// Messages into bytes and back: FrameInfo and credits, which each frame needs, and the rarer ones.
#include <benchmark/benchmark.h>

#include <array>
#include <cstring>

#include "core/session/messages.h"
#include "core/video/frame_info.h"

namespace verbcast {
namespace {

/// FrameInfo is its own wire form: what a transport does is one copy at each end.
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

/// As many credits in one message as the argument says.
void CreditThereAndBack(benchmark::State& state) {
    const std::vector<std::uint16_t> slots(static_cast<std::size_t>(state.range(0)), 3);
    std::array<std::byte, kMaxCreditBytes> buffer;
    std::uint64_t sum = 0;
    for (auto _ : state) {
        const std::size_t size = encodeCredit(buffer, 7, slots);
        ByteReader reader(std::span<const std::byte>(buffer).subspan(1, size - 1));
        visitCredits(reader, [&](std::uint32_t generation, std::uint16_t slot) { sum += generation + slot; });
        benchmark::DoNotOptimize(sum);
    }
}
BENCHMARK(CreditThereAndBack)->Arg(1)->Arg(8);

template <typename Message, auto Decode>
void messageThereAndBack(benchmark::State& state, const Message& message) {
    for (auto _ : state) {
        const std::vector<std::byte> bytes = encodeMessage(message);
        ByteReader reader(std::span<const std::byte>(bytes).subspan(1));
        benchmark::DoNotOptimize(Decode(reader));
    }
}

void FormatThereAndBack(benchmark::State& state) {
    messageThereAndBack<FormatMessage, decodeFormat>(
        state, {.epoch = 1, .format = tightFormat(3840, 2160, PixelFormat::v210)});
}
BENCHMARK(FormatThereAndBack);

void PongThereAndBack(benchmark::State& state) {
    messageThereAndBack<Pong, decodePong>(state, {.pingSentAt = 1, .receivedAt = 2, .sentAt = 3});
}
BENCHMARK(PongThereAndBack);

void ReportThereAndBack(benchmark::State& state) {
    messageThereAndBack<Report, decodeReport>(
        state, {.received = 60, .shown = 60, .latency = {60, 20, 30, 40, 50}, .clockErrorUs = 1});
}
BENCHMARK(ReportThereAndBack);

void HelloThereAndBack(benchmark::State& state) {
    Hello hello;
    hello.host = hostId();
    hello.name = "wall";
    hello.software = "verbcast";
    messageThereAndBack<Hello, decodeHello>(state, hello);
}
BENCHMARK(HelloThereAndBack);

}  // namespace
}  // namespace verbcast
