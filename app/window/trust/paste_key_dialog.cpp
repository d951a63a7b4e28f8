#include "app/window/trust/paste_key_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>

#include "app/window/parts/form.h"
#include "app/window/style/theme.h"
#include "app/window/trust/key_field.h"
#include "core/base/error.h"
#include "core/session/trust/session_key.h"

namespace verbcast {

PasteKeyDialog::PasteKeyDialog(const QString& target, QWidget* parent)
    : QDialog(parent), text_(new QLineEdit(this)), problem_(new QLabel(this)) {
    setWindowTitle(tr("Verbcast - Paste a key"));
    text_->setEchoMode(QLineEdit::Password);
    text_->setAccessibleName(tr("Key"));
    text_->setMinimumWidth(theme::line() * 26);
    auto* label = new QLabel(tr("&Key, as the other machine copied it"), this);
    label->setBuddy(text_);
    auto* visible = new QCheckBox(tr("&Show it"), this);
    problem_->setWordWrap(true);
    problem_->setMinimumHeight(theme::line() * 5 / 2);
    problem_->setAlignment(Qt::AlignTop);
    problem_->setAccessibleName(tr("Problem with the key"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    keep_ = buttons->addButton(tr("Keep it"), QDialogButtonBox::AcceptRole);
    keep_->setDefault(true);
    QLabel* place =
        mutedLabel(tr("It will be kept in %1, which only you can read.").arg(shortPath(target)), this);
    layOutDialog(*this, {label, text_, visible, problem_, place, Part::space(theme::line() / 2), buttons});
    connect(text_, &QLineEdit::textChanged, this, &PasteKeyDialog::check);
    connect(visible, &QCheckBox::toggled, this,
            [this](bool shown) { text_->setEchoMode(shown ? QLineEdit::Normal : QLineEdit::Password); });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    text_->setFocus();
    check();
}

std::string PasteKeyDialog::secret() const {
    return text_->text().trimmed().toStdString();
}

void PasteKeyDialog::check() {
    QString problem;
    if (secret().empty()) {
        problem = tr("Paste it here (Ctrl+V).");
    } else {
        try {
            static_cast<void>(SessionKey::fromSecret(secret(), "this field"));
        } catch (const Error& error) {
            problem = errorMessage(error).text + '.';
        }
    }
    problem_->setText(problem);
    theme::setTone(*problem_, secret().empty() ? theme::Tone::Muted : theme::Tone::Warning);
    keep_->setEnabled(problem.isEmpty());
}

}  // namespace verbcast
