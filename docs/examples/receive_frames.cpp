// Shows how bright a stream's pictures are, and what becomes of its connection, until it ends:
//   receive_frames [URL]
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <verbcast/verbcast.hpp>

namespace {

unsigned brightness(const vc_frame& frame) {
    std::uint64_t sum = 0;
    for (std::uint32_t row = 0; row < frame.rows[0]; ++row) {
        const std::uint8_t* pixels = frame.planes[0] + std::size_t{row} * frame.strides[0];
        for (std::uint32_t i = 0; i < frame.row_bytes[0]; ++i) {
            sum += pixels[i];
        }
    }
    return static_cast<unsigned>(sum / (std::uint64_t{frame.rows[0]} * frame.row_bytes[0]));
}

}  // namespace

int main(int argc, char** argv) try {
    vc_receiver_options options = vc::Receiver::defaults();
    options.url = argc > 1 ? argv[1] : nullptr;
    options.follow = VC_FOLLOW_STREAM;
    vc::Receiver receiver(options);
    pollfd descriptor{receiver.descriptor(), POLLIN, 0};
    vc_status status = VC_OK;
    for (; status != VC_CLOSED; ::poll(&descriptor, 1, -1)) {  // first take what is there, then sleep
        vc_event event;
        while (receiver.nextEvent(event, 0) == VC_OK) {
            std::printf("%s\n", event.kind == VC_EVENT_STATE ? event.text : "another format");
        }
        vc::Frame frame;
        while ((status = receiver.take(frame, 0, VC_TAKE_NEWEST)) == VC_OK) {
            std::printf("frame %llu: %u\n", static_cast<unsigned long long>(frame->sequence),
                        brightness(*frame));
        }
    }
    ::close(descriptor.fd);
} catch (const vc::Error& error) {
    std::fprintf(stderr, "receive_frames: %s\n", error.what());
    return 1;
}
