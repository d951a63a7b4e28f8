// Several streams in the viewer's window: focus, layout and names.
#include <QKeyEvent>
#include <QThreadPool>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "app/window/parts/core_words.h"
#include "app/window/parts/overlay_panel.h"
#include "app/window/stats/stats_text.h"
#include "app/window/style/theme.h"
#include "app/window/viewer/viewer_window.h"
#include "render/picture_error.h"

namespace verbcast {
namespace {

constexpr std::chrono::milliseconds kNamesTime{3000};
// Most frames of a stream that wait for those of the stream compared with it.
constexpr std::size_t kMaxPaired = 3;
constexpr double kOpacityStep = 0.1;
constexpr std::chrono::milliseconds kBetweenComparisons{1000};

QString errorText(const PictureError& error) {
    const QString psnr = std::isinf(error.psnr) ? QString("\u221e") : QString::number(error.psnr, 'f', 2);
    return ViewerWindow::tr("PSNR %1 dB, largest difference %2 of 255, amplified %3 times")
        .arg(psnr)
        .arg(error.largest)
        .arg(VideoSurface::kDifferenceGain);
}

bool isFreeKey(int key) {
    constexpr std::array kKeys{Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Plus, Qt::Key_Minus, Qt::Key_B};
    return std::ranges::find(kKeys, key) != kKeys.end();
}

}  // namespace

void ViewerWindow::followStreams() {
    shown_.resize(controller_.streams());
    while (video_->panes() < controller_.streams()) {
        video_->addPane();
    }
    connect(&controller_, &ViewerController::alignedFramesWaiting, video_, &VideoSurface::paintSoon);
    const ViewOptions& options = controller_.options();
    video_->setPairingDepth(std::min<std::size_t>(options.receiver.slots / 2 - 1, kMaxPaired));
    video_->setPanes(options.panes);
    video_->setLayout(*options.layout);
    video_->setSwapsEyes(options.swapEyes);
    for (std::size_t stream = 0; stream < controller_.streams(); ++stream) {
        follow(controller_.feed(stream));
        useMailbox(stream);
    }
}

void ViewerWindow::follow(StreamFeed& feed) {
    connect(&feed, &StreamFeed::frameWaiting, video_, &VideoSurface::paintSoon);
    connect(&feed, &StreamFeed::lastFrameWaiting, video_, &VideoSurface::paintLast);
    connect(&feed, &StreamFeed::receiverChanged, this, [this, &feed] { useMailbox(streamOf(feed)); });
    connect(&feed, &StreamFeed::statusChanged, this, &ViewerWindow::refresh);
    connect(&feed, &StreamFeed::pairingWanted, this, [this, &feed] { pairingOffer_->open(feed.peer().url); });
}

/// All streams of that host go on; then the host of one that still cannot is asked for.
void ViewerWindow::onPaired(const Url& url) {
    for (std::size_t stream = 0; stream < controller_.streams(); ++stream) {
        StreamFeed& feed = controller_.feed(stream);
        if (feed.needsPairing() && feed.peer().url.host == url.host) {
            feed.reconnect();
        }
    }
    for (std::size_t stream = 0; stream < controller_.streams(); ++stream) {
        if (const StreamFeed& feed = controller_.feed(stream); feed.needsPairing()) {
            pairingOffer_->open(feed.peer().url);
        }
    }
}

std::size_t ViewerWindow::streamOf(const StreamFeed& feed) {
    std::size_t stream = 0;
    while (&controller_.feed(stream) != &feed) {
        ++stream;
    }
    return stream;
}

void ViewerWindow::useMailbox(std::size_t stream) {
    shown_[stream] = {};
    shown_[stream].sinceConnecting.start();
    video_->setMailbox(controller_.feed(stream).mailbox(), stream);
}

bool ViewerWindow::focusNextPrevChild(bool next) {
    if (controller_.streams() < 2 || inputMode_.on() || !videoContainer_->hasFocus()) {
        return QWidget::focusNextPrevChild(next);
    }
    focusOn((video_->focus() + (next ? 1 : video_->panes() - 1)) % video_->panes());
    return true;
}

/// What has no meaning now says so, but for Tab.
bool ViewerWindow::takeStreamKey(const QKeyEvent& event) {
    if (controller_.streams() < 2) {
        return takeStreamKeyOfOne(event.key());
    }
    switch (event.key()) {
        case Qt::Key_Tab:
        case Qt::Key_Backtab:
            focusOn((video_->focus() + (event.key() == Qt::Key_Tab ? 1 : video_->panes() - 1)) %
                    video_->panes());
            return true;
        case Qt::Key_L:
            nextLayout();
            return true;
        case Qt::Key_E:
            swapEyes();
            return true;
        default:
            break;
    }
    if (takeFreeKey(event.key())) {
        return true;
    }
    if (event.key() < Qt::Key_1 || event.key() > Qt::Key_9) {
        return false;
    }
    soloOn(static_cast<std::size_t>(event.key() - Qt::Key_1));
    return true;
}

bool ViewerWindow::takeStreamKeyOfOne(int key) {
    const bool ofSeveral =
        key == Qt::Key_L || key == Qt::Key_E || (key >= Qt::Key_2 && key <= Qt::Key_9) || isFreeKey(key);
    if (ofSeveral) {
        showToast(controller_.room() > 0 ? tr("This key is for several streams: A adds one") : noRoom());
    }
    return ofSeveral;
}

bool ViewerWindow::takeFreeKey(int key) {
    if (!isFreeKey(key)) {
        return false;
    }
    if (video_->solo() || video_->pictureLayout().way != LayoutWay::Free) {
        showToast(video_->solo() ? tr("One stream is shown alone: press its number for all")
                                 : tr("This key is for the free layout: L chooses it"));
        return true;
    }
    switch (key) {
        case Qt::Key_PageUp:
            video_->raise();
            break;
        case Qt::Key_PageDown:
            video_->lower();
            break;
        case Qt::Key_Plus:
            changeOpacity(kOpacityStep);
            break;
        case Qt::Key_Minus:
            changeOpacity(-kOpacityStep);
            break;
        case Qt::Key_B:
            toggleAlpha();
            break;
        default:
            break;
    }
    return true;
}

void ViewerWindow::changeOpacity(double by) {
    video_->changeOpacity(by);
    const auto place = std::ranges::find(video_->panePlaces(), video_->focus(), &PanePlace::stream);
    if (place != video_->panePlaces().end()) {
        showToast(tr("%1: opacity %2 %").arg(labelOf(place->stream)).arg(std::lround(place->opacity * 100)));
    }
}

void ViewerWindow::toggleAlpha() {
    video_->toggleAlpha();
    const auto place = std::ranges::find(video_->panePlaces(), video_->focus(), &PanePlace::stream);
    if (place != video_->panePlaces().end()) {
        showToast((place->alpha ? tr("%1: its alpha is used") : tr("%1: its alpha is not used"))
                      .arg(labelOf(place->stream)));
    }
}

/// Keys held down are released for the stream that they were pressed for.
void ViewerWindow::focusOn(std::size_t stream) {
    if (controller_.streams() < 2) {
        return;
    }
    if (stream != video_->focus()) {
        input_.releaseAll();
        video_->setFocus(stream);
        refresh();
    }
    if (video_->solo()) {
        showToast(labelOf(stream));
    } else {
        showNames();
    }
}

void ViewerWindow::soloOn(std::size_t stream) {
    if (stream >= controller_.streams()) {
        return showToast(tr("There is no stream %1").arg(stream + 1));
    }
    const bool back = video_->solo() && stream == video_->focus();
    video_->setSolo(!back);
    focusOn(stream);
    if (!back) {
        showToast(tr("%1: press %2 for all").arg(labelOf(stream)).arg(stream + 1));
    }
}

void ViewerWindow::nextLayout() {
    const std::span<const Layout> all = layouts();
    auto next = static_cast<std::size_t>(&video_->pictureLayout() - all.data() + 1) % all.size();
    if (all[next].way == LayoutWay::PageFlip && !video_->pageFlips()) {
        next = (next + 1) % all.size();
    }
    useLayout(all[next]);
}

void ViewerWindow::useLayout(const Layout& layout) {
    video_->setSolo(false);
    video_->setLayout(layout);
    showToast(inWindowLanguage(layout.title));
    showNames();
}

void ViewerWindow::swapEyes() {
    if (!video_->pictureLayout().isStereo()) {
        return showToast(tr("Eyes can be swapped in a stereo layout: press L"));
    }
    video_->setSwapsEyes(!video_->swapsEyes());
    const auto [first, second] = comparedPictures(controller_.streams(), video_->focus());
    showToast(tr("The left eye sees %1").arg(labelOf(video_->swapsEyes() ? second : first)));
}

void ViewerWindow::showNames() {
    sinceNamed_.start();
    refreshLabels();
}

/// The sender's name; its address if it has told none, or if another stream has the same name.
QString ViewerWindow::labelOf(std::size_t stream) {
    const auto nameOf = [this](std::size_t each) {
        return controller_.feed(each).status().value_or(ReceiverStatus{}).peerName;
    };
    const std::string name = nameOf(stream);
    bool unique = !name.empty();
    for (std::size_t other = 0; other < controller_.streams() && unique; ++other) {
        unique = other == stream || nameOf(other) != name;
    }
    QStringList parts{QString::number(stream + 1), QString::fromStdString(name)};
    if (!unique) {
        parts << addressOf(stream);
    }
    parts.removeAll(QString());
    return parts.join("  ");
}

/// "" for a sender that called.
QString ViewerWindow::addressOf(std::size_t stream) {
    const StreamFeed& feed = controller_.feed(stream);
    return feed.peer().listen && feed.callersInstance() != 0 ? QString()
                                                             : QString::fromStdString(feed.peer().url.text());
}

/// Shows names after a change and while the pointer moves; the stream under it also shows statistics.
void ViewerWindow::refreshLabels() {
    const bool named = controller_.streams() > 1 && !video_->solo() &&
                       video_->pictureLayout().way != LayoutWay::Difference &&
                       !video_->pictureLayout().isStereo() && sinceNamed_.isValid() &&
                       sinceNamed_.elapsed() < kNamesTime.count();
    for (std::size_t stream = 0; stream < controller_.streams(); ++stream) {
        const bool recorded = controller_.streams() > 1 && controller_.records(stream);
        QString label = named || recorded ? (recorded ? "\u25cf  " : "") + labelOf(stream) : QString();
        if (named && stream == pointed_) {
            const QString address = addressOf(stream);
            label += (label.contains(address) ? "" : "  " + address) + "    " +
                     statsLine(controller_.feed(stream).stats(), shown_[stream].history.latest());
        }
        const bool focus = stream == video_->focus();
        ShownStream& shown = shown_[stream];
        const auto place = video_->pane(stream).place();
        const int room =
            static_cast<int>((place ? place->clip.width : 0) / devicePixelRatioF()) - theme::line();
        if (label != shown.label || focus != shown.labelHasFocus || room != shown.labelRoom) {
            shown.label = label;
            shown.labelHasFocus = focus;
            shown.labelRoom = room;
            video_->setLabel(renderPaneLabel(label, focus, room, devicePixelRatioF()), stream);
        }
    }
}

/// The numbers of the frames compared, and the time between them if known.
QString ViewerWindow::framesText(std::size_t first, std::size_t second) const {
    const FrameMoment& one = video_->pane(first).moment();
    const FrameMoment& other = video_->pane(second).moment();
    if (video_->comparesSameFrame().value_or(false)) {
        return one.sequence == other.sequence
                   ? tr("Frame %1 of both").arg(one.sequence)
                   : tr("Frames %1 and %2, of the same time").arg(one.sequence).arg(other.sequence);
    }
    QString text = tr("Different frames: %1 and %2").arg(one.sequence).arg(other.sequence);
    if (one.pts != 0 || other.pts != 0) {
        text += tr(", %1 ms apart").arg(std::abs(secondsBetween(one, other)) * 1e3, 0, 'f', 1);
    }
    return text;
}

/// For a difference: which pictures, and how much they differ. For a wipe: only if the frames differ.
void ViewerWindow::refreshComparison() {
    const bool several = controller_.streams() > 1 && !video_->solo();
    if (video_->pictureLayout().way == LayoutWay::Difference && several) {
        return compare();
    }
    compared_.reset();
    QString text;
    if (several && video_->pictureLayout().way == LayoutWay::Wipe && video_->comparesSameFrame() == false) {
        const auto [first, second] = comparedPictures(controller_.streams(), video_->focus());
        text = framesText(first, second);
    }
    showComparison(text);
}

/// Reading two large pictures holds up this thread, and comparing them would for longer.
void ViewerWindow::compare() {
    const auto [first, second] = comparedPictures(controller_.streams(), video_->focus());
    const QString names = tr("%1  \u2212  %2").arg(labelOf(first), labelOf(second));
    if (!video_->pane(first).hasPicture() || !video_->pane(second).hasPicture()) {
        compared_.reset();
        return showComparison(names + "\n" + tr("Two pictures of one size are needed for numbers"));
    }
    const std::pair shown(video_->pane(first).sequence(), video_->pane(second).sequence());
    const bool early = compared_ && sinceCompared_.elapsed() < kBetweenComparisons.count();
    if (comparing_ || early || compared_ == shown) {
        return;
    }
    comparing_ = true;
    compared_ = shown;
    sinceCompared_.start();
    auto pictures = std::make_shared<const std::pair<RgbaImage, RgbaImage>>(video_->readCompared());
    const QString frames = framesText(first, second);
    QThreadPool::globalInstance()->start([this, pictures, shown, names, frames] {
        const std::optional<PictureError> error = pictureError(pictures->first, pictures->second);
        QMetaObject::invokeMethod(
            this,
            [this, error, shown, names, frames] {
                comparing_ = false;
                if (compared_ == shown) {
                    showComparison(names + "\n" +
                                   (error ? errorText(*error) + "\n" + frames
                                          : tr("Two pictures of one size are needed for numbers")));
                }
            },
            Qt::QueuedConnection);
    });
}

void ViewerWindow::showComparison(const QString& text) {
    if (std::exchange(comparison_, text) != text) {
        video_->setComparison(
            text.isEmpty() ? QImage() : renderToast(text, video_->width() * 9 / 10, devicePixelRatioF()));
    }
}

}  // namespace verbcast
