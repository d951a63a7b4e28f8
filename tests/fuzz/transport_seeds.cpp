#include "core/pipe/pipe_messages.h"
#include "core/session/messages/messages.h"
#include "core/transport/rdma/rdma_wire.h"
#include "tests/fuzz/seed_writer.h"

namespace verbcast::fuzz {
namespace {

/// The acts in tcp_targets.cpp.
struct TcpSeed : SeedWriter {
    explicit TcpSeed(int options) { byte(options); }
    template <typename Message>
    TcpSeed& say(const Message& message) {
        byte(0);
        text(encodeMessage(message));
        return *this;
    }
    /// `now`: how many of the bytes follow immediately.
    TcpSeed& frame(int slot, int epoch, int sequence, std::uint32_t bytes, int now, int pts = 0) {
        byte(1)
            .byte(1)
            .byte(slot)
            .info(epoch, sequence, bytes, static_cast<std::uint32_t>(pts))
            .byte(0)
            .word(0)
            .word(now);
        return *this;
    }
    /// In one block of `rows` rows of 16 bytes, 32 bytes apart.
    TcpSeed& frameInBlocks(int slot, int sequence, std::uint32_t bytes, int rows) {
        byte(1).byte(1).byte(slot).info(1, sequence, bytes, 0, 1);
        byte(1).word(0).word(16).word(32).byte(rows).word(0).word(16 * rows);
        return *this;
    }
    TcpSeed& payload(int bytes) {
        byte(2).word(bytes);
        return *this;
    }
    TcpSeed& read() {
        byte(6).word(60000);
        return *this;
    }
    TcpSeed& program(int what, int argument = 1) {
        byte(7).byte(what).byte(argument);
        return *this;
    }
    /// The link processes what it can.
    TcpSeed& pause() { return program(2, 0).program(2, 0); }
};

FormatMessage formatOf(std::uint32_t epoch, std::uint64_t framesBefore, const TrackFormat& format) {
    FormatMessage message;
    message.epoch = epoch;
    message.framesBefore = framesBefore;
    message.format = format;
    return message;
}

FormatMessage grayFormat(std::uint32_t epoch, std::uint64_t framesBefore) {
    return formatOf(epoch, framesBefore, TrackFormat::ofVideo(tightFormat(32, 16, PixelFormat::gray)));
}

/// Of a size that needs another ring.
FormatMessage largeFormat(std::uint32_t epoch, std::uint64_t framesBefore) {
    return formatOf(epoch, framesBefore, TrackFormat::ofVideo(tightFormat(128, 64, PixelFormat::gray)));
}

void writeTcp(const std::filesystem::path& seeds) {
    TcpSeed sink(0);
    sink.say(grayFormat(1, 0)).frame(0, 1, 0, 512, 100).payload(412).program(0).frameInBlocks(1, 1, 512, 4);
    sink.program(1, 0).read().say(grayFormat(2, 2)).program(0).frame(2, 2, 2, 512, 512).program(0);
    SeedFolder(seeds, "tcp_sink").add("stream", sink.say(EndOfTrack{0, 3, true, "end"}));
    TcpSeed larger(0);
    larger.say(grayFormat(1, 0)).frame(0, 1, 0, 512, 512).program(0).say(largeFormat(2, 1)).program(1, 0);
    larger.byte(1).byte(2).byte(1).info(2, 1, 8192).byte(0).word(0).word(8192);
    SeedFolder(seeds, "tcp_sink").add("larger_ring", larger.program(0));
    TcpSeed half(1);
    half.say(grayFormat(1, 0)).frame(3, 1, 0, 512, 100).byte(5).byte(2);
    SeedFolder(seeds, "tcp_sink").add("half_frame", half);

    RingMessage ring;
    ring.ring = 1;
    ring.shape = {4096, 4};
    Credit credit;
    credit.ring = 1;
    credit.slots.push(0);
    credit.slots.push(3);
    TcpSeed source(1);
    source.say(ring)
        .say(Accept{0, 1, 1, true, 0})
        .say(credit)
        .program(3)
        .program(3)
        .pause()
        .read()
        .program(0)
        .program(3)
        .pause();
    source.say(Accept{0, 2, 1, true, 0}).say(credit).pause().program(1).pause().read();
    SeedFolder(seeds, "tcp_source").add("stream", source.say(Bye{"bye"}));

    TcpSeed pipe(0);
    pipe.say(PipeOffer{.blockBytes = 4096, .depth = 4, .checksum = false, .length = {}}).program(1, 0);
    pipe.frame(0, 0, 0, 4096, 4096).program(1).program(0, 0).frame(1, 0, 1, 10, 10, 4096);
    pipe.say(PipeEnd{.bytes = 4106, .checksum = 0}).program(1).program(1).say(Bye{"bye"});
    SeedFolder(seeds, "tcp_pipe_sink").add("stream", pipe);
}

/// The acts in shm_targets.cpp.
struct ShmSeed : SeedWriter {
    explicit ShmSeed(int options) { byte(options); }
    template <typename Message>
    ShmSeed& say(const Message& message) {
        byte(0);
        text(encodeMessage(message));
        return *this;
    }
    ShmSeed& frame(int ring, int slot, int epoch, int sequence) {
        byte(1).byte(ring).byte(slot).info(epoch, sequence, 512);
        return *this;
    }
    /// A packet of the usual size.
    ShmSeed& packet(int kind, int ring, std::initializer_list<int> descriptors) {
        byte(3).byte(kind).byte(ring).byte(8).byte(static_cast<int>(descriptors.size()));
        for (const int descriptor : descriptors) {
            byte(descriptor);
        }
        return *this;
    }
    ShmSeed& rewrite(int whose, int word, std::int64_t change) {
        byte(whose).byte(word).put(change);
        return *this;
    }
    ShmSeed& program(int what, int argument = 1) {
        byte(8).byte(what).byte(argument);
        return *this;
    }
};

RingMessage ringOfFour(RingId id) {
    RingMessage message;
    message.ring = id;
    message.shape = {4096, 4};
    return message;
}

void writeShm(const std::filesystem::path& seeds) {
    ShmSeed sink(0);
    sink.packet(0, 0, {0}).packet(1, 1, {1, 2}).packet(2, 0, {}).say(ringOfFour(1)).say(grayFormat(1, 0));
    sink.frame(1, 0, 1, 0)
        .program(0)
        .program(1, 0)
        .packet(1, 2, {1, 3})
        .say(ringOfFour(2))
        .say(grayFormat(2, 1));
    SeedFolder(seeds, "shm_sink")
        .add("stream", sink.frame(2, 3, 2, 1).program(0).say(EndOfTrack{0, 2, true, "end"}));
    ShmSeed spoilt(1);
    spoilt.packet(0, 0, {0}).say(grayFormat(1, 0)).rewrite(4, 0, 8).rewrite(5, 1, 1 << 20).say(Ping{1});
    SeedFolder(seeds, "shm_sink").add("spoilt", spoilt);
    ShmSeed strange(0);
    strange.packet(0, 0, {4}).packet(1, 1, {7, 2}).packet(2, 0, {1, 1, 1}).packet(0, 0, {});
    SeedFolder(seeds, "shm_sink").add("strange_descriptors", strange);

    Credit credit;
    credit.ring = 1;
    credit.slots.push(0);
    ShmSeed source(1);
    source.packet(0, 0, {0}).say(Accept{0, 1, 1, true, 0}).program(3).program(3).say(credit).rewrite(5, 1, 0);
    source.program(0)
        .program(3)
        .say(Accept{0, 2, 2, true, 0})
        .byte(6)
        .text(std::vector<std::byte>(4))
        .byte(7);
    SeedFolder(seeds, "shm_source").add("stream", source);

    SeedWriter ring;
    ring.byte(0)
        .text(std::vector<std::byte>(20))
        .byte(2)
        .byte(0)
        .text(std::vector<std::byte>(9))
        .byte(1)
        .byte(4);
    ring.put(std::uint32_t{32})
        .byte(1)
        .byte(7)
        .byte(2)
        .byte(1)
        .byte(0)
        .put(std::int64_t{1} << 20)
        .byte(2)
        .byte(3);
    SeedFolder(seeds, "shm_ring").add("records", ring);

    // The written position, and the length of the first record.
    SeedWriter race;
    race.word(0).put(64U).word(0).put(1U << 20).word(1024).put(24U).word(1024).put(4096U);
    SeedFolder(seeds, "shm_ring_race").add("lengths", race);
}

/// The acts in rdma_targets.cpp.
struct RdmaSeed : SeedWriter {
    RdmaSeed(int stream, int port) {
        byte(stream).byte(port);
        if ((port & 32) == 0) {
            byte(0).byte(1).word(0).word(0);  // Hello from the connecting side
        } else {
            byte(5).byte(1);  // our message has left
        }
    }
    template <typename Message>
    RdmaSeed& say(const Message& message, int taken = 0) {
        byte(0).byte(2).word(taken);
        text(encodeMessage(message));
        return *this;
    }
    RdmaSeed& frame(int slot, int epoch, int sequence) {
        byte(4).byte(1).byte(slot).info(epoch, sequence, 512);
        return *this;
    }
    RdmaSeed& complete(int count) {
        byte(5).byte(count);
        return *this;
    }
    RdmaSeed& program(int what, int argument = 1) {
        byte(7).byte(what).byte(argument);
        return *this;
    }
    /// The link processes what it can, and its requests to the device complete.
    RdmaSeed& settle() { return program(2, 0).complete(9).program(2, 0).complete(9).program(2, 0); }
};

void writeRdma(const std::filesystem::path& seeds) {
    RdmaSeed larger(0, 0);
    larger.say(grayFormat(1, 0))
        .frame(0, 1, 0)
        .program(0)
        .say(largeFormat(2, 1))
        .settle()
        .say(Ping{1})
        .settle();
    larger.say(formatOf(3, 1, TrackFormat::ofBytes(8U << 20))).settle().settle();
    SeedFolder(seeds, "rdma_sink").add("larger_rings", larger);
    for (const int port : {0, 1, 14, 32}) {
        RdmaSeed sink(0, port);
        sink.say(grayFormat(1, 0))
            .complete(9)
            .frame(0, 1, 0)
            .program(0)
            .frame(1, 1, 1)
            .program(1, 0)
            .complete(9);
        sink.say(grayFormat(2, 2))
            .frame(2, 2, 2)
            .program(0)
            .say(EndOfTrack{0, 3, true, "end"})
            .byte(6)
            .byte(1);
        SeedFolder(seeds, "rdma_sink").add("stream_" + std::to_string(port), sink);

        RingMessage ring = ringOfFour(1);
        ring.offer = encodeOffer({0x10000, 1, 0x90000, 2});
        Credit credit;
        credit.ring = 1;
        credit.slots.push(0);
        credit.slots.push(3);
        RdmaSeed source(1, port);
        source.say(ring)
            .say(Accept{0, 1, 1, true, 0})
            .say(credit)
            .program(3)
            .program(3)
            .settle()
            .program(0)
            .program(3)
            .settle();
        source.say(Accept{0, 2, 1, true, 0}).say(credit).settle().program(1).settle().say(Bye{"bye"});
        SeedFolder(seeds, "rdma_source").add("stream_" + std::to_string(port), source);
    }
}

void writeCallers(const SeedFolder& folder) {
    SeedWriter pair;
    pair.byte(0).byte(1).byte(1).byte(0).byte(1).byte(7).byte(0).byte(1).byte(1).byte(1).byte(2).byte(7).byte(
        4);
    folder.add("pair", pair.byte(0).byte(2).byte(3).byte(2).byte(4));
    SeedWriter strangers;
    for (int i = 0; i < 20; ++i) {
        strangers.byte(0).byte(i % 3).byte(2).byte(i).byte(2).byte(1).byte(2);
    }
    folder.add("strangers", strangers.byte(4));
}

}  // namespace

void writeTransportSeeds(const std::filesystem::path& seeds) {
    writeTcp(seeds);
    writeShm(seeds);
    writeRdma(seeds);
    writeCallers({seeds, "tcp_callers"});
}

}  // namespace verbcast::fuzz
