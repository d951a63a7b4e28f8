// Streams frames through the verbs transport for a while and prints the rate, for comparison with
// ib_write_bw:
//   verbs_bench --listen HOST            then, in another process on the same machine or another one,
//   verbs_bench HOST [--bytes N] [--slots N] [--seconds S] [--options device=...&immediate=off]
#include <sys/resource.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

#include "core/base/os/clock.h"
#include "core/memory/frame_pool.h"
#include "core/transport/registry.h"

namespace verbcast::testing {
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

/// Common to both ends.
class Ends : public MessageHandler, public FrameHandler {
  public:
    explicit Ends(Connection& connection) : messages_(*connection.messages), frames_(*connection.frames) {
        messages_.setHandler(this);
        frames_.setHandler(this);
    }
    void onOfferReady(RingId, std::span<const std::byte>) override {}
    FrameTarget beginFrame(RingId, std::uint32_t, const FrameInfo&) override { return {}; }
    void onFrame(RingId, std::uint32_t, const FrameInfo&) override {}
    void onFrameSent(std::uint32_t) override {}

  protected:
    void say(std::span<const std::byte> message) {
        if (messages_.send(message) != Status::Ok) {
            throw Error(ErrorKind::Internal, "no room for a message");
        }
    }

    MessageChannel& messages_;
    FramePath& frames_;
};

/// The sink: returns each slot as soon as its frame has arrived.
class Sink final : public Ends {
  public:
    using Ends::Ends;
    void onMessage(std::span<const std::byte> message) override {
        // The source announces slot size and count.
        std::uint64_t bytes = 0;
        std::uint32_t slots = 0;
        if (message.size() != sizeof bytes + sizeof slots) {
            throw Error(ErrorKind::Peer, "the source's first message is too short");
        }
        std::memcpy(&bytes, message.data(), sizeof bytes);
        std::memcpy(&slots, message.data() + sizeof bytes, sizeof slots);
        pool_ = FramePool::create({.slotBytes = bytes, .slotCount = slots});
        frames_.offer(1, pool_);
    }
    void onOfferReady(RingId, std::span<const std::byte> offer) override { say(offer); }
    void onFrame(RingId, std::uint32_t slot, const FrameInfo&) override {
        say(std::as_bytes(std::span(&slot, 1)));
    }

  private:
    std::shared_ptr<FramePool> pool_;
};

/// The source: sends whenever it has a slot at both ends.
class Source final : public Ends {
  public:
    Source(Connection& connection, const Settings& settings)
        : Ends(connection),
          bytes_(settings.bytes),
          slots_(settings.slots),
          pool_(FramePool::create({.slotBytes = settings.bytes, .slotCount = settings.slots})) {
        for (std::uint32_t slot = 0; slot < settings.slots; ++slot) {
            std::memset(pool_->slotData(slot), static_cast<int>(slot) + 1, settings.bytes);
            local_.push_back(slot);
        }
        frames_.prepare(pool_);
        std::byte hello[12];
        std::memcpy(hello, &settings.bytes, 8);
        std::memcpy(hello + 8, &settings.slots, 4);
        say(hello);
    }
    void onMessage(std::span<const std::byte> message) override {
        std::uint32_t slot = 0;
        if (message.size() != sizeof slot) {  // the first one
            frames_.accept(1, {pool_->slotBytes(), slots_}, message);
            remote_ = local_;
        } else {
            std::memcpy(&slot, message.data(), sizeof slot);
            remote_.push_back(slot);
            ++delivered;
            lastDelivery = nowNs();
        }
        send();
    }
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
            if (frames_.send({pool_, local_.back(), 1, remote_.back(), info}) != Status::Ok) {
                return;
            }
            local_.pop_back();
            remote_.pop_back();
        }
    }

    std::uint64_t bytes_;
    std::uint32_t slots_;
    std::shared_ptr<FramePool> pool_;
    std::vector<std::uint32_t> local_;
    std::vector<std::uint32_t> remote_;
};

/// Processes until the channel closes or until `end` (0: no limit).
bool runUntil(MessageChannel& messages, TimestampNs end) {
    while (true) {
        const Progress progress = messages.process();
        if (progress == Progress::Closed) {
            return false;
        }
        const TimestampNs now = nowNs();
        if (end != 0 && now >= end) {
            return true;
        }
        if (progress == Progress::Idle && messages.readyToSleep()) {
            waitReadable({messages.waitDescriptor()},
                         end == 0 ? Deadline::never() : Deadline::in(std::chrono::nanoseconds(end - now)));
        }
    }
}

void serve(const Transport& transport, const Url& url) {
    auto listener = transport.listen(url, {});
    Connection connection;
    while (!(connection = listener->accept())) {
        waitReadable({listener->waitDescriptor()}, Deadline::never());
    }
    std::fprintf(stderr, "%s\n", connection.messages->description().detail.c_str());
    Sink sink(connection);
    runUntil(*connection.messages, 0);
}

int measure(const Transport& transport, const Url& url, const Settings& settings) {
    const Event cancel;
    Connection connection =
        transport.connect(url, {.sendsFrames = true}, Deadline::in(std::chrono::seconds(20)), cancel);
    MessageChannel& messages = *connection.messages;
    std::fprintf(stderr, "%s\n", messages.description().detail.c_str());
    Source source(connection, settings);
    // The first half second is warm-up: page tables, caches, the peer's registration. The measurement runs
    // from one delivery to another, so that no partial frame is counted.
    runUntil(messages, nowNs() + 500'000'000);
    const std::uint64_t warm = source.delivered;
    while (source.delivered == warm && runUntil(messages, nowNs() + 10'000'000)) {
    }
    const std::uint64_t before = source.delivered;
    const TimestampNs start = source.lastDelivery;
    if (!runUntil(messages, start + static_cast<TimestampNs>(settings.seconds * 1e9))) {
        std::fprintf(stderr, "%s\n", messages.closeReason().c_str());
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
}  // namespace verbcast::testing

int main(int argc, char** argv) {
    using namespace verbcast;
    using namespace verbcast::testing;
    try {
        const Settings settings = parse(argc, argv);
        const Transport& transport = *findTransport("verbs");
        const Url url = parseUrl(std::string(transport.scheme) + "://" + settings.host + settings.options);
        if (settings.listen) {
            serve(transport, url);
            return 0;
        }
        return measure(transport, url, settings);
    } catch (const Error& error) {
        std::cerr << error.what() << "\n" << error.remedy() << "\n";
        return error.exitCode();
    }
}
