// The page of keys: shows the key, makes new ones and helps to copy one to the other machine.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>

#include "app/window/parts/command_bar.h"
#include "app/window/parts/problem_panel.h"
#include "app/window/trust/key_field.h"
#include "app/window/trust/padlock.h"
#include "app/window/trust/secret_clipboard.h"

namespace verbcast {

class KeyPage : public QWidget {
    Q_OBJECT
  public:
    explicit KeyPage(QWidget* parent = nullptr);
    void copyCommand() { command_->copy(); }
    void focusFirst() { key_->setFocus(); }

  Q_SIGNALS:
    /// Use the key of this file for sending and viewing.
    void chosen(const QString& file);

  private:
    QWidget* makeForm();
    QWidget* makeCard();
    QWidget* makeResults();
    QWidget* makeSharing();
    QWidget* makeLegend();
    void connectParts();
    void follow();
    void makeNew();
    void importFile();
    void paste();
    void copyKey();
    void showQrCode();
    /// Where an imported key goes: the default file if it does not exist yet, else a file the user chooses.
    /// Empty: cancelled.
    QString targetForImport();
    void keep(const QString& file, const std::string& secret);
    /// Runs `action` and shows its Error, or else what it did.
    template <typename Action>
    void attempt(const QString& failure, Action&& action);

    KeyField* key_;
    QPushButton* new_;
    QPushButton* import_;
    QPushButton* paste_;
    QPushButton* use_;
    PadlockPicture* icon_;
    QLabel* title_;
    QLabel* place_;
    QPushButton* copy_;
    QPushButton* qrCode_;
    QLabel* news_;
    ProblemPanel* problem_;
    QWidget* sharing_;
    CommandBar* command_;
    SecretClipboard clipboard_;
};

}  // namespace verbcast
