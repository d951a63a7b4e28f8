// The sheet that lists keyboard and mouse commands.
#pragma once

#include <QDialog>
#include <QList>
#include <QString>

namespace verbcast {

struct HelpEntry {
    QString keys;
    QString effect;
};

class HelpSheet : public QDialog {
    Q_OBJECT
  public:
    explicit HelpSheet(const QList<HelpEntry>& entries, QWidget* parent = nullptr);

    static QList<HelpEntry> viewerKeys();

  protected:
    void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace verbcast
