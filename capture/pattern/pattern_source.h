// A source of moving test patterns: painted once into a canvas, then copied once per frame.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capture/frame_source.h"
#include "capture/pattern/canvas.h"
#include "capture/pattern/pattern_painter.h"
#include "capture/pattern/text_overlay.h"

namespace verbcast {

/// A frame's content depends only on its number, the format and the pattern. Not paced: capture() waits only
/// for a free slot. Each frame costs one copy from canvas to slot, and a few digits.
class PatternSource final : public FrameSource {
  public:
    /// `name` is what follows "pattern:"; empty for bars. Throws Error{Usage} for unknown names and sizes.
    PatternSource(const SourceOptions& options, std::string_view name);

    std::string describe() const override;
    std::vector<std::string> notes() const override { return {}; }
    const VideoFormat& format() const override { return format_; }
    bool isLive() const override { return true; }
    std::optional<std::uint64_t> expectedFrames() const override { return std::nullopt; }
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return counters_; }

  private:
    /// These return where they drew. Beneath that all frames are the same, unless draw() returns all().
    PictureChanges draw(std::uint64_t index, std::byte* payload) const;
    FrameRect drawLine(std::uint64_t index, std::byte* payload) const;
    std::array<FrameRect, 2> drawText(std::uint64_t index, std::byte* payload) const;

    PatternKind kind_;
    VideoFormat format_;
    Canvas canvas_;
    std::unique_ptr<Canvas> line_;   // the line that moves over the bars
    std::unique_ptr<Canvas> flash_;  // the picture at each whole second
    DigitFont counterFont_;
    DigitFont timeFont_;
    std::shared_ptr<FramePool> pool_;
    SourceCounters counters_;
    PictureChanges drawnBefore_ = PictureChanges::all();  // in the previous frame
};

}  // namespace verbcast
