#include "core/base/log/log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/log/peer_log.h"
#include "core/base/text/clean_text.h"

namespace verbcast {
namespace {

constexpr std::array<std::string_view, 13> kCategories{"general", "memory", "session", "stream", "tcp",
                                                       "shm",     "rdma",   "verbs",   "ofi",    "pipe",
                                                       "capture", "render", "window"};
static_assert(kCategories.size() == static_cast<std::size_t>(LogCategory::Window) + 1);

/// Where all loggers write: forwards to a sink that may be replaced at any time. base_sink locks. Messages
/// may contain text from peers.
class Outlet final : public spdlog::sinks::base_sink<std::mutex> {
  public:
    void redirect(spdlog::sink_ptr target) {
        const std::lock_guard lock(mutex_);
        target_ = std::move(target);
    }
    void copyTo(spdlog::sink_ptr second) {
        const std::lock_guard lock(mutex_);
        second_ = std::move(second);
    }

  private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        const bool copied = second_ && second_->should_log(message.level);
        if (!target_ && !copied) {
            return;
        }
        const std::string text = cleanLine({message.payload.data(), message.payload.size()});
        spdlog::details::log_msg clean = message;
        clean.payload = text;
        if (target_) {
            target_->log(clean);
        }
        if (copied) {
            second_->log(clean);
        }
    }
    void flush_() override {
        if (target_) {
            target_->flush();
        }
    }

    spdlog::sink_ptr target_;
    spdlog::sink_ptr second_;
};

constexpr const char* kPlain = "verbcast: %^%l%$: %v";
/// ISO 8601 with milliseconds, and the category.
constexpr const char* kStamped = "%Y-%m-%dT%H:%M:%S.%e%z [%n] verbcast: %^%l%$: %v";

struct Loggers {
    std::shared_ptr<Outlet> outlet = std::make_shared<Outlet>();
    std::vector<spdlog::logger> all;  // indexed by category

    Loggers() {
        for (const std::string_view name : kCategories) {
            spdlog::logger& made = all.emplace_back(std::string(name), outlet);
            made.set_level(spdlog::level::warn);
            // By default spdlog reports on stderr a message that could not be written.
            made.set_error_handler([](const std::string&) {});
        }
    }
};

/// Never destroyed: threads of a program that calls exit() may still log.
Loggers& loggers() {
    static auto& made = *new Loggers;
    return made;
}

/// Throws Error{Usage}. spdlog's own function takes any unknown word to mean "off".
spdlog::level::level_enum levelNamed(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, spdlog::level::level_enum>, 5> kLevels{{
        {"debug", spdlog::level::debug},
        {"info", spdlog::level::info},
        {"warn", spdlog::level::warn},
        {"error", spdlog::level::err},
        {"off", spdlog::level::off},
    }};
    for (const auto& [known, level] : kLevels) {
        if (known == name) {
            return level;
        }
    }
    throw Error(ErrorKind::Usage, fmt::format("{}: no such log level", name),
                "one of debug, info, warn, error, off");
}

}  // namespace

spdlog::logger& log(LogCategory category) {
    return loggers().all[static_cast<std::size_t>(category)];
}

void setLogSink(spdlog::sink_ptr sink) {
    loggers().outlet->redirect(std::move(sink));
}

void copyLogTo(spdlog::sink_ptr sink) {
    loggers().outlet->copyTo(std::move(sink));
}

void setLogLevel(spdlog::level::level_enum level) {
    for (spdlog::logger& logger : loggers().all) {
        logger.set_level(level);
    }
}

void setLogLevels(std::string_view levels) {
    std::array<std::optional<spdlog::level::level_enum>, kCategories.size()> wanted;
    while (!levels.empty()) {
        const std::string_view word = levels.substr(0, levels.find(','));
        levels.remove_prefix(std::min(word.size() + 1, levels.size()));
        const std::size_t colon = word.find(':');
        if (colon == std::string_view::npos) {
            wanted.fill(levelNamed(word));
            continue;
        }
        const auto found = std::find(kCategories.begin(), kCategories.end(), word.substr(0, colon));
        if (found == kCategories.end()) {
            throw Error(ErrorKind::Usage, fmt::format("{}: no such log category", word.substr(0, colon)),
                        fmt::format("one of {}", fmt::join(kCategories, ", ")));
        }
        wanted[static_cast<std::size_t>(found - kCategories.begin())] = levelNamed(word.substr(colon + 1));
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i]) {
            loggers().all[i].set_level(*wanted[i]);
        }
    }
}

void logToStderr(spdlog::level::level_enum level) {
    static const auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    sink->set_pattern(kPlain);
    setLogSink(sink);
    setLogLevel(level);
    static const int atExit = std::atexit(&summarizeAllPeers);
    static_cast<void>(atExit);
    if (const char* levels = std::getenv("VERBCAST_LOG")) {
        try {
            setLogLevels(levels);
        } catch (const Error& error) {
            throw Error(error.kind(), fmt::format("VERBCAST_LOG: {}", error.what()), error.remedy());
        }
    }
    const bool debugs = std::ranges::any_of(
        loggers().all, [](const spdlog::logger& one) { return one.level() <= spdlog::level::debug; });
    const char* times = std::getenv("VERBCAST_LOG_TIMES");
    if (times != nullptr ? std::string_view(times) != "off" : debugs || ::isatty(STDERR_FILENO) == 0) {
        sink->set_pattern(kStamped);
    }
}

}  // namespace verbcast
