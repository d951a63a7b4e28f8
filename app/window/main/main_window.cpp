#include "app/window/main/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QUrl>

#include "app/commands/command_line.h"
#include "app/host/helper_program.h"
#include "app/window/parts/help_sheet.h"
#include "app/window/parts/window_words.h"
#include "app/window/settings/dropped_addresses.h"
#include "app/window/settings/session_file.h"
#include "app/window/style/appearance.h"
#include "app/window/style/theme.h"
#include "core/base/error.h"
#include "core/base/version.h"

namespace verbcast {
namespace {

constexpr const char* kSessionKey = "window/session";
constexpr const char* kGeometryKey = "window/geometry";
constexpr const char* kPageKey = "window/page";
constexpr const char* kFolderKey = "window/session_folder";

QString fileFilter() {
    return MainWindow::tr("Verbcast sessions (*.verbcast);;All files (*)");
}

/// A session that a viewer has saved has nothing to send.
int pageOf(const Session& session) {
    return session.send == SendSettings{} && session.view != ViewSettings{} ? 1 : 0;
}

}  // namespace

MainWindow::MainWindow(const std::optional<Session>& session)
    : pages_(new QTabWidget(this)),
      send_(new SendPage(this)),
      view_(new ViewPage(this)),
      keys_(new KeyPage(this)),
      wall_(new WallPage(this)) {
    setWindowTitle("Verbcast");
    pages_->setDocumentMode(true);
    pages_->setAccessibleName(tr("Pages"));
    pages_->addTab(send_, tr("Send"));
    pages_->addTab(view_, tr("View"));
    pages_->addTab(keys_, tr("Keys"));
    pages_->addTab(wall_, tr("Wall"));
    pages_->setTabToolTip(0, tr("Send a source (Ctrl+1)"));
    pages_->setTabToolTip(1, tr("View streams (Ctrl+2)"));
    pages_->setTabToolTip(2, tr("Keys that keep others out (Ctrl+3)"));
    pages_->setTabToolTip(3, tr("Which display of a wall shows what (Ctrl+4)"));
    setCentralWidget(pages_);
    makeMenus();
    connect(send_, &SendPage::sendingChanged, this, &MainWindow::followSending);
    connect(keys_, &KeyPage::chosen, send_, &SendPage::useKey);
    connect(keys_, &KeyPage::chosen, view_, &ViewPage::useKey);
    connect(keys_, &KeyPage::chosen, wall_, &WallPage::useKey);
    setSession(session ? *session : lastSession());
    const QSettings kept;
    pages_->setCurrentIndex(session ? pageOf(*session) : kept.value(kPageKey, 0).toInt());
    setAcceptDrops(true);
    if (!restoreGeometry(kept.value(kGeometryKey).toByteArray())) {
        resize(QSize(theme::line() * 76, theme::line() * 50).boundedTo(theme::roomForWindow()));
    }
}

void MainWindow::open() {
    show();
    focusPage();
    send_->begin();
}

/// The settings of the last time; the defaults if those cannot be used, which is told then.
Session MainWindow::lastSession() {
    const QString text = QSettings().value(kSessionKey).toString();
    if (text.isEmpty()) {
        return {};
    }
    try {
        return sessionFromText(text.toStdString(), "the last settings");
    } catch (const Error& error) {
        QMetaObject::invokeMethod(
            this,
            [this, error] {
                showFailure(tr("The last settings cannot be used: these are the defaults"), error);
            },
            Qt::QueuedConnection);
        return {};
    }
}

template <typename Slot>
QAction* MainWindow::addAction(QMenu& menu, const QString& text, const QList<QKeySequence>& keys,
                               const QString& tip, Slot slot) {
    QAction* action = menu.addAction(text);
    action->setShortcuts(keys);
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, slot);
    return action;
}

void MainWindow::makeMenus() {
    QMenu& session = *menuBar()->addMenu(tr("Sess&ion"));
    session.setToolTipsVisible(true);
    openAction_ = addAction(session, tr("&Open..."), {QKeySequence::Open},
                            tr("Settings of both pages, from a file"), &MainWindow::openSession);
    addAction(session, tr("&Save"), {QKeySequence::Save}, tr("Save the settings of both pages to their file"),
              &MainWindow::saveSession);
    addAction(session, tr("Save &as..."), {QKeySequence("Ctrl+Shift+S")}, tr("Save them to another file"),
              &MainWindow::saveSessionAs);
    session.addSeparator();
    sendAction_ =
        addAction(session, tr("S&tart sending"), {QKeySequence("Ctrl+Return"), QKeySequence("Ctrl+Enter")},
                  tr("Start sending with the settings of the Send page"), &MainWindow::toggleSending);
    addAction(session, tr("&Copy the command line"), {QKeySequence("Ctrl+Shift+C")},
              tr("The command line of this page"), &MainWindow::copyCommand);
    session.addSeparator();
    addAction(session, tr("Page to se&nd"), {QKeySequence("Ctrl+1")}, tr("Send a source"),
              [this] { showPage(send_); });
    addAction(session, tr("Page to &view"), {QKeySequence("Ctrl+2")}, tr("View streams"),
              [this] { showPage(view_); });
    addAction(session, tr("Page of &keys"), {QKeySequence("Ctrl+3")}, tr("Secrets that keep others out"),
              [this] { showPage(keys_); });
    addAction(session, tr("Page of wa&lls"), {QKeySequence("Ctrl+4")}, tr("Which display shows what"),
              [this] { showPage(wall_); });
    session.addSeparator();
    makeAppearanceMenu(session);
    session.addSeparator();
    addAction(session, tr("&Quit"), {QKeySequence("Ctrl+Q")}, {}, &MainWindow::close);
    QMenu& help = *menuBar()->addMenu(tr("&Help"));
    addAction(help, tr("&Shortcuts"), {QKeySequence("F1")}, tr("Keys of this window"), &MainWindow::showKeys);
    addAction(help, tr("&Manual"), {}, tr("The documents that come with Verbcast"), &MainWindow::showManual);
    help.addSeparator();
    addAction(help, tr("&About Verbcast"), {}, tr("Its version and license"), &MainWindow::showAbout);
}

