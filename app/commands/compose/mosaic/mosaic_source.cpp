#include "app/commands/compose/mosaic/mosaic_source.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "app/cli/peer_options.h"
#include "app/commands/compose/mosaic/sound/composed_sound.h"
#include "app/view/picture_file.h"
#include "core/base/log/peer_log.h"
#include "core/base/text/clean_text.h"
#include "core/base/text/counted.h"
#include "render/gl/gl_renderer.h"
#include "render/text_picture.h"
#include "render/upload/gpu_copies.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kPatience =
    3s;                                        // with sources that open, before the others are drawn alone
constexpr std::size_t kLongestCommand = 4000;  // bytes: the places of many panes

DrawnFramesOptions framesOptions(const MosaicOptions& options) {
    return {.frameRate = {60, 1},  // without a rate, too, each picture leaves before the next is drawn
            .slots = options.sender.slots + (options.sender.preview ? kPreviewSlots : 0),
            .memory = options.memory,
            .whyHost = options.whyHost,
            .byOpenGlOnly = options.pixelFormat.value_or(PixelFormat::rgba) != PixelFormat::rgba};
}

TargetPixels pixelsOf(const MosaicOptions& options, const DrawingPlace& place) {
    return options.pixelFormat == PixelFormat::x2rgb10le ? TargetPixels::TenBits
           : place.gpu()                                 ? TargetPixels::Rgba8
                                                         : TargetPixels::Fastest;
}

VideoFormat formatOf(const MosaicOptions& options, const DrawingPlace& place, const PictureCanvas& canvas) {
    const PixelFormat fastest =
        place.gpu() ? PixelFormat::rgba : PixelReadback::preferredFormat(canvas.framebuffer());
    return drawnFormat(options.size.width, options.size.height, options.pixelFormat.value_or(fastest),
                       options.pacing == Pacing::Rate ? options.rate : Rational{0, 1});
}

/// With commands it may be wanted later.
bool wantsSound(const MosaicOptions& options) {
    return options.audioFrom.way != mosaic::AudioFrom::Way::None || options.commanded;
}

ViewOptions viewingOptions(const MosaicOptions& options) {
    ViewOptions viewing;
    viewing.audio = wantsSound(options) ? "auto" : "none";
    static_cast<LinkOptions&>(viewing.receiver) = options.sender;
    viewing.receiver.slots = options.sender.slots;
    viewing.receiver.maxMemory = options.maxMemory;
    viewing.alignment = options.alignment;
    viewing.memory = PictureMemory::Auto;
    return viewing;
}

SourceOptions sourceOptions(const MosaicOptions& options, const std::string& source) {
    return {.source = source, .loop = options.loop, .slots = options.sender.slots};
}

FrameRect rectOf(const TargetRect& rect, const PictureCanvas& canvas) {
    const TargetRect seen = commonPart(rect, {0, 0, canvas.width(), canvas.height()});
    return {static_cast<std::uint16_t>(seen.left), static_cast<std::uint16_t>(seen.top),
            static_cast<std::uint16_t>(seen.width), static_cast<std::uint16_t>(seen.height)};
}

bool overlap(const std::vector<PicturePlace>& places) {
    for (auto place = places.begin(); place != places.end(); ++place) {
        if (!place->blend.covers() || std::any_of(place + 1, places.end(), [&](const PicturePlace& other) {
                return !commonPart(place->clip, other.clip).isEmpty();
            })) {
            return true;
        }
    }
    return false;
}

}  // namespace

class MosaicSource::Injector final : public InputInjector {
  public:
    explicit Injector(std::shared_ptr<InputRouter> router) : router_(std::move(router)) {}
    void apply(std::span<const ViewerInput> events) override { router_->apply(events); }

  private:
    const std::shared_ptr<InputRouter> router_;  // shared with the source
};

