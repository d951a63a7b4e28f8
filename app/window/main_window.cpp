#include "app/window/main_window.h"

#include <QAction>
#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenuBar>
#include <QMessageBox>
#include <QScreen>
#include <QSettings>

#include "app/command_line.h"
#include "app/window/help_sheet.h"
#include "app/window/session_file.h"
#include "app/window/theme.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace verbcast {
namespace {

constexpr const char* kSessionKey = "window/session";
constexpr const char* kGeometryKey = "window/geometry";
constexpr const char* kPageKey = "window/page";
constexpr const char* kFolderKey = "window/session_folder";
constexpr const char* kFileFilter = "Verbcast sessions (*.verbcast);;All files (*)";

constexpr HelpEntry kKeys[] = {
    {"Ctrl+1, Ctrl+2, Ctrl+3", "The Send, View and Keys pages"},
    {"Ctrl+Enter", "Start or stop sending"},
    {"Ctrl+Shift+C", "Copy the command line of this page"},
    {"Ctrl+Alt+C", "Copy the code that another host has to type to be paired"},
    {"Ctrl+O", "Open a session: the settings of both pages, from a file"},
    {"Ctrl+S, Ctrl+Shift+S", "Save the session, under another name"},
    {"Alt and a letter", "Go to the field or button with that letter underlined"},
    {"Tab, Shift+Tab", "The next field, the one before"},
    {"Enter", "In an address: start to send, or open the stream"},
    {"F1", "This sheet"},
    {"Ctrl+Q", "Quit"},
};

Session lastSession() {
    const QString text = QSettings().value(kSessionKey).toString();
    if (text.isEmpty()) {
        return {};
    }
    try {
        return sessionFromText(text.toStdString(), "the last settings");
    } catch (const Error& error) {
        log().warn("{}; using default settings", error.what());
        return {};
    }
}

}  // namespace

MainWindow::MainWindow(const std::optional<Session>& session)
    : pages_(new QTabWidget(this)),
      send_(new SendPage(this)),
      view_(new ViewPage(this)),
      keys_(new KeyPage(this)) {
    setWindowTitle("Verbcast");
    pages_->setDocumentMode(true);
    pages_->addTab(send_, "Send");
    pages_->addTab(view_, "View");
    pages_->addTab(keys_, "Keys");
    pages_->setTabToolTip(0, "Send a source (Ctrl+1)");
    pages_->setTabToolTip(1, "View streams (Ctrl+2)");
    pages_->setTabToolTip(2, "Keys that keep others out (Ctrl+3)");
    setCentralWidget(pages_);
    makeMenus();
    connect(send_, &SendPage::sendingChanged, this, &MainWindow::followSending);
    connect(keys_, &KeyPage::chosen, send_, &SendPage::useKey);
    connect(keys_, &KeyPage::chosen, view_, &ViewPage::useKey);
    setSession(session.value_or(lastSession()));
    const QSettings kept;
    pages_->setCurrentIndex(session ? 0 : kept.value(kPageKey, 0).toInt());
    if (!restoreGeometry(kept.value(kGeometryKey).toByteArray())) {
        const QSize available = QGuiApplication::primaryScreen()->availableSize();
        resize(QSize(theme::line() * 76, theme::line() * 50).boundedTo(available));
    }
}

void MainWindow::open() {
    show();
    focusPage();
    send_->begin();
}

QAction* MainWindow::addAction(QMenu& menu, const QString& text, const QList<QKeySequence>& keys,
                               const QString& tip, void (MainWindow::*slot)()) {
    QAction* action = menu.addAction(text);
    action->setShortcuts(keys);
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, slot);
    return action;
}

