#include "tests/core/transport/rdma/rdma_pair.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <future>

namespace verbcast::testing {

namespace {

// The tests' offers are messages of this form: this mark, ring, slots, bytes per slot, the offer.
constexpr char kOfferMark[4] = {'r', 'i', 'n', 'g'};

struct OfferHead {
    char mark[4];
    RingId ring;
    RingShape shape;
};

}  // namespace

void Recorder::onMessage(std::span<const std::byte> message) {
    OfferHead head;
    if (message.size() > sizeof head && std::memcmp(message.data(), kOfferMark, sizeof kOfferMark) == 0) {
        std::memcpy(&head, message.data(), sizeof head);
        EXPECT_EQ(connection_.frames->accept(head.ring, head.shape, message.subspan(sizeof head)), nullptr);
        rings.push_back({head.ring, head.shape});
        return;
    }
    messages.emplace_back(reinterpret_cast<const char*>(message.data()), message.size());
    ringsBeforeMessages.push_back(rings.size());
}

void Recorder::onOfferReady(RingId ring, std::span<const std::byte> offer) {
    EXPECT_LE(offer.size(), kMaxOfferBytes);
    OfferHead head{};
    std::memcpy(head.mark, kOfferMark, sizeof kOfferMark);
    head.ring = ring;
    head.shape = offered.at(ring);
    std::vector<std::byte> message(sizeof head + offer.size());
    std::memcpy(message.data(), &head, sizeof head);
    std::copy(offer.begin(), offer.end(), message.begin() + sizeof head);
    told.push_back(ring);
    offers[ring].assign(offer.begin(), offer.end());
    EXPECT_EQ(connection_.messages->send(message), Status::Ok);
}

void End::adopt(Connection made) {
    connection = std::move(made);
    if (connection) {
        connection.messages->setHandler(&seen);
        connection.frames->setHandler(&seen);
    }
}

void End::offer(RingId ring, const std::shared_ptr<FramePool>& pool) {
    seen.offered[ring] = {pool->slotBytes(), pool->slotCount()};
    connection.frames->offer(ring, pool);
}

Status End::send(const std::string& text) {
    return connection.messages->send(asBytes(text));
}

bool drive(const std::vector<End*>& ends, const std::function<bool()>& done) {
    const Deadline deadline = Deadline::in(kPatience);
    while (!done()) {
        if (deadline.passed()) {
            return false;
        }
        bool idle = true;
        for (End* end : ends) {
            const Progress progress = end->closed ? Progress::Idle : end->messages()->process();
            end->closed |= progress == Progress::Closed;
            idle &= progress == Progress::Idle;
        }
        for (End* end : ends) {
            idle = idle && (end->closed || end->messages()->readyToSleep());
        }
        if (idle && !done()) {
            const auto descriptor = [&](std::size_t i) {
                return i < ends.size() && !ends[i]->closed ? ends[i]->messages()->waitDescriptor() : -1;
            };
            // The limit only lets a hanging test end by itself.
            waitReadable({descriptor(0), descriptor(1), descriptor(2), descriptor(3)}, kPatience);
        }
    }
    return true;
}

Connection acceptOne(Listener& listener) {
    const Deadline deadline = Deadline::in(kPatience);
    while (!deadline.passed()) {
        if (auto connection = listener.accept()) {
            return connection;
        }
        waitReadable({listener.waitDescriptor()}, deadline);
    }
    return {};
}

std::uint16_t portOf(const Listener& listener) {
    return parseUrl(listener.address()).port;
}

std::unique_ptr<Pair> connectPair(const Transport& transport, const Url& listenAt, const std::string& more,
                                  const TransportOptions& sourceOptions) {
    auto listener = transport.listen(listenAt, {});
    Url target = listenAt;
    target.port = portOf(*listener);
    target = parseUrl(target.text() + more);
    const Event cancel;
    auto connecting = std::async(std::launch::async, [&] {
        return transport.connect(target, sourceOptions, Deadline::in(kPatience), cancel);
    });
    auto pair = std::make_unique<Pair>();
    pair->sink.adopt(acceptOne(*listener));
    pair->source.adopt(connecting.get());
    if (!pair->sink.connection || !pair->source.connection) {
        throw std::runtime_error("the two ends did not connect");
    }
    return pair;
}

Stream openStream(std::unique_ptr<Pair> pair, std::uint64_t slotBytes, std::uint32_t slotCount) {
    Stream stream{std::move(pair), makePool(slotBytes, slotCount), makePool(slotBytes, slotCount)};
    stream.into->slots().takeFree([](std::uint32_t) {});
    stream.pair->source.frames()->prepare(stream.from);
    stream.pair->sink.offer(1, stream.into);
    auto& rings = stream.pair->source.seen.rings;
    EXPECT_TRUE(drive({&stream.pair->source, &stream.pair->sink}, [&] { return !rings.empty(); }));
    return stream;
}

FrameInfo infoFor(std::uint64_t sequence, std::uint64_t bytes) {
    FrameInfo info;
    info.sequence = sequence;
    info.payloadBytes = bytes;
    info.epoch = 7;
    info.pts = -static_cast<std::int64_t>(sequence) - 1;
    info.rectCount = static_cast<std::uint16_t>(sequence % (kMaxFrameRects + 1));
    for (std::uint16_t rect = 0; rect < info.rectCount; ++rect) {
        info.rects[rect] = {rect, 2, 3, static_cast<std::uint16_t>(sequence)};
    }
    return info;
}

void sendAndCompare(Stream& stream, std::uint64_t bytes, std::uint32_t remoteSlot, std::uint64_t sequence) {
    End& source = stream.pair->source;
    End& sink = stream.pair->sink;
    const std::span<std::byte> payload(stream.from->slotData(0), bytes);
    fillPattern(payload, sequence + 1);
    const std::span<std::byte> arrived(stream.into->slotData(remoteSlot), stream.into->slotBytes());
    std::fill(arrived.begin(), arrived.end(), std::byte{0xee});
    const std::size_t frames = sink.seen.frames.size();
    const std::size_t sent = source.seen.sent.size();
    const std::uint64_t moved = source.frames()->payloadBytesMoved();
    ASSERT_EQ(source.frames()->send({stream.from, 0, 1, remoteSlot, infoFor(sequence, bytes)}), Status::Ok);
    ASSERT_TRUE(drive({&source, &sink},
                      [&] { return sink.seen.frames.size() > frames && source.seen.sent.size() > sent; }))
        << sink.closeReason() << source.closeReason();
    const Recorder::Frame& frame = sink.seen.frames.back();
    EXPECT_EQ(frame.slot, remoteSlot);
    EXPECT_EQ(frame.ring, 1U);
    const FrameInfo expected = infoFor(sequence, bytes);
    EXPECT_EQ(std::memcmp(&frame.info, &expected, sizeof expected), 0);
    EXPECT_EQ(hashOf(arrived.first(bytes)), hashOf(payload));
    EXPECT_TRUE(std::all_of(arrived.begin() + static_cast<std::ptrdiff_t>(bytes), arrived.end(),
                            [](std::byte b) { return b == std::byte{0xee}; }))
        << "bytes beyond the payload were written";
    EXPECT_EQ(source.seen.sent.back(), 0U);
    EXPECT_EQ(source.frames()->payloadBytesMoved() - moved, bytes);
}

void expectOnlyBlocksArrive(Stream& stream, std::uint64_t bytes) {
    End& source = stream.pair->source;
    End& sink = stream.pair->sink;
    const std::vector<ByteBlock> blocks{
        {.offset = 0, .rowBytes = 1, .stride = 1, .rows = 1},
        {.offset = 1000, .rowBytes = 400, .stride = 7680, .rows = 300},  // more rows than the queue holds
        {.offset = 3 << 20, .rowBytes = 4096, .stride = 4096, .rows = 1200},          // rows without gaps
        {.offset = bytes - 70'000, .rowBytes = 20'000, .stride = 50'000, .rows = 2},  // ends with the payload
    };
    std::vector<std::byte> expected(stream.into->slotBytes(), std::byte{0xee});
    std::copy(expected.begin(), expected.end(), stream.into->slotData(1));
    fillPattern({stream.from->slotData(0), bytes}, 99);
    std::uint64_t travelling = 0;
    for (const ByteBlock& block : blocks) {
        for (std::uint64_t row = 0; row < block.rows; ++row) {
            const std::uint64_t at = block.offset + row * block.stride;
            std::copy_n(stream.from->slotData(0) + at, block.rowBytes, expected.data() + at);
            travelling += block.rowBytes;
        }
    }
    const std::uint64_t moved = source.frames()->payloadBytesMoved();
    OutgoingFrame frame{.pool = stream.from,
                        .localSlot = 0,
                        .ring = 1,
                        .remoteSlot = 1,
                        .info = infoFor(3, bytes),
                        .blocks = blocks};
    ASSERT_EQ(source.frames()->send(frame), Status::Ok);
    ASSERT_TRUE(
        drive({&source, &sink}, [&] { return !sink.seen.frames.empty() && !source.seen.sent.empty(); }));
    EXPECT_EQ(hashOf({stream.into->slotData(1), expected.size()}), hashOf(expected));
    EXPECT_EQ(source.frames()->payloadBytesMoved() - moved, travelling);
}

void expectBadBlocksThrow(Stream& stream) {
    FramePath& path = *stream.pair->source.frames();
    constexpr std::uint64_t kMax = ~0ULL;
    for (const ByteBlock& bad :
         std::vector<ByteBlock>{{.offset = 7999, .rowBytes = 2, .stride = 2, .rows = 1},
                                {.offset = kMax, .rowBytes = 2, .stride = 2, .rows = 1},
                                {.offset = 0, .rowBytes = 100, .stride = 50, .rows = 2},
                                {.offset = 0, .rowBytes = 8, .stride = 1ULL << 63, .rows = 3},
                                {.offset = 0, .rowBytes = 2, .stride = 2, .rows = kMax},
                                {.offset = 0, .rowBytes = kMax, .stride = kMax, .rows = 1}}) {
        const OutgoingFrame frame{.pool = stream.from,
                                  .localSlot = 0,
                                  .ring = 1,
                                  .remoteSlot = 0,
                                  .info = infoFor(0, 8000),
                                  .blocks = {&bad, 1}};
        EXPECT_THROW((void)path.send(frame), Error) << bad.offset << " " << bad.rowBytes;
    }
    const std::vector<ByteBlock> many(kMaxByteBlocks + 1,
                                      ByteBlock{.offset = 0, .rowBytes = 1, .stride = 1, .rows = 1});
    EXPECT_THROW((void)path.send({stream.from, 0, 1, 0, infoFor(0, 8000), many}), Error);
    EXPECT_THROW((void)path.send({stream.from, 0, 1, 2, infoFor(0, 8000)}), Error) << "slot 2";
    EXPECT_THROW((void)path.send({stream.from, 0, 2, 0, infoFor(0, 8000)}), Error) << "ring 2";
    EXPECT_THROW((void)path.send({makePool(8000, 1), 0, 1, 0, infoFor(0, 8000)}), Error) << "not prepared";
    EXPECT_THROW((void)path.send({nullptr, 0, 1, 0, infoFor(0, 8000)}), Error) << "no pool";
    EXPECT_THROW((void)path.send({stream.from, 0, 1, 0, infoFor(0, stream.into->slotBytes() + 1)}), Error);
    FrameInfo info = infoFor(0, 8000);
    info.rectCount = kMaxFrameRects + 1;
    EXPECT_THROW((void)path.send({stream.from, 0, 1, 0, info}), Error);
}

std::span<const std::byte> asBytes(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

void fillPattern(std::span<std::byte> memory, std::uint64_t seed) {
    // SplitMix64 (S. Vigna): different seeds or positions give unrelated bytes.
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
