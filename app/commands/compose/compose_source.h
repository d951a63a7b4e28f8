// Several streams as one source: frames with equal time stamps, merged by depth or by alpha.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/progress_line.h"
#include "app/commands/compose/compose_options.h"
#include "app/commands/compose/parts_input.h"
#include "capture/frame_source.h"
#include "core/stream/matched_parts.h"

namespace verbcast {

/// Not thread-safe. MatchedParts defines which frames belong together. The changes of a merged frame are
/// those of all its parts.
class ComposeSource final : public FrameSource {
  public:
    struct Options {
        std::vector<ReceiverOptions> parts;  ///< at least one
        MergeBy by = MergeBy::Depth;
        bool keepDepth = false;
        std::uint32_t slots = 8;  ///< merged frames that consumers may hold
    };
    explicit ComposeSource(const Options& options);

    /// Waits for a frame of each part, which determine the format; shows on `line` what it waits for. Returns
    /// false if interrupted or if a stream ended first. Throws Error{Network} if a sender did not come within
    /// `patience`, Error{Input} if the parts do not fit together. Call first.
    bool open(ProgressLine& line, std::optional<std::chrono::nanoseconds> patience, const Event& interrupt);

    std::string describe() const override;
    std::vector<std::string> notes() const override { return {}; }
    std::vector<std::string> takeNews() override { return parts_.takeNotes(); }
    const VideoFormat& format() const override { return format_; }
    bool isLive() const override { return true; }
    bool pacesItself() const override { return true; }
    bool isFed() const override { return true; }
    std::optional<std::uint64_t> expectedFrames() const override { return std::nullopt; }
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override;
    bool wasLost() const override;
    /// Passes every event to each part that accepts input. Throws Error{Usage} if none does.
    std::unique_ptr<InputInjector> inputInjector() override;

  private:
    struct Misfit {
        std::string text, remedy;
    };
    std::optional<Misfit> misfitOf(const VideoFormat& format, const std::string& name) const;
    std::optional<Misfit> misfit() const;
    bool leaveMisfits();
    void takeFormat();
    void merge(std::byte* payload) const;

    MatchedParts parts_;
    const std::shared_ptr<PartsInput> input_;  // shared with the injector
    const MergeBy by_;
    const bool keepDepth_;
    const std::uint32_t slots_;
    VideoFormat format_;
    std::string lastMisfit_;           // that was noted; "" if the parts fit
    std::shared_ptr<FramePool> pool_;  // shared with the merged frames
    SourceCounters counters_;
};

}  // namespace verbcast
