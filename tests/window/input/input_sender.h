// A sender in the test process that records viewers' input.
#pragma once

#include <gtest/gtest.h>

#include <QSize>
#include <QString>
#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "core/stream/broadcast.h"

namespace verbcast::testing {

/// A sender in this process that answers every input event with a frame.
class InputSender {
  public:
    explicit InputSender(bool allowInput) : sender_(options(allowInput)) {}

    QString url() const { return QString::fromStdString(sender_.listenAddresses().front()); }

    /// Submits a frame of one colour that reports the input it reflects.
    void submit() {
        auto lease = pool_->acquire(std::chrono::seconds(30));
        ASSERT_TRUE(lease);
        std::fill_n(lease->data(), format_.payloadBytes, std::byte{200});
        FrameInfo info;
        info.inputSequence = lastSerial_;
        info.capturedAt = nowNs();
        ASSERT_EQ(sender_.submit(std::move(*lease), format_, info, never_), Status::Ok);
    }

    /// Returns all events received so far.
    const std::vector<ViewerInput>& take() {
        const std::size_t before = events_.size();
        sender_.takeInput(events_);
        if (events_.size() != before) {
            lastSerial_ = events_.back().serial;
            submit();
        }
        return events_;
    }
    void forget() { events_.clear(); }

    static constexpr QSize kSize{640, 360};

  private:
    static SenderOptions options(bool allowInput) {
        SenderOptions options;
        options.url = parseUrl("tcp://127.0.0.1:0");
        options.allowInput = allowInput;
        options.peerTimeout = std::chrono::seconds(10);
        return options;
    }

    VideoFormat format_ = tightFormat(kSize.width(), kSize.height(), PixelFormat::rgba);
    std::shared_ptr<FramePool> pool_ = FramePool::create({.slotBytes = format_.payloadBytes, .slotCount = 8});
    Broadcast sender_;
    std::vector<ViewerInput> events_;
    std::uint64_t lastSerial_ = 0;
    Event never_;
};

}  // namespace verbcast::testing
