// Chooses a key file and reports problems with it.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>

#include "app/window/parts/choice_combo.h"
#include "app/window/trust/key_file_watch.h"

namespace verbcast {

/// The default key, another file, or none. The key itself cannot be typed here: it would end up on command
/// lines and in settings.
class KeyField : public QWidget {
    Q_OBJECT
  public:
    enum class None { Allowed, No };
    explicit KeyField(None none, QWidget* parent = nullptr);

    QString file() const { return watch_.file(); }
    void setFile(const QString& file);
    const std::optional<Message>& problem() const { return watch_.problem(); }
    /// Shows the problem; place it in the row below this field.
    QLabel* problemLabel() { return problem_; }

  Q_SIGNALS:
    /// Another file was chosen, or the file itself changed.
    void changed();

  private:
    void listChoices();
    void browse();
    void follow();

    bool mayBeNone_;
    ChoiceCombo* choice_;
    QPushButton* browse_;
    QLabel* problem_;
    KeyFileWatch watch_;
};

/// Abbreviates the home folder to "~".
QString shortPath(const QString& path);
/// defaultKeyFile(), or empty without a home folder.
QString defaultKeyPath();

}  // namespace verbcast
