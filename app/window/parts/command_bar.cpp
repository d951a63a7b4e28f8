#include "app/window/parts/command_bar.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QToolTip>

#include "app/window/parts/form.h"
#include "app/window/style/theme.h"

namespace verbcast {

CommandBar::CommandBar(QWidget* parent)
    : QWidget(parent), line_(new QLineEdit(this)), copy_(new QToolButton(this)) {
    line_->setReadOnly(true);
    line_->setAccessibleName(tr("Command line"));
    line_->setToolTip(tr(
        "The command that this page runs; the window adds only options to monitor it and to control files"));
    line_->setPlaceholderText(tr("no command yet: see what is missing"));
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(theme::font(0.95).pointSizeF());
    line_->setFont(fixed);
    copy_->setText(tr("&Copy"));
    copy_->setFocusPolicy(Qt::StrongFocus);
    copy_->setToolTip(tr("Copy the command line (Ctrl+Shift+C)"));
    setLayout(rowOf(theme::line() / 2, {Part(line_, 1), copy_}));
    connect(copy_, &QToolButton::clicked, this, &CommandBar::copy);
}

void CommandBar::setCommand(const QString& line) {
    if (line_->text() != line) {
        line_->setText(line);
        line_->setCursorPosition(0);
    }
    copy_->setEnabled(!line.isEmpty());
}

void CommandBar::setExplanation(const QString& text) {
    line_->setToolTip(text);
}

void CommandBar::copy() {
    if (!line_->text().isEmpty()) {
        QGuiApplication::clipboard()->setText(line_->text());
        QToolTip::showText(copy_->mapToGlobal(QPoint(0, -2 * theme::line())), tr("Copied"), copy_);
    }
}

}  // namespace verbcast
