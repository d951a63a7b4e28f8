#include "app/window/parts/problem_panel.h"

#include <QVBoxLayout>

#include "app/window/parts/core_words.h"
#include "app/window/style/theme.h"

namespace verbcast {
namespace {

QLabel* textLabel(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);  // it may contain text from a peer or a file name
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

ProblemPanel::ProblemPanel(QWidget* parent)
    : QFrame(parent), title_(textLabel(this)), text_(textLabel(this)), remedy_(textLabel(this)) {
    setAccessibleName(tr("Problem"));
    title_->setFont(theme::font(1.0, QFont::DemiBold));
    theme::setTone(*remedy_, theme::Tone::Muted);
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
    theme::setFrame(*this, theme::Frame::Note);
    theme::setTone(*this, message->alarming ? theme::Tone::Warning : theme::Tone::Quiet);
    title_->setText(message->title);
    theme::setTone(*title_, message->alarming ? theme::Tone::Warning : theme::Tone::Text);
    title_->setVisible(!message->title.isEmpty());
    text_->setText(sentence(message->text));
    remedy_->setText(sentence(message->remedy));
    remedy_->setVisible(!message->remedy.isEmpty());
}

}  // namespace verbcast
