// Warnings and errors that the program logs, for its window to show.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QWidget>

namespace verbcast {

/// Receives what any thread logs, except invitations, while it exists. Only one at a time. GUI thread.
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
