#include "app/window/main/sound_inputs.h"

#include <utility>

#include "capture/sound/open_sound_device.h"
#include "core/base/text/clean_text.h"

namespace verbcast {
namespace {

QString shown(const std::string& text) {
    return QString::fromStdString(cleanText(text));
}

QList<Choice> choicesOf(const SoundDevices& found) {
    QList<Choice> choices;
    for (const SoundDevice& device : found.devices) {
        choices.append(
            {shown(device.description), QString::fromStdString(device.name), shown(device.detail)});
    }
    return choices;
}

}  // namespace

void SoundInputs::ask() {
    if (std::exchange(asking_, true)) {
        return;
    }
    thread_ = std::jthread([this] {
        const QList<Choice> choices = choicesOf(soundInputs());
        QMetaObject::invokeMethod(
            this,
            [this, choices] {
                asking_ = false;
                Q_EMIT listed(choices);
            },
            Qt::QueuedConnection);
    });
}

}  // namespace verbcast
