// Callers of a process that is out of file descriptors.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "core/session/messages/messages.h"
#include "core/transport/socket_address.h"
#include "core/transport/tcp/tcp_wire.h"
#include "tests/core/session/connection_cutter.h"
#include "tests/core/session/unknown_peers.h"

namespace verbcast::testing {
namespace {

/// Leaves this process room for this many more descriptors during its lifetime.
class FewDescriptors {
  public:
    explicit FewDescriptors(int left) {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        rlimit low = before_;
        low.rlim_cur = static_cast<rlim_t>(highest()) + 20;
        ::setrlimit(RLIMIT_NOFILE, &low);
        for (int filler = 0; (filler = ::fcntl(0, F_DUPFD_CLOEXEC, 0)) >= 0;) {
            fillers_.push_back(filler);
        }
        for (; left > 0 && !fillers_.empty(); --left) {
            ::close(fillers_.back());
            fillers_.pop_back();
        }
    }
    ~FewDescriptors() {
        for (const int filler : fillers_) {
            ::close(filler);
        }
        ::setrlimit(RLIMIT_NOFILE, &before_);
    }
    FewDescriptors(const FewDescriptors&) = delete;
    FewDescriptors& operator=(const FewDescriptors&) = delete;

  private:
    static int highest() {
        int found = 0;
        DIR* folder = ::opendir("/proc/self/fd");
        while (const dirent* entry = ::readdir(folder)) {
            found = std::max(found, std::atoi(entry->d_name));
        }
        ::closedir(folder);
        return found;
    }
    rlimit before_{};
    std::vector<int> fillers_;
};

/// A viewer made of bare sockets: created while there are descriptors, it connects when there are none.
class BareCaller {
  public:
    explicit BareCaller(const Url& url) : url_(url) {
        if (url.isName()) {
            sockets_.emplace_back(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        } else {
            address_ = resolve(url, false, Deadline::in(kLimit)).front();
            for (int i = 0; i < 2; ++i) {
                sockets_.emplace_back(::socket(address_.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
            }
        }
    }
    void call() {
        if (url_.isName()) {
            sockaddr_un name{};
            name.sun_family = AF_UNIX;
            const std::string path = "verbcast/" + url_.name;
            std::memcpy(name.sun_path + 1, path.data(), path.size());
            const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size());
            EXPECT_EQ(::connect(sockets_[0].get(), reinterpret_cast<sockaddr*>(&name), length), 0);
            return;
        }
        tcp::Preamble preamble{};
        preamble.magic = tcp::kMagic;
        preamble.token.fill(static_cast<std::uint8_t>(++calls_));
        for (const auto kind : {tcp::StreamKind::Control, tcp::StreamKind::Data}) {
            const int socket = sockets_[kind == tcp::StreamKind::Control ? 0 : 1].get();
            EXPECT_EQ(::connect(socket, address_.get(), address_.length), 0);
            preamble.kind = kind;
            write(socket, &preamble, sizeof preamble);
        }
        Hello hello;
        hello.role = Role::Receiver;
        const auto bytes = encodeMessage(hello);
        const tcp::ControlHeader header{tcp::kControlMagic, static_cast<std::uint32_t>(bytes.size())};
        write(sockets_[0].get(), &header, sizeof header);
        write(sockets_[0].get(), bytes.data(), bytes.size());
    }

  private:
    static void write(int socket, const void* bytes, std::size_t count) {
        static_cast<void>(::send(socket, bytes, count, MSG_NOSIGNAL));
    }
    static inline int calls_ = 0;
    Url url_;
    SocketAddress address_;
    std::vector<UniqueFd> sockets_;
};

/// Unknown peers that connect by bare sockets.
class UnknownPeersAtSockets : public UnknownPeers {};
/// Unknown peers that also send a greeting.
class UnknownPeersThatGreet : public UnknownPeers {};

TEST_P(UnknownPeersAtSockets, AcceptingOutlivesAWantOfDescriptorsAndSoDoSessions) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    const Url url = parseUrl(sender.listenAddresses().front());
    FrameReceiver viewer(receiverOptions(sender));
    TestSource source;
    expectAFrame(sender, viewer, source);
    // Accepting a caller may use up the last descriptor at any step.
    for (int left = 0; left < 14; ++left) {
        SCOPED_TRACE(left);
        BareCaller caller(url);
        {
            const FewDescriptors few(left);
            caller.call();
            const Deadline someTime = Deadline::in(150ms);
            while (!someTime.passed()) {
                expectAFrame(sender, viewer, source);  // the session survives
            }
        }
        ASSERT_EQ(source.send(sender), Status::Ok) << "the door is closed for good";
    }
    FrameReceiver another(receiverOptions(sender));
    expectAFrame(sender, another, source);
    EXPECT_EQ(viewer.stats().connections, 1U);
}

TEST_P(UnknownPeersThatGreet, AListeningViewerOutlivesAWantOfDescriptors) {
    ReceiverOptions options = receiverOptions(listenAddressFor(GetParam()));
    options.listen = true;
    FrameReceiver viewer(options);
    const Url url = parseUrl(viewer.listenAddresses().front());
    ReceivedFrame frame;
    for (int left = 0; left < 14; ++left) {
        BareCaller caller(url);
        const FewDescriptors few(left);
        caller.call();
        ASSERT_EQ(viewer.receive(frame, 100ms), Status::TimedOut) << left;
    }
    SenderOptions sending = senderOptions(GetParam(), Policy::Latest);
    sending.listen = false;
    sending.url = url;
    Broadcast sender(sending);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    TestSource source;
    expectAFrame(sender, viewer, source);
}

INSTANTIATE_TEST_SUITE_P(Over, UnknownPeersAtSockets, ::testing::ValuesIn(transportsOfSockets()),
                         transportName);
INSTANTIATE_TEST_SUITE_P(Over, UnknownPeersThatGreet,
                         ::testing::Values(TransportUnderTest{"tcp", "tcp://127.0.0.1:0"}), transportName);

}  // namespace
}  // namespace verbcast::testing
