#include "app/commands/compose/mosaic/mosaic_pane.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/text/clean_text.h"
#include "render/text_picture.h"

namespace verbcast {
namespace {

constexpr float kDimming = 0.6F;
constexpr float kEmpty[3] = {0.06F, 0.06F, 0.07F};  // of a place where nothing has come yet
constexpr float kBorder[3] = {0.85F, 0.85F, 0.85F};
constexpr TimestampNs kSecond = 1'000'000'000;
constexpr int kLinesPerCanvas = 40, kLinesPerPane = 8;
constexpr int kMinText = 12, kMaxText = 64;  // pixels
constexpr std::size_t kMaxName = 60, kMaxTrouble = 200;

std::string since(TimestampNs time) {
    const auto seconds = time / kSecond;
    return seconds < 60 ? fmt::format("for {} s", seconds)
                        : fmt::format("for {}:{:02} min", seconds / 60, seconds % 60);
}

}  // namespace

MosaicPane::MosaicPane(Arrangement::PictureId id, std::shared_ptr<MosaicInput> input, std::string name)
    : id_(id),
      input_(std::move(input)),
      givenName_(std::move(name)),
      trouble_("opening"),
      troubledSince_(nowNs()) {}

std::string MosaicPane::name() const {
    return cleanText(givenName_.empty() ? input_->name() : givenName_, kMaxName);
}

void MosaicPane::take() {
    frame_.reset();
    changed_ = false;
    input_->clearWake();
    FrameMailbox& mailbox = input_->mailbox();
    ReceivedFrame frame;
    if (!mailbox.take(frame)) {
        return;
    }
    PictureChanges changes = std::exchange(missed_, PictureChanges::none());
    changes.add(PictureChanges::of(frame.info));
    try {
        if (!renderer_.take(*frame.format, frame.lease, changes, [&] { return mailbox.confirm(frame); })) {
            missed_ = changes;
            return;
        }
        failure_.clear();
    } catch (const Error& error) {  // the other inputs go on
        missed_ = PictureChanges::all();
        failure_ = error.what();
        return;
    }
    changed_ = !changes.isNone();
    frame.lease.reset();
    frame_ = std::move(frame);
}

bool MosaicPane::follow(TimestampNs now) {
    std::string trouble = failure_.empty() ? input_->trouble() : failure_;
    if (trouble.empty() && !hasPicture()) {
        trouble = "waiting for its first picture";
    }
    if (trouble.empty() != trouble_.empty()) {
        troubledSince_ = now;
    }
    if (!trouble_.empty() && trouble.empty()) {
        missed_ = PictureChanges::all();  // its next stream begins anew
    }
    trouble_ = std::move(trouble);
    std::string said = trouble_.empty() ? std::string()
                                        : fmt::format("{}\n{} {}", name(), cleanText(trouble_, kMaxTrouble),
                                                      since(now - troubledSince_));
    return std::exchange(said_, said) != said || changed_;
}

bool MosaicPane::draw(PictureCanvas& canvas, const PicturePlace& place, const PaneLook& look) {
    bool bringsAlpha = false;
    if (hasPicture()) {
        const TargetPart part = canvas.part(place.area, place.clip);
        const Placement placement = fitPlacement(format(), place.area.width, place.area.height);
        if (place.blend.covers()) {
            bringsAlpha = renderer_.draw(placement, part, kEmpty);
        } else {
            renderer_.drawOver(placement, part, place.blend);
        }
    } else {
        canvas.fill(place.clip, kEmpty);
    }
    if (!said_.empty()) {
        if (hasPicture()) {
            canvas.dim(place.clip, kDimming);
        }
        troubleLabel_.draw(canvas, place.area, place.clip, said_, true);
    }
    if (look.border > 0) {
        canvas.frame(place.clip, look.border, kBorder);
    }
    if (look.names && said_.empty()) {
        nameLabel_.draw(canvas, place.clip, place.clip, name(), false);
    }
    return bringsAlpha;
}

void MosaicPane::drawn() {
    if (frame_) {
        input_->frameShown(*frame_);
        frame_.reset();
    }
}

void MosaicPane::Label::draw(PictureCanvas& canvas, const TargetRect& area, const TargetRect& clip,
                             const std::string& text, bool middle) {
    if (!hasText()) {
        return;
    }
    const int height = std::clamp(std::min(canvas.height() / kLinesPerCanvas, area.height / kLinesPerPane),
                                  kMinText, kMaxText);
    const int width = std::max(area.width - height, 4 * kMinText);
    if (!renderer_ || text != text_ || height != height_ || width != width_) {
        const TextPicture picture = textPicture(text, height, width);
        if (!renderer_) {
            renderer_.emplace(UploadPath::Direct);
        }
        renderer_->upload(picture.format, picture.pixels.data());
        text_ = text;
        height_ = height;
        width_ = width;
    }
    const auto across = static_cast<int>(renderer_->format().width);
    const auto down = static_cast<int>(renderer_->format().height);
    const int margin = height / 2;
    const TargetRect at{middle ? area.left + (area.width - across) / 2 : area.left + margin,
                        middle ? area.top + (area.height - down) / 2 : area.top + area.height - margin - down,
                        across, down};
    renderer_->drawOver(fitPlacement(renderer_->format(), across, down),
                        canvas.part(at, commonPart(at, clip)),
                        {.opacity = 1, .alpha = true, .premultiplied = true});
}

}  // namespace verbcast
