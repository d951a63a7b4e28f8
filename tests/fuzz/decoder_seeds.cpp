#include "core/pipe/pipe_messages.h"
#include "core/session/messages/messages.h"
#include "core/session/messages/placing.h"
#include "core/session/trust/frame_cipher.h"
#include "core/transport/rdma/rdma_wire.h"
#include "tests/fuzz/seed_writer.h"

namespace verbcast::fuzz {
namespace {

/// Decoders start after the type byte.
template <typename Message>
void addMessage(const SeedFolder& folder, const std::string& name, const Message& message) {
    folder.add(name, std::span<const std::byte>(encodeMessage(message)).subspan(1));
}

void writeSessionMessages(const SeedFolder& folder) {
    Hello hello;
    hello.name = "host";
    hello.software = "verbcast 0.1.0";
    addMessage(folder, "hello", hello);
    hello.role = Role::Receiver;
    hello.features = kUsesDevice;
    hello.device = "cuda 0123456789abcdef0123456789abcdef";
    addMessage(folder, "hello_device", hello);
    addMessage(folder, "refuse", Refuse{RefuseCode::Busy, "taken"});
    FormatMessage format;
    format.epoch = 1;
    format.format = TrackFormat::ofVideo(tightFormat(32, 16, PixelFormat::yuv420p));
    addMessage(folder, "format", format);
    format.format = TrackFormat::ofBytes(600);
    addMessage(folder, "format_of_bytes", format);
    RingMessage ring;
    ring.ring = 1;
    ring.shape = {4096, 4};
    ring.offer.resize(32);
    addMessage(folder, "ring", ring);
    addMessage(folder, "accept", Accept{0, 1, 1, true, 7});
    Credit credit;
    credit.ring = 1;
    credit.slots.push(2);
    credit.slots.push(3);
    addMessage(folder, "credit", credit);
    addMessage(folder, "place",
               PlaceMessage{.epoch = 1,
                            .region = {0, 16, 64, 32},
                            .width = 128,
                            .height = 64,
                            .x = 64,
                            .rule = {.places = 7, .pace = 33}});
    PlacedCredit placed;
    placed.ring = 1;
    placed.push(2, 3);
    placed.push(0, 5);
    addMessage(folder, "placed_credit", placed);
    addMessage(folder, "pong", Pong{1, 2, 3});
    addMessage(folder, "end_of_track", EndOfTrack{0, 10, true, "end"});
    addMessage(folder, "report", Report{.received = 9, .shown = 8, .latency = {.count = 5, .p50 = 1.5}});
    InputMessage input;
    input.sequence = 1;
    input.event = {.kind = InputKind::Application, .x = 1.5F, .data = std::vector<std::byte>(3)};
    addMessage(folder, "input", input);
    addMessage(folder, "bye", Bye{"bye"});
}

void writePipeMessages(const SeedFolder& folder) {
    addMessage(folder, "offer", PipeOffer{.blockBytes = 4096, .depth = 4, .checksum = true, .length = 100});
    addMessage(folder, "accept", PipeAccept{.blockBytes = 4096, .depth = 4, .checksum = false, .start = 9});
    addMessage(folder, "end", PipeEnd{.bytes = 100, .checksum = 1});
    addMessage(folder, "failed", PipeFailure{.code = 5, .text = "disk full"});
}

void writeRdmaWire(const SeedFolder& folder) {
    const RdmaGreeting greeting{
        .features = kTakesImmediates, .messageCredits = 64, .largestWriteBytes = 1 << 20};
    folder.add("greeting", encodeGreeting(greeting));
    folder.add("refusal", encodeRefusal(RefusalReason::Version));
    FrameNotice notice;
    notice.ring = 1;
    notice.record.bytes = 512;
    notice.record.info.rectCount = 2;
    notice.record.info.payloadBytes = 512;
    folder.add("notice", std::as_bytes(std::span(&notice, 1)).first(frameNoticeBytes(notice.record.info)));
    folder.add("offer",
               SeedWriter().put(std::uint64_t{4096}).put(std::uint32_t{4}).bytes(encodeOffer({1, 2, 3, 4})));
}

/// Both halves of the input: the hello, and the lengths of its pieces.
void writeOfiHello(const SeedFolder& folder) {
    SeedWriter hello;
    hello.put(std::uint32_t{0x4f434256}).word(1).word(3).word(4).word(16);
    hello.bytes(std::as_bytes(std::span("tcp", 3))).put(std::uint32_t{1}).bytes(std::vector<std::byte>(16));
    SeedWriter both;
    both.bytes(hello.seed()).bytes(std::vector<std::byte>(hello.seed().size(), std::byte{4}));
    folder.add("hello", both);
}

void writeSealedFrame(const SeedFolder& folder) {
    FrameCipher cipher([](std::span<const std::byte>) { return std::array<std::byte, 32>{}; },
                       Side::Listening);
    OutgoingFrame frame;
    frame.pool = FramePool::create({.slotBytes = 600, .slotCount = 1});
    frame.ring = 1;
    frame.info.payloadBytes = 600;
    const std::array<ByteBlock, 1> blocks = {{{.offset = 8, .rowBytes = 16, .stride = 32, .rows = 3}}};
    for (const bool whole : {true, false}) {
        frame.blocks = whole ? std::span<const ByteBlock>() : blocks;
        std::vector<std::byte> sealed(sealedBytes(600));
        sealed.resize(cipher.seal(frame, frame.pool->slotData(0), sealed.data()));
        folder.add(whole ? "whole" : "blocks", sealed);
    }
}

}  // namespace

void writeDecoderSeeds(const std::filesystem::path& seeds) {
    writeSessionMessages({seeds, "session_messages"});
    writeSealedFrame({seeds, "sealed_frame"});
    writePipeMessages({seeds, "pipe_messages"});
    writeRdmaWire({seeds, "rdma_wire"});
    writeOfiHello({seeds, "ofi_hello"});
}

}  // namespace verbcast::fuzz
