// Shows a page's settings as a command, or what is wrong with them.
#pragma once

#include <exception>

#include "app/window/parts/command_bar.h"
#include "app/window/parts/problem_panel.h"
#include "app/window/settings/command_composer.h"

namespace verbcast {

/// In the windows' words. Alarming unless a setting is merely still to be chosen.
Message settingsProblem(const std::exception& error);

/// Shows the command that `compose` returns. Returns false if it throws Error, or the program would refuse
/// the command; then shows why. `keyUsable`: false if the key's field shows what is wrong already.
template <typename Compose>
bool showCommand(CommandBar& bar, ProblemPanel& panel, bool keyUsable, Compose&& compose) {
    bar.setCommand({});
    try {
        const Words words = compose();
        bar.setCommand(QString::fromStdString(shellLine(words)));
        checkCommand(words);
    } catch (const Error& error) {
        panel.show(keyUsable ? std::optional(settingsProblem(error)) : std::nullopt);
        return false;
    }
    panel.show(std::nullopt);
    return true;
}

}  // namespace verbcast
