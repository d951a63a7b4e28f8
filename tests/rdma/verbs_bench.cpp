// Moves frames through the verbs transport for a while and prints the rate, for holding against ib_write_bw:
//   verbs_bench --listen HOST            then, in another process on the same machine or another one,
//   verbs_bench HOST [--bytes N] [--slots N] [--seconds S] [--options device=...&immediate=off]
#include <sys/resource.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

#include "core/base/clock.h"
#include "core/pool/frame_pool.h"
#include "core/transport/transport.h"

namespace verbcast {
namespace {

struct Settings {
    std::string host;
    std::string options;
    bool listen = false;
    std::uint64_t bytes = 3840ULL * 2160 * 4;
    std::uint32_t slots = 8;
    double seconds = 5;
};

Settings parse(int argc, char** argv) {
    Settings settings;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
        if (argument == "--listen") {
            settings.listen = true;
        } else if (argument == "--bytes") {
            settings.bytes = std::stoull(value());
        } else if (argument == "--slots") {
            settings.slots = static_cast<std::uint32_t>(std::stoul(value()));
        } else if (argument == "--seconds") {
            settings.seconds = std::stod(value());
        } else if (argument == "--options") {
            settings.options = "?" + value();
        } else {
            settings.host = argument;
        }
    }
    return settings;
}

/// The sink: gives each slot back as soon as its frame is there.
class Sink final : public ChannelHandler {
  public:
    explicit Sink(Channel& channel) : channel_(channel) {}
    void onMessage(std::span<const std::byte> message) override {
        // The source says size and count of slots.
        std::uint64_t bytes = 0;
        std::uint32_t slots = 0;
        if (message.size() != sizeof bytes + sizeof slots) {
            throw Error(ErrorKind::Peer, "the source's first message is too short");
        }
        std::memcpy(&bytes, message.data(), sizeof bytes);
        std::memcpy(&slots, message.data() + sizeof bytes, sizeof slots);
        pool_ = FramePool::create({.slotBytes = bytes, .slotCount = slots});
        channel_.setSinkPool(1, pool_);
    }
    void onPeerSlots(std::uint32_t, std::uint64_t, std::uint32_t) override {}
    void onPeerPool(std::uint32_t, std::shared_ptr<FramePool>) override {}
    void onFrame(std::uint32_t, std::uint32_t slot, const FrameInfo&) override {
        if (channel_.sendMessage(std::as_bytes(std::span(&slot, 1))) != Status::Ok) {
            throw Error(ErrorKind::Internal, "no room for a credit");
        }
    }
    void onFrameSent(std::uint32_t) override {}

  private:
    Channel& channel_;
    std::shared_ptr<FramePool> pool_;
};

/// The source: sends whenever it has a slot at both ends.
class Source final : public ChannelHandler {
  public:
    Source(Channel& channel, const Settings& settings)
        : channel_(channel),
          bytes_(settings.bytes),
          pool_(FramePool::create({.slotBytes = settings.bytes, .slotCount = settings.slots})) {
        for (std::uint32_t slot = 0; slot < settings.slots; ++slot) {
            std::memset(pool_->slotData(slot), static_cast<int>(slot) + 1, settings.bytes);
            local_.push_back(slot);
        }
        channel_.setSourcePool(1, pool_);
        std::byte hello[12];
        std::memcpy(hello, &settings.bytes, 8);
        std::memcpy(hello + 8, &settings.slots, 4);
        if (channel_.sendMessage(hello) != Status::Ok) {
            throw Error(ErrorKind::Internal, "no room for the first message");
        }
    }
    void onMessage(std::span<const std::byte> message) override {
        std::uint32_t slot = 0;
        std::memcpy(&slot, message.data(), sizeof slot);
        remote_.push_back(slot);
        ++delivered;
        lastDelivery = nowNs();
        send();
    }
    void onPeerSlots(std::uint32_t, std::uint64_t, std::uint32_t count) override {
        for (std::uint32_t slot = 0; slot < count; ++slot) {
            remote_.push_back(slot);
        }
        send();
    }
    void onPeerPool(std::uint32_t, std::shared_ptr<FramePool>) override {}
    void onFrame(std::uint32_t, std::uint32_t, const FrameInfo&) override {}
    void onFrameSent(std::uint32_t slot) override {
        local_.push_back(slot);
        send();
    }

