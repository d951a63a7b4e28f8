// What sources of sound have in common that are devices.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "capture/sound/device_blocks.h"
#include "capture/sound_source.h"

namespace verbcast {

/// Blocks come through an intake that a derived class fills from a thread of its own.
class DeviceSound : public SoundSource {
  public:
    std::vector<std::string> notes() const override;
    const SoundFormat& format() const override { return format_; }
    bool isLive() const override { return true; }
    Status read(CapturedSound& block) override;
    int waitDescriptor() const override { return intake_.descriptor(); }

  protected:
    explicit DeviceSound(const SoundOptions& options) : intake_(options) {}
    /// Of the first block, before any is read. Where that is not known, format() has no rate until then.
    void startWith(const SoundFormat& format) { format_ = format; }
    /// From any thread. A note that is there already is not repeated.
    void note(const std::string& text);

    DeviceBlocks intake_;

  private:
    SoundFormat format_{.rate = 0};
    mutable std::mutex mutex_;  // guards notes_
    std::vector<std::string> notes_;
};

}  // namespace verbcast
