#include "render/kms/kms_screens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/base/os/event.h"
#include "render/kms/drm_output.h"
#include "render/kms/gbm_context.h"
#include "render/kms/uevent_watch.h"
#include "render/kms/virtual_terminal.h"

namespace verbcast {
namespace {

constexpr TimestampNs kNsPerUs = 1000, kNsPerSecondOfFlip = 1'000'000'000;
constexpr std::chrono::seconds kLastFlipPatience(1);

/// A page-flip event.
struct Flip {
    DrmOutput* output;
    TimestampNs at;
};

// drmHandleEvent() passes on only the data given with the flip.
thread_local std::vector<Flip>* flipsRead = nullptr;

void onFlip(int /*card*/, unsigned /*sequence*/, unsigned seconds, unsigned microseconds, unsigned /*crtc*/,
            void* output) {
    flipsRead->push_back(
        {static_cast<DrmOutput*>(output), seconds * kNsPerSecondOfFlip + microseconds * kNsPerUs});
}

std::vector<Flip> readFlips(int card) {
    std::vector<Flip> flips;
    if (!waitReadable({card}, std::chrono::nanoseconds(0))) {
        return flips;
    }
    flipsRead = &flips;
    drmEventContext context{};
    context.version = 3;
    context.page_flip_handler2 = onFlip;
    const bool gone = drmHandleEvent(card, &context) != 0;
    flipsRead = nullptr;
    if (gone) {
        throw Error(ErrorKind::Device, "the graphics card is gone", "plug it in, or restart the viewer");
    }
    return flips;
}

DrmCard openCard(const std::string& path) {
    DrmCard card(path);
    card.becomeMaster();
    return card;
}

}  // namespace

/// The order of members matters: framebuffers must go after the outputs show others again.
class KmsScreens::Impl {
  public:
    explicit Impl(const KmsOptions& options);
    ~Impl();

    struct Screen {
        std::unique_ptr<GbmSurface> surface;
        std::vector<std::unique_ptr<GbmSurface>>
            before;  // of earlier modes: still read until a picture of this mode is shown
        GbmSurface* shownFrom = nullptr;  // the source of show()'s picture
        std::unique_ptr<DrmOutput> output;
    };

    void draw(std::size_t screen);
    void finishDrawing() { context_.finish(); }
    void show(std::size_t screen);
    std::vector<KmsNews> serve();
    bool ready(std::size_t screen) const {
        const DrmOutput& output = *screens_.at(screen).output;
        return output.state().connected && !output.pending();
    }
    const std::vector<Screen>& screens() const { return screens_; }
    std::vector<int> descriptors() const;

  private:
    void addScreen(const std::string& connector, const KmsOptions& options);
    std::vector<std::uint32_t> crtcs() const;
    void look(std::size_t screen, bool strict);
    void takeFlips();
    void awaitFlips();
    void followTerminal();
    void giveUp();
    void takeBack();
    void confirm(std::size_t screen, TimestampNs at, bool byDisplay);

