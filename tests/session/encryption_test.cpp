// Encrypted frames over every transport: exact, confidential, and rejected if tampered with.
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <cstring>
#include <future>

#include "core/session/trust/sealed_path.h"
#include "tests/session/connection_cutter.h"
#include "tests/session/core_support.h"
#include "tests/support/raw_tcp_sockets.h"
#include "tests/support/transport_pair.h"

namespace verbcast::testing {
namespace {

/// Both ends' paths, sealed with shared keys.
class SealedPair : public TransportPair {
  protected:
    void SetUp() override {
        TransportPair::SetUp();
        const FrameKeys keys = [](std::span<const std::byte> context) {
            std::array<std::byte, 32> key{};
            std::ranges::copy(context, key.begin());
            return key;
        };
        seal(source, keys, Side::Connecting);
        seal(sink, keys, Side::Listening);
    }
    static void seal(End& end, const FrameKeys& keys, Side side) {
        end.connection.frames = std::make_shared<SealedPath>(end.connection.frames, keys, side);
        end.path().setHandler(&end);
    }
};

TEST_P(SealedPair, FramesOfManySizesAreExact) {
    giveRing(1, 3 * kCipherChunkBytes, 4);
    std::uint64_t sequence = 0;
    for (const std::uint64_t bytes :
         {std::uint64_t{1}, std::uint64_t{4097}, std::uint64_t{kCipherChunkBytes},
          std::uint64_t{kCipherChunkBytes + 1}, std::uint64_t{3 * kCipherChunkBytes}}) {
        roundTrip(static_cast<std::uint32_t>(sequence % 4), bytes, sequence);
        ++sequence;
    }
    EXPECT_EQ(source.path().cipherWork().bytes, sink.path().cipherWork().bytes);
    EXPECT_EQ(sink.path().cipherWork().refused, 0U);
}

TEST_P(SealedPair, ANewRingTakesOver) {
    giveRing(1, 10'000, 2);
    roundTrip(0, 10'000, 0);
    giveRing(2, 700'000, 3);
    roundTrip(2, 700'000, 1);
}

VERBCAST_OVER_TRANSPORTS(SealedPair, transportsUnderTest());

Trust keyed(bool encrypt) {
    static const SessionKey key = SessionKey::random();
    return {.key = NamedKey{kSharedKeyName, key}, .encrypt = encrypt};
}

class Encryption : public TransportSuite {
  protected:
    SenderOptions sender(Policy policy, bool encrypt = true) const {
        SenderOptions options = senderOptions(GetParam(), policy);
        options.trust = keyed(encrypt);
        return options;
    }
    static ReceiverOptions viewer(const Broadcast& of, bool encrypt = true) {
        ReceiverOptions options = receiverOptions(of);
        options.trust = keyed(encrypt);
        return options;
    }
};

TEST_P(Encryption, AnEncryptedStreamIsExactAndSaysSo) {
    for (const bool sendersWish : {false, true}) {
        Broadcast broadcast(sender(Policy::Lossless, sendersWish));
        FrameReceiver receiver(viewer(broadcast, !sendersWish));
        auto sending = std::async(std::launch::async, [&] {
            TestSource video;
            while (video.next < 50) {
                ASSERT_EQ(video.sendToWhoComes(broadcast), Status::Ok);
            }
            // Another size requires new rings.
            TestSource larger(tightFormat(640, 360, PixelFormat::rgba));
            while (larger.next < 20) {
                ASSERT_EQ(larger.sendToWhoComes(broadcast), Status::Ok);
            }
            EXPECT_EQ(broadcast.finish("done", kLimit, Event()), Status::Ok);
        });
        std::uint64_t frames = 0;
        ReceivedFrame frame;
        while (receiver.receive(frame, kLimit) == Status::Ok) {
            ASSERT_TRUE(isWhole(frame));
            ASSERT_EQ(frame.info.sequence, frames++);
        }
        sending.get();
        EXPECT_EQ(frames, 70U);
        EXPECT_EQ(receiver.status().trust.protection, Protection::Encrypted);
        EXPECT_EQ(receiver.stats().cipherBytes, receiver.stats().bytes);
        EXPECT_EQ(broadcast.stats().cipherBytes, receiver.stats().bytes);
        EXPECT_EQ(receiver.stats().framesRefused, 0U);
    }
}

TEST_P(Encryption, WithAKeyAloneItIsProvenAndNotEncrypted) {
    Broadcast broadcast(sender(Policy::Lossless, false));
    FrameReceiver receiver(viewer(broadcast, false));
    ASSERT_EQ(broadcast.waitForReceiver(kLimit, Event()), Status::Ok);
    TestSource video;
    ASSERT_EQ(video.send(broadcast), Status::Ok);
    ReceivedFrame frame;
    ASSERT_EQ(receiver.receive(frame, kLimit), Status::Ok);
    EXPECT_TRUE(isWhole(frame));
    EXPECT_EQ(receiver.status().trust.protection, Protection::Proven);
    EXPECT_EQ(broadcast.receivers().front().trust.protection, Protection::Proven);
    EXPECT_EQ(receiver.stats().cipherBytes, 0U);
}

VERBCAST_OVER_TRANSPORTS(Encryption, transportsUnderTest());

/// A proxy that forwards tcp connections to a listener and can tamper with the bytes.
class Meddler {
  public:
    explicit Meddler(const std::string& address) : target_(parseUrl(address)) {
        thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }
    ~Meddler() {
        thread_.request_stop();
        wake_.notify();
    }
    std::string address() const { return "tcp://" + localAddressOf(listening_.get()).text(); }

    /// Flips one bit after this many bytes to the viewer over one connection.
    std::atomic<std::uint64_t> flipAt{0};
    std::atomic<int> flips{0};
    std::atomic<bool> sawWord{false};  ///< of an unencrypted frame

  private:
    struct Pair {
        UniqueFd viewer, sender;
        std::uint64_t toViewer = 0;
    };
    static UniqueFd listenSomewhere() {
        UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in here{};
        here.sin_family = AF_INET;
        here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&here), sizeof here), 0);
        EXPECT_EQ(::listen(socket.get(), 16), 0);
        return socket;
    }
    void run(const std::stop_token& stop) {
        std::vector<Pair> pairs;
        std::vector<std::byte> buffer(1U << 18);
        while (!stop.stop_requested()) {
            std::vector<pollfd> waits{{listening_.get(), POLLIN, 0}, {wake_.descriptor(), POLLIN, 0}};
            for (const Pair& pair : pairs) {
                waits.push_back({pair.viewer.get(), POLLIN, 0});
                waits.push_back({pair.sender.get(), POLLIN, 0});
            }
            ::poll(waits.data(), waits.size(), -1);
            for (std::size_t i = pairs.size(); i-- > 0;) {
                const bool alive = carry(pairs[i], waits[2 + 2 * i].revents != 0, true, buffer) &&
                                   carry(pairs[i], waits[3 + 2 * i].revents != 0, false, buffer);
                if (!alive) {
                    pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(i));
                }
            }
            if (waits[0].revents != 0) {
                Pair pair{UniqueFd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC)),
                          UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
                const SocketAddress there = resolve(target_, false, Deadline::in(kLimit)).front();
                if (::connect(pair.sender.get(), there.get(), there.length) == 0) {
                    pairs.push_back(std::move(pair));
                }
            }
        }
    }
    bool carry(Pair& pair, bool ready, bool fromViewer, std::vector<std::byte>& buffer) {
        if (!ready) {
            return true;
        }
        const int from = fromViewer ? pair.viewer.get() : pair.sender.get();
        const int to = fromViewer ? pair.sender.get() : pair.viewer.get();
        const auto got = ::recv(from, buffer.data(), buffer.size(), 0);
        if (got <= 0) {
            return false;
        }
        const auto bytes = static_cast<std::uint64_t>(got);
        if (!fromViewer) {
            look(std::span(buffer).first(bytes));
            if (flipAt >= pair.toViewer && flipAt < pair.toViewer + bytes && flipAt != 0) {
                buffer[flipAt - pair.toViewer] ^= std::byte{4};
                flipAt = 0;
                ++flips;
            }
            pair.toViewer += bytes;
        }
        for (std::uint64_t sent = 0; sent < bytes;) {
            const auto more = ::send(to, buffer.data() + sent, bytes - sent, MSG_NOSIGNAL);
            if (more <= 0) {
                return false;
            }
            sent += static_cast<std::uint64_t>(more);
        }
        return true;
    }
    /// A frame consists of its number, repeated.
    void look(std::span<const std::byte> bytes) {
        std::array<std::uint64_t, 3> word{3, 3, 3};
        const auto looked = std::as_bytes(std::span(word));
        if (std::search(bytes.begin(), bytes.end(), looked.begin(), looked.end()) != bytes.end()) {
            sawWord = true;
        }
    }

