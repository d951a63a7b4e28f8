// Decoders: each execution passes the same bytes to all of them.
#include <sys/socket.h>

#include <array>

#include "core/pipe/pipe_messages.h"
#include "core/session/messages/messages.h"
#include "core/session/messages/placing.h"
#include "core/session/trust/frame_cipher.h"
#include "core/transport/rdma/ofi/ofi_hello.h"
#include "core/transport/rdma/rdma_wire.h"
#include "tests/fuzz/decode_twice.h"
#include "tests/fuzz/script.h"

namespace verbcast::fuzz {
namespace {

template <typename... Messages>
void decodeAll(Bytes bytes) {
    (decodeTwice<Messages>(bytes), ...);
}

}  // namespace

FUZZ_TARGET(session_messages) {
    decodeAll<Hello, Refuse, FormatMessage, RingMessage, RegionMessage, PlaceMessage, PlacedCredit, Accept,
              Credit, FramePart, Ping, Pong, EndOfTrack, Report, InputMessage, Bye>(input);
}

FUZZ_TARGET(sealed_frame) {
    FrameCipher cipher([](std::span<const std::byte>) { return std::array<std::byte, 32>{}; },
                       Side::Listening);
    std::array<std::byte, 4096> into;
    expectErrors([&] { static_cast<void>(cipher.open(input, 1, 0, into)); });
}

FUZZ_TARGET(pipe_messages) {
    decodeAll<PipeOffer, PipeAccept, PipeEnd, PipeDone, PipeFailure>(input);
}

FUZZ_TARGET(rdma_wire) {
    if (const auto greeting = decodeGreeting(input).greeting) {
        require(decodeGreeting(encodeGreeting(*greeting)).greeting.has_value(),
                "a greeting is read only once");
    }
    static_cast<void>(decodeRefusal(input));
    try {
        const FrameNotice notice = decodeFrameNotice(input);
        require(frameNoticeBytes(notice.record.info) == input.size(), "a notice of another size");
    } catch (const Error& error) {
        require(error.kind() == ErrorKind::Peer, "a decoder's error is not the peer's");
    }
    if (input.size() >= kFrameRecordBytes) {
        expectErrors([&] { copyFrameRecord(input.data()); });
    }
    Script script(input);
    const RingShape shape{script.take<std::uint64_t>(), script.take<std::uint32_t>()};
    const Bytes bytes = script.takeBytes(input.size());
    expectErrors(
        [&] { require(encodeOffer(decodeOffer(shape, bytes)).size() == bytes.size(), "a longer offer"); });
}

/// In pieces: each byte of the second half of the input is the length of one piece.
FUZZ_TARGET(ofi_hello) {
    std::array<int, 2> ends{};
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0, "socketpair");
    const UniqueFd ours(ends[0]);
    UniqueFd peers(ends[1]);
    OfiHelloReader reader;
    Script lengths(input.subspan(input.size() / 2));
    Script text(input.first(input.size() / 2));
    expectErrors([&] {
        while (!text.done()) {
            const Bytes piece = text.takeBytes(lengths.byte() + std::size_t{1});
            require(::send(peers.get(), piece.data(), piece.size(), MSG_NOSIGNAL) >= 0, "send");
            if (reader.read(ours.get())) {
                return;
            }
        }
        peers.reset();
        static_cast<void>(reader.read(ours.get()));
    });
}

}  // namespace verbcast::fuzz
