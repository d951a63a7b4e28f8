// Asks for the address of a sender, or one to listen at, and for the shared key.
#pragma once

#include <QDialog>
#include <optional>

#include "app/window/trust/key_field.h"
#include "core/session/session_address.h"

class QComboBox;
class QRadioButton;

namespace verbcast {

class ConnectDialog : public QDialog {
    Q_OBJECT
  public:
    /// Whether the new stream replaces one or is added.
    enum class Purpose { Replace, Add };
    /// Starts with this address, if any, and this key file (empty: none).
    ConnectDialog(const std::optional<SessionAddress>& current, const QString& keyFile,
                  QWidget* parent = nullptr, Purpose purpose = Purpose::Replace);

    /// Valid after accept(): its URLs, and whether to wait there.
    const SessionAddress& address() const { return chosen_; }
    QString keyFile() const { return key_->file(); }

  private:
    bool listen() const;
    void validate();
    QWidget* makeExamples();

    QComboBox* address_;
    QRadioButton* connect_;
    QRadioButton* listen_;
    QLabel* problem_;
    KeyField* key_;
    QPushButton* go_;
    SessionAddress chosen_;
};

}  // namespace verbcast
