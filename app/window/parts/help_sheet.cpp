#include "app/window/parts/help_sheet.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "app/window/style/theme.h"

namespace verbcast {

QList<HelpEntry> HelpSheet::viewerKeys() {
    return {
        {tr("F, double click"), tr("Fullscreen on and off")},
        {tr("Esc"), tr("Leave fullscreen")},
        {"0", tr("Fit the picture to the window")},
        {tr("P, 1"), tr("One picture pixel per screen pixel (with several streams only P)")},
        {tr("Wheel"), tr("Zoom at the cursor")},
        {tr("Drag"), tr("Move a picture that is larger than the window; free layout: move the pane, or scale "
                        "it at a corner")},
        {tr("Space"), tr("Pause the picture; the stream continues")},
        {"S", tr("Save the picture as PNG, in the size of the stream")},
        {"I", tr("Stage times: where a frame's time is spent")},
        {"W", tr("Waveform: the brightness, or the colours, of each column of the picture")},
        {tr("M, Up, Down"), tr("Sound off and on; louder, quieter")},
        {"V", tr("Level meters: the peak of each channel of the sound")},
        {"H", tr("Hide the strip below the picture, show it again")},
        {tr("1 to 9"), tr("With several streams: this one alone; press again for all")},
        {tr("Tab, click"), tr("With several streams: the one that input, statistics and keys are for")},
        {"L", tr("With several streams: the next layout")},
        {"E", tr("With a stereo pair: swap the eyes")},
        {tr("O, Ctrl+O"), tr("Connect to a sender, or wait for one")},
        {tr("A, Del"), tr("Add a stream; remove the one in focus")},
        {tr("Drop, right button"), tr("Add the addresses that are dropped, send a film; a menu of all this")},
        {tr("PgUp, PgDown, +, -, B"), tr("Free layout: to the front, to the back, opacity, its own alpha")},
        {tr("Ctrl+S"), tr("Save the streams and their layout as a session")},
        {"Ctrl+R", tr("Record every frame of the stream into a file, stop recording")},
        {tr("Right Ctrl, Ctrl+Alt+I"), tr("Send keys, mouse and touch to the sender; press again to stop")},
        {tr("Right Ctrl held"), tr("The keys on this sheet, while input goes to the sender")},
        {tr("Ctrl+Alt+C"), tr("Copy the code that another host has to type to be paired")},
        {tr("F1, ?"), tr("This sheet")},
        {tr("Q, Ctrl+Q"), tr("Quit")},
    };
}

HelpSheet::HelpSheet(const QList<HelpEntry>& entries, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Verbcast - Shortcuts"));
    const int line = theme::line();
    auto* rows = new QWidget(this);
    auto* grid = new QGridLayout(rows);
    grid->setContentsMargins(0, 0, line, 0);
    grid->setHorizontalSpacing(line * 2);
    grid->setVerticalSpacing(line / 2);
    auto* title = new QLabel(tr("Keys and mouse"), this);
    title->setFont(theme::font(1.3, QFont::DemiBold));
    int row = 0;
    for (const HelpEntry& entry : entries) {
        auto* keys = new QLabel(entry.keys, rows);
        theme::setTone(*keys, theme::Tone::Accent);
        grid->addWidget(keys, row, 0);
        grid->addWidget(new QLabel(entry.effect, rows), row, 1);
        ++row;
    }
    auto* list = new QScrollArea(this);
    list->setWidget(rows);
    list->setWidgetResizable(true);
    list->setFrameShape(QFrame::NoFrame);
    list->setAccessibleName(title->text());
    list->setMinimumWidth(rows->sizeHint().width() + list->verticalScrollBar()->sizeHint().width());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(line * 3 / 2, line, line / 2, line);
    column->setSpacing(line / 2);
    column->addWidget(title);
    column->addWidget(list);
    const int around = sizeHint().height() - list->sizeHint().height();
    setFixedSize(
        QSize(sizeHint().width(), rows->sizeHint().height() + around).boundedTo(theme::roomForWindow()));
}

void HelpSheet::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_F1 || event->key() == Qt::Key_Question) {
        close();
    } else {
        QDialog::keyPressEvent(event);
    }
}

}  // namespace verbcast