void MainWindow::makeAppearanceMenu(QMenu& above) {
    struct Entry {
        const char* text;
        const char* tip;
        Appearance appearance;
    };
    constexpr Entry kEntries[] = {
        {QT_TR_NOOP("&System"), QT_TR_NOOP("Dark or light as the desktop is"), Appearance::System},
        {QT_TR_NOOP("&Dark"), QT_TR_NOOP("For a dim room"), Appearance::Dark},
        {QT_TR_NOOP("&Light"), QT_TR_NOOP("For a bright one"), Appearance::Light}};
    QMenu& menu = *above.addMenu(tr("Appea&rance"));
    menu.setToolTipsVisible(true);
    auto* choices = new QActionGroup(&menu);
    for (const Entry& entry : kEntries) {
        QAction* action = menu.addAction(tr(entry.text));
        action->setToolTip(tr(entry.tip));
        action->setCheckable(true);
        action->setChecked(entry.appearance == chosenAppearance());
        choices->addAction(action);
        connect(action, &QAction::triggered, this,
                [appearance = entry.appearance] { chooseAppearance(appearance); });
    }
}

void MainWindow::setSession(const Session& session) {
    send_->setSettings(session.send);
    view_->setSettings(session.view);
}

void MainWindow::openSession() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Verbcast - Open a session"),
                                                      QSettings().value(kFolderKey).toString(), fileFilter());
    if (!path.isEmpty()) {
        openSessionFile(path);
    }
}

void MainWindow::openSessionFile(const QString& path) {
    try {
        const Session session = readSession(path.toStdString());
        setSession(session);
        pages_->setCurrentIndex(pageOf(session));
        file_ = path;
        QSettings().setValue(kFolderKey, QFileInfo(path).path());
    } catch (const Error& error) {
        showFailure(tr("The session cannot be opened"), error);
    }
}

void MainWindow::saveSession() {
    file_.isEmpty() ? saveSessionAs() : saveTo(file_);
}

void MainWindow::saveSessionAs() {
    QFileDialog dialog(this, tr("Verbcast - Save the session"), QSettings().value(kFolderKey).toString(),
                       fileFilter());
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QString::fromUtf8(kSessionSuffix.data() + 1));
    if (dialog.exec() == QDialog::Accepted && !dialog.selectedFiles().isEmpty()) {
        saveTo(dialog.selectedFiles().first());
    }
}

void MainWindow::saveTo(const QString& path) {
    try {
        writeSession(path.toStdString(), session());
        file_ = path;
        QSettings().setValue(kFolderKey, QFileInfo(path).path());
    } catch (const Error& error) {
        showFailure(tr("The session cannot be saved"), error);
    }
}

void MainWindow::showFailure(const QString& title, const Error& error) {
    QMessageBox box(QMessageBox::Warning, tr("Verbcast - Session"), title, QMessageBox::Ok, this);
    box.setTextFormat(Qt::PlainText);  // it quotes the file
    const Message message = inWindowWords(errorMessage(error));
    box.setInformativeText(message.remedy.isEmpty() ? message.text : message.text + "\n\n" + message.remedy);
    box.exec();
}

void MainWindow::toggleSending() {
    showPage(send_);
    send_->toggle();
}

void MainWindow::copyCommand() {
    const QWidget* page = pages_->currentWidget();
    page == send_   ? send_->copyCommand()
    : page == view_ ? view_->copyCommand()
    : page == keys_ ? keys_->copyCommand()
                    : wall_->copyCommand();
}

void MainWindow::focusPage() {
    const QWidget* page = pages_->currentWidget();
    page == send_   ? send_->focusFirst()
    : page == view_ ? view_->focusFirst()
    : page == keys_ ? keys_->focusFirst()
                    : wall_->focusFirst();
}

void MainWindow::showPage(QWidget* page) {
    pages_->setCurrentWidget(page);
    focusPage();
}

