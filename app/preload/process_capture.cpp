#include "app/preload/process_capture.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "core/base/log/log.h"
#include "core/base/os/standard_streams.h"

namespace verbcast {
namespace {

using OwnPointer = std::atomic<ProcessCapture*>;

/// A page that the kernel clears in every forked child; pthread_atfork() handlers run only for fork() itself.
OwnPointer* forgottenByChildren() {
    static constinit std::atomic<OwnPointer*> known{nullptr};
    OwnPointer* page = known.load(std::memory_order_acquire);
    if (page != nullptr) {
        return page;
    }
    const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED || ::madvise(mapped, bytes, MADV_WIPEONFORK) != 0) {
        static constinit OwnPointer inherited{nullptr};
        return &inherited;  // before Linux 4.14
    }
    // Zeros are a null pointer.
    if (known.compare_exchange_strong(page, static_cast<OwnPointer*>(mapped))) {
        return static_cast<OwnPointer*>(mapped);
    }
    ::munmap(mapped, bytes);
    return page;
}

/// The capture lives until the process ends.
SwapCapture* makeCapture() {
    const char* settings = std::getenv(kRunSettingsVariable);
    if (settings == nullptr) {
        return nullptr;
    }
    try {
        const RunSettings read = runSettingsFromJson(settings);
        setVerbosity(read.options.verbosity);
        auto* const made = new SwapCapture(read);
        // Not a library destructor: that would run after other libraries have ended, which threads still use.
        std::atexit([] {
            if (SwapCapture* const own = ProcessCapture::captureIfAny()) {
                own->finish();
            }
        });
        return made;
    } catch (const std::exception& error) {
        printToStderr("verbcast: {}; the program continues, but nothing is sent\n", error.what());
        return nullptr;
    }
}

}  // namespace

thread_local SwapCapture* swapping = nullptr;

void WindowTable::add(std::uint64_t surface, std::uint64_t window, const void* display) {
    const std::lock_guard lock(mutex_);
    windows_[surface] = {window, display};
}

void WindowTable::remove(std::uint64_t surface) {
    const std::lock_guard lock(mutex_);
    windows_.erase(surface);
}

std::vector<std::uint64_t> WindowTable::removeAllOf(const void* display) {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> surfaces;
    std::erase_if(windows_, [&](const auto& shown) {
        const bool its = shown.second.display == display;
        if (its) {
            surfaces.push_back(shown.first);
        }
        return its;
    });
    return surfaces;
}

std::optional<std::uint32_t> WindowTable::find(std::uint64_t surface) const {
    const std::lock_guard lock(mutex_);
    const auto found = windows_.find(surface);
    return found != windows_.end() ? std::optional(xWindow(found->second.window)) : std::nullopt;
}

ProcessCapture* ProcessCapture::ownIfAny() {
    return forgottenByChildren()->load(std::memory_order_acquire);
}

ProcessCapture& ProcessCapture::own() {
    ProcessCapture* known = ownIfAny();
    if (known == nullptr) {
        auto* const made = new ProcessCapture;
        if (forgottenByChildren()->compare_exchange_strong(known, made)) {
            return *made;
        }
        delete made;
    }
    return *known;
}

SwapCapture* ProcessCapture::capture() {
    std::call_once(made_, [this] { capture_ = makeCapture(); });
    return capture_;
}

SwapCapture* ProcessCapture::captureIfAny() {
    ProcessCapture* const own = ownIfAny();
    return own != nullptr ? own->capture_.load() : nullptr;
}

void closed(std::uint64_t surface) {
    if (ProcessCapture* const own = ProcessCapture::ownIfAny()) {
        own->windows().remove(surface);
    }
    if (SwapCapture* const made = ProcessCapture::captureIfAny()) {
        made->closed(surface);
    }
}

void displayEnded(const void* display) {
    ProcessCapture* const own = ProcessCapture::ownIfAny();
    SwapCapture* const made = ProcessCapture::captureIfAny();
    if (own != nullptr) {
        const std::vector<std::uint64_t> surfaces = own->windows().removeAllOf(display);
        if (made != nullptr) {
            made->displayEnded(surfaces);
        }
    }
}

void contextDestroyed(const void* context) {
    if (SwapCapture* const made = ProcessCapture::captureIfAny()) {
        made->contextDestroyed(context);
    }
}

}  // namespace verbcast
