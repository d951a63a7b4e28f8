#include "app/window/problem_panel.h"

#include <QVBoxLayout>

#include "app/window/theme.h"

namespace verbcast {
namespace {

QLabel* textLabel(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);  // it may hold anything that a peer or a file name says
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QString sentence(QString text) {
    if (!text.isEmpty()) {
        text[0] = text[0].toUpper();
    }
    return text;
}

}  // namespace

ProblemPanel::ProblemPanel(QWidget* parent)
    : QFrame(parent), title_(textLabel(this)), text_(textLabel(this)), remedy_(textLabel(this)) {
    setObjectName("problem");
    setAccessibleName("Problem");
    title_->setFont(theme::font(1.0, QFont::DemiBold));
    remedy_->setStyleSheet(QString("color: %1").arg(theme::kMuted.name()));
    auto* column = new QVBoxLayout(this);
    const int line = theme::line();
    column->setContentsMargins(line * 3 / 4, line / 2, line * 3 / 4, line / 2);
    column->setSpacing(line / 4);
    for (QLabel* label : {title_, text_, remedy_}) {
        column->addWidget(label);
    }
    hide();
}

void ProblemPanel::show(const std::optional<Message>& message) {
    shown_ = message;
    setVisible(message.has_value());
    if (!message) {
        return;
    }
    const QString colour = (message->alarming ? theme::kWarning : theme::kLine).name();
    setStyleSheet(QString("#problem { background: %1; border: 1px solid %2; border-left: 3px solid %2; }")
                      .arg(theme::kRaised.name(), colour));
    title_->setText(message->title);
    title_->setStyleSheet(
        QString("color: %1").arg((message->alarming ? theme::kWarning : theme::kText).name()));
    title_->setVisible(!message->title.isEmpty());
    text_->setText(sentence(message->text));
    remedy_->setText(sentence(message->remedy));
    remedy_->setVisible(!message->remedy.isEmpty());
}

}  // namespace verbcast
