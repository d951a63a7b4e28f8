// Asks for the address of a sender, or one to listen at, and for the shared key.
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
    /// Whether the new stream replaces one or is added.
    enum class Purpose { Replace, Add };
    /// Starts with the current address and key file (empty: none); Purpose::Add starts without an address.
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
