// Asks for the address of a sender, or for one to wait at.
#pragma once

#include <QDialog>

#include "core/transport/url.h"

class QComboBox;
class QLabel;
class QPushButton;
class QRadioButton;

namespace verbcast {

class ConnectDialog : public QDialog {
    Q_OBJECT
  public:
    /// Starts with the address in use.
    ConnectDialog(const Url& current, bool listen, QWidget* parent = nullptr);

    /// Valid after accept().
    const Url& url() const { return url_; }
    bool listen() const;

  private:
    void validate();
    QWidget* makeExamples();

    QComboBox* address_;
    QRadioButton* connect_;
    QRadioButton* listen_;
    QLabel* problem_;
    QPushButton* go_;
    Url url_;
};

}  // namespace verbcast
