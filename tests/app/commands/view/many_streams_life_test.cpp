// Several streams into one viewer: what happens to one does not affect the others.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include "core/stream/broadcast.h"
#include "core/video/frame_md5.h"
#include "tests/app/commands/view/many_streams.h"
#include "tests/core/session/connection_cutter.h"
#include "tests/support/exit_codes.h"

namespace verbcast::testing {
namespace {

class ManyStreamsLife : public ManyStreams, public ::testing::WithParamInterface<std::string> {};

TEST_P(ManyStreamsLife, OneThatIsKilledAndComesBackCostsTheOtherNothing) {
    const ReservedAddress address(GetParam());
    Program killed = start(endless({"--listen", address.url()}));
    Feed feed;
    const Program steady = start(feeding({"--listen", listenAddressFor(GetParam())}), feed.input());
    feed.give(10);  // it listens once it knows the format
    const Program viewer = view({address.url(), steady->listenAddress()});
    ASSERT_TRUE(viewer->waitForError("stream 1: receiving")) << viewer->errors();
    ASSERT_TRUE(viewer->waitForError("stream 2: receiving")) << viewer->errors();
    killed->kill();
    ASSERT_TRUE(viewer->waitForError("stream 1: signal lost")) << viewer->errors();
    feed.give(10);
    killed = start(sending(kPictures[1], {"--listen", address.url()}));
    ASSERT_TRUE(viewer->waitForError("stream 1: receiving 64x48")) << viewer->errors();
    feed.give(10);
    feed.end();
    EXPECT_TRUE(endsWith(*viewer, 0));
    EXPECT_TRUE(endsWith(*killed, 0));
    EXPECT_TRUE(endsWith(*steady, 0));
    const std::vector<Json> all = streams();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].at("connections"), 2);
    EXPECT_EQ(all[0].at("connections_lost"), 1);
    EXPECT_EQ(all[1].at("connections"), 1);
    EXPECT_EQ(all[1].at("frames_received"), 30);
    expectWhole(all[1]);
}

TEST_P(ManyStreamsLife, ASenderThatIsStartedAnewContinuesItsStream) {
    const Program viewer = view({"--listen", listenAddressFor(GetParam()), "--streams", "3"});
    const std::string address = viewer->listenAddress();
    Program killed = start(endless({"--to", address}));
    ASSERT_TRUE(viewer->waitForError("stream 1: receiving")) << viewer->errors();
    Feed feed;
    const Program steady = start(feeding({"--to", address}), feed.input());
    feed.give(10);
    ASSERT_TRUE(viewer->waitForError("stream 2: receiving")) << viewer->errors();
    killed->kill();
    ASSERT_TRUE(viewer->waitForError("stream 1: signal lost")) << viewer->errors();
    killed = start(sending(kPictures[1], {"--to", address}));
    ASSERT_TRUE(viewer->waitForError("stream 1: receiving 64x48")) << viewer->errors();
    EXPECT_TRUE(endsWith(*killed, 0));
    feed.give(10);
    feed.end();
    EXPECT_TRUE(endsWith(*steady, 0));
    const Program third = start(sending(kPictures[2], {"--to", address}));
    EXPECT_TRUE(endsWith(*viewer, 0)) << "three have come and ended";
    EXPECT_TRUE(endsWith(*third, 0));
    const std::vector<Json> all = streams();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].at("connections"), 2);
    EXPECT_EQ(all[1].at("frames_received"), 20);
    expectWhole(all[1]);
    expectWhole(all[2]);
}

VERBCAST_OVER_TRANSPORTS(ManyStreamsLife, variantsForMany());

TEST_F(ManyStreams, OneSenderTooManyIsToldSo) {
    const Program viewer = view({"--listen", listenAddressFor("shm"), "--streams", "2"});
    const std::string address = viewer->listenAddress();
    Feed one, two;
    const Program first = start(feeding({"--to", address}), one.input());
    one.give(1);
    ASSERT_TRUE(viewer->waitForError("stream 1: receiving")) << viewer->errors();
    const Program second = start(feeding({"--to", address}), two.input());
    two.give(1);
    ASSERT_TRUE(viewer->waitForError("stream 2: receiving")) << viewer->errors();
    const Program third = start(sending(kPictures[0], {"--to", address}));
    EXPECT_TRUE(endsWith(*third, kPeer));
    EXPECT_TRUE(holds(third->errors(), "this viewer already shows as many streams as it may"));
    one.end();
    two.end();
    EXPECT_TRUE(endsWith(*first, 0));
    EXPECT_TRUE(endsWith(*second, 0));
    EXPECT_TRUE(endsWith(*viewer, 0));
    EXPECT_EQ(streams().size(), 2U);
}