    const Url target_;
    const UniqueFd listening_ = listenSomewhere();
    Event wake_;
    std::jthread thread_;
};

class OnTheWay : public ::testing::Test {
  protected:
    /// Sends frames until the viewer has received `frames` of them, all intact and in order.
    void stream(bool encrypt, std::uint64_t flipAt) {
        SenderOptions options = senderOptions({"tcp", "tcp://127.0.0.1:0"}, Policy::Lossless);
        options.trust = keyed(encrypt);
        Broadcast broadcast(options);
        meddler = std::make_unique<Meddler>(broadcast.listenAddresses().front());
        meddler->flipAt = flipAt;
        ReceiverOptions viewers = receiverOptions(meddler->address());
        viewers.trust = keyed(encrypt);
        FrameReceiver receiver(viewers);
        auto sending = std::async(std::launch::async, [&] {
            TestSource video;
            while (video.next < kFrames) {
                ASSERT_EQ(video.sendToWhoComes(broadcast), Status::Ok);
            }
            EXPECT_EQ(broadcast.finish("done", kLimit, Event()), Status::Ok);
        });
        ReceivedFrame frame;
        while (receiver.receive(frame, kLimit) == Status::Ok) {
            whole = whole && isWhole(frame);
            EXPECT_EQ(frame.info.sequence, seen++);
        }
        sending.get();
        stats = receiver.stats();
    }
    static constexpr std::uint64_t kFrames = 30;
    std::unique_ptr<Meddler> meddler;
    std::uint64_t seen = 0;
    bool whole = true;
    StreamStats stats;
};

TEST_F(OnTheWay, PixelsCanBeReadAndChangedUnlessTheyAreEncrypted) {
    stream(false, 100'000);
    EXPECT_TRUE(meddler->sawWord) << "or this test sees nothing";
    EXPECT_EQ(meddler->flips, 1);
    EXPECT_FALSE(whole) << "a key alone protects no pixels";
}

TEST_F(OnTheWay, NothingOfAnEncryptedStreamCanBeRead) {
    stream(true, 0);
    EXPECT_FALSE(meddler->sawWord);
    EXPECT_TRUE(whole);
    EXPECT_EQ(seen, kFrames);
}

TEST_F(OnTheWay, AFlippedBitIsRefusedCountedAndTheFrameComesAgain) {
    stream(true, 500'000);
    EXPECT_EQ(meddler->flips, 1);
    EXPECT_TRUE(whole) << "it was shown";
    EXPECT_EQ(seen, kFrames) << "lossless";
    EXPECT_EQ(stats.framesRefused, 1U);
    EXPECT_EQ(stats.connections, 2U);
}

}  // namespace
}  // namespace verbcast::testing
