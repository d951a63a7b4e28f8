// Asks for the one-time code that the other host shows.
#pragma once

#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace verbcast {

/// Belongs to the GUI thread. Stays open until its owner closes it: a code may be refused.
class PairingDialog : public QDialog {
    Q_OBJECT
  public:
    /// `host`: where the code is shown, as plain text.
    explicit PairingDialog(const QString& host, QWidget* parent = nullptr);

    /// The code was wrong or too late: says so, and asks again.
    void refuse(const QString& reason);

  Q_SIGNALS:
    /// In its groups: "ABCD-EFGH-JKMN-PQRS-TVWX-YZ23".
    void codeEntered(const QString& code);

  private:
    void onEdited(const QString& text);
    void confirm();

    QLineEdit* code_;
    QLabel* problem_;
    QPushButton* pair_;
};

/// What was typed or pasted, in capitals and groups of four, without anything else, and not more than a code
/// has.
QString groupedCode(const QString& typed);

}  // namespace verbcast
