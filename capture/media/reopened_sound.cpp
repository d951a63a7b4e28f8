#include "capture/media/reopened_sound.h"

#include <utility>

#include "capture/media/input/open_media.h"
#include "capture/media/input/sound_tracks.h"
#include "capture/sound/file_sound.h"

namespace verbcast {

ReopenedSound::ReopenedSound(std::string path, std::string inputFormat, std::uint32_t track,
                             const Event* cancel)
    : path_(std::move(path)),
      file_(path_),
      inputFormat_(std::move(inputFormat)),
      track_(track),
      cancel_(cancel) {
    rewind();
}

int ReopenedSound::isInterrupted(void* self) {
    const Event* cancel = static_cast<const ReopenedSound*>(self)->cancel_;
    return cancel != nullptr && cancel->isSet() ? 1 : 0;
}

// Not by a seek, after which some demuxers no longer say how much of the first packets to skip.
void ReopenedSound::rewind() {
    context_ = openMedia({.path = file_.path(),
                          .inputFormat = inputFormat_,
                          .knownFormat = context_ ? context_->iformat : nullptr,
                          .interrupt = {isInterrupted, this}})
                   .context;
    for (unsigned i = 0; i < context_->nb_streams; ++i) {
        context_->streams[i]->discard = AVDISCARD_ALL;
    }
    tracks_ = chooseSoundTracks(*context_, path_, track_);
    const int video = av_find_best_stream(context_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    video_ = video >= 0 ? context_->streams[video] : nullptr;
}

std::optional<std::chrono::microseconds> ReopenedSound::duration() const {
    return context_->duration > 0 ? std::optional(std::chrono::microseconds(context_->duration))
                                  : std::nullopt;
}

std::int64_t ReopenedSound::startTime() const {
    return startOf(*context_);
}

int ReopenedSound::read(AVPacket& packet, std::size_t& track) {
    const int code = readOf(*context_, tracks_, packet, track);
    return code < 0 && isInterrupted(this) != 0 ? AVERROR_EXIT : code;
}

bool ReopenedSound::canSeek() const {
    return verbcast::canSeek(*context_);
}

bool ReopenedSound::seek(std::chrono::microseconds time) {
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

std::unique_ptr<SoundSource> openFileSound(const std::string& path, const std::string& inputFormat,
                                           const SoundOptions& options, const Event* cancel) {
    quietFfmpeg();
    auto input = std::make_unique<ReopenedSound>(path, inputFormat, options.track, cancel);
    return input->tracks().empty() ? nullptr : std::make_unique<FileSound>(std::move(input), options);
}

}  // namespace verbcast
