// Which packets are kept for a decoder that must continue after another one failed.
#include <gtest/gtest.h>

#include "capture/media/input/packet_history.h"

namespace verbcast::testing {
namespace {

/// Adds a packet whose single byte identifies it.
void give(PacketHistory& history, std::uint8_t name, bool key) {
    const PacketPtr packet = newPacket();
    ASSERT_EQ(av_new_packet(packet.get(), 1), 0);
    packet->data[0] = name;
    packet->flags = key ? AV_PKT_FLAG_KEY : 0;
    history.keep(*packet);
}

FramePtr picture(std::int64_t number, AVPictureType type) {
    FramePtr frame = newFrame();
    frame->pkt_pos = number;
    frame->pict_type = type;
    return frame;
}

/// The packets that are replayed.
std::string again(PacketHistory& history) {
    std::string names;
    const PacketPtr packet = newPacket();
    while (history.next(*packet)) {
        names += static_cast<char>(packet->data[0]);
        av_packet_unref(packet.get());
    }
    return names;
}

TEST(PacketHistory, BeginsAtTheLastKeyPictureThatArrived) {
    PacketHistory history;
    give(history, 'a', true);
    give(history, 'b', false);
    give(history, 'c', true);
    give(history, 'd', false);
    EXPECT_EQ(again(history), "") << "nothing comes before rewind()";
    history.arrived(*picture(1, AV_PICTURE_TYPE_I));
    history.rewind();
    EXPECT_EQ(again(history), "abcd") << "pictures that lead the second key picture may need the first";
    history.arrived(*picture(2, AV_PICTURE_TYPE_P));
    history.rewind();
    EXPECT_EQ(again(history), "abcd");
    history.arrived(*picture(3, AV_PICTURE_TYPE_I));
    history.rewind();
    EXPECT_EQ(again(history), "cd");
    EXPECT_TRUE(history.isWhole());
}

TEST(PacketHistory, AKeyPacketWithoutAKeyPictureEndsNothing) {
    PacketHistory history;
    give(history, 'a', true);
    give(history, 'b', true);
    give(history, 'c', false);
    history.arrived(*picture(2, AV_PICTURE_TYPE_P));  // gradual refresh starts here
    history.arrived(*picture(3, AV_PICTURE_TYPE_I));  // an intra picture that is no entry point
    history.rewind();
    EXPECT_EQ(again(history), "abc");
}

TEST(PacketHistory, PicturesAreKnownByTheirPackets) {
    PacketHistory history;
    give(history, 'a', true);
    give(history, 'b', false);
    history.handOut(*picture(1, AV_PICTURE_TYPE_I));
    history.handOut(*picture(2, AV_PICTURE_TYPE_P));
    history.takeBack(*picture(2, AV_PICTURE_TYPE_P));
    EXPECT_TRUE(history.wasHandedOut(*picture(1, AV_PICTURE_TYPE_I)));
    EXPECT_FALSE(history.wasHandedOut(*picture(1, AV_PICTURE_TYPE_I))) << "once: the next lap is another";
    EXPECT_FALSE(history.wasHandedOut(*picture(2, AV_PICTURE_TYPE_P)));
}

TEST(PacketHistory, IsBounded) {
    PacketHistory history(3);
    for (const char name : {'a', 'b', 'c', 'd', 'e'}) {
        give(history, static_cast<std::uint8_t>(name), name == 'a' || name == 'e');
    }
    EXPECT_FALSE(history.isWhole());
    history.rewind();
    EXPECT_EQ(again(history), "cde");
    history.arrived(*picture(5, AV_PICTURE_TYPE_I));
    EXPECT_TRUE(history.isWhole());
    history.rewind();
    EXPECT_EQ(again(history), "e");
}

TEST(PacketHistory, IsForgottenAsTheLastDecoderTakesIt) {
    PacketHistory history;
    give(history, 'a', true);
    give(history, 'b', false);
    history.letGo();
    history.rewind();
    EXPECT_EQ(again(history), "ab");
    history.rewind();
    EXPECT_EQ(again(history), "");
    give(history, 'c', true);
    history.rewind();
    EXPECT_EQ(again(history), "");
}

TEST(PacketHistory, ASecondRoundGoesOnWhereItWas) {
    PacketHistory history;
    for (const char name : {'a', 'b', 'c', 'd'}) {
        give(history, static_cast<std::uint8_t>(name), name != 'd');
    }
    history.rewind();
    const PacketPtr packet = newPacket();
    ASSERT_TRUE(history.next(*packet));
    av_packet_unref(packet.get());
    ASSERT_TRUE(history.next(*packet));
    EXPECT_EQ(packet->data[0], 'b');
    av_packet_unref(packet.get());
    history.arrived(*picture(2, AV_PICTURE_TYPE_I));
    EXPECT_EQ(again(history), "cd") << "what was forgotten meanwhile moves nothing";
}

}  // namespace
}  // namespace verbcast::testing
