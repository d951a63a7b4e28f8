// Callers and peers that nobody asked for: silent ones, too many of them, floods, and those that leave at
// once.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <future>

#include "core/session/link_runner.h"
#include "core/transport/socket_address.h"
#include "core/transport/tcp/tcp_wire.h"
#include "tests/session/connection_cutter.h"
#include "tests/session/raw_peer.h"

namespace verbcast::testing {
namespace {

class Strangers : public TransportSuite {
  protected:
    static void expectAFrame(Broadcast& sender, FrameReceiver& viewer, TestSource& source) {
        const std::uint64_t first = source.next;
        ReceivedFrame frame;
        Status status = Status::TimedOut;
        ASSERT_TRUE(eventually([&] {
            EXPECT_EQ(source.send(sender), Status::Ok);
            status = viewer.receive(frame, 20ms);
            return status == Status::Ok && frame.info.sequence >= first;
        })) << viewer.status().text;
        EXPECT_TRUE(isWhole(frame));
    }
};

TEST_P(Strangers, TheSeventeenthViewerIsToldThatTheSenderIsBusy) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    std::vector<std::unique_ptr<RawPeer>> peers;
    for (int i = 0; i < 16; ++i) {
        peers.push_back(std::make_unique<RawPeer>(sender));
        peers.back()->greet(Role::Receiver);
        ASSERT_TRUE(peers.back()->greeted()) << i;
    }
    RawPeer raw(sender);
    raw.greet(Role::Receiver);
    EXPECT_NE(raw.awaitRefusal().find("maximum number of viewers"), std::string::npos) << raw.refusal;
    EXPECT_EQ(raw.refuseCode, RefuseCode::Busy);
    EXPECT_FALSE(raw.has(MessageType::Hello)) << "whoever is refused never was in the session";
    ReceiverOptions once = receiverOptions(sender);
    once.reconnect = false;
    FrameReceiver late(once);
    ReceivedFrame frame;
    try {
        static_cast<void>(late.receive(frame, kLimit));
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Peer);
        EXPECT_NE(std::string(error.what()).find("maximum number of viewers"), std::string::npos)
            << error.what();
    }
    EXPECT_EQ(sender.receiverCount(), 16U);
    // One that may try again says why meanwhile, and comes in when another leaves.
    FrameReceiver patient(receiverOptions(sender));
    EXPECT_TRUE(eventually([&] {
        return patient.status().text.find("maximum number of viewers") != std::string::npos;
    })) << patient.status().text;
    peers.pop_back();
    EXPECT_TRUE(eventually([&] { return patient.status().state == StreamState::Connected; }));
}

TEST_P(Strangers, FortyThatSayNothingKeepNobodyOutAndCostNoThreads) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    const std::size_t threads = threadsOfThisProcess();
    std::vector<std::unique_ptr<RawPeer>> silent;
    for (int i = 0; i < 40; ++i) {
        silent.push_back(std::make_unique<RawPeer>(sender));
    }
    EXPECT_LE(threadsOfThisProcess(), threads + 1);
    ReceiverOptions once = receiverOptions(sender);
    once.reconnect = false;  // no second attempt: it is let in at its first
    FrameReceiver viewer(once);
    TestSource source;
    expectAFrame(sender, viewer, source);
    EXPECT_LE(threadsOfThisProcess(), threads + 4) << "those of the viewer, and of its link";
    EXPECT_EQ(sender.receiverCount(), 1U);
    // They are hung up on in the end, whoever they are.
    EXPECT_TRUE(eventually(
        [&] { return std::ranges::all_of(silent, [](const auto& peer) { return !peer->serve(); }); }));
}

TEST_P(Strangers, AListeningViewerIsNotKeptFromItsSenderEither) {
    ReceiverOptions options = receiverOptions(listenAddressFor(GetParam()));
    options.listen = true;
    FrameReceiver viewer(options);
    const std::size_t threads = threadsOfThisProcess();
    std::vector<std::unique_ptr<RawPeer>> silent;
    for (int i = 0; i < 40; ++i) {
        silent.push_back(std::make_unique<RawPeer>(viewer));
    }
    EXPECT_LE(threadsOfThisProcess(), threads + 1);
    SenderOptions sending = senderOptions(GetParam(), Policy::Latest);
    sending.listen = false;
    sending.reconnect = false;
    sending.url = parseUrl(viewer.listenAddresses().front());
    Broadcast sender(sending);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok) << sender.lastEnd();
    TestSource source;
    expectAFrame(sender, viewer, source);
}

// Descriptors --------------------------------------------------------------------------------------------

/// Called by bare sockets.
class StrangersAtSockets : public Strangers {};
/// By some that also greet.
class StrangersThatGreet : public Strangers {};

/// Leaves this process room for so many descriptors more, as long as it lives.
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