TEST_F(ManyStreams, FramesAreCountedForEachAndWhoHadHisIsNotTakenAgain) {
    const Program viewer = view({"--listen", listenAddressFor("tcp"), "--streams", "2", "--frames", "5"});
    const std::string address = viewer->listenAddress();
    const Program first = start(endless({"--to", address}));
    EXPECT_TRUE(first->waitForError("its stream has ended here")) << first->errors();
    EXPECT_TRUE(viewer->running()) << viewer->errors();
    const Program second = start(endless({"--to", address}));
    EXPECT_TRUE(endsWith(*viewer, 0));
    for (const Json& stream : streams()) {
        EXPECT_EQ(md5Lines(received(stream.at("number"))).size(), 5U);
        EXPECT_EQ(stream.at("exit_reason"), "frames");
    }
    EXPECT_EQ(streams().size(), 2U);
    for (const Program* sender : {&first, &second}) {
        (*sender)->signal(SIGINT);
        EXPECT_TRUE(endsWith(**sender, kInterrupted));
    }
}

TEST_F(ManyStreams, TheExitCodeIsThatOfTheOneThatFailed) {
    Feed feed;
    const Program steady = start(feeding({"--listen", listenAddressFor("tcp")}), feed.input());
    const Program killed = start(endless({"--listen", listenAddressFor("shm")}));
    feed.give(5);
    const Program viewer = view({steady->listenAddress(), killed->listenAddress(), "--once"});
    ASSERT_TRUE(viewer->waitForError("stream 1: receiving")) << viewer->errors();
    ASSERT_TRUE(viewer->waitForError("stream 2: receiving")) << viewer->errors();
    killed->kill();
    ASSERT_TRUE(viewer->waitForError("stream 2: the sender was lost")) << viewer->errors();
    feed.give(5);
    feed.end();
    EXPECT_TRUE(endsWith(*viewer, kNetwork));
    const std::vector<Json> all = streams();
    ASSERT_EQ(all.size(), 2U);
    expectWhole(all[0]);
    EXPECT_EQ(all[1].at("exit_reason"), "lost");
    EXPECT_EQ(readJson(file("viewer")).at("exit_reason"), "lost");
}

TEST_F(ManyStreams, OneThatCannotBeWrittenFailsAlone) {
    std::filesystem::create_directory(file("got-2"));
    Feed feed;
    const Program viewer = view({"--listen", listenAddressFor("shm"), "--streams", "2"});
    const std::string address = viewer->listenAddress();
    const Program first = start(feeding({"--to", address}), feed.input());
    feed.give(5);
    ASSERT_TRUE(viewer->waitForError("stream 1: receiving")) << viewer->errors();
    const Program second = start(sending(kPictures[0], {"--to", address}));
    ASSERT_TRUE(viewer->waitForError("stream 2: opening the --frame-md5 file")) << viewer->errors();
    feed.give(5);
    feed.end();
    EXPECT_TRUE(endsWith(*viewer, kUsage));
    expectWhole(streams().at(0));
    EXPECT_EQ(streams().at(1).at("exit_reason"), "usage");
}

TEST_F(ManyStreams, AnInterruptEndsAll) {
    std::vector<Program> senders;
    Arguments addresses;
    for (const char* transport : {"shm", "tcp"}) {
        senders.push_back(start(endless({"--once", "--listen", listenAddressFor(transport)})));
        addresses.push_back(senders.back()->listenAddress());
    }
    const ReservedAddress nobody("tcp");
    const Program viewer = view(addresses + Arguments{nobody.url()});
    ASSERT_TRUE(viewer->waitForError("stream 1: receiving")) << viewer->errors();
    ASSERT_TRUE(viewer->waitForError("stream 2: receiving")) << viewer->errors();
    viewer->signal(SIGINT);
    EXPECT_TRUE(endsWith(*viewer, kInterrupted));
    ASSERT_EQ(streams().size(), 3U);
    for (const Json& stream : streams()) {
        EXPECT_EQ(stream.at("exit_reason"), "interrupted");
        EXPECT_EQ(md5Lines(received(stream.at("number"))).size() > 0, stream.at("number") != 3);
    }
    for (const Program& sender : senders) {
        EXPECT_TRUE(sender->waitForEnd().has_value());
    }
}

