#include "app/window/main/sender_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/base/error.h"

namespace verbcast {

SenderProcess::SenderProcess(QObject* parent) : ChildProgram(parent) {
    connect(this, &SenderProcess::ended, this, [this] {
        if (statsRead_) {
            readStats();
        }
        statsReady_.reset();
        statsRead_.reset();
    });
}

void SenderProcess::newPreviewUrl() {
    previewUrl_ = fmt::format("shm://verbcast-window-{}-{}", ::getpid(), ++starts_);
}

void SenderProcess::send(const SendSettings& settings) {
    checkCommand(sendCommand(settings));
    newPreviewUrl();
    openStats();
    start(sendCommand(settings, Watch{statsWrite_.get(), previewUrl_}), statsWrite_.get(), Key::OfEnvironment,
          settings.source == SourceKind::File ? Input::Written : Input::None);
    statsWrite_.reset();  // leaves the only write end to the child
}

void SenderProcess::preview(const SendSettings& settings) {
    checkCommand(previewWords(settings));
    newPreviewUrl();
    // Only this window watches, and it has no key.
    start(previewCommand(settings, previewUrl_), -1, Key::None);
}

Words SenderProcess::previewWords(const SendSettings& settings) {
    return previewCommand(settings, "shm://preview");
}

void SenderProcess::openStats() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throwErrno(ErrorKind::Resource, "pipe2", "the sender's statistics", errno);
    }
    statsRead_.reset(ends[0]);
    statsWrite_.reset(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    partial_.clear();
    statsReady_ = std::make_unique<QSocketNotifier>(ends[0], QSocketNotifier::Read);
    connect(statsReady_.get(), &QSocketNotifier::activated, this, &SenderProcess::readStats);
}

void SenderProcess::readStats() {
    // Some of it: the notifier calls again while there is more.
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(statsRead_.get(), buffer.data(), buffer.size());
    if (got > 0) {
        partial_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0) {
        statsReady_->setEnabled(false);
    }
    for (std::size_t end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n')) {
        const std::string_view line = std::string_view(partial_).substr(0, end);
        if (const auto read = senderStatsFromLine(line)) {
            Q_EMIT stats(*read);
        } else if (const auto news = pairingNews(line)) {
            Q_EMIT pairing(*news);
        } else if (const auto place = playbackNews(line)) {
            Q_EMIT playback(*place);
        }
        partial_.erase(0, end + 1);
    }
}

}  // namespace verbcast
