#include "app/window/desktop/exit_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <QSocketNotifier>
#include <cerrno>
#include <csignal>

#include "app/host/interrupt.h"
#include "core/base/error.h"

namespace verbcast {

ExitSignalBlock::ExitSignalBlock() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM}) {
        if (!isIgnored(signal)) {
            sigaddset(&signals, signal);
        }
    }
    if (const int code = pthread_sigmask(SIG_BLOCK, &signals, nullptr); code != 0) {
        throwErrno(ErrorKind::Internal, "pthread_sigmask", "SIGINT, SIGTERM", code);
    }
    fd_.reset(signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!fd_) {
        throwErrno(ErrorKind::Resource, "signalfd", "SIGINT, SIGTERM", errno);
    }
}

ExitSignals::ExitSignals(const ExitSignalBlock& block, QObject* parent) : QObject(parent) {
    auto* notifier = new QSocketNotifier(block.descriptor(), QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, [this, fd = block.descriptor()] {
        signalfd_siginfo info;
        while (::read(fd, &info, sizeof info) == sizeof info) {
        }
        Q_EMIT requested();
    });
}

}  // namespace verbcast
