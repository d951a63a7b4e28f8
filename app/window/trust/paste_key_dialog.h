// Takes a key as text, hidden unless the user asks to see it.
#pragma once

#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <string>

namespace verbcast {

class PasteKeyDialog : public QDialog {
    Q_OBJECT
  public:
    /// `target`: where the key will be stored.
    explicit PasteKeyDialog(const QString& target, QWidget* parent = nullptr);

    /// Valid after accept().
    std::string secret() const;

  private:
    void check();

    QLineEdit* text_;
    QLabel* problem_;
    QPushButton* keep_;
};

}  // namespace verbcast
