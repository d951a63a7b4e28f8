// Asks for the address of a sender, or for one to wait at.
#pragma once

#include <QDialog>
#include <QStringList>

#include "core/transport/url.h"

class QComboBox;
class QLabel;
class QPushButton;
class QRadioButton;

namespace verbcast {

class ConnectDialog : public QDialog {
    Q_OBJECT
  public:
    static constexpr int kMaxRecent = 10;

    /// Starts with the address in use.
    ConnectDialog(const Url& current, bool listen, QWidget* parent = nullptr);

    /// Valid after accept().
    const Url& url() const { return url_; }
    bool listen() const;

    /// Addresses that were connected to, newest first; kept in the user's settings.
    static QStringList recentAddresses();
    static void rememberAddress(const QString& address);

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
