#include "capture/sound/file_sound.h"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/mathematics.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kNanoseconds = 1'000'000'000;
/// Decoders need what was before to bring the same samples as without a seek: several frames of MP3.
constexpr std::int64_t kPrerollsPerSecond = 2;
constexpr std::chrono::microseconds kSeekMargin = 1s;
/// What comes later than that is not late: the clock has gone back.
constexpr std::int64_t kLongestLate = 5;  // seconds

void checkTrack(const AVCodecParameters& track, const std::string& path) {
    if (track.ch_layout.nb_channels <= 0) {
        throw Error(ErrorKind::Input,
                    fmt::format("FFmpeg cannot tell how many channels the sound of {} has", path));
    }
    requireConvertibleRate(track.sample_rate, "the sound of " + path);
}

SoundFormat formatOf(const SoundInput& input, const SoundOptions& options) {
    int channels = 0;
    for (const AVStream* track : input.tracks()) {
        checkTrack(*track->codecpar, input.path());
        channels += track->codecpar->ch_layout.nb_channels;
    }
    if (channels > kMaxSoundChannels) {
        const bool one = input.tracks().size() == 1;
        throw Error(
            ErrorKind::Input,
            fmt::format("the sound of {} has {} channels: 1 to {} expected", input.path(), channels,
                        kMaxSoundChannels),
            one ? "send the pictures alone: --audio-track none" : "choose one track: --audio-track N");
    }
    const AVCodecParameters& first = *input.tracks().front()->codecpar;
    const AVChannelLayout& layout = first.ch_layout;
    const auto rate = std::clamp(static_cast<std::uint32_t>(first.sample_rate), kMinSoundRate, kMaxSoundRate);
    const std::int64_t block = std::int64_t{rate} * options.block.count() / 1000;
    const bool known = layout.order == AV_CHANNEL_ORDER_NATIVE && input.tracks().size() == 1;
    return {.rate = rate,
            .channels = static_cast<std::uint16_t>(channels),
            .maxSamples =
                static_cast<std::uint16_t>(std::clamp<std::int64_t>(block, 1, rate / kSoundBlocksPerSecond)),
            .layout = known ? layout.u.mask : 0};
}

}  // namespace

FileSound::FileSound(std::shared_ptr<SoundInput> input, const SoundOptions& options)
    : input_(std::move(input)),
      codec_(avcodec_get_name(input_->tracks().front()->codecpar->codec_id)),
      format_(formatOf(*input_, options)),
      packet_(newPacket()) {
    const std::vector<AVStream*>& tracks = input_->tracks();
    tracks_.reserve(tracks.size());
    for (const AVStream* track : tracks) {
        const std::string name = tracks.size() > 1
                                     ? fmt::format("sound track {} of {}", tracks_.size() + 1, input_->path())
                                     : fmt::format("the sound of {}", input_->path());
        tracks_.push_back(
            std::make_unique<DecodedTrack>(*track, name, input_->startTime(), format_.rate, notes_));
    }
}

std::string FileSound::describe() const {
    return fmt::format("sound of {} ({}{})", input_->path(), codec_,
                       tracks_.size() > 1 ? fmt::format(", {} tracks", tracks_.size()) : "");
}

bool FileSound::readPacket() {
    std::size_t track = 0;
    const int code = input_->read(*packet_, track);
    if (code == 0) {
        if (track < tracks_.size()) {  // of a file that was written anew there may be more
            tracks_[track]->decode(packet_.get());
        }
        av_packet_unref(packet_.get());
        return true;
    }
    if (code == AVERROR(EAGAIN)) {
        return false;
    }
    if (code == AVERROR(ENOBUFS)) {
        if (!from_) {
            notes_.add(fmt::format("parts of the sound of {} are left out: it is too far from its pictures",
                                   input_->path()));
        }
        return true;
    }
    ended_ = true;
    for (const auto& each : tracks_) {
        each->decode(nullptr);
    }
    if (code != AVERROR_EOF && code != AVERROR_EXIT) {
        notes_.add(fmt::format("reading the sound of {} stopped before its end: {}", input_->path(),
                               avErrorText(code)));
    }
    return true;
}

// Tracks that lie further apart are not brought together: one is silent while the other plays.
bool FileSound::isReady() const {
    const std::int64_t far = format_.rate * input_->longestApart().count() / 1000;
    bool ready = true;
    for (const auto& track : tracks_) {
        const SampleQueue& queue = track->queue();
        if (queue.waiting() > far) {
            return true;
        }
        ready = ready && !queue.isEmpty() &&
                (queue.isFirstComplete() || queue.end() - queue.at() >= format_.maxSamples);
    }
    return ready;
}

