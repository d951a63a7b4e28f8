// Asks for the address of a sender, or for one to wait at, and for the key that the two have.
#pragma once

#include <QDialog>

#include "app/window/trust/key_field.h"
#include "core/transport/url.h"

class QComboBox;
class QRadioButton;

namespace verbcast {

class ConnectDialog : public QDialog {
    Q_OBJECT
  public:
    /// For another stream in the place of one, or for one more.
    enum class Purpose { Replace, Add };
    /// Starts with the address and the key file (empty: none) in use; with no address to add one.
    ConnectDialog(const Url& current, bool listen, const QString& keyFile, QWidget* parent = nullptr,
                  Purpose purpose = Purpose::Replace);

    /// Valid after accept().
    const Url& url() const { return url_; }
    bool listen() const;
    QString keyFile() const { return key_->file(); }

  private:
    void validate();
    QWidget* makeExamples();

    QComboBox* address_;
    QRadioButton* connect_;
    QRadioButton* listen_;
    QLabel* problem_;
    KeyField* key_;
    QPushButton* go_;
    Url url_;
};

}  // namespace verbcast
