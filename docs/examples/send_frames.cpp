// Sends frames of its own, 1280x720 at 60 fps, and lets viewers steer them:
//   send_frames [URL]      then, on any machine:  verbcast view HOST
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <verbcast/verbcast.hpp>

namespace {

constexpr std::uint32_t kWidth = 1280, kHeight = 720;

/// A grey field with a bright square around the pointer.
void draw(const vc_slot& slot, float x, float y) {
    for (std::uint32_t row = 0; row < kHeight; ++row) {
        std::uint8_t* pixel = slot.planes[0] + std::size_t{row} * slot.strides[0];
        for (std::uint32_t column = 0; column < kWidth; ++column, pixel += 4) {
            const bool near = column + 40 > x && column < x + 40 && row + 40 > y && row < y + 40;
            pixel[0] = near ? 255 : 40;
            pixel[1] = near ? 200 : 44;
            pixel[2] = near ? 80 : 52;
            pixel[3] = 255;
        }
    }
}

}  // namespace

int main(int argc, char** argv) try {
    vc::setLog([](vc_log_level, std::string_view message) {
        std::fprintf(stderr, "send_frames: %.*s\n", static_cast<int>(message.size()), message.data());
    });
    vc_sender_options options = vc::Sender::defaults();
    options.url = argc > 1 ? argv[1] : nullptr;
    options.allow_input = 1;
    vc::Sender sender(options);
    sender.setFormat(vc::videoFormat(VC_PIXEL_RGBA, kWidth, kHeight));
    std::printf("waiting for a viewer on %s\n", sender.addresses().c_str());
    sender.wait();

    const int frames = argc > 2 ? std::atoi(argv[2]) : -1;
    float x = 640, y = 360;
    std::uint64_t shown = 0;
    auto due = std::chrono::steady_clock::now();
    for (int number = 0; number != frames; ++number, due += std::chrono::microseconds(16667)) {
        std::this_thread::sleep_until(due);
        while (const auto event = sender.takeInput()) {
            x = event->kind == VC_POINTER_MOVE ? event->x : x;
            y = event->kind == VC_POINTER_MOVE ? event->y : y;
            shown = event->serial;
        }
        if (vc::Slot slot = sender.acquire(0)) {
            draw(*slot, x, y);
            slot->input_serial = shown;
            sender.submit(slot);
        }
    }
    sender.finish("all frames are sent", 5000);
} catch (const vc::Error& error) {
    std::fprintf(stderr, "send_frames: %s\n", error.what());
    return 1;
}
