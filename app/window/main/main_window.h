// The window that `verbcast` opens: pages to send, to view, for keys and for walls; saves and opens sessions.
#pragma once

#include <QMainWindow>
#include <QTabWidget>

#include "app/window/main/send_page.h"
#include "app/window/main/view_page.h"
#include "app/window/settings/session.h"
#include "app/window/trust/key_page.h"
#include "app/window/wall/wall_page.h"

class QAction;
class QMenu;

namespace verbcast {

/// Belongs to the GUI thread. Stores its settings, geometry and addresses in QSettings when it closes.
class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    /// Starts with `session`, or else with the last settings.
    explicit MainWindow(const std::optional<Session>& session);

    /// Shows the window and lets the pages start.
    void open();
    /// Closes without asking.
    void end();

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void makeMenus();
    void makeAppearanceMenu(QMenu& above);
    template <typename Slot>
    QAction* addAction(QMenu& menu, const QString& text, const QList<QKeySequence>& keys, const QString& tip,
                       Slot slot);
    void openSession();
    void openSessionFile(const QString& path);
    void takeFiles(const QStringList& files);
    void saveSession();
    void saveSessionAs();
    void saveTo(const QString& path);
    void toggleSending();
    void copyCommand();
    void focusPage();
    void showPage(QWidget* page);
    void showKeys();
    void showManual();
    void showAbout();
    void showFailure(const QString& title, const Error& error);
    bool mayClose();
    Session lastSession();
    Session session() const { return {send_->settings(), view_->settings()}; }
    void setSession(const Session& session);
    void followSending();

    QTabWidget* pages_;
    SendPage* send_;
    ViewPage* view_;
    KeyPage* keys_;
    WallPage* wall_;
    QAction* openAction_ = nullptr;
    QAction* sendAction_ = nullptr;
    bool ask_ = true;
    QString file_;  // the session's; empty until opened or saved
};

}  // namespace verbcast
