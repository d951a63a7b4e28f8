// Sound on its way from `verbcast run`, which captures it, to our library in the program, which sends it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "capture/sound_source.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// The runner's end, of any number of lines: each process that shows pictures has one.
class SoundLines {
  public:
    /// The library's end of a new one; empty if there is no descriptor left, which is logged. From any
    /// thread.
    UniqueFd open();
    /// To all libraries; who does not keep up loses it. Used by one thread.
    void pass(const CapturedSound& block, const SoundFormat& format);

  private:
    std::mutex mutex_;  // guards lines_
    std::vector<UniqueFd> lines_;
};

/// The library's end: a live source, which has no format before the first block.
std::unique_ptr<SoundSource> soundOfLine(UniqueFd line);

}  // namespace verbcast
