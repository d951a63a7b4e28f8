#include "app/window/help_sheet.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>

#include "app/window/theme.h"

namespace verbcast {
namespace {

constexpr HelpEntry kViewerKeys[] = {
    {"F, double click", "Fullscreen on and off"},
    {"Esc", "Leave fullscreen"},
    {"0", "Fit the picture to the window"},
    {"1", "One picture pixel per screen pixel"},
    {"Wheel", "Zoom at the cursor"},
    {"Drag", "Move a picture that is larger than the window"},
    {"Space", "Pause the picture; the stream continues"},
    {"S", "Save the picture as PNG, in the size of the stream"},
    {"I", "Stage times: where the time of a frame goes"},
    {"O, Ctrl+O", "Connect to a sender, or wait for one"},
    {"Right Ctrl", "Send keys, mouse and touch to the sender; press again to stop"},
    {"Right Ctrl held", "The keys on this sheet, while input goes to the sender"},
    {"Ctrl+Alt+C", "Copy the code that another host has to type to be paired"},
    {"F1, ?", "This sheet"},
    {"Q, Ctrl+Q", "Quit"},
};

}  // namespace

std::span<const HelpEntry> viewerKeys() {
    return kViewerKeys;
}

HelpSheet::HelpSheet(std::span<const HelpEntry> entries, QWidget* parent) : QDialog(parent) {
    setWindowTitle("Verbcast - Keys");
    auto* grid = new QGridLayout(this);
    const int line = theme::line();
    grid->setContentsMargins(line * 3 / 2, line, line * 3 / 2, line);
    grid->setHorizontalSpacing(line * 2);
    grid->setVerticalSpacing(line / 2);
    auto* title = new QLabel("Keys and mouse", this);
    title->setFont(theme::font(1.3, QFont::DemiBold));
    grid->addWidget(title, 0, 0, 1, 2);
    int row = 1;
    for (const HelpEntry& entry : entries) {
        auto* keys = new QLabel(entry.keys, this);
        keys->setStyleSheet(QString("color: %1").arg(theme::kAccent.name()));
        grid->addWidget(keys, row, 0);
        grid->addWidget(new QLabel(entry.effect, this), row, 1);
        ++row;
    }
    layout()->setSizeConstraint(QLayout::SetFixedSize);
}

void HelpSheet::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_F1 || event->key() == Qt::Key_Question) {
        close();
    } else {
        QDialog::keyPressEvent(event);
    }
}

}  // namespace verbcast
