// The sheet that lists keys and mouse.
#pragma once

#include <QDialog>
#include <span>

namespace verbcast {

struct HelpEntry {
    const char* keys;
    const char* effect;
};

/// The viewer's.
std::span<const HelpEntry> viewerKeys();

class HelpSheet : public QDialog {
    Q_OBJECT
  public:
    explicit HelpSheet(std::span<const HelpEntry> entries, QWidget* parent = nullptr);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace verbcast
