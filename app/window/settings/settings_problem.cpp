#include "app/window/settings/settings_problem.h"

#include <QCoreApplication>

#include "app/window/parts/window_words.h"

namespace verbcast {

Message settingsProblem(const std::exception& error) {
    Message message = inWindowWords(errorMessage(error));
    message.alarming = dynamic_cast<const MissingSetting*>(&error) == nullptr;
    message.title = message.alarming
                        ? QCoreApplication::translate("verbcast::SettingsProblem", "Check these settings")
                        : QString();
    return message;
}

}  // namespace verbcast