void MainWindow::makeMenus() {
    QMenu& session = *menuBar()->addMenu("Sess&ion");
    session.setToolTipsVisible(true);
    openAction_ = addAction(session, "&Open...", {QKeySequence::Open}, "Settings of both pages, from a file",
                            &MainWindow::openSession);
    addAction(session, "&Save", {QKeySequence::Save}, "Save the settings of both pages to their file",
              &MainWindow::saveSession);
    addAction(session, "Save &as...", {QKeySequence("Ctrl+Shift+S")}, "Save them to another file",
              &MainWindow::saveSessionAs);
    session.addSeparator();
    sendAction_ =
        addAction(session, "S&tart sending", {QKeySequence("Ctrl+Return"), QKeySequence("Ctrl+Enter")},
                  "Start sending with the settings of the Send page", &MainWindow::toggleSending);
    addAction(session, "&Copy the command line", {QKeySequence("Ctrl+Shift+C")},
              "The command line of this page", &MainWindow::copyCommand);
    session.addSeparator();
    addAction(session, "Page to se&nd", {QKeySequence("Ctrl+1")}, "Send a source", &MainWindow::showSendPage);
    addAction(session, "Page to &view", {QKeySequence("Ctrl+2")}, "View streams", &MainWindow::showViewPage);
    addAction(session, "Page of &keys", {QKeySequence("Ctrl+3")}, "Secrets that keep others out",
              &MainWindow::showKeyPage);
    session.addSeparator();
    QAction* quit = session.addAction("&Quit");
    quit->setShortcut(QKeySequence("Ctrl+Q"));
    connect(quit, &QAction::triggered, this, &QWidget::close);
    QMenu& help = *menuBar()->addMenu("&Help");
    addAction(help, "&Keys", {QKeySequence("F1")}, "Keys of this window", &MainWindow::showKeys);
}

void MainWindow::setSession(const Session& session) {
    send_->setSettings(session.send);
    view_->setSettings(session.view);
}

void MainWindow::openSession() {
    const QString path = QFileDialog::getOpenFileName(this, "Verbcast - Open a session",
                                                      QSettings().value(kFolderKey).toString(), kFileFilter);
    if (path.isEmpty()) {
        return;
    }
    try {
        setSession(readSession(path.toStdString()));
        file_ = path;
        QSettings().setValue(kFolderKey, QFileInfo(path).path());
    } catch (const Error& error) {
        showFailure("The session cannot be opened", error);
    }
}

void MainWindow::saveSession() {
    file_.isEmpty() ? saveSessionAs() : saveTo(file_);
}

void MainWindow::saveSessionAs() {
    QFileDialog dialog(this, "Verbcast - Save the session", QSettings().value(kFolderKey).toString(),
                       kFileFilter);
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
        showFailure("The session cannot be saved", error);
    }
}

void MainWindow::showFailure(const QString& title, const Error& error) {
    QMessageBox box(QMessageBox::Warning, "Verbcast - Session", title, QMessageBox::Ok, this);
    const Message message = errorMessage(error);
    box.setInformativeText(message.remedy.isEmpty() ? message.text : message.text + "\n\n" + message.remedy);
    box.exec();
}

void MainWindow::toggleSending() {
    showSendPage();
    send_->toggle();
}

void MainWindow::copyCommand() {
    const QWidget* page = pages_->currentWidget();
    page == send_ ? send_->copyCommand() : page == view_ ? view_->copyCommand() : keys_->copyCommand();
}

void MainWindow::focusPage() {
    const QWidget* page = pages_->currentWidget();
    page == send_ ? send_->focusFirst() : page == view_ ? view_->focusFirst() : keys_->focusFirst();
}

void MainWindow::showPage(QWidget* page) {
    pages_->setCurrentWidget(page);
    focusPage();
}

void MainWindow::showSendPage() {
    showPage(send_);
}

void MainWindow::showViewPage() {
    showPage(view_);
}

void MainWindow::showKeyPage() {
    showPage(keys_);
}

void MainWindow::showKeys() {
    HelpSheet(kKeys, this).exec();
}

void MainWindow::followSending() {
    // What runs is what is on display.
    openAction_->setEnabled(!send_->sending());
    sendAction_->setText(send_->sending() ? "S&top sending" : "S&tart sending");
}

void MainWindow::end() {
    ask_ = false;
    close();
}

bool MainWindow::mayClose() {
    QStringList ends;
    if (send_->sending()) {
        ends << "sending stops";
    }
    if (view_->openStreams() > 0) {
        ends << "the windows of all streams close";
    }
    if (ends.isEmpty()) {
        return true;
    }
    QMessageBox box(QMessageBox::Question, "Verbcast - Close", "Close the window?", QMessageBox::NoButton,
                    this);
    box.setInformativeText("With it " + ends.join(" and ") + ".");
    const QPushButton* close = box.addButton("&Close", QMessageBox::AcceptRole);
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