    std::unique_ptr<VirtualTerminal> terminal_;  // null: no console. First: destroyed once all is restored
    bool away_ = false;                          // another console is shown
    bool returns_ = false;                       // and it was left again
    const ConnectorChoice choice_;
    UeventWatch uevents_;  // before the first look, to miss no change
    DrmCard card_;
    const bool atomic_;
    const bool monotonic_;
    GbmContext context_;
    std::vector<Screen> screens_;
    std::vector<KmsNews> news_;  // for the next serve()
};

KmsScreens::Impl::Impl(const KmsOptions& options)
    : choice_(chooseConnectors(options.connectors, displayCards())),
      card_(openCard(choice_.card)),
      atomic_(!options.legacy && card_.enableAtomic()),
      monotonic_(card_.monotonicTimes()),
      context_(card_.fd()) {
    for (const std::string& connector : choice_.connectors) {
        addScreen(connector, options);
    }
    news_.clear();  // what was there at the start is no news
    std::string problem;
    terminal_ = VirtualTerminal::own(problem);
    if (!problem.empty()) {
        log().warn("{}", problem);
    }
}

KmsScreens::Impl::~Impl() {
    awaitFlips();
}

void KmsScreens::Impl::awaitFlips() {
    const Deadline deadline = Deadline::in(kLastFlipPatience);
    const auto anyPending = [this] {
        return std::ranges::any_of(screens_, [](const Screen& each) { return each.output->pending(); });
    };
    while (anyPending() && !deadline.passed()) {
        waitReadable(std::vector<int>{card_.fd()}, deadline);
        takeFlips();
    }
}

void KmsScreens::Impl::addScreen(const std::string& connector, const KmsOptions& options) {
    Screen& screen = screens_.emplace_back();
    screen.output = std::make_unique<DrmOutput>(card_, connector, options.mode);
    screen.output->useAtomic(atomic_);
    look(screens_.size() - 1, true);
}

std::vector<std::uint32_t> KmsScreens::Impl::crtcs() const {
    std::vector<std::uint32_t> taken;
    for (const Screen& screen : screens_) {
        if (screen.output->crtc() != 0) {
            taken.push_back(screen.output->crtc());
        }
    }
    return taken;
}

void KmsScreens::Impl::look(std::size_t screen, bool strict) {
    Screen& each = screens_[screen];
    std::string note;
    const DrmOutput::Change change = each.output->look(crtcs(), strict, note);
    if (!note.empty()) {
        news_.push_back({.what = KmsNews::What::Note, .screen = screen, .text = note});
    }
    if (change == DrmOutput::Change::Unplugged) {
        news_.push_back({.what = KmsNews::What::Unplugged, .screen = screen});
    } else if (change == DrmOutput::Change::Plugged) {
        const DisplayMode& mode = each.output->state().mode;
        if (each.surface) {
            each.before.push_back(std::move(each.surface));
        }
        each.surface = std::make_unique<GbmSurface>(context_, mode.width, mode.height);
        news_.push_back({.what = KmsNews::What::Plugged, .screen = screen});
    }
}

void KmsScreens::Impl::draw(std::size_t screen) {
    screens_.at(screen).surface->makeCurrent();
}

void KmsScreens::Impl::show(std::size_t screen) {
    Screen& each = screens_.at(screen);
    each.shownFrom = each.surface.get();
    const bool wasAtomic = each.output->state().atomic;
    const int code = each.output->show(each.surface->finish());
    if (code == 0 && wasAtomic && !each.output->state().atomic) {
        news_.push_back({.what = KmsNews::What::Note,
                         .screen = screen,
                         .text = "legacy page flips: " + each.output->legacyReason()});
    }
    if (code == 0) {
        if (const auto at = each.output->shownAt()) {
            confirm(screen, *at, false);
        }
        return;
    }
    each.surface->discard();
    look(screen, false);
    if (each.output->state().connected) {
        throwErrno(ErrorKind::Display, each.output->state().atomic ? "drmModeAtomicCommit" : "page flip",
                   fmt::format("{} of {}", each.output->state().connector, card_.path()), code,
                   "take another mode (--mode WxH), or fewer connectors");
    }
}

void KmsScreens::Impl::confirm(std::size_t screen, TimestampNs at, bool byDisplay) {
    Screen& each = screens_[screen];
    each.shownFrom->shown();
    if (each.shownFrom == each.surface.get()) {
        each.before.clear();
    }
    news_.push_back({.what = KmsNews::What::Shown, .screen = screen, .at = at, .byDisplay = byDisplay});
}

void KmsScreens::Impl::takeFlips() {
    for (const Flip& flip : readFlips(card_.fd())) {
        for (std::size_t screen = 0; screen < screens_.size(); ++screen) {
            if (screens_[screen].output.get() == flip.output && flip.output->pending()) {
                flip.output->flipped();
                confirm(screen, monotonic_ ? flip.at : nowNs(), monotonic_);
            }
        }
    }
}

std::vector<KmsNews> KmsScreens::Impl::serve() {
    takeFlips();
    followTerminal();
    if (uevents_.drmChanged() && !away_) {
        for (std::size_t screen = 0; screen < screens_.size(); ++screen) {
            look(screen, false);
        }
    }
    return std::exchange(news_, {});
}

std::vector<int> KmsScreens::Impl::descriptors() const {
    std::vector<int> all{card_.fd(), uevents_.descriptor()};
    if (terminal_) {
        const std::vector<int> asks = terminal_->descriptors();
        all.insert(all.end(), asks.begin(), asks.end());
    }
    return all;
}

void KmsScreens::Impl::followTerminal() {
    if (!terminal_) {
        return;
    }
    const VirtualTerminal::Asked asked = terminal_->asked();
    if (asked == VirtualTerminal::Asked::Leave) {
        giveUp();
    }
    returns_ |= asked == VirtualTerminal::Asked::Return;
    if (returns_) {
        takeBack();
    }
}

/// Gives the displays up to the console that is about to be shown.
void KmsScreens::Impl::giveUp() {
    awaitFlips();
    for (std::size_t screen = 0; screen < screens_.size(); ++screen) {
        if (screens_[screen].output->state().connected) {
            news_.push_back({.what = KmsNews::What::Away, .screen = screen});
        }
        screens_[screen].output->giveUp();
    }
    if (const int code = card_.resignAsMaster(); code != 0 && !away_) {
        log().warn("drmDropMaster: {}: programs of other consoles cannot use the displays", errnoText(code));
    }
    away_ = true;
    returns_ = !terminal_->leave();
}

/// Takes the displays back, or tries again in the next serve().
void KmsScreens::Impl::takeBack() {
    if (!card_.takeMaster()) {
        return;
    }
    away_ = returns_ = false;
    for (std::size_t screen = 0; screen < screens_.size(); ++screen) {
        look(screen, false);
    }
}

KmsScreens::KmsScreens(const KmsOptions& options) : impl_(std::make_unique<Impl>(options)) {}
KmsScreens::~KmsScreens() = default;

std::size_t KmsScreens::count() const {
    return impl_->screens().size();
}

const KmsScreenState& KmsScreens::state(std::size_t screen) const {
    return impl_->screens().at(screen).output->state();
}

bool KmsScreens::ready(std::size_t screen) const {
    return impl_->ready(screen);
}

void KmsScreens::draw(std::size_t screen) {
    impl_->draw(screen);
}

void KmsScreens::finishDrawing() {
    impl_->finishDrawing();
}

void KmsScreens::show(std::size_t screen) {
    impl_->show(screen);
}

std::vector<int> KmsScreens::descriptors() const {
    return impl_->descriptors();
}

std::vector<KmsNews> KmsScreens::serve() {
    return impl_->serve();
}

}  // namespace verbcast
