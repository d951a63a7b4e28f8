#include "render/kms/kms_screens.h"

#include <epoxy/gl.h>
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
    const std::chrono::nanoseconds at =
        std::chrono::seconds(seconds) + std::chrono::microseconds(microseconds);
    flipsRead->push_back({static_cast<DrmOutput*>(output), at.count()});
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
    const bool failed = drmHandleEvent(card, &context) != 0;
    flipsRead = nullptr;
    if (failed && errno != EAGAIN && errno != EINTR) {  // a signal may have ended the wait, not an event
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
struct KmsScreens::State {
    explicit State(const KmsOptions& options);
    ~State() {
        try {
            awaitFlips();
        } catch (const Error&) {
            // The card is gone, and its flips with it.
        }
    }

    struct Screen {
        std::unique_ptr<GbmSurface> surface;
        std::vector<std::unique_ptr<GbmSurface>>
            before;  // of earlier modes: still read until a picture of this mode is shown
        GbmSurface* shownFrom = nullptr;  // the source of show()'s picture
        std::unique_ptr<DrmOutput> output;
    };

    std::vector<std::uint32_t> crtcs() const;
    void look(std::size_t screen, bool strict);
    void lookAtAll();
    void takeFlips();
    void awaitFlips();
    void followTerminal();
    void giveUp();
    void takeBack();
    void confirm(std::size_t screen, TimestampNs at, bool byDisplay);

    std::unique_ptr<VirtualTerminal> terminal;  // null: no console. First: destroyed once all is restored
    bool away = false;                          // another console is shown
    bool returns = false;                       // and it was left again
    const ConnectorChoice choice;
    UeventWatch uevents;  // before the first look, to miss no change
    DrmCard card;
    const bool atomic;
    const bool monotonic;
    GbmContext context;
    std::vector<Screen> screens;
    std::vector<KmsNews> news;  // for the next serve()
};

KmsScreens::State::State(const KmsOptions& options)
    : choice(chooseConnectors(options.connectors, displayCards())),
      card(openCard(choice.card)),
      atomic(!options.legacy && card.enableAtomic()),
      monotonic(card.monotonicTimes()),
      context(card.fd()) {
    for (const std::string& connector : choice.connectors) {
        screens.emplace_back().output = std::make_unique<DrmOutput>(card, connector, options.mode, atomic);
        look(screens.size() - 1, true);
    }
    news.clear();  // what was there at the start is no news
    std::string problem;
    terminal = VirtualTerminal::own(problem);
    if (!problem.empty()) {
        log().warn("{}", problem);
    }
}

void KmsScreens::State::awaitFlips() {
    const Deadline deadline = Deadline::in(kLastFlipPatience);
    const auto anyPending = [this] {
        return std::ranges::any_of(screens, [](const Screen& each) { return each.output->pending(); });
    };
    while (anyPending() && !deadline.passed()) {
        waitReadable(std::vector<int>{card.fd()}, deadline);
        takeFlips();
    }
}

std::vector<std::uint32_t> KmsScreens::State::crtcs() const {
    std::vector<std::uint32_t> taken;
    for (const Screen& screen : screens) {
        if (screen.output->crtc() != 0) {
            taken.push_back(screen.output->crtc());
        }
    }
    return taken;
}

void KmsScreens::State::look(std::size_t screen, bool strict) {
    Screen& each = screens[screen];
    std::string note;
    const DrmOutput::Change change = each.output->look(crtcs(), strict, note);
    if (!note.empty()) {
        news.push_back({.what = KmsNews::What::Note, .screen = screen, .text = note});
    }
    if (change == DrmOutput::Change::Unplugged) {
        news.push_back({.what = KmsNews::What::Unplugged, .screen = screen});
    } else if (change == DrmOutput::Change::Plugged) {
        const DisplayMode& mode = each.output->state().mode;
        if (each.surface) {
            each.before.push_back(std::move(each.surface));
        }
        each.surface = std::make_unique<GbmSurface>(context, mode.width, mode.height);
        news.push_back({.what = KmsNews::What::Plugged, .screen = screen});
    }
}

void KmsScreens::State::lookAtAll() {
    for (std::size_t screen = 0; screen < screens.size(); ++screen) {
        look(screen, false);
    }
}

void KmsScreens::State::confirm(std::size_t screen, TimestampNs at, bool byDisplay) {
    Screen& each = screens[screen];
    each.shownFrom->shown();
    if (each.shownFrom == each.surface.get()) {
        each.before.clear();
    }
    news.push_back({.what = KmsNews::What::Shown, .screen = screen, .at = at, .byDisplay = byDisplay});
}

void KmsScreens::State::takeFlips() {
    for (const Flip& flip : readFlips(card.fd())) {
        for (std::size_t screen = 0; screen < screens.size(); ++screen) {
            if (screens[screen].output.get() == flip.output && flip.output->pending()) {
                flip.output->flipped();
                confirm(screen, monotonic ? flip.at : nowNs(), monotonic);
            }
        }
    }
}

void KmsScreens::State::followTerminal() {
    if (!terminal) {
        return;
    }
    const VirtualTerminal::Asked asked = terminal->asked();
    if (asked == VirtualTerminal::Asked::Leave) {
        giveUp();
    }
    returns |= asked == VirtualTerminal::Asked::Return;
    if (returns) {
        takeBack();
    }
}

/// Gives the displays up to the console that is about to be shown.
void KmsScreens::State::giveUp() {
    awaitFlips();
    for (std::size_t screen = 0; screen < screens.size(); ++screen) {
        if (screens[screen].output->state().connected) {
            news.push_back({.what = KmsNews::What::Away, .screen = screen});
        }
        screens[screen].output->giveUp();
    }
    if (const int code = card.resignAsMaster(); code != 0 && !away) {
        log().warn("drmDropMaster: {}: programs of other consoles cannot use the displays", errnoText(code));
    }
    away = true;
    returns = !terminal->leave();
}

/// Takes the displays back, or tries again in the next serve().
void KmsScreens::State::takeBack() {
    if (!card.takeMaster()) {
        return;
    }
    away = returns = false;
    lookAtAll();
}

KmsScreens::KmsScreens(const KmsOptions& options) : state_(std::make_unique<State>(options)) {}
KmsScreens::~KmsScreens() = default;

std::size_t KmsScreens::count() const {
    return state_->screens.size();
}

const KmsScreenState& KmsScreens::state(std::size_t screen) const {
    return state_->screens.at(screen).output->state();
}

bool KmsScreens::ready(std::size_t screen) const {
    return state(screen).connected && !state_->screens[screen].output->pending();
}

void KmsScreens::draw(std::size_t screen) {
    state_->screens.at(screen).surface->makeCurrent();
}

void KmsScreens::finishDrawing() {
    glFinish();
}

void KmsScreens::show(std::size_t screen) {
    State::Screen& each = state_->screens.at(screen);
    each.shownFrom = each.surface.get();
    const bool wasAtomic = each.output->state().atomic;
    const int code = each.output->show(each.surface->finish());
    if (code == 0 && wasAtomic && !each.output->state().atomic) {
        state_->news.push_back({.what = KmsNews::What::Note,
                                .screen = screen,
                                .text = "legacy page flips: " + each.output->legacyReason()});
    }
    if (code == 0) {
        if (const auto at = each.output->shownAt()) {
            state_->confirm(screen, *at, false);
        }
        return;
    }
    each.surface->discard();
    state_->look(screen, false);
    if (each.output->state().connected) {
        throwErrno(ErrorKind::Display, each.output->state().atomic ? "drmModeAtomicCommit" : "page flip",
                   fmt::format("{} of {}", each.output->state().connector, state_->card.path()), code,
                   "take another mode (--mode WxH), or fewer connectors");
    }
}

std::vector<int> KmsScreens::descriptors() const {
    std::vector<int> all{state_->card.fd(), state_->uevents.descriptor()};
    if (state_->terminal) {
        all.push_back(state_->terminal->descriptor());
    }
    return all;
}

std::vector<KmsNews> KmsScreens::serve() {
    state_->takeFlips();
    state_->followTerminal();
    if (state_->uevents.drmChanged() && !state_->away) {
        state_->lookAtAll();
    }
    return std::exchange(state_->news, {});
}

}  // namespace verbcast
