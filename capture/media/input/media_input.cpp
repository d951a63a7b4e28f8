#include "capture/media/input/media_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "capture/frame_source.h"
#include "capture/media/input/ffmpeg_log.h"
#include "capture/media/input/input_limits.h"
#include "capture/media/input/open_media.h"
#include "capture/media/input/sound_tracks.h"
#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

// Like ffmpeg's: three pictures at 23 per second, in AV_TIME_BASE.
constexpr std::int64_t kReorderMargin = 3 * AV_TIME_BASE / 23;
constexpr std::int64_t kMostMeasured = 256LL << 20;    // bytes that are read to find a late file's end
constexpr std::int64_t kLateStart = AV_TIME_BASE / 4;  // beyond the delay of reordered pictures

bool isCoverPicture(const AVStream& stream) {
    return (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
}

bool isVideo(const AVStream& stream) {
    return stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !isCoverPicture(stream);
}

}  // namespace

MediaInput::MediaInput(const std::string& path, const Event* cancel, MediaChoice choice,
                       std::optional<PipedMedia> piped)
    : path_(path), file_(path_), choice_(std::move(choice)), cancel_(cancel) {
    if (piped) {
        path_ = std::move(piped->name);
        knownFormat_ = piped->format;
        choice_.format.clear();
        pipe_ = std::make_unique<PipeReader>(piped->descriptor, std::move(piped->head), cancel_);
    } else if (isNamedPipe(path)) {
        pipe_ = std::make_unique<PipeReader>(path, cancel_);
    }
    open();
    keepSound();
    findDuration();
    setCancel(nullptr);
}

void MediaInput::setCancel(const Event* cancel) {
    cancel_ = cancel;
    if (pipe_) {
        pipe_->setCancel(cancel);
    }
}

bool MediaInput::isCancelled() const {
    const Event* cancel = cancel_.load();
    return cancel != nullptr && cancel->isSet();
}

int MediaInput::isInterrupted(void* self) {
    return static_cast<const MediaInput*>(self)->isCancelled() ? 1 : 0;
}

void MediaInput::open() {
    OpenedMedia opened = openMedia({.path = pipe_ ? path_ : file_.path(),
                                    .inputFormat = choice_.format,
                                    .knownFormat = context_ ? context_->iformat : knownFormat_,
                                    .pipe = pipe_ ? pipe_->context() : nullptr,
                                    .interrupt = {isInterrupted, this}});
    cutOff_ = opened.cutOff;
    sound_.reset();
    context_ = std::move(opened.context);  // until then the old one can still be asked for times
    chooseStream();
}

AVStream* MediaInput::chosenOf(const std::vector<AVStream*>& videos) const {
    const std::uint32_t number = *choice_.videoTrack;
    if (number < 1 || number > videos.size()) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--video-track {}: {} holds {}", number, path_,
                                counted(videos.size(), "video track")),
                    "count from 1, in the order in which ffprobe lists them");
    }
    return videos[number - 1];
}

std::string MediaInput::tracksText(const std::vector<AVStream*>& videos) const {
    std::string text;
    std::size_t sent = 0;
    for (std::size_t i = 0; i < videos.size(); ++i) {
        const AVCodecParameters& parameters = *videos[i]->codecpar;
        text += fmt::format("{}{}: {} {}x{}", i == 0 ? "" : ", ", i + 1,
                            avcodec_get_name(parameters.codec_id), parameters.width, parameters.height);
        sent = videos[i] == stream_ ? i + 1 : sent;
    }
    return fmt::format("{} holds {} ({}): {} is sent; --video-track chooses another", path_,
                       counted(videos.size(), "video track"), text, sent);
}

