// Shows a key as a QR code, for a machine that has a camera but no network yet.
#pragma once

#include <QDialog>
#include <QImage>
#include <QLabel>
#include <QTimer>
#include <string>

namespace verbcast {

/// One pixel per module, black on white, with the quiet zone of four modules that readers need. Throws
/// Error{Usage} if the text does not fit into a code.
QImage qrCode(const std::string& text);

/// Closes by itself: a key should not stay on the screen.
class QrCodeDialog : public QDialog {
    Q_OBJECT
  public:
    /// Throws as qrCode() does.
    QrCodeDialog(const std::string& secret, const QString& title, QWidget* parent = nullptr);

  private:
    void countDown();

    QLabel* remaining_;
    QTimer second_;
    int seconds_ = 60;
};

}  // namespace verbcast
