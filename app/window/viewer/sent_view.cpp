#include "app/window/viewer/sent_view.h"

#include <algorithm>

#include "app/commands/compose/mosaic/changes.h"

namespace verbcast {

SentView::SentView(QObject* parent) : QObject(parent) {
    connect(&program_, &ChildProgram::said, this, [this](const QString& line) {
        if (const QString address = addressSaid(line); !address.isEmpty() && address != address_) {
            address_ = address;
            Q_EMIT news(tr("This view is sent: viewers open %1").arg(address_));
        }
    });
    connect(&program_, &ChildProgram::ended, this, [this](const ChildEnd& end) {
        address_.clear();
        Q_EMIT news(end.problem ? end.problem->text : tr("This view is no longer sent"));
    });
}

bool SentView::canSend(const ViewSettings& view, std::size_t streams) {
    const auto words = static_cast<std::size_t>(std::ranges::count(view.address, ' ') + 1);
    return !view.listen && !view.address.empty() && words == streams &&
           mosaic::isForMosaics(layoutNamed(view.layout));
}

void SentView::start(const ViewSettings& view, std::size_t focus, PictureSize size) {
    const Words words = composeCommand(view, focus, size);
    checkCommand(words);
    shown_ = view;
    focus_ = focus;
    program_.start(words, -1, ChildProgram::Key::OfEnvironment, ChildProgram::Input::Written);
}

void SentView::follow(const ViewSettings& view, std::size_t focus) {
    if (!running() || address_.isEmpty()) {
        return;
    }
    if (view.layout != shown_.layout && mosaic::isForMosaics(layoutNamed(view.layout))) {
        send("layout " + view.layout);
        shown_.layout = view.layout;
    }
    if (view.panes != shown_.panes && !view.panes.empty()) {
        send("panes " + view.panes);
        shown_.panes = view.panes;
    }
    if (focus != focus_) {
        send("focus " + std::to_string(focus));
        focus_ = focus;
    }
}

void SentView::send(const std::string& line) {
    program_.write(QByteArray::fromStdString(line + "\n"));
}

}  // namespace verbcast