void MainWindow::showKeys() {
    const QList<HelpEntry> keys{
        {tr("Ctrl+1 to Ctrl+4"), tr("The Send, View, Keys and Wall pages")},
        {tr("Ctrl+Enter"), tr("Start or stop sending")},
        {tr("Ctrl+Space"), tr("Pause or resume a file that is being sent")},
        {tr("Ctrl+Left, Ctrl+Right"), tr("Five seconds back or forward in it; with Shift, one picture")},
        {tr("Ctrl+Shift+C"), tr("Copy the command line of this page")},
        {tr("Ctrl+Alt+C"), tr("Copy the code that another host has to type to be paired")},
        {tr("Ctrl+O"), tr("Open a session: the settings of both pages, from a file")},
        {tr("Ctrl+S, Ctrl+Shift+S"), tr("Save the session, under another name")},
        {tr("Alt and a letter"), tr("Go to the field or button with that letter underlined")},
        {tr("Tab, Shift+Tab"), tr("The next field, the one before")},
        {tr("Enter"), tr("In an address: start to send, or open the stream")},
        {tr("F1"), tr("This sheet")},
        {tr("Ctrl+Q"), tr("Quit")},
    };
    HelpSheet(keys, this).exec();
}

void MainWindow::showManual() {
    const QString folder = QString::fromStdString(documentFolder());
    if (folder.isEmpty() || !QDesktopServices::openUrl(QUrl::fromLocalFile(folder))) {
        QMessageBox::information(
            this, tr("Verbcast - Manual"),
            folder.isEmpty() ? tr("The documents are not installed: see README.md and docs/ of the "
                                  "sources, or \"man verbcast\"")
                             : tr("No program opens folders here. The documents are in %1").arg(folder));
    }
}

void MainWindow::showAbout() {
    QMessageBox box(QMessageBox::NoIcon, tr("Verbcast - About"), "Verbcast " + QString(kVersion),
                    QMessageBox::Ok, this);
    box.setIconPixmap(windowIcon().pixmap(64));
    box.setInformativeText(tr("Uncompressed video over InfiniBand, RoCE, TCP and shared memory.\n"
                              "License: Apache-2.0. With Qt %1.")
                               .arg(qVersion()));
    box.exec();
}

/// A film to send, a session to open, or the address of a sender to view.
void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!droppedAddresses(*event->mimeData()).isEmpty()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    QStringList files, addresses;
    for (const QString& dropped : droppedAddresses(*event->mimeData())) {
        const QString file = droppedFile(dropped);
        file.isEmpty() ? addresses << dropped : files << file;
    }
    if (!addresses.isEmpty()) {
        ViewSettings settings = view_->settings();
        settings.listen = false;
        settings.address = addresses.join(' ').toStdString();
        view_->setSettings(settings);
        showPage(view_);
    }
    if (!files.isEmpty()) {
        // Later: the program that they were dragged from waits for the drop to end.
        QMetaObject::invokeMethod(
            this, [this, files] { takeFiles(files); }, Qt::QueuedConnection);
    }
}

void MainWindow::takeFiles(const QStringList& files) {
    const QString& file = files.first();
    if (send_->sending()) {
        QMessageBox::information(this, tr("Verbcast - Send a file"),
                                 tr("Stop sending before you choose another source."));
        return;
    }
    if (file.endsWith(QString::fromUtf8(kSessionSuffix.data()))) {
        openSessionFile(file);
    } else {
        SendSettings settings = send_->settings();
        settings.source = SourceKind::File;
        settings.file = file.toStdString();
        send_->setSettings(settings);
        showPage(send_);
    }
    if (files.size() > 1) {
        QMessageBox::information(
            this, tr("Verbcast - Send a file"),
            tr("This page sends one file: %1. \"verbcast send\" takes several.").arg(file));
    }
}

void MainWindow::followSending() {
    // The settings shown must be those that run.
    openAction_->setEnabled(!send_->sending());
    sendAction_->setText(send_->sending() ? tr("S&top sending") : tr("S&tart sending"));
}

void MainWindow::end() {
    ask_ = false;
    close();
}

bool MainWindow::mayClose() {
    const bool sends = send_->sending();
    const bool shows = view_->openStreams() > 0;
    if (!wall_->mayLeave()) {
        return false;
    }
    if (!sends && !shows) {
        return true;
    }
    QMessageBox box(QMessageBox::Question, tr("Verbcast - Close"), tr("Close the window?"),
                    QMessageBox::NoButton, this);
    box.setInformativeText(sends && shows ? tr("This stops sending and closes the windows of all streams.")
                           : sends        ? tr("This stops sending.")
                                          : tr("With it the windows of all streams close."));
    const QPushButton* close = box.addButton(tr("&Close"), QMessageBox::AcceptRole);
    box.setDefaultButton(box.addButton(QMessageBox::Cancel));
    box.exec();
    return box.clickedButton() == static_cast<const QAbstractButton*>(close);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (ask_ && !mayClose()) {
        event->ignore();
        return;
    }
    QSettings kept;
    kept.setValue(kSessionKey, QString::fromStdString(sessionText(session())));
    kept.setValue(kGeometryKey, saveGeometry());
    kept.setValue(kPageKey, pages_->currentIndex());
    event->accept();
}

}  // namespace verbcast
