// The menu over the picture of the viewer's window.
#include <QActionGroup>
#include <QMenu>
#include <algorithm>

#include "app/window/parts/core_words.h"
#include "app/window/parts/help_sheet.h"
#include "app/window/settings/recent_addresses.h"
#include "app/window/viewer/viewer_window.h"

namespace verbcast {
namespace {

/// Shows the key behind the text; the window itself still handles it.
QString withKey(const QString& text, const char* key) {
    return text + '\t' + QString::fromLatin1(key);
}

}  // namespace

void ViewerWindow::showMenu(const QPoint& position) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const std::size_t focus = video_->focus();
    const bool some = !controller_.feed(focus).vacant();
    menu->addAction(withKey(tr("&Add a stream ..."), "A"), this, &ViewerWindow::askForStream);
    auto* recent = menu->addMenu(tr("Add a re&cent one"));
    for (const RecentStream& stream : recentStreams()) {
        if (!stream.listen) {
            recent->addAction(stream.address, this,
                              [this, address = stream.address] { addStreams(address.split(' ')); });
        }
    }
    recent->setEnabled(!recent->isEmpty());
    menu->addAction(withKey(tr("Connect to an&other sender ..."), "O"), this, &ViewerWindow::askForAddress);
    auto* remove =
        menu->addAction(withKey(some ? tr("&Remove %1").arg(labelOf(focus)) : tr("&Remove"), "Del"), this,
                        [this] { removeStream(video_->focus()); });
    remove->setEnabled(some);
    menu->addSeparator();
    auto* layouts = menu->addMenu(tr("&Layout"));
    layouts->setToolTipsVisible(true);
    auto* group = new QActionGroup(layouts);
    for (const Layout& each : verbcast::layouts()) {
        auto* action =
            layouts->addAction(inWindowLanguage(each.title), this, [this, &each] { useLayout(each); });
        action->setToolTip(sentence(inWindowLanguage(each.meaning)));
        action->setCheckable(true);
        action->setChecked(&each == &video_->pictureLayout());
        group->addAction(action);
    }
    layouts->setEnabled(controller_.streams() > 1);
    if (video_->pictureLayout().way == LayoutWay::Free && controller_.streams() > 1) {
        menu->addAction(withKey(tr("To the &front"), "PgUp"), this, [this] { takeFreeKey(Qt::Key_PageUp); });
        menu->addAction(withKey(tr("To the &back"), "PgDown"), this,
                        [this] { takeFreeKey(Qt::Key_PageDown); });
        menu->addAction(withKey(tr("&More opaque"), "+"), this, [this] { takeFreeKey(Qt::Key_Plus); });
        menu->addAction(withKey(tr("Less opa&que"), "-"), this, [this] { takeFreeKey(Qt::Key_Minus); });
        menu->addAction(withKey(tr("Use its al&pha, or not"), "B"), this, [this] { takeFreeKey(Qt::Key_B); });
    }
    menu->addSeparator();
    addSoundActions(*menu->addMenu(tr("Sound")));
    addPictureActions(*menu);
    menu->addSeparator();
    auto* send =
        menu->addAction(sentView_.address().isEmpty() ? tr("Send this view")
                                                      : tr("Send this view (%1)").arg(sentView_.address()),
                        this, &ViewerWindow::toggleSentView);
    send->setCheckable(true);
    send->setChecked(sentView_.running());
    send->setEnabled(sentView_.running() ||
                     (!showsTracks() && SentView::canSend(session().view, controller_.streams())));
    menu->addAction(withKey(tr("Sa&ve the session ..."), "Ctrl+S"), this, &ViewerWindow::saveSession);
    menu->addAction(withKey(tr("S&hortcuts"), "F1"), this,
                    [this] { HelpSheet(HelpSheet::viewerKeys(), this).exec(); });
    menu->addAction(tr("Messages ..."), this, [this] { logged_.showAll(this); })
        ->setEnabled(!logged_.lines().isEmpty());
    menu->addAction(withKey(tr("Qu&it"), "Q"), this, &QWidget::close);
    menu->popup(position);
}

void ViewerWindow::addSoundActions(QMenu& menu) {
    QAction* const mute =
        menu.addAction(withKey(tr("&Mute"), "M"), this, [this] { takeSoundKey(Qt::Key_M); });
    mute->setCheckable(true);
    mute->setChecked(sound_.muted());
    menu.addAction(withKey(tr("&Louder"), "Up"), this, [this] { takeSoundKey(Qt::Key_Up); });
    menu.addAction(withKey(tr("&Quieter"), "Down"), this, [this] { takeSoundKey(Qt::Key_Down); });
    QAction* const meters =
        menu.addAction(withKey(tr("L&evel meters"), "V"), this, [this] { takeSoundKey(Qt::Key_V); });
    meters->setCheckable(true);
    meters->setChecked(sound_.metersVisible());
    QAction* const pin = menu.addAction(tr("Sound from &this pane"), &sound_, &WindowSound::togglePin);
    pin->setCheckable(true);
    pin->setChecked(sound_.pinned());
    pin->setEnabled(controller_.streams() > 1);
}

/// What keys do to the picture and the window.
void ViewerWindow::addPictureActions(QMenu& menu) {
    const auto addSwitch = [&](const QString& text, const char* key, bool on, auto action) {
        QAction* const added = menu.addAction(withKey(text, key), this, action);
        added->setCheckable(true);
        added->setChecked(on);
        return added;
    };
    menu.addAction(withKey(tr("Fit the &window"), "0"), this, [this] { video_->fit(); });
    menu.addAction(withKey(tr("One to o&ne"), "P"), this, [this] { video_->oneToOne(); });
    addSwitch(tr("Pa&use"), "Space", video_->paused(), &ViewerWindow::togglePause);
    menu.addAction(withKey(tr("&Save the picture"), "S"), this, &ViewerWindow::saveSnapshot);
    addSwitch(tr("Recor&d"), "Ctrl+R", controller_.records(video_->focus()), &ViewerWindow::toggleRecording)
        ->setEnabled(controller_.mayRecord());
    addSwitch(tr("Sta&ge times"), "I", stagePanelVisible_, &ViewerWindow::toggleStagePanel);
    addSwitch(tr("Wave&form"), "W", std::ranges::count(video_->overlays(), kWaveform) > 0,
              &ViewerWindow::toggleWaveform);
    addSwitch(tr("Send ke&ys and mouse"), "Ctrl+Alt+I", inputMode_.on(), &ViewerWindow::toggleInput)
        ->setEnabled(inputMode_.state() == InputState::On || inputMode_.state() == InputState::Off);
    addSwitch(tr("Status s&trip"), "H", stripWanted_, &ViewerWindow::toggleStrip);
    addSwitch(tr("Fullscr&een"), "F", isFullScreen(), &ViewerWindow::toggleFullscreen);
}

}  // namespace verbcast
