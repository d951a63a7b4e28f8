// The thread that takes the sound of a stream.
#include "app/view/sound/sound_thread.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>

#include "core/stream/sound_slots.h"
#include "tests/core/session/core_support.h"

namespace verbcast::testing {
namespace {

constexpr SoundFormat kFormat{.rate = 48'000, .channels = 2, .maxSamples = 480};

/// Sends live sound faster than it is taken, until `stop`.
void sendAlways(Broadcast& sender, const std::stop_token& stop) {
    SoundSlots slots;
    const std::uint64_t bytes = kFormat.bytes(kFormat.maxSamples);
    const Event never;
    while (!stop.stop_requested()) {
        if (auto slot = slots.acquire(kFormat, kLimit)) {
            std::memset(slot->data(), 0, bytes);
            FrameInfo info;
            info.track = kSoundTrack;
            static_cast<void>(
                sender.submit(std::move(*slot), TrackFormat::ofSound(kFormat), bytes, info, never));
        }
    }
}

TEST(SoundThread, EndsThoughTheStreamGoesOn) {
    SenderOptions options = senderOptions({"tcp", "tcp://127.0.0.1:0"}, Policy::Latest);
    options.hasSound = true;
    Broadcast sender(options);
    ReceiverOptions viewing = receiverOptions(sender);
    viewing.further = {{.content = TrackContent::Nothing}, {.content = TrackContent::Sound}};
    FrameReceiver viewer(viewing);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    const std::jthread sending([&](const std::stop_token& stop) { sendAlways(sender, stop); });
    std::promise<void> some;
    std::uint64_t taken = 0;
    bool ended = false;
    std::optional<SoundThread> thread;
    thread.emplace(
        viewer,
        [&](const ArrivedSound& sound) {
            EXPECT_EQ(sound.format, kFormat);
            if (++taken == kSoundSlots) {
                some.set_value();
            }
        },
        [&] { ended = true; });
    EXPECT_EQ(some.get_future().wait_for(kLimit), std::future_status::ready);
    thread.reset();
    EXPECT_TRUE(ended);
    ReceivedFrame frame;
    EXPECT_EQ(viewer.receive(frame, kLimit, kSoundTrack), Status::Ok);
}

}  // namespace
}  // namespace verbcast::testing
