#include "app/window/trust/pairing_dialog.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QFontMetrics>
#include <QSignalBlocker>

#include "app/window/parts/form.h"
#include "app/window/style/theme.h"

namespace verbcast {
namespace {

constexpr int kGroups = 6;
constexpr int kLettersInGroup = 4;
constexpr int kLetters = kGroups * kLettersInGroup;
const QString kWidest = QStringLiteral("WWWW-WWWW-WWWW-WWWW-WWWW-WWWW");

QString lettersOf(const QString& text) {
    QString letters;
    for (const QChar each : text.toUpper()) {
        if (each.unicode() < 128 && each.isLetterOrNumber() && letters.size() < kLetters) {
            letters += each;
        }
    }
    return letters;
}

}  // namespace

QString groupedCode(const QString& typed) {
    const QString letters = lettersOf(typed);
    QStringList groups;
    for (qsizetype at = 0; at < letters.size(); at += kLettersInGroup) {
        groups << letters.mid(at, kLettersInGroup);
    }
    return groups.join('-');
}

PairingDialog::PairingDialog(const QString& host, QWidget* parent)
    : QDialog(parent), code_(new QLineEdit(this)), problem_(new QLabel(this)) {
    setWindowTitle(tr("Verbcast - Pair"));
    auto* label = new QLabel(tr("This code is shown at %1:").arg(host), this);
    label->setTextFormat(Qt::PlainText);
    label->setBuddy(code_);
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(theme::font(1.5).pointSizeF());
    code_->setFont(font);
    code_->setMinimumWidth(QFontMetrics(font).horizontalAdvance(kWidest) + theme::line() * 2);
    code_->setPlaceholderText("XXXX-XXXX-XXXX-XXXX-XXXX-XXXX");
    code_->setAccessibleName(tr("Code"));
    problem_->setWordWrap(true);
    problem_->setTextFormat(Qt::PlainText);
    problem_->setMinimumHeight(theme::line() * 2);
    problem_->setAlignment(Qt::AlignTop);
    problem_->setAccessibleName(tr("Problem with the code"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    pair_ = buttons->addButton(tr("Pair"), QDialogButtonBox::ActionRole);
    pair_->setDefault(true);
    pair_->setEnabled(false);
    QLabel* outcome =
        mutedLabel(tr("Both machines then keep a key for each other, and will not ask again."), this);
    layOutDialog(*this, {label, code_, problem_, outcome, Part::space(theme::line() / 2), buttons});
    connect(code_, &QLineEdit::textEdited, this, &PairingDialog::onEdited);
    connect(pair_, &QPushButton::clicked, this, &PairingDialog::confirm);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    code_->setFocus();
}

void PairingDialog::onEdited(const QString& text) {
    // Keep the cursor behind the same letter, whatever dashes come before it.
    const qsizetype before = groupedCode(text.left(code_->cursorPosition())).size();
    const QString grouped = groupedCode(text);
    code_->setText(grouped);
    code_->setCursorPosition(static_cast<int>(before));
    problem_->clear();
    pair_->setEnabled(lettersOf(grouped).size() == kLetters);
}

void PairingDialog::confirm() {
    pair_->setEnabled(false);  // until there is an answer
    Q_EMIT codeEntered(code_->text());
}

void PairingDialog::refuse(const QString& reason) {
    pair_->setEnabled(true);
    problem_->setText(reason);
    theme::setTone(*problem_, theme::Tone::Warning);
    code_->selectAll();
    code_->setFocus();
}

}  // namespace verbcast
