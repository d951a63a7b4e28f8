#include "tests/rdma/verbs_pair.h"

#include <xxhash.h>

#include <cstdlib>
#include <cstring>
#include <future>

#include "core/base/clock.h"
#include "core/transport/rdma_devices.h"
#include "core/transport/verbs/device_addresses.h"

namespace verbcast::testing {

std::optional<TestDevice> testDevice() {
    VerbsOptions options;
    if (const char* wanted = std::getenv("VERBCAST_TEST_DEVICE")) {
        options.device = wanted;
    }
    for (const DeviceAddress& candidate : deviceAddresses(options)) {
        if (!candidate.active) {
            continue;
        }
        const std::string text = candidate.address.text();
        TestDevice device{candidate.device, text.substr(0, text.rfind(':')), false};
        for (const RdmaDevice& one : rdmaDevices()) {
            device.immediates |= one.name == device.name && one.immediateWrites;
        }
        return device;
    }
    return std::nullopt;
}

void VerbsTest::SetUp() {
    const TransportAvailability availability = verbsAvailability();
    const auto device = availability.available ? testDevice() : std::nullopt;
    if (device) {
        device_ = *device;
        return;
    }
    const std::string why =
        availability.available ? "no RDMA device with an IP address" : std::string(availability.reason);
    if (std::getenv("VERBCAST_REQUIRE_RDMA") != nullptr) {
        FAIL() << "RDMA is required here: " << why;
    }
    GTEST_SKIP() << "NOT TESTED, " << why << ": run this binary through tests/support/guest";
}

Url VerbsTest::url(std::uint16_t port, const std::string& more) const {
    return parseUrl("verbs://" + device_.host + ":" + std::to_string(port) + "?device=" + device_.name +
                    more);
}

bool drive(const std::vector<End*>& ends, const std::function<bool()>& done) {
    const TimestampNs deadline = nowNs() + std::chrono::nanoseconds(kPatience).count();
    while (!done()) {
        if (nowNs() > deadline) {
            return false;
        }
        bool idle = true;
        for (End* end : ends) {
            const Progress progress = end->closed ? Progress::Idle : end->channel->process(end->seen);
            end->closed |= progress == Progress::Closed;
            idle &= progress == Progress::Idle;
        }
        for (End* end : ends) {
            idle = idle && (end->closed || end->channel->readyToSleep());
        }
        if (idle && !done()) {
            const auto descriptor = [&](std::size_t i) {
                return i < ends.size() && !ends[i]->closed ? ends[i]->channel->waitDescriptor() : -1;
            };
            // The limit only lets a test that hangs end by itself.
            waitReadable({descriptor(0), descriptor(1), descriptor(2), descriptor(3)}, kPatience);
        }
    }
    return true;
}

std::unique_ptr<Channel> acceptOne(Listener& listener) {
    const TimestampNs deadline = nowNs() + std::chrono::nanoseconds(kPatience).count();
    while (nowNs() < deadline) {
        if (auto channel = listener.accept()) {
            return channel;
        }
        waitReadable({listener.waitDescriptor()}, std::chrono::nanoseconds(deadline - nowNs()));
    }
    return nullptr;
}

std::uint16_t portOf(const Listener& listener) {
    return parseUrl(listener.address()).port;
}

std::unique_ptr<Pair> connectPair(const Url& listenAt, const std::string& more,
                                  const TransportOptions& sourceOptions) {
    auto listener = listenVerbs(listenAt, {});
    Url target = listenAt;
    target.port = portOf(*listener);
    target = parseUrl(target.text() + more);
    const Event cancel;
    auto connecting = std::async(std::launch::async,
                                 [&] { return connectVerbs(target, sourceOptions, kPatience, cancel); });
    auto pair = std::make_unique<Pair>();
    pair->sink.channel = acceptOne(*listener);
    pair->source.channel = connecting.get();
    if (!pair->sink.channel || !pair->source.channel) {
        throw std::runtime_error("the two ends did not connect");
    }
    return pair;
}

std::span<const std::byte> asBytes(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

void fillPattern(std::span<std::byte> memory, std::uint64_t seed) {
    // SplitMix64 (S. Vigna): any two seeds and positions give unrelated bytes.
    for (std::size_t at = 0; at < memory.size(); at += 8) {
        std::uint64_t z = seed * 0x9e3779b97f4a7c15 + at;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        z ^= z >> 31;
        std::memcpy(memory.data() + at, &z, std::min<std::size_t>(8, memory.size() - at));
    }
}

std::uint64_t hashOf(std::span<const std::byte> memory) {
    return XXH3_64bits(memory.data(), memory.size());
}

std::shared_ptr<FramePool> makePool(std::uint64_t slotBytes, std::uint32_t slotCount) {
    auto pool = FramePool::create({.slotBytes = slotBytes, .slotCount = slotCount, .hugePages = false});
    return pool;
}

}  // namespace verbcast::testing
