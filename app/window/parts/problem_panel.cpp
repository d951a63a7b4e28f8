#include "app/window/parts/problem_panel.h"

#include "app/window/parts/core_words.h"
#include "app/window/parts/form.h"
#include "app/window/style/theme.h"

namespace verbcast {

ProblemPanel::ProblemPanel(QWidget* parent)
    : QFrame(parent), title_(plainLabel(this)), text_(plainLabel(this)), remedy_(plainLabel(this)) {
    setAccessibleName(tr("Problem"));
    title_->setFont(theme::font(1.0, QFont::DemiBold));
    theme::setTone(*remedy_, theme::Tone::Muted);
    const int line = theme::line();
    QVBoxLayout* column = columnOf(line / 4, {title_, text_, remedy_});
    column->setContentsMargins(line * 3 / 4, line / 2, line * 3 / 4, line / 2);
    setLayout(column);
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