    std::uint64_t delivered = 0;
    TimestampNs lastDelivery = 0;

  private:
    void send() {
        while (!local_.empty() && !remote_.empty()) {
            FrameInfo info;
            info.payloadBytes = bytes_;
            if (channel_.sendFrame({local_.back(), remote_.back(), info}) != Status::Ok) {
                return;
            }
            local_.pop_back();
            remote_.pop_back();
        }
    }

    Channel& channel_;
    std::uint64_t bytes_;
    std::shared_ptr<FramePool> pool_;
    std::vector<std::uint32_t> local_;
    std::vector<std::uint32_t> remote_;
};

/// Processes until closed or until the time (0: never).
bool runUntil(Channel& channel, ChannelHandler& handler, TimestampNs end) {
    while (true) {
        const Progress progress = channel.process(handler);
        if (progress == Progress::Closed) {
            return false;
        }
        const TimestampNs now = nowNs();
        if (end != 0 && now >= end) {
            return true;
        }
        if (progress == Progress::Idle && channel.readyToSleep()) {
            waitReadable({channel.waitDescriptor()}, std::chrono::nanoseconds(end == 0 ? -1 : end - now));
        }
    }
}

void serve(const Url& url) {
    auto listener = listenVerbs(url, {});
    std::unique_ptr<Channel> channel;
    while (!(channel = listener->accept())) {
        waitReadable({listener->waitDescriptor()}, std::chrono::nanoseconds(-1));
    }
    std::fprintf(stderr, "%s\n", channel->description().detail.c_str());
    Sink sink(*channel);
    runUntil(*channel, sink, 0);
}

int measure(const Url& url, const Settings& settings) {
    const Event cancel;
    auto channel = connectVerbs(url, {.sendsFrames = true}, std::chrono::seconds(20), cancel);
    std::fprintf(stderr, "%s\n", channel->description().detail.c_str());
    Source source(*channel, settings);
    // The first half second warms up: page tables, caches, the peer's registration. Then time runs from one
    // delivery to another, so that no part of a frame is counted.
    runUntil(*channel, source, nowNs() + 500'000'000);
    const std::uint64_t warm = source.delivered;
    while (source.delivered == warm && runUntil(*channel, source, nowNs() + 10'000'000)) {
    }
    const std::uint64_t before = source.delivered;
    const TimestampNs start = source.lastDelivery;
    if (!runUntil(*channel, source, start + static_cast<TimestampNs>(settings.seconds * 1e9))) {
        std::fprintf(stderr, "%s\n", channel->closeReason().c_str());
        return 1;
    }
    const double seconds = static_cast<double>(source.lastDelivery - start) / 1e9;
    const double frames = static_cast<double>(source.delivered - before);
    std::printf("%.0f frames of %llu bytes in %.2f s: %.1f fps, %.3f GB/s, cpu %.2f s\n", frames,
                static_cast<unsigned long long>(settings.bytes), seconds, frames / seconds,
                frames * static_cast<double>(settings.bytes) / seconds / 1e9, processCpuSeconds());
    return frames > 0 ? 0 : 1;
}

}  // namespace
}  // namespace verbcast

int main(int argc, char** argv) {
    using namespace verbcast;
    try {
        const Settings settings = parse(argc, argv);
        const Url url = parseUrl("verbs://" + settings.host + settings.options);
        if (settings.listen) {
            serve(url);
            return 0;
        }
        return measure(url, settings);
    } catch (const Error& error) {
        std::cerr << error.what() << "\n" << error.remedy() << "\n";
        return error.exitCode();
    }
}
