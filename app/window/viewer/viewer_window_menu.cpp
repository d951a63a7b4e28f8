// The menu over the picture of the viewer's window.
#include <QActionGroup>
#include <QMenu>

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
    auto* group = new QActionGroup(layouts);
    for (const LayoutName& each : kLayouts) {
        auto* action = layouts->addAction(inWindowLanguage(each.meaning), this,
                                          [this, layout = each.layout] { useLayout(layout); });
        action->setCheckable(true);
        action->setChecked(each.layout == video_->pictureLayout());
        group->addAction(action);
    }
    layouts->setEnabled(controller_.streams() > 1);
    if (video_->pictureLayout() == Layout::Free && controller_.streams() > 1) {
        menu->addAction(withKey(tr("To the &front"), "PgUp"), this, [this] { takeFreeKey(Qt::Key_PageUp); });
        menu->addAction(withKey(tr("To the &back"), "PgDown"), this,
                        [this] { takeFreeKey(Qt::Key_PageDown); });
        menu->addAction(withKey(tr("&More opaque"), "+"), this, [this] { takeFreeKey(Qt::Key_Plus); });
        menu->addAction(withKey(tr("Less opa&que"), "-"), this, [this] { takeFreeKey(Qt::Key_Minus); });
        menu->addAction(withKey(tr("Use its al&pha, or not"), "B"), this, [this] { takeFreeKey(Qt::Key_B); });
    }
    menu->addSeparator();
    menu->addAction(withKey(tr("&Save the session ..."), "Ctrl+S"), this, &ViewerWindow::saveSession);
    menu->addAction(withKey(tr("F&ullscreen"), "F"), this, &ViewerWindow::toggleFullscreen);
    menu->addAction(withKey(tr("&Keys"), "F1"), this,
                    [this] { HelpSheet(HelpSheet::viewerKeys(), this).exec(); });
    menu->popup(position);
}

}  // namespace verbcast
