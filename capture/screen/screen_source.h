// A source of an X server's screen: a frame when something has changed, else one per second.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/frame_source.h"
#include "capture/screen/screen_area.h"
#include "capture/screen/screen_changes.h"
#include "capture/screen/screen_pace.h"
#include "capture/screen/screen_reader.h"
#include "capture/screen/window_pixels.h"
#include "capture/screen/x_display.h"

namespace verbcast {

/// Pictures include the pointer and are opaque: the fourth byte of a pixel is not alpha.
///
/// Each frame costs two round trips: one asks what has changed and where the pointer is; the other makes the
/// server write the picture into the slot (on ReadPath::Slots its copy from the screen is the only one) and
/// gets the pointer's image. A still screen costs the first only, once per frame time: X does not report
/// where the pointer goes.
class ScreenSource final : public FrameSource {
  public:
    /// `what` follows "screen:". Throws Error{Usage, Input, Display, Resource}.
    ScreenSource(const SourceOptions& options, std::string_view what, ReadPath best = ReadPath::Slots);

    std::string describe() const override;
    std::vector<std::string> notes() const override { return notes_; }
    const VideoFormat& format() const override { return format_; }
    bool isLive() const override { return true; }
    bool pacesItself() const override { return true; }
    std::optional<std::uint64_t> expectedFrames() const override { return std::nullopt; }
    /// Closed: the window or monitor is gone, see notes(). A window that is hidden for now yields no frames.
    /// A new size starts with the next frame.
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return counters_; }
    std::unique_ptr<InputInjector> inputInjector() override;

    ReadPath path() const { return reader_.path(); }

  private:
    ScreenSource(const ScreenPace& pace, ScreenSelection selection, std::uint32_t slots, ReadPath best);
    std::optional<ScreenPlace> locate();
    void setPlace(std::optional<ScreenPlace> place);
    void takeFormat();
    bool acquireSlot(const Event& cancel);
    /// Whether the picture is read from the screen, not from a window's own pixels.
    bool onScreen() const { return !(pixels_ && pixels_->areApart()); }
    void look();
    void considerPointer(const ScreenNews& news);
    void noteDrawn(const std::vector<Rectangle>& drawn);
    void noteChange(const Rectangle& part);
    bool tryTake(CapturedFrame& frame);
    bool readPicture();
    void spread(std::byte* payload) const;
    void drawCursor(const xcb_xfixes_get_cursor_image_reply_t& cursor, std::byte* payload);
    bool sleep(const Event& cancel);

    ScreenPace pace_;
    TimestampNs pointerTime_;  // between queries for the pointer's place
    XDisplay display_;
    ScreenArea area_;
    ScreenChanges screen_;
    ScreenReader reader_;
    std::optional<WindowPixels> pixels_;  // if one window is selected
    std::optional<ScreenPlace> place_;
    VideoFormat format_;
    std::vector<std::string> notes_;
    SourceCounters counters_;
    std::atomic<std::uint64_t> injectedSerial_{0};  // written by the injector

    FrameLease slot_;                                 // for the next frame
    bool changed_ = true;                             // anything changed since the last frame,
    PictureChanges changes_ = PictureChanges::all();  // and where it did
    bool unrelated_ = false;                          // the last look found events that did not matter
    Rectangle cursor_;  // the pointer in the last frame, in the root's coordinates
    int pointerX_ = 0, pointerY_ = 0;
};

}  // namespace verbcast
