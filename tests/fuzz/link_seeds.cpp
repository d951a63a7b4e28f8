#include <cstring>
#include <vector>

#include "core/pipe/pipe_messages.h"
#include "core/session/messages/messages.h"
#include "tests/fuzz/seed_writer.h"

namespace verbcast::fuzz {
namespace {

constexpr int kProgram = 4;

/// The acts in link_targets.cpp.
struct LinkSeed : SeedWriter {
    explicit LinkSeed(int options) { byte(options); }
    template <typename Message>
    LinkSeed& say(const Message& message) {
        byte(0);
        text(encodeMessage(message));
        return *this;
    }
    LinkSeed& frame(int ring, int slot, int epoch, int sequence, std::uint32_t bytes, std::uint32_t pts = 0) {
        byte(1).byte(ring).byte(slot).info(epoch, sequence, bytes, pts);
        return *this;
    }
    /// A block of sound, in one message.
    LinkSeed& block(RingId ring, std::uint16_t slot, std::uint64_t sequence, std::uint64_t bytes) {
        FrameInfo info;
        info.epoch = 1;
        info.track = 2;
        info.sequence = sequence;
        info.payloadBytes = bytes;
        FramePart part{.ring = ring, .slot = slot};
        std::memcpy(part.head.data(), &info, part.head.size());
        std::vector<std::byte> message = encodeMessage(part);
        message.resize(message.size() + bytes);
        byte(0);
        text(message);
        return *this;
    }
    LinkSeed& sent() {
        byte(3);
        return *this;
    }
    LinkSeed& program(int what, int argument = 1) {
        byte(kProgram).byte(what).byte(argument);
        return *this;
    }
    LinkSeed& offerReady() {
        byte(2).byte(1);
        return *this;
    }
};

FormatMessage format(std::uint32_t epoch, std::uint64_t framesBefore = 0) {
    FormatMessage message;
    message.epoch = epoch;
    message.policy = Policy::Lossless;
    message.framesBefore = framesBefore;
    message.format = TrackFormat::ofVideo(tightFormat(32, 16, PixelFormat::gray));
    return message;
}

RingMessage ring(RingId id) {
    RingMessage message;
    message.ring = id;
    message.shape = {4096, 4};
    return message;
}

Credit credit(RingId id, std::uint64_t next, std::initializer_list<std::uint16_t> slots) {
    Credit message;
    message.ring = id;
    message.nextSequence = next;
    for (const std::uint16_t slot : slots) {
        message.slots.push(slot);
    }
    return message;
}

void writeReceiver(const SeedFolder& folder) {
    LinkSeed ours(0);
    ours.say(format(1)).frame(1, 0, 1, 0, 512).frame(1, 0, 1, 0, 512).program(0).program(1, 0);
    ours.frame(1, 1, 1, 1, 512)
        .frame(1, 1, 1, 1, 512)
        .say(format(2, 2))
        .program(0)
        .say(EndOfTrack{0, 2, true, "end"});
    folder.add("stream", ours.say(Bye{"bye"}));
    LinkSeed shared(1);
    shared.say(ring(1)).say(format(1)).frame(1, 0, 1, 0, 512).program(0).program(1, 0);
    shared.say(ring(2))
        .say(format(2, 1))
        .frame(2, 3, 2, 1, 512)
        .program(0)
        .say(EndOfTrack{0, 2, true, "end"});
    folder.add("shared", shared);
    LinkSeed late(4);
    late.byte(2).byte(0);
    late.say(format(1))
        .offerReady()
        .say(Ping{1})
        .say(Pong{1, 2, 3})
        .program(2, 9)
        .say(Refuse{RefuseCode::Busy, "no"});
    folder.add("late_offer", late);
    FormatMessage sound;
    sound.track = 2;
    sound.epoch = 1;
    sound.format = TrackFormat::ofSound({.rate = 8'000, .channels = 1, .maxSamples = 80});
    LinkSeed heard(4);
    heard.say(format(1))
        .frame(1, 0, 1, 0, 512)
        .say(sound)
        .block(2, 0, 0, 320)
        .program(0, 2)
        .block(2, 1, 1, 4);
    folder.add("sound", heard.program(1).say(EndOfTrack{2, 2, true, "end"}));
}

void writeSender(const SeedFolder& folder) {
    LinkSeed ours(2);
    ours.say(ring(1)).say(Accept{0, 1, 1, true, 0}).say(credit(1, 0, {0, 1, 2, 3}));
    ours.program(3).program(3).sent().sent().say(credit(1, 2, {3, 2})).program(0).program(3);
    ours.say(ring(2)).say(Accept{0, 2, 2, true, 2}).say(credit(2, 2, {0})).sent().program(1).sent();
    folder.add("stream", ours.say(Report{}).say(Bye{"bye"}));
    LinkSeed shared(1);
    shared.say(Accept{0, 1, 1, true, 0}).program(3).program(3).say(credit(1, 1, {0})).program(0).program(3);
    shared.say(Accept{0, 2, 2, true, 0}).program(2, 0).say(credit(2, 2, {0})).program(1);
    folder.add("shared", shared);
    InputMessage key;
    key.sequence = 1;
    folder.add("input", LinkSeed(4).say(key).say(Accept{0, 1, 0, false, 0}).program(3));
}

void writePipe(const std::filesystem::path& seeds) {
    const PipeOffer offer{.blockBytes = 4096, .depth = 4, .checksum = false, .length = {}};
    LinkSeed sink(0);
    sink.say(offer).program(1, 0).frame(1, 0, 0, 0, 4096, 0).frame(1, 0, 0, 0, 4096, 0).program(1);
    sink.frame(1, 1, 0, 1, 10, 4096).frame(1, 1, 0, 1, 10, 4096).say(PipeEnd{.bytes = 4106, .checksum = 0});
    sink.program(1).program(0, 0).program(1).say(Bye{"bye"});
    SeedFolder(seeds, "pipe_sink_link").add("stream", sink);
    LinkSeed shared(1);
    shared.say(offer).program(1, 0).say(ring(1)).frame(1, 0, 0, 0, 4096, 0).program(1).program(0, 0);
    shared.say(PipeEnd{.bytes = 4096, .checksum = 0}).program(1);
    SeedFolder(seeds, "pipe_sink_link").add("shared", shared);
    LinkSeed failed(0);
    failed.say(offer).program(1, 0).program(0xFF).say(PipeFailure{.code = 5, .text = "full"});
    SeedFolder(seeds, "pipe_sink_link").add("failed", failed);

    LinkSeed source(0);
    source.say(ring(1)).say(PipeAccept{.blockBytes = 4096, .depth = 4, .checksum = false, .start = 0});
    source.say(credit(1, 0, {0, 1}))
        .program(1)
        .program(1)
        .sent()
        .sent()
        .program(8)
        .say(PipeDone{.bytes = 8192});
    SeedFolder(seeds, "pipe_source_link").add("stream", source);
    LinkSeed lent(1);
    lent.say(PipeAccept{.blockBytes = 4096, .depth = 4, .checksum = false, .start = 10}).program(1);
    lent.say(credit(1, 0, {0})).program(8).say(PipeDone{.bytes = 4106});
    SeedFolder(seeds, "pipe_source_link").add("shared", lent);
}

void writeGreeting(const SeedFolder& folder) {
    Hello hello;
    hello.role = Role::Sender;
    hello.name = "peer";
    for (const bool key : {false, true}) {
        SeedWriter seed;
        seed.byte(key ? 3 : 1).text(encodeMessage(hello)).text(encodeMessage(Ping{1}));
        folder.add(key ? "with_key" : "without_key", seed);
    }
    hello.features |= kUsesDevice;
    hello.device = "cuda 0123456789abcdef0123456789abcdef";
    SeedWriter seed;
    seed.byte(1).text(encodeMessage(hello)).text(encodeMessage(Ping{1}));
    folder.add("of_a_device", seed);
}

}  // namespace

void writeLinkSeeds(const std::filesystem::path& seeds) {
    writeReceiver({seeds, "receiver_link"});
    writeSender({seeds, "sender_link"});
    writePipe(seeds);
    writeGreeting({seeds, "greeting"});
}

}  // namespace verbcast::fuzz
