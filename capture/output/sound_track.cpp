#include "capture/output/sound_track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr std::int64_t kTolerancesPerSecond = 50;  // 20 ms
constexpr std::int64_t kSilencesPerSecond = 10;    // what is written at once
constexpr std::int64_t kStraysPerSecond = 100;     // 10 ms need not be followed
constexpr std::int64_t kJittersPerSecond = 10;     // nor what ends within 100 ms
constexpr std::int64_t kPlacesPerSecond = 1000;    // 1 ms: what was followed is in its place again
constexpr std::int64_t kSamplesPerStep = 1000;     // of one sample: twice as fast as the worst crystals drift

}  // namespace

std::int64_t wholeUnits(std::uint32_t rate, AVRational timeBase) {
    const std::int64_t scaled = std::int64_t{rate} * timeBase.num;
    const std::int64_t samples = scaled / std::gcd(scaled, std::int64_t{timeBase.den});
    return samples >= 1 && samples <= rate ? samples : 1;
}

SoundTrack::SoundTrack(const SoundFormat& format, const std::string& encoder, Container container)
    : format_(format),
      container_(nameOf(container)),
      encoder_(format, encoder, muxerOf(container)),
      packet_(newPacket()) {
    if (!container_.hasTimes && encoder_.context().initial_padding > 0) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--audio-encoder {}: its sound begins late without times, which {} does not "
                                "have",
                                encoder, container_.name),
                    "choose an encoder whose name begins with pcm_, or record into Matroska (.mkv)");
    }
}

std::int64_t SoundTrack::preroll() const {
    return hasBoxes(container_.container) ? 0 : encoder_.context().initial_padding;
}

void SoundTrack::addTo(Muxer& muxer, bool held) {
    muxer_ = &muxer;
    held_ = held;
    stream_ = &muxer.addStream();
    stream_->time_base = encoder_.context().time_base;
    avcodec_parameters_from_context(stream_->codecpar, &encoder_.context());
    if (preroll() > 0) {
        stream_->codecpar->initial_padding = 0;  // FFmpeg's Matroska would be off by it
    }
}

/// Where the track begins so that the first sample is where it belongs: containers without times begin at
/// `earliest_`, and the times of others may be coarser than samples.
void SoundTrack::start(std::int64_t time) {
    begun_ = true;
    end_ = !container_.hasTimes || time < earliest_
               ? earliest_
               : time - (time - earliest_) % wholeUnits(format_.rate, stream_->time_base);
    encoder_.moveTo(end_);
}

int SoundTrack::putSilence(std::int64_t time) {
    start(0);
    return silence(time - end_);
}

int SoundTrack::put(std::int64_t time, std::span<const std::byte> planar) {
    const bool first = !begun_;
    if (first) {
        start(time);
    }
    const auto samples = static_cast<std::int64_t>(planar.size() / format_.bytes(1));
    const std::int64_t ahead = time - end_;
    const std::int64_t tolerance = first ? 1 : format_.rate / kTolerancesPerSecond;
    std::int64_t skipped = 0;
    int code = 0;
    if (ahead >= tolerance) {
        code = fillGap(ahead, first);
    } else if (ahead <= -tolerance || (ahead < 0 && overlapping_)) {
        skipped = std::min(samples, -ahead);
        overlaps_ += overlapping_ ? 0 : 1;
        overlapSamples_ += static_cast<std::uint64_t>(skipped);
    }
    overlapping_ = skipped > 0;
    const int step = follow(overlapping_ ? 0 : time - end_, samples);
    skipped += step < 0 ? 1 : 0;
    if (code < 0 || skipped == samples) {
        return code;
    }
    const std::int64_t repeated = step > 0 ? 1 : 0;
    encoder_.send(planar, 0, repeated);
    encoder_.send(planar, skipped, samples - skipped);
    const std::int64_t sent = repeated + samples - skipped;
    end_ += sent;
    written_ += static_cast<std::uint64_t>(sent);
    return mux();
}

/// Returns 1 if a sample is to be repeated, and -1 if one is to be left out.
int SoundTrack::follow(std::int64_t ahead, std::int64_t samples) {
    const std::int64_t near = format_.rate / (following_ ? kPlacesPerSecond : kStraysPerSecond);
    const int astray = std::abs(ahead) <= near ? 0 : ahead > 0 ? 1 : -1;
    if (astray == 0 || astray != astray_) {
        astray_ = astray;
        following_ = false;
        astrayFor_ = kSamplesPerStep - format_.rate / kJittersPerSecond;
        return 0;
    }
    astrayFor_ += samples;
    if (astrayFor_ < kSamplesPerStep) {
        return 0;
    }
    astrayFor_ = 0;
    following_ = true;
    return astray;
}

int SoundTrack::fillGap(std::int64_t samples, bool atStart) {
    if (samples <= kMaxSilenceSeconds * format_.rate) {
        gaps_ += atStart ? 0 : 1;
        gapSamples_ += atStart ? 0 : static_cast<std::uint64_t>(samples);
        return silence(samples);
    }
    ++longGaps_;
    const std::int64_t next = end_ + samples;
    const int code = silence(std::min(samples, encoder_.missing()));
    encoder_.moveTo(next);
    end_ = next;
    return code;
}

int SoundTrack::silence(std::int64_t samples) {
    int code = 0;
    while (code >= 0 && samples > 0) {
        const std::int64_t now = std::min<std::int64_t>(samples, format_.rate / kSilencesPerSecond);
        encoder_.sendSilence(now);
        code = mux();
        end_ += now;
        samples -= now;
    }
    return code;
}

int SoundTrack::mux() {
    int code = 0;
    while (code >= 0 && encoder_.receive(*packet_)) {
        const AVRational timeBase = encoder_.context().time_base;
        code = held_ ? muxer_->hold(*packet_, stream_->index, timeBase)
                     : muxer_->write(*packet_, stream_->index, timeBase);
        av_packet_unref(packet_.get());
    }
    return code;
}

int SoundTrack::finish() {
    encoder_.sendEnd();
    return mux();
}

std::vector<std::string> SoundTrack::notes() const {
    const auto seconds = [&](std::uint64_t samples) { return static_cast<double>(samples) / format_.rate; };
    std::vector<std::string> notes;
    if (gaps_ > 0) {
        notes.push_back(fmt::format("sound was missing: {:.3f} s of silence stand for it, in {}",
                                    seconds(gapSamples_), counted(gaps_, "place")));
    }
    if (longGaps_ > 0) {
        notes.push_back(fmt::format("{} in the sound, of more than {} s, {} not filled with silence",
                                    counted(longGaps_, "gap"), kMaxSilenceSeconds,
                                    longGaps_ == 1 ? "is" : "are"));
    }
    if (overlaps_ > 0) {
        notes.push_back(
            fmt::format("{:.3f} s of sound are left out, in {}: they came from before the file's "
                        "begin, or from a time that has sound already",
                        seconds(overlapSamples_), counted(overlaps_, "place")));
    }
    return notes;
}

}  // namespace verbcast
