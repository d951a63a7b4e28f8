#include "app/window/parts/hint_list.h"

#include <QPainter>

#include "app/window/style/theme.h"

namespace verbcast {

HintList::HintList(const QString& hint, QWidget* parent) : QListWidget(parent), hint_(hint) {
    setAccessibleDescription(hint);
}

void HintList::paintEvent(QPaintEvent* event) {
    QListWidget::paintEvent(event);
    if (count() == 0) {
        const int margin = theme::line();
        QPainter painter(viewport());
        painter.setPen(theme::colours().muted);
        painter.drawText(viewport()->rect().adjusted(margin, margin, -margin, -margin),
                         Qt::AlignCenter | Qt::TextWordWrap, hint_);
    }
}

}  // namespace verbcast
