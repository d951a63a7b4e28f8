// Asks for the one-time code that the other host shows.
#pragma once

#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace verbcast {

/// Belongs to the GUI thread. Stays open until its owner closes it: a code may be rejected.
class PairingDialog : public QDialog {
    Q_OBJECT
  public:
    /// `host`: the host that shows the code, as plain text.
    explicit PairingDialog(const QString& host, QWidget* parent = nullptr);

    /// Reports that the code was wrong or too late, and asks again.
    void refuse(const QString& reason);

  Q_SIGNALS:
    /// In groups: "ABCD-EFGH-JKMN-PQRS-TVWX-YZ23".
    void codeEntered(const QString& code);

  private:
    void onEdited(const QString& text);
    void confirm();

    QLineEdit* code_;
    QLabel* problem_;
    QPushButton* pair_;
};

/// Formats typed or pasted text in capitals and groups of four, without other characters, and cuts it to a
/// code's length.
QString groupedCode(const QString& typed);

}  // namespace verbcast
