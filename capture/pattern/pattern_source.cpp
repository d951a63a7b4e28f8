#include "capture/pattern/pattern_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "capture/pattern/pattern_names.h"
#include "core/base/text/names_in.h"
#include "core/base/text/nearest_word.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kCounterDigits = 6;
constexpr std::uint32_t kTimeCharacters = 11;  // hh:mm:ss:ff

PatternKind kindByName(std::string_view name) {
    const auto entry = std::ranges::find(kPatternNames, name, &PatternName::name);
    if (name.empty() || entry != kPatternNames.end()) {
        return name.empty() ? PatternKind::Bars : static_cast<PatternKind>(entry - kPatternNames.begin());
    }
    const std::vector<std::string> known = namesIn(kPatternNames, &PatternName::name);
    const std::string guess = didYouMean(name, known);
    throw Error(ErrorKind::Usage, fmt::format("there is no pattern \"{}\"", name),
                fmt::format("{}{}patterns are: {}", guess, guess.empty() ? "" : " ", fmt::join(known, ", ")));
}

VideoFormat patternFormat(const SourceOptions& options) {
    const PixelFormat pixelFormat = options.pixelFormat.value_or(PixelFormat::rgba);
    VideoFormat format =
        tightFormat(options.width.value_or(1920), options.height.value_or(1080), pixelFormat);
    format.frameRate = options.frameRate.value_or(Rational{60, 1});
    if (format.frameRate.numerator <= 0 || format.frameRate.denominator <= 0) {
        throw Error(ErrorKind::Usage, "a pattern needs a frame rate above 0", "for example: --fps 60");
    }
    format.timeBase = {format.frameRate.denominator, format.frameRate.numerator};
    format.colour = canvasColour(pixelFormat);
    return format;
}

Canvas paintCanvas(PatternKind kind, const VideoFormat& format) {
    const PatternOffset reach = patternReach(kind);
    return Canvas(format.pixelFormat, format.width + reach.x + Canvas::kSlack,
                  format.height + reach.y + kCanvasStepY, patternPainter(kind, format.width, format.height));
}

std::unique_ptr<Canvas> paintFlash(const VideoFormat& format) {
    return std::make_unique<Canvas>(format.pixelFormat, format.width + Canvas::kSlack,
                                    format.height + kCanvasStepY, plainPainter(1));
}

/// Whether a second begins while that picture is shown.
bool holdsWholeSecond(std::uint64_t index, Rational rate) {
    const auto perSecond = static_cast<std::uint64_t>(rate.numerator);
    const auto begin = index * static_cast<std::uint64_t>(rate.denominator);  // in units of 1/perSecond
    const std::uint64_t untilSecond = (perSecond - begin % perSecond) % perSecond;
    return untilSecond < static_cast<std::uint64_t>(rate.denominator);
}

/// A white line between black edges, as high as the frame.
std::unique_ptr<Canvas> paintLine(const VideoFormat& format) {
    const std::uint32_t width = (format.width / 320 + 1) * kCanvasStepX;
    return std::make_unique<Canvas>(format.pixelFormat, width, (format.height + 1) / 2 * 2,
                                    [width](std::uint32_t, const RgbRow& row) {
                                        for (std::uint32_t x = 0; x < width; ++x) {
                                            const bool edge = x < width / 3 || x >= width - width / 3;
                                            row.red[x] = row.green[x] = row.blue[x] = edge ? 0.0F : 1.0F;
                                        }
                                    });
}

/// Dots so large that `characters` fill `share` of the width, and at most `lines` lines the height.
DigitFont fontFor(const VideoFormat& format, std::uint32_t characters, double share, double lines) {
    const double byWidth = format.width * share / (characters * DigitFont::kCellWidth);
    const double byHeight = format.height / (lines * DigitFont::kCellHeight);
    return {format.pixelFormat, static_cast<std::uint32_t>(std::min(byWidth, byHeight))};
}

/// Non-drop time code that counts whole frames per second.
std::string timeCode(std::uint64_t index, Rational rate) {
    const auto perSecond = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(rate.value())));
    const std::uint64_t seconds = index / perSecond;
    return fmt::format("{:02}:{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60,
                       index % perSecond);
}

FrameRect clipped(const VideoFormat& format, std::uint32_t x, std::uint32_t y, std::uint32_t width,
                  std::uint32_t height) {
    const std::uint32_t left = std::min(x, format.width), top = std::min(y, format.height);
    return {static_cast<std::uint16_t>(left), static_cast<std::uint16_t>(top),
            static_cast<std::uint16_t>(std::min(width, format.width - left)),
            static_cast<std::uint16_t>(std::min(height, format.height - top))};
}

