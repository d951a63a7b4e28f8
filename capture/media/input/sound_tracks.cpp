#include "capture/media/input/sound_tracks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {

std::vector<AVStream*> chooseSoundTracks(const AVFormatContext& context, const std::string& path,
                                         std::uint32_t number) {
    std::vector<AVStream*> sounds;
    sounds.reserve(context.nb_streams);
    for (unsigned i = 0; i < context.nb_streams; ++i) {
        if (context.streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO) {
            sounds.push_back(context.streams[i]);
        }
    }
    if (number > sounds.size() && !sounds.empty()) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--audio-track {}: {} holds {}", number, path, counted(sounds.size(), "sound track")),
            "count from 1, in the order in which ffprobe lists them");
    }
    std::vector<AVStream*> chosen = number == 0 || sounds.empty() ? sounds : std::vector{sounds[number - 1]};
    for (AVStream* const track : chosen) {
        track->discard = AVDISCARD_DEFAULT;
    }
    return chosen;
}

int readOf(AVFormatContext& context, const std::vector<AVStream*>& tracks, AVPacket& packet,
           std::size_t& track) {
    for (;;) {
        if (const int code = av_read_frame(&context, &packet); code < 0) {
            return code;
        }
        const auto found = std::ranges::find(tracks, packet.stream_index, &AVStream::index);
        if (found != tracks.end()) {
            track = static_cast<std::size_t>(found - tracks.begin());
            return 0;
        }
        av_packet_unref(&packet);
    }
}

}  // namespace verbcast