MosaicSource::MosaicSource(const MosaicOptions& options)
    : options_(options),
      viewing_(viewingOptions(options)),
      place_(framesOptions(options)),
      canvas_(options.size.width, options.size.height, pixelsOf(options, place_)),
      background_(UploadPath::Direct),
      look_{.border = options.border, .names = options.names.has_value()},
      freePlaces_(options.panes),
      arrangement_({.layout = options.layout,
                    .width = canvas_.width(),
                    .height = canvas_.height(),
                    .gap = options.gap,
                    .focus = options.focus,
                    .panes = freePlaces_,
                    .placesOne = true}),
      router_(std::make_shared<InputRouter>()),
      commands_(options.commanded ? STDIN_FILENO : -1, kLongestCommand),
      frames_(place_, formatOf(options, place_, canvas_), {canvas_.framebuffer(), canvas_.texture()}) {
    if (look_.names && !hasText()) {
        static_cast<void>(textPicture("", 1, 64));  // throws, and says why
    }
    if (!options.background.empty()) {
        uploadPictureFile(background_, options.background, "--background");
    }
    if (options.alignment.by != AlignBy::Newest) {
        alignment_.emplace(options.alignment);
    }
    viewing_.receiver.device = memoryOfDrawingGpu(false);
    arrangement_.setFade(options.fade);
    if (wantsSound(options)) {
        desk_.emplace(options.audioFrom, options.alignment.delay.value_or(std::chrono::nanoseconds(0)));
    }
    for (const std::string& input : options.inputs) {
        addPane(openInput(input));
    }
    const Deadline patience = Deadline::in(kPatience);
    for (const auto& pane : panes_) {
        pane->input()->waitUntilOpen(patience);
    }
    showToDesk();
}

MosaicSource::~MosaicSource() {
    router_->show({});  // the injector may live on
}

std::shared_ptr<MosaicInput> MosaicSource::openInput(const std::string& input) {
    SharedAlignment* const alignment = alignment_ ? &*alignment_ : nullptr;
    if (isLocalInput(input)) {
        return std::make_shared<LocalInput>(sourceOptions(options_, input), alignment, openSound());
    }
    StreamPeer peer;
    static_cast<SessionAddress&>(peer) = parsePeer(input);
    peer.trust = trustFor(options_.trustChoice.of(false), false, peer.url);
    return std::make_shared<StreamInput>(viewing_, peer, alignment, openSound());
}

void MosaicSource::addPane(std::shared_ptr<MosaicInput> input) {
    const auto names = options_.names.value_or(std::vector<std::string>());
    const std::string name = added_ < names.size() ? names[added_] : std::string();
    ++added_;
    panes_.push_back(std::make_unique<MosaicPane>(nextId_++, std::move(input), name));
}

std::unique_ptr<SoundBeside> MosaicSource::soundBeside(Policy policy) {
    const bool expected = options_.commanded || std::ranges::any_of(panes_, [](const auto& pane) {
                              return pane->input()->mayHaveSound();
                          });
    return desk_ ? std::make_unique<ComposedSound>(*desk_, policy, expected) : nullptr;
}

void MosaicSource::showToDesk() {
    if (desk_) {
        SoundDesk::Inputs inputs;
        for (const auto& pane : panes_) {
            inputs.push_back(pane->input()->sound());
        }
        desk_->show(std::move(inputs), arrangement_.request().focus);
    }
}

std::string MosaicSource::describe() const {
    return fmt::format("{}, {} ({})", counted(panes_.size(), "input"), arrangement_.request().layout->name,
                       glRendererName());
}

std::vector<std::string> MosaicSource::notes() const {
    return frames_.notesAfter(glRendererName() + " draws");
}

SourceCounters MosaicSource::counters() const {
    SourceCounters counters = frames_.counters();
    for (const auto& pane : panes_) {
        const SourceCounters its = pane->input()->counters();
        counters.framesDamaged += its.framesDamaged;
        counters.framesLost += its.framesLost;
        counters.packetsUndecodable += its.packetsUndecodable;
    }
    return counters;
}

std::unique_ptr<InputInjector> MosaicSource::inputInjector() {
    return std::make_unique<Injector>(router_);
}

