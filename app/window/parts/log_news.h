// What the program logs as warnings and errors, for its window to say, too.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QWidget>

namespace verbcast {

/// Hears what any thread logs, from its construction on, but for invitations; one at a time. GUI thread.
class LogNews : public QObject {
    Q_OBJECT
  public:
    explicit LogNews(QObject* parent = nullptr);
    ~LogNews() override;

    /// The newest 200, oldest first: "19:02:11  the text".
    const QStringList& lines() const { return lines_; }
    /// Shows them in a dialog, from which they can be copied.
    void showAll(QWidget* parent) const;

  Q_SIGNALS:
    /// In the windows' words.
    void said(const QString& text);

  private:
    void add(const QString& text);

    QStringList lines_;
};

}  // namespace verbcast