/// The end of the text that fits the width, and its x when centred.
std::pair<std::string_view, std::uint32_t> centred(std::string_view text, const DigitFont& font,
                                                   std::uint32_t width) {
    const auto fitting = std::min<std::size_t>(text.size(), width / font.cellWidth());
    text.remove_prefix(text.size() - fitting);
    return {text, (width - static_cast<std::uint32_t>(fitting) * font.cellWidth()) / 2};
}

}  // namespace

PatternSource::PatternSource(const SourceOptions& options, std::string_view name)
    : kind_(kindByName(name)),
      format_(patternFormat(options)),
      canvas_(paintCanvas(kind_, format_)),
      line_(kind_ == PatternKind::Bars ? paintLine(format_) : nullptr),
      flash_(kind_ == PatternKind::Flash ? paintFlash(format_) : nullptr),
      counterFont_(kind_ == PatternKind::Counter ? fontFor(format_, kCounterDigits, 0.8, 2.5)
                                                 : fontFor(format_, kCounterDigits, 0.15, 12)),
      timeFont_(kind_ == PatternKind::Counter ? fontFor(format_, kTimeCharacters, 0.5, 8)
                                              : fontFor(format_, kTimeCharacters, 0.2, 16)),
      pool_(
          FramePool::create({.slotBytes = format_.payloadBytes, .slotCount = std::max(1U, options.slots)})) {}

std::string PatternSource::describe() const {
    return fmt::format("pattern {}", patternKindName(kind_));
}

Status PatternSource::capture(CapturedFrame& frame, const Event& cancel) {
    frame.lease.reset();
    if (const Status status = pool_->acquire(frame.lease, cancel); status != Status::Ok) {
        return status;
    }
    frame.capturedAt = nowNs();
    const std::uint64_t index = counters_.frames++;
    const PictureChanges drawn = draw(index, frame.lease.data());
    frame.changed = std::exchange(drawnBefore_, drawn);  // what was drawn over the canvas disappears,
    frame.changed.add(drawn);                            // and new drawings appear
    frame.format = format_;
    frame.pts = static_cast<std::int64_t>(index);
    frame.flags = 0;
    return Status::Ok;
}

PictureChanges PatternSource::draw(std::uint64_t index, std::byte* payload) const {
    const PatternOffset offset = patternOffset(kind_, index);
    const PatternOffset reach = patternReach(kind_);
    const bool flashes = flash_ && holdsWholeSecond(index, format_.frameRate);
    (flashes ? *flash_ : canvas_).copyFrame(offset.x, offset.y, format_, payload);
    // Dark pictures that were sent sooner than white ones would make each flash late.
    const bool sentWhole = flash_ != nullptr || reach.x + reach.y > 0;
    PictureChanges drawn = sentWhole ? PictureChanges::all() : PictureChanges::none();
    if (line_) {
        drawn.add(drawLine(index, payload));
    }
    for (const FrameRect& text : drawText(index, payload)) {
        drawn.add(text);
    }
    return drawn;
}

FrameRect PatternSource::drawLine(std::uint64_t index, std::byte* payload) const {
    const std::uint64_t places = (format_.width + kCanvasStepX - 1) / kCanvasStepX;
    const std::uint64_t pace = format_.width / 1440 + 1;  // across in about four seconds at 60 fps
    const auto x = static_cast<std::uint32_t>(index * pace % places) * kCanvasStepX;
    line_->blit(format_, payload, x, 0);
    return clipped(format_, x, 0, line_->width(), line_->height());
}

std::array<FrameRect, 2> PatternSource::drawText(std::uint64_t index, std::byte* payload) const {
    const std::string counter = fmt::format("{:06}", index % 1'000'000);
    const std::string time = timeCode(index, format_.frameRate);
    const std::uint32_t lines = counterFont_.cellHeight() + timeFont_.cellHeight();
    // The large counter is in the middle; other patterns have a small one in their lower quarter.
    const std::uint32_t room = format_.height > lines ? format_.height - lines : 0;
    const std::uint32_t top = kind_ == PatternKind::Counter ? room / 2 : room * 7 / 8;
    const auto write = [&](const std::string& text, const DigitFont& font, std::uint32_t y) {
        const auto [fitting, centre] = centred(text, font, format_.width);
        const std::uint32_t x = centre - centre % kCanvasStepX;
        y -= y % kCanvasStepY;
        font.write(fitting, format_, payload, x, y);
        return clipped(format_, x, y, static_cast<std::uint32_t>(fitting.size()) * font.cellWidth(),
                       font.cellHeight());
    };
    return {write(counter, counterFont_, top), write(time, timeFont_, top + counterFont_.cellHeight())};
}

}  // namespace verbcast