TEST_F(ManyStreams, NobodyComes) {
    const Program viewer = view({"--listen", listenAddressFor("shm"), "--streams", "2", "--wait", "0.2"});
    EXPECT_TRUE(endsWith(*viewer, kNetwork));
    EXPECT_TRUE(holds(viewer->errors(), "no sender connected within 0.2 s (--wait)"));
    EXPECT_EQ(readJson(file("viewer")).at("exit_reason"), "no sender came");
}

/// Senders in this process, whose connections can be cut.
class ManyStreamsCut : public ManyStreams, public ::testing::WithParamInterface<std::string> {
  protected:
    static SenderOptions calling(const std::string& address) {
        SenderOptions options;
        options.url = parseUrl(address);
        options.listen = false;
        options.policy = Policy::Lossless;
        options.peerTimeout = kPatience;
        return options;
    }
    /// Sends frames of that width and appends their checksums.
    static void send(Broadcast& sender, std::uint32_t width, int frames, std::vector<std::string>& sums) {
        const VideoFormat format = tightFormat(width, 32, PixelFormat::gray);
        const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 8});
        const Event never;
        for (int i = 0; i < frames; ++i) {
            auto lease = pool->acquire(kPatience, &never);
            ASSERT_TRUE(lease);
            std::fill_n(lease->data(), format.payloadBytes, static_cast<std::byte>(sums.size()));
            sums.push_back(frameMd5(format, lease->data()));
            Status status = Status::Busy;
            while ((status = sender.submit(std::move(*lease), format, {}, never)) == Status::Busy) {
                ASSERT_EQ(sender.waitForReceiver(kPatience, never), Status::Ok);
            }
            ASSERT_EQ(status, Status::Ok);
        }
    }
    std::vector<std::string> sumsOf(int number) const {
        std::vector<std::string> sums;
        for (const FrameSum& frame : frameSums(received(number))) {
            sums.push_back(frame.md5);
        }
        return sums;
    }
};

TEST_P(ManyStreamsCut, ASenderThatWasCutOffContinuesItsOwnStream) {
    const Program viewer = view({"--listen", listenAddressFor(GetParam()), "--streams", "2"});
    const std::string address = viewer->listenAddress();
    const Event never;
    std::vector<std::string> left, right;
    Broadcast first(calling(address));
    ASSERT_EQ(first.waitForReceiver(kPatience, never), Status::Ok);
    send(first, 64, 20, left);
    ASSERT_TRUE(viewer->waitForError("stream 1: receiving")) << viewer->errors();
    const std::set<int> before = connectedSockets(GetParam());
    Broadcast second(calling(address));
    ASSERT_EQ(second.waitForReceiver(kPatience, never), Status::Ok);
    send(second, 32, 20, right);
    ASSERT_TRUE(viewer->waitForError("stream 2: receiving")) << viewer->errors();
    cut(newOnes(connectedSockets(GetParam()), before), Cut::Abrupt);
    send(second, 32, 20, right);
    send(first, 64, 20, left);
    EXPECT_EQ(second.finish("done", kPatience, never), Status::Ok);
    EXPECT_EQ(first.finish("done", kPatience, never), Status::Ok);
    EXPECT_TRUE(endsWith(*viewer, 0));
    EXPECT_EQ(sumsOf(1), left);
    EXPECT_EQ(sumsOf(2), right);
    ASSERT_EQ(streams().size(), 2U);
    EXPECT_EQ(streams()[0].at("connections"), 1);
    EXPECT_EQ(streams()[1].at("connections"), 2);
}

TEST_P(ManyStreamsCut, WhoSendsNothingHasNoPlaceForLong) {
    const Program viewer = view({"--listen", listenAddressFor(GetParam()), "--streams", "2"});
    const std::string address = viewer->listenAddress();
    const Event never;
    for (int i = 0; i < 3; ++i) {
        Broadcast idle(calling(address));
        ASSERT_EQ(idle.waitForReceiver(kPatience, never), Status::Ok) << i;
    }
    std::vector<std::string> sums, more;
    Broadcast first(calling(address)), second(calling(address));
    send(first, 64, 5, sums);
    send(second, 64, 6, more);
    EXPECT_EQ(first.finish("done", kPatience, never), Status::Ok);
    EXPECT_EQ(second.finish("done", kPatience, never), Status::Ok);
    EXPECT_TRUE(endsWith(*viewer, 0));
    EXPECT_EQ(streams().size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Transports, ManyStreamsCut, ::testing::Values("shm", "tcp"), variantName);

}  // namespace
}  // namespace verbcast::testing
