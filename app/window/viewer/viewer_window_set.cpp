// Adds and removes streams while the viewer's window runs, and saves them as a session.
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPointer>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/peer_options.h"
#include "app/cli/trust/trust_choice.h"
#include "app/commands/command_line.h"
#include "app/host/helper_program.h"
#include "app/view/words/alignment_words.h"
#include "app/window/parts/window_words.h"
#include "app/window/settings/dropped_addresses.h"
#include "app/window/settings/session_file.h"
#include "app/window/viewer/connect_dialog.h"
#include "app/window/viewer/viewer_window.h"

namespace verbcast {
namespace {

// Shared with the main window:
constexpr const char* kSessionFolder = "window/session_folder";
constexpr const char* kLastSession = "window/session";
constexpr const char* kLastPage = "window/page";

QString problemText(const std::exception& error) {
    const Message message = inWindowWords(errorMessage(error));
    return message.remedy.isEmpty() ? message.text : message.text + "\n" + message.remedy;
}

/// Keeps the send settings of an existing session file.
Session sessionIn(const std::string& path) {
    try {
        return QFileInfo::exists(QString::fromStdString(path)) ? readSession(path) : Session{};
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

void ViewerWindow::followSet() {
    setAcceptDrops(true);
    connect(&controller_, &ViewerController::streamAdded, this, [this] {
        shown_.emplace_back();
        video_->addPane();
        follow(controller_.feed(controller_.streams() - 1));
        showNames();
    });
    connect(&controller_, &ViewerController::streamLeaves, this, &ViewerWindow::onStreamLeaves);
    connect(&controller_, &ViewerController::streamsChanged, this, &ViewerWindow::refresh);
    connect(video_, &VideoSurface::menuWanted, this, &ViewerWindow::showMenu);
}

void ViewerWindow::onStreamLeaves(std::size_t stream) {
    if (stream == video_->focus()) {
        input_.releaseAll();
    }
    video_->removePane(stream);
    comparison_.clear();
    compared_.reset();
    pointed_.reset();
    if (controller_.streams() > 1) {
        disconnect(&controller_.feed(stream), nullptr, this, nullptr);
        disconnect(&controller_.feed(stream), nullptr, video_, nullptr);
        shown_.erase(shown_.begin() + static_cast<std::ptrdiff_t>(stream));
    } else {
        shown_[stream] = {};
    }
}

void ViewerWindow::askForStream() {
    if (controller_.room() == 0) {
        return showToast(noRoom());
    }
    ConnectDialog dialog(std::nullopt, QString::fromStdString(focusedFeed().keyFile()), this,
                         ConnectDialog::Purpose::Add);
    if (dialog.exec() == QDialog::Accepted) {
        attempt([&] { addStream(dialog.address(), dialog.keyFile().toStdString()); });
    }
}

/// The address of a sender that called is this window's own: nothing to connect to.
void ViewerWindow::askForAddress() {
    StreamFeed& feed = focusedFeed();
    if (feed.vacant()) {
        return askForStream();
    }
    const QPointer<StreamFeed> stays = &feed;
    const bool called = feed.callersInstance() != 0;
    ConnectDialog dialog(called ? std::nullopt : std::optional<SessionAddress>(feed.peer()),
                         QString::fromStdString(feed.keyFile()), this);
    if (dialog.exec() == QDialog::Accepted && stays) {
        attempt(
            [&] { controller_.connectTo(streamOf(feed), dialog.address(), dialog.keyFile().toStdString()); });
    }
}

void ViewerWindow::attempt(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        showToast(problemText(error));
    }
}

void ViewerWindow::addStreams(const QStringList& addresses) {
    for (const QString& address : addresses) {
        attempt([&] { addStream(parsePeer(address.toStdString()), focusedFeed().keyFile()); });
    }
}

void ViewerWindow::addStream(const SessionAddress& address, const std::string& keyFile) {
    if (const auto stream = controller_.add(address, keyFile)) {
        video_->setSolo(false);
        focusOn(*stream);
    } else {
        showToast(noRoom());
    }
}

QString ViewerWindow::noRoom() const {
    if (controller_.mayChange()) {
        return tr("A window shows at most %1 streams, including those that may still connect")
            .arg(kMaxViewedStreams);
    }
    return controller_.options().tile
               ? tr("A tile of a wall shows one stream: start another viewer for more")
               : tr("What is recorded or hashed is one stream: start another viewer for more");
}

void ViewerWindow::removeStream(std::size_t stream) {
    if (controller_.feed(stream).vacant()) {
        return showToast(tr("There is no stream to remove"));
    }
    if (!controller_.mayChange()) {
        return showToast(controller_.options().tile
                             ? tr("A tile of a wall shows one stream: close the window to end it")
                             : tr("The stream is recorded: close the window to end it"));
    }
    const QString label = labelOf(stream);
    controller_.remove(stream);
    showToast(tr("%1 was removed").arg(label));
}

bool ViewerWindow::takeDrop(QEvent& event) {
    if (event.type() == QEvent::DragEnter || event.type() == QEvent::DragMove) {
        auto& drag = static_cast<QDragMoveEvent&>(event);
        if (droppedAddresses(*drag.mimeData()).isEmpty()) {
            drag.setDropAction(Qt::IgnoreAction);
            drag.ignore();
        } else {
            drag.setDropAction(Qt::CopyAction);
            drag.accept();
        }
        return true;
    }
    if (event.type() == QEvent::Drop) {
        auto& drop = static_cast<QDropEvent&>(event);
        drop.setDropAction(Qt::CopyAction);
        drop.accept();
        QStringList addresses = droppedAddresses(*drop.mimeData());
        const QString file = droppedFile(addresses.value(0));
        addresses.erase(std::remove_if(addresses.begin(), addresses.end(),
                                       [](const QString& each) { return !droppedFile(each).isEmpty(); }),
                        addresses.end());
        addStreams(addresses);
        if (file.endsWith(QString::fromUtf8(kSessionSuffix.data()))) {
            startMainWindow({file});
        } else if (!file.isEmpty()) {
            // Later: the program that it was dragged from waits for the drop to end.
            QMetaObject::invokeMethod(
                this, [this, file] { offerToSend(file); }, Qt::QueuedConnection);
        }
        return true;
    }
    return false;
}

/// A viewer shows streams; a film becomes one once it is sent.
void ViewerWindow::offerToSend(const QString& file) {
    QMessageBox box(QMessageBox::Question, tr("Verbcast - Send a file"),
                    tr("%1 is a file, not a sender.").arg(QFileInfo(file).fileName()), QMessageBox::NoButton,
                    this);
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(tr("Viewers show what a sender sends. Open the window that sends it?"));
    const QPushButton* send = box.addButton(tr("&Send it..."), QMessageBox::AcceptRole);
    box.addButton(QMessageBox::Cancel);
    box.exec();
    if (box.clickedButton() != static_cast<const QAbstractButton*>(send)) {
        return;
    }
    // In the main window's place of its settings, of which only the source is another.
    QSettings settings;
    Session session;
    try {
        session = sessionFromText(settings.value(kLastSession).toString().toStdString(), "the last settings");
    } catch (const Error&) {
        // There are none.
    }
    session.send.source = SourceKind::File;
    session.send.file = file.toStdString();
    settings.setValue(kLastSession, QString::fromStdString(sessionText(session)));
    settings.setValue(kLastPage, 0);
    settings.sync();
    startMainWindow({});
}

void ViewerWindow::startMainWindow(const QStringList& arguments) {
    if (!QProcess::startDetached(QString::fromStdString(helperProgram("verbcast")), arguments)) {
        showToast(tr("verbcast cannot be started: it must be installed together with its window"));
    }
}

/// The streams connected to; for a window that senders call, its address.
Session ViewerWindow::session() {
    const ViewOptions& options = controller_.options();
    Session session;
    ViewSettings& view = session.view;
    QStringList addresses;
    if (options.takesCallers()) {
        view.listen = true;
        view.streams = std::to_string(options.streams);
        addresses << QString::fromStdString(options.peers.front().url.text());
    }
    for (std::size_t stream = 0; stream < controller_.streams() && !view.listen; ++stream) {
        const StreamFeed& feed = controller_.feed(stream);
        if (!feed.vacant() && (!feed.peer().listen || controller_.streams() == 1)) {
            addresses << QString::fromStdString(addressText(feed.peer()));
            view.listen = feed.peer().listen;
        }
    }
    view.address = addresses.join(' ').toStdString();
    view.layout = video_->pictureLayout().name;
    if (video_->pictureLayout().way == LayoutWay::Free && controller_.streams() > 1) {
        view.panes = panesText(video_->panePlaces());
    }
    if (const AlignmentOptions& alignment = options.alignment; alignment.by != AlignBy::Newest) {
        view.align = alignName(alignment.by);
        view.delay =
            alignment.delay ? fmt::format("{:g}", static_cast<double>(alignment.delay->count()) / 1e6) : "";
    }
    view.fullscreen = isFullScreen();
    view.input = inputMode_.wanted();
    view.trust = {
        .keyFile = focusedFeed().keyFile(),
        .encrypt = options.trustChoice.encrypt,
        .open = options.trustChoice.open,
        .grants = options.trustChoice.grants.empty() ? kMayAll : parseGrants(options.trustChoice.grants)};
    return session;
}

void ViewerWindow::toggleSentView() {
    if (sentView_.running()) {
        sentView_.stop();
        return;
    }
    const QSize size = video_->pixelSize();
    constexpr int kLeast = kMinDimension, kMost = kMaxDimension;
    attempt([&] {
        sentView_.start(session().view, video_->focus() + 1,
                        {static_cast<std::uint32_t>(std::clamp(size.width(), kLeast, kMost)),
                         static_cast<std::uint32_t>(std::clamp(size.height(), kLeast, kMost))});
    });
}

/// Whether panes show several tracks of one stream. Settings name streams, and mean the main track of each.
bool ViewerWindow::showsTracks() const {
    for (std::size_t stream = 0; stream < controller_.streams(); ++stream) {
        if (controller_.feed(stream).peer().session) {
            return true;
        }
    }
    return false;
}

QString ViewerWindow::savedText(const QString& path) {
    for (std::size_t stream = 0; stream < controller_.streams(); ++stream) {
        if (controller_.feed(stream).keyFile() != focusedFeed().keyFile()) {
            return tr("Saved %1, with the key of the stream in focus only: a session has one").arg(path);
        }
    }
    return tr("Saved %1").arg(path);
}

void ViewerWindow::saveSession() {
    if (showsTracks()) {
        return showToast(tr("A session cannot hold a stereo pair that comes as one stream"));
    }
    QFileDialog dialog(this, tr("Verbcast - Save the session"), QSettings().value(kSessionFolder).toString(),
                       tr("Verbcast sessions (*.verbcast);;All files (*)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QString::fromUtf8(kSessionSuffix.data() + 1));
    if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) {
        return;
    }
    const QString path = dialog.selectedFiles().first();
    attempt([&] {
        Session kept = sessionIn(path.toStdString());
        kept.view = session().view;
        writeSession(path.toStdString(), kept);
        QSettings().setValue(kSessionFolder, QFileInfo(path).path());
        showToast(savedText(path));
    });
}

}  // namespace verbcast