/// A viewer of bare sockets, made while there are descriptors, that calls when there are none.
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

TEST_P(StrangersAtSockets, AcceptingOutlivesAWantOfDescriptorsAndSoDoSessions) {
    Broadcast sender(senderOptions(GetParam(), Policy::Latest));
    const Url url = parseUrl(sender.listenAddresses().front());
    FrameReceiver viewer(receiverOptions(sender));
    TestSource source;
    expectAFrame(sender, viewer, source);
    // A caller may use up the last descriptor at any step on its way in.
    for (int left = 0; left < 14; ++left) {
        SCOPED_TRACE(left);
        BareCaller caller(url);
        {
            const FewDescriptors few(left);
            caller.call();
            const Deadline someTime = Deadline::in(150ms);
            while (!someTime.passed()) {
                expectAFrame(sender, viewer, source);  // the session lives on
            }
        }
        ASSERT_EQ(source.send(sender), Status::Ok) << "the door is closed for good";
    }
    FrameReceiver another(receiverOptions(sender));
    expectAFrame(sender, another, source);
    EXPECT_EQ(viewer.stats().connections, 1U);
}

TEST_P(StrangersThatGreet, AListeningViewerOutlivesAWantOfDescriptors) {
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

// Floods -------------------------------------------------------------------------------------------------

/// Says what it can until it is hung up on.
std::future<void> flood(RawPeer& peer, std::atomic<bool>& flowing) {
    return std::async(std::launch::async, [&] {
        const std::array<std::byte, 64> unknown{std::byte{200}};
        std::uint64_t said = 0;
        while (peer.serve()) {
            for (int i = 0; i < 100 && peer.sayBytes(unknown) == Status::Ok; ++i) {
                flowing = ++said > 1000;
            }
        }
    });
}

TEST_P(Strangers, AFloodCannotKeepABroadcastFromEnding) {
    auto sender = std::make_unique<Broadcast>(senderOptions(GetParam(), Policy::Latest));
    RawPeer peer(*sender);
    peer.accepts = false;  // its flood leaves no room for that
    peer.greet(Role::Receiver);
    ASSERT_TRUE(peer.greeted());
    TestSource source;
    ASSERT_EQ(source.send(*sender), Status::Ok);
    std::atomic<bool> flowing{false};
    auto flooding = flood(peer, flowing);
    ASSERT_TRUE(eventually([&] { return flowing.load(); }));
    auto ending = std::async(std::launch::async, [&] { sender.reset(); });
    EXPECT_EQ(ending.wait_for(kLimit), std::future_status::ready);
    ending.get();
    flooding.get();
}

TEST_P(Strangers, AFloodCannotKeepAViewerFromEnding) {
    ReceiverOptions options = receiverOptions(listenAddressFor(GetParam()));
    options.listen = true;
    auto viewer = std::make_unique<FrameReceiver>(options);
    RawPeer peer(*viewer);
    peer.greet(Role::Sender);
    ASSERT_TRUE(peer.greeted());
    std::atomic<bool> flowing{false};
    auto flooding = flood(peer, flowing);
    // Its consumer serves the connection where that is shared memory.
    auto consuming = std::async(std::launch::async, [&] {
        ReceivedFrame frame;
        return viewer->receive(frame, 1h);
    });
    ASSERT_TRUE(eventually([&] { return flowing.load(); }));
    viewer->cancel();
    ASSERT_EQ(consuming.wait_for(kLimit), std::future_status::ready);
    EXPECT_EQ(consuming.get(), Status::Cancelled);
    auto ending = std::async(std::launch::async, [&] { viewer.reset(); });
    EXPECT_EQ(ending.wait_for(kLimit), std::future_status::ready);
    ending.get();
    flooding.get();
}

TEST_P(Strangers, AFloodBeforeTheGreetingKeepsNobodyOut) {
    auto sender = std::make_unique<Broadcast>(senderOptions(GetParam(), Policy::Latest));
    RawPeer peer(*sender);
    const std::array<std::byte, 64> unknown{std::byte{200}};
    for (int i = 0; i < 100; ++i) {
        static_cast<void>(peer.sayBytes(unknown));
    }
    EXPECT_NE(peer.awaitRefusal().find("before its greeting"), std::string::npos) << peer.refusal;
    FrameReceiver viewer(receiverOptions(*sender));
    TestSource source;
    expectAFrame(*sender, viewer, source);
}

// Those that leave ---------------------------------------------------------------------------------------

TEST_P(Strangers, AnEmptyStreamDoesNotEndAViewerThatWaitsForASender) {
    ReceiverOptions options = receiverOptions(listenAddressFor(GetParam()));
    options.listen = true;
    options.reconnect = false;
    FrameReceiver viewer(options);
    {
        RawPeer stranger(viewer);
        stranger.greet(Role::Sender);
        ASSERT_TRUE(stranger.greeted());
        stranger.say(EndOfTrack{0, 0, true, "nothing"});
        stranger.say(Bye{"nothing"});
        stranger.awaitRefusal();
        EXPECT_EQ(stranger.refusal, "");
    }
    {
        RawPeer stranger(viewer);
        stranger.greet(Role::Sender);
        ASSERT_TRUE(stranger.greeted());
        stranger.say(Accept{});  // nonsense, from a sender
        stranger.say(FormatMessage{.epoch = 1, .format = TrackFormat::ofBytes(0)});
        EXPECT_NE(stranger.awaitRefusal(), "");
    }
    ReceivedFrame frame;
    EXPECT_EQ(viewer.receive(frame, 20ms), Status::TimedOut);
    SenderOptions sending = senderOptions(GetParam(), Policy::Lossless);
    sending.listen = false;
    sending.url = parseUrl(viewer.listenAddresses().front());
    Broadcast sender(sending);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    TestSource source;
    ASSERT_EQ(source.send(sender), Status::Ok);
    ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
    EXPECT_TRUE(isWhole(frame));
    frame = {};
    auto finishing = std::async(std::launch::async, [&] { return sender.finish("done", kLimit, Event()); });
    EXPECT_EQ(viewer.receive(frame, kLimit), Status::Closed) << "a real stream's end is one";
    EXPECT_EQ(finishing.get(), Status::Ok);
}

TEST_P(Strangers, ASenderThatChangesItsSizeWhileTheConsumerStallsIsNotAccused) {
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver viewer(receiverOptions(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    constexpr std::uint32_t kSizes = 20;
    constexpr std::uint64_t kEach = 3;
    auto sending = std::async(std::launch::async, [&] {
        std::vector<std::unique_ptr<TestSource>> sources;
        for (std::uint32_t size = 0; size < kSizes; ++size) {
            sources.push_back(
                std::make_unique<TestSource>(tightFormat(64 + 64 * size, 64, PixelFormat::rgba), 4));
            sources.back()->next = size * kEach;
            for (std::uint64_t i = 0; i < kEach; ++i) {
                ASSERT_EQ(sources.back()->send(sender), Status::Ok) << sender.lastEnd();
            }
        }
        EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    });
    std::this_thread::sleep_for(300ms);  // the consumer takes nothing
    ReceivedFrame frame;
    std::uint64_t count = 0;
    while (viewer.receive(frame, kLimit) == Status::Ok) {
        ASSERT_EQ(frame.info.sequence, count);
        ASSERT_EQ(frame.format->width, 64 + 64 * (count / kEach));
        ASSERT_TRUE(isWhole(frame));
        ++count;
    }
    sending.get();
    EXPECT_EQ(count, kSizes * kEach);
    EXPECT_EQ(viewer.stats().connections, 1U);
    EXPECT_FALSE(sender.lastEndWasLoss()) << sender.lastEnd();
}

INSTANTIATE_TEST_SUITE_P(Over, Strangers, ::testing::ValuesIn(transportsForCrowds()), transportName);
INSTANTIATE_TEST_SUITE_P(Over, StrangersAtSockets, ::testing::ValuesIn(transportsOfSockets()), transportName);
INSTANTIATE_TEST_SUITE_P(Over, StrangersThatGreet,
                         ::testing::Values(TransportUnderTest{"tcp", "tcp://127.0.0.1:0"}), transportName);

// Failures of our own ------------------------------------------------------------------------------------

struct FailingLink {
    std::function<LinkEnd()> serve;
    LinkEnd run() { return serve(); }
};

template <typename Failure>
void expectKept(const Failure& failure) {
    std::promise<void> told;
    auto link = std::make_unique<FailingLink>();
    link->serve = [&]() -> LinkEnd { throw failure; };
    LinkRunner<FailingLink> runner(std::move(link), [&](LinkRunner<FailingLink>& ended) {
        EXPECT_FALSE(ended.ended()) << "not before what follows is seen by all";
        ended.conclude();
        told.set_value();
    });
    ASSERT_EQ(told.get_future().wait_for(kLimit), std::future_status::ready);
    EXPECT_TRUE(runner.ended());
    EXPECT_EQ(runner.end().kind, LinkEnd::Kind::Broken);
    EXPECT_EQ(runner.end().reason, failure.what());
    ASSERT_TRUE(runner.failure());
    EXPECT_THROW(std::rethrow_exception(runner.failure()), Failure);
}

TEST(LinkRunner, KeepsWhateverWasThrown) {
    expectKept(std::bad_alloc());
    expectKept(std::length_error("too long"));
    expectKept(Error(ErrorKind::Resource, "no memory"));
}

}  // namespace
}  // namespace verbcast::testing
