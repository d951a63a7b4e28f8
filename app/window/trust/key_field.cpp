#include "app/window/trust/key_field.h"

#include <QDir>
#include <QFileDialog>

#include "app/commands/key/key_file.h"
#include "app/window/parts/form.h"
#include "app/window/style/theme.h"
#include "core/base/error.h"
#include "core/session/trust/session_key.h"

namespace verbcast {

QString shortPath(const QString& path) {
    const QString home = QDir::homePath();
    return path.startsWith(home + '/') ? "~" + path.mid(home.size()) : path;
}

QString defaultKeyPath() {
    try {
        return QString::fromStdString(defaultKeyFile());
    } catch (const Error&) {
        return {};
    }
}

KeyField::KeyField(None none, QWidget* parent)
    : QWidget(parent),
      mayBeNone_(none == None::Allowed),
      choice_(new ChoiceCombo(tr("Key"), tr("The secret that both ends share; anyone without it is kept out"),
                              ChoiceCombo::Typing::No, this)),
      browse_(buttonFor(this, &KeyField::browse, tr("Browse..."), tr("Choose a key file"))),
      problem_(plainLabel(this)) {
    theme::setTone(*problem_, theme::Tone::Warning);
    problem_->setAccessibleName(tr("Problem with the key"));
    problem_->hide();
    setFocusProxy(choice_);
    setToolTip(choice_->toolTip());
    setLayout(rowOf(theme::line() / 3, {Part(choice_, 1), browse_}));
    listChoices();
    if (!mayBeNone_) {
        watch_.setFile(choice_->value());
    }
    follow();
    connect(choice_, &ChoiceCombo::valueChanged, this, [this] { watch_.setFile(choice_->value()); });
    connect(&watch_, &KeyFileWatch::changed, this, &KeyField::follow);
}

void KeyField::listChoices() {
    QList<Choice> choices;
    if (mayBeNone_) {
        const char* given = std::getenv(kKeyVariable);
        const bool fromEnvironment = given != nullptr && *given != '\0';
        choices.append(fromEnvironment ? Choice{tr("That of %1").arg(kKeyVariable), ""}
                                       : Choice{tr("None"), "", tr("Only this machine, and paired hosts")});
    }
    const QString standard = defaultKeyPath();
    if (!standard.isEmpty()) {
        choices.append({tr("Default key"), standard, standard});
    }
    const QString file = watch_.file();
    if (!file.isEmpty() && file != standard) {
        choices.append({shortPath(file), file, file});
    }
    choice_->setChoices(choices);
}

void KeyField::setFile(const QString& file) {
    watch_.setFile(file);
    listChoices();
    choice_->setValue(file);
}

void KeyField::browse() {
    const QString start = file().isEmpty() ? defaultKeyPath() : file();
    const QString path = QFileDialog::getOpenFileName(window(), tr("Verbcast - Choose a key file"), start);
    if (!path.isEmpty()) {
        setFile(path);
    }
}

void KeyField::follow() {
    choice_->setToolTip(file().isEmpty() ? toolTip() : toolTip() + "\n" + file());
    const auto& problem = watch_.problem();
    problem_->setVisible(problem.has_value());
    if (problem) {
        problem_->setText(
            tr("%1.\nTry: %2").arg(problem->text, problem->remedy).replace(QDir::homePath() + '/', "~/"));
    }
    Q_EMIT changed();
}

}  // namespace verbcast
