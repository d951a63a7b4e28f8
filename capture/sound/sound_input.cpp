#include "capture/sound/sound_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capture/media/input_limits.h"
#include "capture/media/open_media.h"
#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {

SoundInput::SoundInput(std::string path, std::string inputFormat, std::uint32_t track, const Event* cancel)
    : path_(std::move(path)), inputFormat_(std::move(inputFormat)), track_(track), cancel_(cancel) {
    rewind();
}

int SoundInput::isInterrupted(void* self) {
    const Event* cancel = static_cast<const SoundInput*>(self)->cancel_;
    return cancel != nullptr && cancel->isSet() ? 1 : 0;
}

void SoundInput::refuseLive() const {
    throw Error(
        ErrorKind::Input,
        fmt::format("{} is live, and a second connection for its sound would begin elsewhere", path_));
}

// Not by a seek, after which some demuxers no longer say how much of the first packets to skip.
void SoundInput::rewind() {
    if (!mayBeFile(path_)) {
        refuseLive();
    }
    context_ =
        openMedia({.path = path_, .inputFormat = inputFormat_, .interrupt = {isInterrupted, this}}).context;
    // Files have a size, and playlists of whole ones a length.
    const bool isWhole = context_->pb != nullptr && avio_size(context_->pb) >= 0;
    if (!isWhole || (!inputFormat_.empty() && context_->duration <= 0)) {
        refuseLive();
    }
    chooseTracks();
}

void SoundInput::chooseTracks() {
    std::vector<AVStream*> sounds;
    sounds.reserve(context_->nb_streams);
    for (unsigned i = 0; i < context_->nb_streams; ++i) {
        AVStream* const stream = context_->streams[i];
        stream->discard = AVDISCARD_ALL;
        if (stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO) {
            sounds.push_back(stream);
        }
    }
    if (track_ > sounds.size() && !sounds.empty()) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--audio-track {}: {} holds {}", track_, path_,
                                counted(sounds.size(), "sound track")),
                    "count from 1, in the order in which ffprobe lists them");
    }
    tracks_ = track_ == 0 || sounds.empty() ? sounds : std::vector{sounds[track_ - 1]};
    for (AVStream* const chosen : tracks_) {
        chosen->discard = AVDISCARD_DEFAULT;
    }
    const int video = av_find_best_stream(context_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    video_ = video >= 0 ? context_->streams[video] : nullptr;
}

std::int64_t SoundInput::startTime() const {
    return context_->start_time != AV_NOPTS_VALUE ? context_->start_time : 0;
}

int SoundInput::read(AVPacket& packet, std::size_t& track) {
    for (;;) {
        if (const int code = av_read_frame(context_.get(), &packet); code < 0) {
            return isInterrupted(this) != 0 ? AVERROR_EXIT : code;
        }
        const auto found = std::ranges::find(tracks_, packet.stream_index, &AVStream::index);
        if (found != tracks_.end()) {
            track = static_cast<std::size_t>(found - tracks_.begin());
            return 0;
        }
        av_packet_unref(&packet);
    }
}

bool SoundInput::canSeek() const {
    return verbcast::canSeek(*context_);
}

bool SoundInput::seek(std::chrono::microseconds time) {
    if (!canSeek()) {
        return false;
    }
    // By the pictures, as their source does: FFmpeg seeks by a stream that is not discarded.
    const std::int64_t target = startTime() + time.count();
    if (video_ != nullptr) {
        video_->discard = AVDISCARD_DEFAULT;
    }
    const int code = avformat_seek_file(context_.get(), -1, INT64_MIN, target, target, 0);
    if (video_ != nullptr) {
        video_->discard = AVDISCARD_ALL;
    }
    return code >= 0;
}

}  // namespace verbcast
