// An end of a stream by the C interface alone, for measure.py:
//   measured_end send URL FRAMES      copies two pictures in turn; the format is measure.py's
//   measured_end receive URL          writes the receiver's statistics to standard output
#include <verbcast/verbcast.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr std::uint32_t kWidth = 3840, kHeight = 2160;
constexpr std::size_t kBytes = std::size_t{kWidth} * kHeight * 3 / 2;
constexpr std::int64_t kInterval = 1'000'000'000 / 60;

void require(bool good, const char* what) {
    if (!good) {
        std::fprintf(stderr, "measured_end: %s: %s\n", what, vc_error());
        std::exit(1);
    }
}

void sleepUntil(std::int64_t at) {
    const timespec due{.tv_sec = at / 1'000'000'000, .tv_nsec = at % 1'000'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
}

void send(const char* url, long frames) {
    vc_sender_options options = VC_INIT(vc_sender_options);
    options.url = url;
    vc_sender* const sender = vc_sender_open(&options);
    require(sender != nullptr, "open");
    vc_video_format format = VC_INIT(vc_video_format);
    format.pixel_format = VC_PIXEL_YUV420P;
    format.width = kWidth;
    format.height = kHeight;
    format.frame_rate = {60, 1};
    require(vc_sender_set_format(sender, VC_PICTURE_TRACK, &format) == VC_OK, "format");
    require(vc_sender_wait(sender, -1) == VC_OK, "no viewer");
    const std::vector<char> pictures[] = {std::vector<char>(kBytes, 50), std::vector<char>(kBytes, 120)};
    std::int64_t due = vc_now();
    for (long number = 0; number < frames; ++number, due += kInterval) {
        sleepUntil(due);
        vc_slot slot = VC_INIT(vc_slot);
        require(vc_sender_acquire(sender, VC_PICTURE_TRACK, &slot, 10'000) == VC_OK, "no room");
        require(slot.bytes == kBytes, "gaps between planes");
        std::memcpy(slot.planes[0], pictures[number % 2].data(), kBytes);
        require(vc_sender_submit(sender, &slot) != VC_ERROR, "submit");
    }
    require(vc_sender_finish(sender, "all are sent", 10'000) == VC_OK, "finish");
    vc_sender_close(sender);
}

void receive(const char* url) {
    vc_receiver_options options = VC_INIT(vc_receiver_options);
    options.url = url;
    options.follow = VC_FOLLOW_STREAM;
    vc_receiver* const receiver = vc_receiver_open(&options);
    require(receiver != nullptr, "open");
    for (;;) {
        vc_frame frame = VC_INIT(vc_frame);
        const vc_status status = vc_receiver_take(receiver, VC_PICTURE_TRACK, VC_TAKE_NEXT, &frame, -1);
        if (status == VC_CLOSED) {
            break;
        }
        require(status == VC_OK, "take");
        require(vc_receiver_shown(receiver, frame.lease, vc_now()) == VC_OK, "shown");
        require(vc_lease_release(frame.lease) == VC_OK, "release");
    }
    std::puts(vc_receiver_stats_json(receiver));
    vc_receiver_close(receiver);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string role = argc > 2 ? argv[1] : "";
    if (role == "send" && argc == 4) {
        send(argv[2], std::atol(argv[3]));
    } else if (role == "receive" && argc == 3) {
        receive(argv[2]);
    } else {
        std::fputs("measured_end send URL FRAMES | receive URL\n", stderr);
        return 2;
    }
    return 0;
}