bool FileSound::hasSound() const {
    return std::ranges::any_of(tracks_, [](const auto& track) { return !track->queue().isEmpty(); });
}

void FileSound::dropEarly() {
    for (const auto& track : tracks_) {
        while (from_ && !track->queue().isEmpty() && track->queue().at() < *from_) {
            track->queue().dropBefore(*from_);
        }
    }
}

bool FileSound::dropLate() {
    const auto isLate = [this](const auto& track) {
        return !track->queue().isEmpty() && track->queue().at() < next_;
    };
    const auto isOnTime = [this](const auto& track) {
        return !track->queue().isEmpty() && track->queue().at() >= next_;
    };
    if (std::ranges::none_of(tracks_, isOnTime)) {
        return false;  // the file's clock has gone back
    }
    bool dropped = false;
    for (const auto& track : tracks_) {
        // Further back, it waits until the other tracks have gone back, too.
        if (isLate(track) && next_ - track->queue().at() < kLongestLate * format_.rate) {
            track->queue().dropBefore(next_);
            dropped = true;
        }
    }
    return dropped;
}

bool FileSound::gather() {
    do {
        while (!ended_ && !isReady()) {
            if (!readPacket()) {
                return false;
            }
            dropEarly();
        }
    } while (dropLate());
    return true;
}

Status FileSound::read(CapturedSound& block) {
    goToSought();
    if (!gather()) {
        return Status::TimedOut;
    }
    if (!hasSound()) {
        return Status::Closed;
    }
    copyBlock(block);
    from_.reset();
    return Status::Ok;
}

/// Begins with the first sample that is not late, and ends where one of the tracks has a gap, or begins.
void FileSound::copyBlock(CapturedSound& block) {
    std::int64_t first = INT64_MAX, firstOnTime = INT64_MAX;
    for (const auto& track : tracks_) {
        if (const SampleQueue& queue = track->queue(); !queue.isEmpty()) {
            first = std::min(first, queue.at());
            firstOnTime = queue.at() >= next_ ? std::min(firstOnTime, queue.at()) : firstOnTime;
        }
    }
    block.at = firstOnTime != INT64_MAX ? firstOnTime : first;
    std::int64_t end = block.at + format_.maxSamples;
    for (const auto& track : tracks_) {
        if (const SampleQueue& queue = track->queue(); !queue.isEmpty() && queue.at() >= block.at) {
            end = std::min(end, queue.at() == block.at ? queue.end() : queue.at());
        }
    }
    const auto samples = static_cast<std::uint32_t>(end - block.at);
    block.samples.assign(std::size_t{samples} * format_.channels, 0);
    float* to = block.samples.data();
    for (const auto& track : tracks_) {
        if (SampleQueue& queue = track->queue(); !queue.isEmpty() && queue.at() == block.at) {
            queue.take(samples, to);
        }
        to += std::size_t{samples} * track->channels();
    }
    block.capturedAt = nowNs();
    next_ = end;
}

void FileSound::seek(std::chrono::nanoseconds time) {
    sought_ = av_rescale(time.count(), format_.rate, kNanoseconds);
}

void FileSound::goToSought() {
    if (!sought_) {
        return;
    }
    from_ = std::exchange(sought_, std::nullopt);
    const bool isAhead = *from_ >= next_ && !ended_;
    if (input_->canSeek() || (!isAhead && input_->canRewind())) {
        learnTimelines();
        approach(std::chrono::microseconds(av_rescale(*from_, AV_TIME_BASE, format_.rate)));
    }
    dropEarly();
}

void FileSound::learnTimelines() {
    const auto isExact = [](const auto& track) { return track->isExact(); };
    const auto isFar = [this](const auto& track) { return track->queue().waiting() > format_.rate; };
    while (!ended_ && !std::ranges::all_of(tracks_, isExact) && std::ranges::none_of(tracks_, isFar) &&
           readPacket()) {
    }
}

void FileSound::approach(std::chrono::microseconds place) {
    // Where there is no index, and in gaps, a seek lands too far.
    for (std::chrono::microseconds margin = kSeekMargin;; margin *= 2) {
        const bool atBeginning = margin >= place || !input_->seek(place - margin);
        if (atBeginning) {
            input_->rewind();
        }
        ended_ = false;
        next_ = INT64_MIN;
        for (const auto& track : tracks_) {
            track->restart(atBeginning);
        }
        while (!ended_ && !hasSound() && readPacket()) {
        }
        const std::int64_t latest = *from_ - format_.rate / kPrerollsPerSecond;
        const bool isEarly = std::ranges::any_of(tracks_, [latest](const auto& track) {
            return !track->queue().isEmpty() && track->queue().at() <= latest;
        });
        if (atBeginning || isEarly) {
            return;
        }
    }
}

}  // namespace verbcast
