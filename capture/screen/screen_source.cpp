#include "capture/screen/screen_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "capture/screen/cursor_blend.h"
#include "capture/screen/screen_input.h"

namespace verbcast {
namespace {

constexpr TimestampNs kSecond = 1'000'000'000;

/// By ReadPath.
constexpr std::array<const char*, 3> kPathNotes{
    "", "the X server cannot write into the frame ring: each picture is copied once more",
    "the X server shares no memory with this program: pictures arrive over its connection"};

}  // namespace

ScreenSource::ScreenSource(const SourceOptions& options, std::string_view what, ReadPath best)
    : ScreenSource(ScreenPace(options), parseScreenSelection(what), options.slots, best) {}

ScreenSource::ScreenSource(const ScreenPace& pace, ScreenSelection selection, std::uint32_t slots,
                           ReadPath best)
    : pace_(pace),
      pointerTime_(std::min(pace.frameTime(), kSecond)),
      area_(display_, std::move(selection)),
      screen_(display_, area_.selection()),
      reader_(display_, best, std::max(1U, slots)) {
    if (const auto* window = std::get_if<OneWindow>(&area_.selection())) {
        pixels_.emplace(display_, window->id);
    }
    std::optional<ScreenPlace> place = locate();
    if (!place) {
        throw Error(
            ErrorKind::Input,
            fmt::format("{} is not on the screen, or too small", verbcast::describe(area_.selection())),
            "show it first: a window that is minimised or on another workspace has no picture");
    }
    setPlace(place);
    if (isWaylandSession()) {
        notes_.push_back(
            fmt::format("the display {} belongs to a Wayland session: only X programs are in the picture; "
                        "screen:portal sends all",
                        display_.name()));
    }
    if (reader_.path() != ReadPath::Slots) {
        notes_.emplace_back(kPathNotes.at(static_cast<std::size_t>(reader_.path())));
    }
}

std::string ScreenSource::describe() const {
    return fmt::format("{} of {}", verbcast::describe(area_.selection()), display_.name());
}

std::unique_ptr<InputInjector> ScreenSource::inputInjector() {
    return std::make_unique<ScreenInput>(area_.selection(), injectedSerial_);
}

/// A window's own pixels are complete, whatever covers it; other pictures are read from the screen.
std::optional<ScreenPlace> ScreenSource::locate() {
    std::optional<ScreenPlace> place = area_.locate();
    if (!place || !pixels_) {
        return place;
    }
    if (const xcb_pixmap_t pixmap = pixels_->pixmap(); pixmap != XCB_NONE) {
        place->drawable = pixmap;
        place->origin = place->area.movedBy(-place->border, -place->border);
        place->visible = {0, 0, place->area.width, place->area.height};
    }
    return place;
}

void ScreenSource::setPlace(std::optional<ScreenPlace> place) {
    if (place == place_) {
        return;
    }
    place_ = place;
    changed_ = true;
    changes_ = PictureChanges::all();
    if (place_) {
        takeFormat();
    }
}

void ScreenSource::takeFormat() {
    const auto width = static_cast<std::uint32_t>(place_->area.width);
    const auto height = static_cast<std::uint32_t>(place_->area.height);
    if (width == format_.width && height == format_.height && place_->pixelFormat == format_.pixelFormat) {
        return;
    }
    format_ = pace_.format(width, height, place_->pixelFormat);
    reader_.prepare(format_.payloadBytes);
    if (slot_ && slot_.pool() != reader_.pool()) {
        slot_.reset();
    }
}

Status ScreenSource::capture(CapturedFrame& frame, const Event& cancel) {
    frame.lease.reset();
    if (!waitUntil(pace_.nextAt(), cancel)) {
        return Status::Cancelled;
    }
    for (const Deadline deadline = Deadline::in(kLongestCapture); !deadline.passed();) {
        if (cancel.isSet() || !acquireSlot(cancel)) {
            return Status::Cancelled;
        }
        try {
            look();
            if (!slot_) {
                continue;  // the picture has grown: take a slot of the new pool
            }
            if (tryTake(frame)) {
                return Status::Ok;
            }
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Usage) {
                throw;
            }
            notes_.push_back(fmt::format("the picture ends: {}", error.what()));
            return Status::Closed;
        }
        if (!sleep(cancel)) {
            return Status::Cancelled;
        }
    }
    return Status::TimedOut;
}

bool ScreenSource::acquireSlot(const Event& cancel) {
    return slot_ || reader_.pool()->acquire(slot_, cancel) == Status::Ok;
}

void ScreenSource::look() {
    const ScreenNews news = screen_.look(place_ ? place_->area : Rectangle{}, onScreen());
    const bool before = changed_;
    changed_ |= !news.drawn.empty();
    noteDrawn(news.drawn);
    if (news.layout && pixels_) {
        pixels_->forget();
    }
    if (news.layout || area_.movesSilently()) {
        setPlace(locate());
    }
    considerPointer(news);
    unrelated_ = news.anything && changed_ == before;
}

void ScreenSource::noteDrawn(const std::vector<Rectangle>& drawn) {
    std::ranges::for_each(drawn, [this](const Rectangle& part) { noteChange(part); });
}