void MediaInput::chooseStream() {
    std::vector<AVStream*> videos;
    bool hasCover = false;
    for (unsigned i = 0; i < context_->nb_streams; ++i) {
        AVStream* const candidate = context_->streams[i];
        hasCover = hasCover || isCoverPicture(*candidate);
        if (isVideo(*candidate)) {
            videos.push_back(candidate);
        }
    }
    const int best = av_find_best_stream(context_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (choice_.videoTrack && !videos.empty()) {
        stream_ = chosenOf(videos);
    } else if (best >= 0 && isVideo(*context_->streams[best])) {
        stream_ = context_->streams[best];
    } else {
        stream_ = videos.empty() ? nullptr : videos.front();
    }
    tracksNote_ = videos.size() > 1 && !choice_.videoTrack ? tracksText(videos) : "";
    if (stream_ == nullptr) {
        throwNoVideo(hasCover);
    }
    for (unsigned i = 0; i < context_->nb_streams; ++i) {
        context_->streams[i]->discard = context_->streams[i] == stream_ ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    }
}

void MediaInput::throwNoVideo(bool hasCover) {
    NoVideo error(ErrorKind::Input,
                  fmt::format("{} ({}) holds {}{}", path_, context_->iformat->name,
                              hasSound() ? "no video" : "neither video nor sound",
                              hasCover ? ", only a cover picture" : ""),
                  "give a file with a video stream; ffprobe " + path_ + " lists what is in it");
    if (pipe_ && choice_.soundTrack && hasSound()) {
        auto tracks = chooseSoundTracks(*context_, path_, *choice_.soundTrack);
        error.sound =
            std::make_shared<PipeOfSound>(path_, std::move(pipe_), std::move(context_), std::move(tracks));
    }
    throw error;
}

bool MediaInput::hasSound() const {
    return std::any_of(context_->streams, context_->streams + context_->nb_streams,
                       [](const AVStream* each) { return each->codecpar->codec_type == AVMEDIA_TYPE_AUDIO; });
}

bool MediaInput::isReadOnce() const {
    // Files have a size, and playlists of whole ones a length.
    const bool isWhole = mayBeFile(path_) && context_->pb != nullptr && avio_size(context_->pb) >= 0;
    return !isWhole || (!choice_.format.empty() && context_->duration <= 0);
}

void MediaInput::keepSound() {
    if (!choice_.soundTrack || !hasSound() || !isReadOnce()) {
        return;
    }
    untaken_ = std::make_shared<PipedSound>(path_, *context_,
                                            chooseSoundTracks(*context_, path_, *choice_.soundTrack));
    sound_ = untaken_;
}

Rational MediaInput::frameRate() const {
    const AVRational rate = av_guess_frame_rate(context_.get(), stream_, nullptr);
    return rate.num > 0 && rate.den > 0 ? Rational{rate.num, rate.den} : Rational{0, 1};
}

bool MediaInput::hasConstantRate() const {
    // As av_guess_frame_rate() tells it: the shortest time between two pictures is far from the usual one.
    constexpr double kShortest = 210, kUsual = 70;  // pictures per second
    const AVRational shortest = stream_->r_frame_rate, usual = stream_->avg_frame_rate;
    const bool known = shortest.num > 0 && shortest.den > 0 && usual.num > 0 && usual.den > 0;
    return !known || av_q2d(shortest) <= kShortest || av_q2d(usual) >= kUsual;
}

Rational MediaInput::pixelAspect(const AVFrame& picture) const {
    // FFmpeg's function takes the frame without const and only reads it.
    const AVRational aspect =
        av_guess_sample_aspect_ratio(context_.get(), stream_, const_cast<AVFrame*>(&picture));
    return aspect.num > 0 && aspect.den > 0 ? Rational{aspect.num, aspect.den} : Rational{1, 1};
}

std::optional<std::uint64_t> MediaInput::pictureCount() const {
    return stream_->nb_frames > 0 ? std::optional(static_cast<std::uint64_t>(stream_->nb_frames))
                                  : std::nullopt;
}

std::int64_t MediaInput::timeAt(std::chrono::microseconds offset) const {
    return av_rescale_q(startOf(*context_) + offset.count(), AVRational{1, AV_TIME_BASE}, stream_->time_base);
}

// Matroska, MP4 and NUT announce the end on a timeline that begins where the recorder cut; FLV and fragmented
// MP4 the length. So a file that does not begin at 0 is asked for its last packets.
void MediaInput::findDuration() {
    if (context_->duration <= 0) {
        return;
    }
    duration_ = std::chrono::microseconds(context_->duration);
    const bool announced = context_->duration_estimation_method != AVFMT_DURATION_FROM_BITRATE;
    if (announced && !mayJump() && context_->start_time != AV_NOPTS_VALUE &&
        context_->start_time > kLateStart) {
        duration_ = measuredDuration();
    }
}

/// Unset for a pipe. Reads from the last key picture on.
std::optional<std::chrono::microseconds> MediaInput::measuredDuration() {
    if (!seek(std::chrono::microseconds(context_->start_time + context_->duration))) {
        return std::nullopt;
    }
    const PacketPtr packet = newPacket();
    std::int64_t end = startTime();
    std::int64_t bytes = 0;
    for (; bytes < kMostMeasured && read(*packet) == 0; av_packet_unref(packet.get())) {
        bytes += packet->size;
        if (packet->pts != AV_NOPTS_VALUE) {
            end = std::max(end, packet->pts + packet->duration);
        }
    }
    if (bytes >= kMostMeasured) {  // without an index, it begins anywhere
        end = startTime();
    }
    const std::int64_t start = startTime();
    rewind();
    return end > start ? std::optional(std::chrono::microseconds(
                             av_rescale_q(end - start, stream_->time_base, AVRational{1, AV_TIME_BASE})))
                       : std::nullopt;
}

std::optional<std::int64_t> MediaInput::announcedEnd() const {
    const bool fromHeader = context_->duration_estimation_method == AVFMT_DURATION_FROM_STREAM;
    return context_->nb_streams == 1 && duration_ && fromHeader ? std::optional(timeAt(*duration_))
                                                                : std::nullopt;
}

int MediaInput::read(AVPacket& packet) {
    for (;;) {
        const LastFfmpegError logged;
        const int code = av_read_frame(context_.get(), &packet);
        cutOff_ = cutOff_ || logged.endedEarly();
        const auto sound = sound_.lock();
        if (code < 0) {
            if (isCancelled()) {
                return AVERROR_EXIT;
            }
            if (sound) {
                sound->end(code);
            }
            return code;
        }
        if (packet.stream_index == stream_->index) {
            return 0;
        }
        if (sound) {
            sound->keep(packet);
        }
        av_packet_unref(&packet);
    }
}

bool MediaInput::canSeek() const {
    return verbcast::canSeek(*context_);
}

bool MediaInput::seek(std::chrono::microseconds time) {
    if (!canSeek()) {
        return false;
    }
    const int flags = context_->iformat->flags;
    std::int64_t target = time.count() + startOf(*context_);
    if (time.count() > 0 && (flags & AVFMT_SEEK_TO_PTS) == 0 && stream_->codecpar->video_delay > 0) {
        target -= kReorderMargin;  // the index holds decoding times
    }
    cutOff_ = false;
    sound_.reset();
    return avformat_seek_file(context_.get(), -1, INT64_MIN, target, target, 0) >= 0;
}

std::vector<std::int64_t> MediaInput::timesBefore(std::int64_t time) {
    constexpr int kReordered = 32;  // more than any codec puts between a picture and an earlier one
    std::vector<std::int64_t> times;
    const PacketPtr packet = newPacket();
    for (int later = 0; later < kReordered && read(*packet) == 0; av_packet_unref(packet.get())) {
        if (packet->pts != AV_NOPTS_VALUE && packet->pts < time &&
            (packet->flags & AV_PKT_FLAG_DISCARD) == 0) {
            times.push_back(packet->pts);
        } else {
            ++later;
        }
    }
    std::ranges::sort(times);
    return times;
}

void MediaInput::rewind() {
    const bool indexed = (context_->iformat->flags & AVFMT_TS_DISCONT) == 0;
    if ((indexed || pipe_) && seek({})) {
        return;
    }
    if (pipe_) {
        throw Error(ErrorKind::Input, path_ + " is a pipe and cannot be rewound", "leave out --loop");
    }
    open();
}

}  // namespace verbcast
