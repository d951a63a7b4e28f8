#include "app/commands/pipe/process/group_guard.h"

#include <unistd.h>

#include <csignal>

namespace verbcast {

GroupGuard::GroupGuard(int input) : guard_("a guard for the command", &watch, input) {}

void GroupGuard::watch(int line, int input) {
    bool released = false;
    for (Message told{}; hear(line, std::as_writable_bytes(std::span(&told, 1)));) {
        if (told == Message::EndInput) {
            ::close(input);
        } else {
            released = true;
        }
    }
    if (!released) {
        ::kill(0, SIGKILL);  // the group, including this process
    }
}

void GroupGuard::tell(Message message) const {
    guard_.tell(std::as_bytes(std::span(&message, 1)));
}

}  // namespace verbcast
