#include "capture/media/input/piped_sound.h"

#include <algorithm>
#include <utility>

#include "capture/media/input/open_media.h"
#include "capture/media/input/sound_tracks.h"

namespace verbcast {
namespace {

/// With what it takes to hold it, so that small ones count, too.
std::size_t bytesOf(const AVPacket& packet) {
    constexpr std::size_t kAround = 512;
    std::size_t bytes = kAround + static_cast<std::size_t>(packet.size);
    for (int i = 0; i < packet.side_data_elems; ++i) {
        bytes += packet.side_data[i].size;
    }
    return bytes;
}

}  // namespace

PipedSound::PipedSound(std::string path, const AVFormatContext& medium, std::vector<AVStream*> tracks,
                       std::size_t maxBytes)
    : path_(std::move(path)), tracks_(std::move(tracks)), startTime_(startOf(medium)), maxBytes_(maxBytes) {}

void PipedSound::keep(AVPacket& packet) {
    const auto found = std::ranges::find(tracks_, packet.stream_index, &AVStream::index);
    if (found == tracks_.end()) {
        return;
    }
    const std::size_t bytes = bytesOf(packet);
    PacketPtr kept = newPacket();
    av_packet_move_ref(kept.get(), &packet);
    kept_.push_back({std::move(kept), static_cast<std::size_t>(found - tracks_.begin()), bytes});
    for (bytes_ += bytes; bytes_ > maxBytes_; kept_.pop_front()) {
        bytes_ -= kept_.front().bytes;
        lost_ = true;
    }
}

int PipedSound::read(AVPacket& packet, std::size_t& track) {
    if (std::exchange(lost_, false)) {
        return AVERROR(ENOBUFS);
    }
    if (kept_.empty()) {
        return end_ != 0 ? end_ : AVERROR(EAGAIN);
    }
    av_packet_move_ref(&packet, kept_.front().packet.get());
    track = kept_.front().track;
    bytes_ -= kept_.front().bytes;
    kept_.pop_front();
    return 0;
}

PipeOfSound::PipeOfSound(std::string path, std::unique_ptr<PipeReader> pipe, FormatContextPtr medium,
                         std::vector<AVStream*> tracks)
    : path_(std::move(path)), pipe_(std::move(pipe)), medium_(std::move(medium)), tracks_(std::move(tracks)) {
    medium_->interrupt_callback = {};  // of who opened it; the pipe's own end remains
}

std::int64_t PipeOfSound::startTime() const {
    return startOf(*medium_);
}

int PipeOfSound::read(AVPacket& packet, std::size_t& track) {
    return readOf(*medium_, tracks_, packet, track);
}

}  // namespace verbcast