/// `part` is in the root's coordinates.
void ScreenSource::noteChange(const Rectangle& part) {
    if (place_ && overlap(part, place_->area)) {
        const Rectangle inside = intersection(part, place_->area).movedBy(-place_->area.x, -place_->area.y);
        changes_.add(FrameRect{static_cast<std::uint16_t>(inside.x), static_cast<std::uint16_t>(inside.y),
                               static_cast<std::uint16_t>(inside.width),
                               static_cast<std::uint16_t>(inside.height)});
    }
}

/// The pointer matters where it is visible: at its place in the last frame, or where it is now.
void ScreenSource::considerPointer(const ScreenNews& news) {
    const bool moved = news.pointerX != pointerX_ || news.pointerY != pointerY_;
    if (!place_ || !(moved || news.cursorShape)) {
        return;
    }
    const Rectangle now = cursor_.movedBy(news.pointerX - pointerX_, news.pointerY - pointerY_);
    changed_ |= overlap(cursor_, place_->area) || overlap(now, place_->area);
}

bool ScreenSource::tryTake(CapturedFrame& frame) {
    const TimestampNs began = nowNs();
    if (!place_ || !(changed_ || began >= pace_.repeatAt())) {
        return false;
    }
    frame.inputSequence = injectedSerial_.load(std::memory_order_acquire);
    noteChange(cursor_);  // its old place
    if (!readPicture()) {
        if (pixels_) {
            pixels_->forget();
        }
        setPlace(locate());
        unrelated_ = true;  // a window that moves all the time is not chased in a tight loop
        return false;
    }
    noteChange(cursor_);
    noteDrawn(screen_.drawnSinceLook(place_->area, onScreen()));
    frame.lease = std::move(slot_);
    frame.changed = std::exchange(changes_, PictureChanges::none());
    frame.format = format_;
    frame.pts = pace_.taken(began);
    frame.flags = 0;
    frame.capturedAt = began;
    ++counters_.frames;
    counters_.pixelCopies += reader_.path() == ReadPath::Slots ? 0 : 1;
    changed_ = false;
    return true;
}

bool ScreenSource::readPicture() {
    // Both requests travel together; the pointer's reply waits while the picture is read.
    const auto cursorCookie = xcb_xfixes_get_cursor_image(display_.get());
    const Rectangle part =
        place_->visible.movedBy(place_->area.x - place_->origin.x, place_->area.y - place_->origin.y);
    const bool read = reader_.read(place_->drawable, part, slot_);
    const auto cursor = display_.await(xcb_xfixes_get_cursor_image_reply, cursorCookie);
    if (!read) {
        return false;
    }
    spread(slot_.data());
    if (cursor) {
        drawCursor(*cursor, slot_.data());
    }
    return true;
}

/// Only the part of a picture that is on the screen was read: moves it into place and blackens the rest.
void ScreenSource::spread(std::byte* payload) const {
    const Rectangle& visible = place_->visible;
    const Rectangle& area = place_->area;
    if (visible.width == area.width && visible.height == area.height) {
        return;
    }
    constexpr std::size_t kBytesPerPixel = 4;
    const std::size_t stride = format_.planes[0].stride;
    const std::size_t rowBytes = static_cast<std::size_t>(visible.width) * kBytesPerPixel;
    const std::size_t left = static_cast<std::size_t>(visible.x) * kBytesPerPixel;
    const auto top = static_cast<std::size_t>(visible.y);
    const auto rows = static_cast<std::size_t>(visible.height);
    for (std::size_t row = rows; row-- > 0;) {  // bottom-up: no row is overwritten before it was moved
        std::byte* target = payload + (top + row) * stride;
        std::memmove(target + left, payload + row * rowBytes, rowBytes);
        std::memset(target, 0, left);
        std::memset(target + left + rowBytes, 0, stride - left - rowBytes);
    }
    std::memset(payload, 0, top * stride);
    const std::size_t below = static_cast<std::size_t>(area.height) - top - rows;
    std::memset(payload + (top + rows) * stride, 0, below * stride);
}

void ScreenSource::drawCursor(const xcb_xfixes_get_cursor_image_reply_t& cursor, std::byte* payload) {
    const auto length = xcb_xfixes_get_cursor_image_cursor_image_length(&cursor);
    pointerX_ = cursor.x;
    pointerY_ = cursor.y;
    cursor_ = {cursor.x - cursor.xhot, cursor.y - cursor.yhot, cursor.width, cursor.height};
    const Rectangle onScreen = place_->visible.movedBy(place_->area.x, place_->area.y);
    if (overlap(cursor_, onScreen)) {
        blendCursor({xcb_xfixes_get_cursor_image_cursor_image(&cursor), static_cast<std::size_t>(length)},
                    cursor_, place_->area, onScreen, format_, payload);
    }
}

bool ScreenSource::sleep(const Event& cancel) {
    if (std::exchange(unrelated_, false)) {
        return waitUntil(nowNs() + pointerTime_, cancel);
    }
    if (!screen_.somethingCame()) {
        waitReadable({display_.descriptor(), cancel.descriptor()}, std::chrono::nanoseconds(pointerTime_));
    }
    return true;
}

}  // namespace verbcast
