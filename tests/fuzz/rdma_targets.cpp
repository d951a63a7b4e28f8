// The RDMA connection over a double of its port, with both ends of a stream on top.
//
// A script: two bytes of options (of the stream, and of the port), then acts.
//   0 message      a kind (MessageKind, a byte), the peer's consumed count (16 bits), and the payload (a
//                  length, 16 bits, and bytes)
//   1 raw          a length (16 bits) and a message as it is
//   2 write        which memory (a byte), an offset (16 bits), a length (16 bits) and bytes: an RDMA WRITE
//   3 notice       an immediate (32 bits)
//   4 frame        ring, slot (a byte each), and a FrameInfo (Script::takeInfo): a valid record and notice
//   5 complete     a number (a byte): that many of our requests
//   6 failed       a byte: whether it was flushed
//   7 and above    the program: its action and an argument (a byte each); see link_ends.cpp
#include "core/transport/rdma/rdma_connection.h"
#include "tests/fuzz/double_port.h"
#include "tests/fuzz/link_ends.h"

namespace verbcast::fuzz {
namespace {

class RdmaScript {
  public:
    RdmaScript(Script& script, LinkEndUnderTest& end, bool sink) : script_(script), end_(end), sink_(sink) {}

    void run() {
        const auto options = script_.byte();
        PortLimits limits{
            .sendDepth = 256, .receiveDepth = 256, .inlineBytes = 64, .largestWriteBytes = 4096};
        limits.immediates = immediates_ = (options & 1) == 0;
        limits.immediatesTakeReceives = (options & 2) != 0;
        limits.keepsOrder = (options & 4) != 0;
        limits.revokesAtOnce = (options & 8) != 0;
        limits.heardAfterStop = (options & 16) != 0;
        const RdmaGreeting greeting{.features = immediates_ ? kTakesImmediates : std::uint16_t{0},
                                    .messageCredits = 64,
                                    .largestWriteBytes = 1U << 20};
        auto port = std::make_unique<DoublePort>(limits, !sink_, encodeGreeting(greeting), [this] { act(); });
        port_ = port.get();
        const ConnectionSide side =
            (options & 32) != 0 ? ConnectionSide::Connecting : ConnectionSide::Accepting;
        expectErrors([&] {
            auto connection = std::make_unique<RdmaConnection>(
                std::move(port), side, RdmaConnectionOptions{.scheme = "double", .immediates = true});
            require(connection->handshake(), "a handshake waits for what has come");
            Connection both = RdmaConnection::share(std::move(connection));
            end_.connect(peerOf(
                std::move(both.messages), std::move(both.frames), [] { return Progress::Idle; },
                end_.peer()));
            running_ = true;
            end_.serve();
            running_ = false;
            end_.letGo();
        });
    }

  private:
    void act() {
        if (script_.done()) {
            port_->fail("the peer disconnected");
            return;
        }
        switch (script_.byte() % 12) {
            case 0: {
                MessageHeader header;
                header.kind = static_cast<MessageKind>(script_.byte());
                header.consumed = consumed_ = script_.take<std::uint16_t>();
                message(std::as_bytes(std::span(&header, 1)), script_.takeText());
                return;
            }
            case 1:
                message({}, script_.takeText());
                return;
            case 2: {
                const auto which = script_.byte();
                const auto offset = script_.take<std::uint16_t>();
                port_->writeRemotely(which, offset, script_.takeText());
                return;
            }
            case 3:
                port_->arriveImmediate(script_.take<std::uint32_t>());
                return;
            case 4:
                frame();
                return;
            case 5:
                port_->complete(script_.byte());
                return;
            case 6:
                port_->completeWithError(script_.flag());
                return;
            default: {
                const auto what = script_.byte();
                const auto argument = script_.byte();
                if (running_) {
                    end_.act(what, argument);
                }
            }
        }
    }

    void message(Bytes head, Bytes rest) {
        std::vector<std::byte> whole(head.begin(), head.end());
        whole.insert(whole.end(), rest.begin(), rest.end());
        port_->arrive(whole);
    }

    void frame() {
        FrameNoticeMessage whole;
        whole.header.kind = MessageKind::Frame;
        whole.header.consumed = consumed_;
        whole.notice.ring = script_.byte();
        whole.notice.slot = script_.byte();
        whole.notice.record.info = script_.takeInfo();
        whole.notice.record.bytes = whole.notice.record.info.payloadBytes;
        if (immediates_) {
            // A ring registers its payload first, then its records.
            port_->writeRemotely(1, whole.notice.slot * kFrameRecordBytes,
                                 std::as_bytes(std::span(&whole.notice.record, 1)));
            port_->arriveImmediate(makeImmediate(whole.notice.ring, whole.notice.slot));
            return;
        }
        FrameInfo counted = whole.notice.record.info;
        counted.rectCount = std::min<std::uint16_t>(counted.rectCount, kMaxFrameRects);
        message(std::as_bytes(std::span(&whole.header, 1)),
                std::as_bytes(std::span(&whole.notice, 1)).first(frameNoticeBytes(counted)));
    }

    Script& script_;
    LinkEndUnderTest& end_;
    const bool sink_;
    DoublePort* port_ = nullptr;  // the connection's
    bool immediates_ = true;
    std::uint16_t consumed_ = 0;  // as last reported by the peer
    bool running_ = false;
};

}  // namespace

FUZZ_TARGET(rdma_sink) {
    Script script(input);
    ReceiverEnd end(true, script.flag());  // a peer may still write into memory that it was given earlier
    RdmaScript(script, end, true).run();
}

FUZZ_TARGET(rdma_source) {
    Script script(input);
    SenderEnd end(script.byte());
    RdmaScript(script, end, false).run();
}

}  // namespace verbcast::fuzz
