#include "tests/window/sound/timed_clip.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "tests/support/ffmpeg_program.h"
#include "tests/window/sound/pitch.h"

namespace verbcast::testing {
namespace {

constexpr double kPitches[] = {500, 4750};
constexpr double kRise = 500;  // Hz in a second
constexpr int kBlues[] = {64, 160};
constexpr double kDimmed = 105 / 255.0;  // the last picture of a stream that was lost

}  // namespace

void makeTimedClip(const std::string& path, int clip, double seconds) {
    const std::string pictures =
        fmt::format("color=black:size=64x36:rate={}:duration={},format=gbrp,geq=r='N':g='255-N':b={}",
                    kClipFps, seconds, kBlues[clip]);
    const std::string sound =
        fmt::format("aevalsrc=exprs='{}*sin(2*PI*t*({}+{}*t))':sample_rate=48000:duration={}", kClipPeak,
                    kPitches[clip], kRise / 2, seconds);
    ffmpeg({"-f", "lavfi", "-i", pictures, "-f", "lavfi", "-i", sound, "-c:v", "rawvideo", "-pix_fmt", "rgba",
            "-c:a", "pcm_f32le", path});
}

QRgb timedColour(const Place& place) {
    const auto count = static_cast<int>(std::lround(place.seconds * kClipFps));
    return qRgb(count, 255 - count, kBlues[place.clip]);
}

std::optional<Place> placeSeen(QRgb colour) {
    for (const int clip : {0, 1}) {
        for (const double dimmed : {1.0, kDimmed}) {
            if (std::abs(qRed(colour) + qGreen(colour) - 255 * dimmed) <= 2 &&
                std::abs(qBlue(colour) - kBlues[clip] * dimmed) <= 2) {
                return Place{clip, qRed(colour) / dimmed / kClipFps};
            }
        }
    }
    return std::nullopt;
}

std::optional<Place> placeHeard(std::span<const float> samples, std::uint32_t rate) {
    const std::optional<double> pitch = pitchOf(samples, rate);
    if (!pitch) {
        return std::nullopt;
    }
    const int clip = *pitch < (kPitches[0] + kRise * kMaxClipSeconds + kPitches[1]) / 2 ? 0 : 1;
    return Place{clip, (*pitch - kPitches[clip]) / kRise};
}

}  // namespace verbcast::testing