void MosaicSource::obeyCommands() {
    commands_.read([this](std::string_view line) {
        if (line.find_first_not_of(" \r\t") == std::string_view::npos) {
            return;
        }
        try {
            obey(mosaic::parseChange(line, panes_.size()));
        } catch (const Error& error) {
            warnOfPeer(LogCategory::General, "command", "", "--control \"{}\": {} ({})", cleanText(line, 100),
                       error.what(), error.remedy());
        }
    });
}

void MosaicSource::obey(const mosaic::Change& change) {
    LayoutRequest& request = arrangement_.request();
    const auto idOf = [this](std::size_t input) { return input < panes_.size() ? panes_[input]->id() : 0; };
    const Arrangement::PictureId focused = idOf(request.focus);
    struct Obey {
        MosaicSource& source;
        LayoutRequest& request;
        void operator()(const mosaic::SetLayout& set) const { request.layout = set.layout; }
        void operator()(const mosaic::SetFocus& set) const { request.focus = set.input; }
        void operator()(const mosaic::SetPanes& set) const {
            source.freePlaces_ = set.panes;
            request.panes = source.freePlaces_;
            request.layout = &layoutNamed("free");
        }
        void operator()(const mosaic::SetFade& set) const { source.arrangement_.setFade(set.fade); }
        void operator()(const mosaic::SetNames& set) const { source.look_.names = set.shown; }
        void operator()(const mosaic::SetAudio& set) const { source.desk_->choose(set.from); }
        void operator()(const mosaic::SetOrder& set) const {
            std::vector<std::unique_ptr<MosaicPane>> ordered;
            ordered.reserve(set.inputs.size());
            for (const std::size_t input : set.inputs) {
                ordered.push_back(std::move(source.panes_[input]));
            }
            source.panes_ = std::move(ordered);
        }
        void operator()(const mosaic::Add& add) const { source.addPane(source.openInput(add.input)); }
        void operator()(const mosaic::Remove& remove) const {
            source.panes_.erase(source.panes_.begin() + static_cast<std::ptrdiff_t>(remove.input));
        }
        void operator()(const mosaic::Replace& replace) const {
            source.panes_[replace.input] =
                std::make_unique<MosaicPane>(source.nextId_++, source.openInput(replace.by), std::string());
        }
    };
    std::visit(Obey{*this, request}, change);
    if (std::holds_alternative<mosaic::SetOrder>(change) || std::holds_alternative<mosaic::Remove>(change)) {
        const auto stays = std::ranges::find(panes_, focused, [](const auto& pane) { return pane->id(); });
        request.focus = stays != panes_.end() ? static_cast<std::size_t>(stays - panes_.begin())
                        : panes_.empty()      ? 0
                                              : std::min(request.focus, panes_.size() - 1);
    }
    showToDesk();
    lastPlaces_.reset();
}

/// With commands somebody may still add others. What the last one left is still shown.
bool MosaicSource::isOver() const {
    return commands_.descriptor() < 0 && !(alignment_ && alignment_->anyWaiting()) &&
           std::ranges::all_of(panes_, [](const auto& pane) {
               return pane->input()->isOver() && !pane->input()->mailbox().hasFrame();
           });
}

bool MosaicSource::waitForNews(const Event& cancel) {
    std::vector<int> descriptors{cancel.descriptor(), commands_.descriptor(),
                                 alignment_ ? alignment_->descriptor() : -1};
    for (const auto& pane : panes_) {
        descriptors.push_back(pane->input()->wakeDescriptor());
    }
    const auto longest = arrangement_.isMoving(nowNs()) ? 16ms : std::chrono::milliseconds(1s);
    return waitReadable(descriptors, longest);
}

Status MosaicSource::capture(CapturedFrame& frame, const Event& cancel) {
    if (isOver()) {
        for (const auto& pane : panes_) {
            if (const auto failure = pane->input()->failure()) {
                std::rethrow_exception(failure);
            }
        }
        return Status::Closed;
    }
    if (options_.pacing == Pacing::Max) {
        waitForNews(cancel);
    } else if (drawn_ > 0) {
        // The sender would make up for late pictures, at once and ahead of their time.
        const double due = (static_cast<double>(lastPts_) + 0.5) * format().timeBase.value();
        if (!waitUntil(firstAt_ + static_cast<TimestampNs>(due * 1e9), cancel)) {
            return Status::Cancelled;
        }
    }
    const Status status = frames_.capture(frame, cancel, [this] { return std::optional(draw()); });
    if (status == Status::Ok) {
        frame.changed = changes_.front();
        changes_.pop_front();
    }
    return status;
}

