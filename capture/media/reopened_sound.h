// Opens a media file a second time, for its sound.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/media/input/kept_file.h"
#include "capture/sound/sound_input.h"
#include "capture/sound_source.h"
#include "core/base/os/event.h"

namespace verbcast {

/// Reads at its own place in the file, beside the pictures.
class ReopenedSound final : public SoundInput {
  public:
    /// `track` as SoundOptions says. `cancel` (may be null, else outlives this) ends waits for networks.
    /// Throws as openMedia() and soundTracks() do.
    ReopenedSound(std::string path, std::string inputFormat, std::uint32_t track, const Event* cancel);

    const std::string& path() const override { return path_; }
    const std::vector<AVStream*>& tracks() const override { return tracks_; }
    std::optional<std::chrono::microseconds> duration() const override;
    std::int64_t startTime() const override;
    std::chrono::milliseconds longestApart() const override { return std::chrono::seconds(5); }
    int read(AVPacket& packet, std::size_t& track) override;
    bool canRewind() const override { return true; }
    bool canSeek() const override;
    bool seek(std::chrono::microseconds time) override;
    /// By opening the file again.
    void rewind() override;

  private:
    static int isInterrupted(void* self);

    std::string path_;
    KeptFile file_;
    std::string inputFormat_;
    std::uint32_t track_;
    const Event* cancel_;
    FormatContextPtr context_;
    std::vector<AVStream*> tracks_;
    AVStream* video_ = nullptr;  // the index of many files holds key pictures only
};

/// Null if the file holds no sound. `inputFormat` as SourceOptions says. `cancel` (may be null, else outlives
/// the source) ends waits for networks. Throws Error{Input} if the file cannot be opened or its sound cannot
/// be decoded, which its pictures need not mind; Error{Usage} if there is sound, but no track of that number,
/// or for an unknown format.
std::unique_ptr<SoundSource> openFileSound(const std::string& path, const std::string& inputFormat,
                                           const SoundOptions& options, const Event* cancel = nullptr);

}  // namespace verbcast
