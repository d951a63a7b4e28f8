// A stream that continues while others connect to its sender.
#pragma once

#include "tests/core/session/core_support.h"

namespace verbcast::testing {

class UnknownPeers : public TransportSuite {
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

}  // namespace verbcast::testing