DrawnPicture MosaicSource::draw() {
    const TimestampNs now = nowNs();
    obeyCommands();
    if (alignment_) {
        alignment_->showDue();
    }
    firstAt_ = drawn_ == 0 ? now : firstAt_;
    // Where it cannot keep its rate, pictures are left out, and time goes on.
    const double unit = format().timeBase.value();
    const std::int64_t pts =
        std::max(lastPts_ + 1, static_cast<std::int64_t>(static_cast<double>(now - firstAt_) * 1e-9 / unit));
    lastPts_ = pts;
    const double media = static_cast<double>(pts) * unit;
    std::vector<Arrangement::Picture> pictures;
    std::vector<bool> news(panes_.size());
    TimestampNs capturedAt = now;
    for (std::size_t i = 0; i < panes_.size(); ++i) {
        MosaicPane& pane = *panes_[i];
        pane.take();
        news[i] = pane.follow(now);
        if (const ReceivedFrame* const frame = pane.frame(); frame != nullptr) {
            capturedAt = std::min(capturedAt, frame->clockKnown ? frame->capturedAt : frame->arrivedAt);
            router_->shows(pane.id(), frame->info.inputSequence);
            if (const auto& sound = pane.input()->sound()) {
                sound->pictureDrawn(static_cast<double>(frame->info.pts) * frame->format->timeBase.value(),
                                    media);
            }
        }
        pictures.push_back({pane.id(), pane.size()});
    }
    const std::vector<PicturePlace> places = arrangement_.places(pictures, now);
    const bool moved = places != lastPlaces_;
    const bool anyNew = std::ranges::find(news, true) != news.end();
    const bool whole = moved || (anyNew && overlap(places));  // else what is not new stays as it was drawn
    PictureChanges changes = moved ? PictureChanges::all() : PictureChanges::none();
    whole ? drawBackground() : canvas_.goOn();
    std::vector<TargetRect> translucent;
    for (const PicturePlace& place : places) {
        const bool isNew = news[place.picture];
        if ((whole || isNew) && panes_[place.picture]->draw(canvas_, place, look_)) {
            translucent.push_back(place.clip);
        }
        if (isNew) {
            changes.add(rectOf(place.clip, canvas_));
        }
    }
    for (const TargetRect& area : translucent) {
        canvas_.makeOpaque(area);
    }
    if (options_.sender.allowInput) {
        route(places);
    }
    lastPlaces_ = places;
    for (const auto& pane : panes_) {
        pane->drawn();
    }
    changes_.push_back(changes);
    if (desk_) {
        desk_->pictureDrawn(media, now);
    }
    return {{.number = drawn_++, .pts = pts, .capturedAt = capturedAt, .inputSequence = router_->shown()},
            now};
}

void MosaicSource::drawBackground() {
    canvas_.begin(options_.colour.rgb);
    if (background_.hasPicture()) {
        const TargetRect whole{0, 0, canvas_.width(), canvas_.height()};
        background_.drawOver(fitPlacement(background_.format(), whole.width, whole.height),
                             canvas_.part(whole, whole), {.opacity = 1, .alpha = true});
    }
}

void MosaicSource::route(const std::vector<PicturePlace>& places) {
    std::vector<InputRouter::Pane> routed;
    for (const PicturePlace& place : places) {
        const MosaicPane& pane = *panes_[place.picture];
        if (pane.hasPicture()) {
            routed.push_back({.id = pane.id(),
                              .input = pane.input(),
                              .area = place.area,
                              .clip = place.clip,
                              .format = pane.format(),
                              .focused = place.picture == arrangement_.request().focus});
        }
    }
    router_->show(std::move(routed));
}

}  // namespace verbcast
