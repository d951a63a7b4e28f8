// The real tcp channel and path, with both ends of a stream on top, over two pairs of sockets whose other
// ends the script writes to.
//
// A script: a byte of options, then acts.
//   0 message      a length (16 bits) and the message, correctly framed
//   1 frame        ring, slot (a byte each), a FrameInfo (Script::takeInfo), a number of blocks (a byte) and
//                  the blocks, the bytes announced (16 bits, 0: those that fit), the bytes that follow now
//                  (16 bits)
//   2 payload      a length (16 bits): that many more bytes on the data connection
//   3 control      a length (8 bits) and raw bytes on the control connection
//   4 data         the same on the data connection
//   5 hang up      a byte: control, data, or both
//   6 read         a length (16 bits): reads what this side has sent on control and data
//   7 and above    the program: its action and an argument (a byte each); see link_ends.cpp
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/transport/path_checks.h"
#include "core/transport/tcp/half_open.h"
#include "core/transport/tcp/tcp_wire.h"
#include "tests/fuzz/link_ends.h"

namespace verbcast::fuzz {
namespace {

struct SocketPair {
    UniqueFd ours, peers;
    SocketPair() {
        std::array<int, 2> ends{};
        require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) == 0,
                "socketpair");
        ours.reset(ends[0]);
        peers.reset(ends[1]);
    }
};

class TcpPeer {
  public:
    TcpPeer(Script& script, LinkEndUnderTest& end) : script_(script), end_(end) {}

    void run() {
        Connection connection = tcp::connectionOf({std::move(control_.ours), std::move(data_.ours)});
        expectErrors([&] {
            end_.connect(peerOf(
                connection.messages, connection.frames, [this] { return act(); }, end_.peer()));
            connection = {};
            end_.serve();
            end_.letGo();
        });
    }

  private:
    Progress act() {
        if (script_.done()) {
            control_.peers.reset();
            data_.peers.reset();
            return Progress::Closed;
        }
        switch (script_.byte() % 12) {
            case 0: {
                const Bytes message = script_.takeText();
                const tcp::ControlHeader header{tcp::kControlMagic,
                                                static_cast<std::uint32_t>(message.size())};
                write(control_, std::as_bytes(std::span(&header, 1)));
                write(control_, message);
                break;
            }
            case 1:
                frame();
                break;
            case 2:
                payload(script_.take<std::uint16_t>());
                break;
            case 3:
                write(control_, script_.takeBytes(script_.byte()));
                break;
            case 4:
                write(data_, script_.takeBytes(script_.byte()));
                break;
            case 5:
                hangUp(script_.byte());
                break;
            case 6:
                read(script_.take<std::uint16_t>());
                break;
            default:
                end_.actAs(script_);
                return Progress::Idle;
        }
        return Progress::Worked;
    }

    void frame() {
        tcp::DataHeader header{};
        header.magic = tcp::kDataMagic;
        header.ring = script_.byte();
        header.slot = script_.byte();
        const FrameInfo info = script_.takeInfo();
        header.blockCount = script_.byte();
        std::array<ByteBlock, kMaxByteBlocks> blocks;
        const auto count = std::min<std::size_t>(header.blockCount, blocks.size());
        for (ByteBlock& block : std::span(blocks).first(count)) {
            block = {script_.take<std::uint16_t>(), script_.take<std::uint16_t>(),
                     script_.take<std::uint16_t>(), script_.byte()};
        }
        const auto sent = std::span<const ByteBlock>(blocks).first(count);
        header.payloadBytes = script_.take<std::uint16_t>();
        if (header.payloadBytes == 0) {
            header.payloadBytes = bytesOfBlocks(sent, info.payloadBytes).value_or(0);
        }
        write(data_, std::as_bytes(std::span(&header, 1)));
        write(data_, bytesOf(info));
        write(data_, std::as_bytes(sent));
        payload(script_.take<std::uint16_t>());
    }

    void payload(std::size_t bytes) {
        // Different bytes each time, so that an overwritten frame is detected.
        const std::vector<std::byte> pattern(bytes, std::byte{++fill_});
        write(data_, pattern);
    }
    /// What does not fit is lost: a peer may stop anywhere.
    static void write(const SocketPair& pair, Bytes bytes) {
        static_cast<void>(::send(pair.peers.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    }
    void read(std::size_t bytes) const {
        std::array<std::byte, 65536> buffer;
        for (const SocketPair* pair : {&control_, &data_}) {
            static_cast<void>(::recv(pair->peers.get(), buffer.data(), bytes, MSG_DONTWAIT));
        }
    }
    void hangUp(std::uint8_t which) {
        if ((which & 1) != 0) {
            ::shutdown(control_.peers.get(), SHUT_WR);
        }
        if ((which & 2) != 0) {
            ::shutdown(data_.peers.get(), SHUT_RDWR);
        }
    }

    Script& script_;
    LinkEndUnderTest& end_;
    SocketPair control_, data_;
    std::uint8_t fill_ = 0;
};

}  // namespace

FUZZ_TARGET(tcp_sink) {
    Script script(input);
    ReceiverEnd end(false, script.flag());
    TcpPeer(script, end).run();
}

FUZZ_TARGET(tcp_source) {
    Script script(input);
    SenderEnd end(script.byte());
    TcpPeer(script, end).run();
}

FUZZ_TARGET(tcp_pipe_sink) {
    Script script(input);
    static_cast<void>(script.byte());  // no options yet
    PipeSinkEnd end(false);
    TcpPeer(script, end).run();
}

}  // namespace verbcast::fuzz
