#include "core/stream/stats_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/os/signals_blocked.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kPeriod = 1s;
/// How many of the viewers that have left a line lists: the last ones.
constexpr std::ptrdiff_t kMaxEnded = 8;
/// How long a pipe may stay full in the middle of a line before its reader is given up.
constexpr int kPatienceMilliseconds = 2000;

}  // namespace

void StatsOutput::requireWritable(int descriptor) {
    const int flags = ::fcntl(descriptor, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--stats-fd {}: no descriptor that is open for writing", descriptor),
                    "open it in the shell, for example: verbcast send pattern --stats-fd 3 3>stats.jsonl");
    }
}

StatsOutput::Written StatsOutput::write(const std::string& line, const Event& stop) {
    const std::lock_guard lock(mutex_);
    const Written written = readerGone_ ? Written::ReaderGone : writeLocked(line, stop);
    readerGone_ = written == Written::ReaderGone;
    return written;
}

/// Call with mutex_ held.
StatsOutput::Written StatsOutput::writeLocked(const std::string& line, const Event& stop) {
    for (std::string_view rest = line; !rest.empty();) {
        // A pipe that polls as writable takes PIPE_BUF bytes without blocking. A line that was begun is
        // finished.
        const bool begun = rest.size() < line.size();
        std::array<pollfd, 2> waited{{{descriptor_, POLLOUT, 0}, {stop.descriptor(), POLLIN, 0}}};
        ::poll(waited.data(), waited.size(), begun ? kPatienceMilliseconds : 0);
        if ((waited[0].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
            return Written::ReaderGone;
        }
        if ((waited[0].revents & POLLOUT) == 0) {
            return begun ? Written::ReaderGone : Written::LeftOut;
        }
        const ssize_t written =
            ::write(descriptor_, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
        if (written < 0) {
            return Written::ReaderGone;
        }
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    return Written::Whole;
}

StatsStream::StatsStream(std::shared_ptr<StatsOutput> output, const Broadcast& sender,
                         std::shared_ptr<const KeyBook> book, std::optional<StatsLabel> label)
    : output_(std::move(output)), sender_(sender), book_(std::move(book)), label_(std::move(label)) {
    // Inside another program (verbcast run), its signals are not for this thread, and a reader that is gone
    // must not end it.
    const SignalsBlocked blocked;
    thread_ = std::jthread([this] { run(); });
}

void StatsStream::run() {
    bool readerThere = writeStats();
    while (readerThere && waitUntil(last_.at + std::chrono::nanoseconds(kPeriod).count(), stop_)) {
        readerThere = writeInvitation() && writeStats();
    }
    if (readerThere) {
        writeStats();
    }
}

/// Returns false if nobody reads any more.
bool StatsStream::writeStats() {
    return write(stats()) != Written::ReaderGone;
}

/// Likewise. What could not be written is tried again a second later.
bool StatsStream::writeInvitation() {
    const auto open = book_ ? book_->invitation() : std::nullopt;
    const std::string told = open ? open->host + '\n' + open->code : std::string();
    if (told == toldInvitation_) {
        return true;
    }
    nlohmann::ordered_json json{{"pairing", nullptr}};
    if (open) {
        json["pairing"] = {{"host", open->host}, {"code", open->code}, {"seconds", open->validFor.count()}};
    }
    const Written written = write(json);
    if (written == Written::Whole) {
        toldInvitation_ = told;
    }
    return written != Written::ReaderGone;
}

void StatsStream::setDecoding(const DecodingStats& decoding) {
    const std::lock_guard lock(decodingMutex_);
    decoding_ = decoding;
}

nlohmann::ordered_json StatsStream::stats() {
    const StreamStats stats = sender_.stats();
    const Counters now{nowNs(), stats.framesTransferred, stats.bytes};
    const double seconds = last_.at == 0 ? 0 : static_cast<double>(now.at - last_.at) * 1e-9;
    const auto perSecond = [seconds](std::uint64_t before, std::uint64_t after) {
        return seconds > 0 ? static_cast<double>(after - before) / seconds : 0;
    };
    const nlohmann::ordered_json all = fieldsJson(stats);
    nlohmann::ordered_json json;
    const auto take = [&](std::initializer_list<const char*> keys) {
        std::ranges::for_each(keys, [&](const char* key) { json[key] = all.at(key); });
    };
    take({"width", "height", "pixel_format"});
    json["fps"] = perSecond(last_.frames, now.frames);
    json["gigabytes_per_second"] = perSecond(last_.bytes, now.bytes) / 1e9;
    take({"frames", "frames_sent", "frames_dropped", "bytes", "bytes_moved"});
    {
        const std::lock_guard lock(decodingMutex_);
        if (decoding_) {
            json["decoder"] = fieldsJson(*decoding_);
        }
    }
    take({"connections", "connections_lost"});
    json["needs_pairing"] = sender_.lastEnd().needsPairing();
    auto& there = json["receivers"] = nlohmann::ordered_json::array();
    auto& ended = json["receivers_ended"] = nlohmann::ordered_json::array();
    for (const auto& viewer : all.at("receivers")) {
        (viewer.at("connected") ? there : ended).push_back(viewer);
    }
    if (ended.size() > kMaxEnded) {
        ended.erase(ended.begin(), ended.end() - kMaxEnded);
    }
    take({"receivers_left_out"});
    last_ = now;
    return json;
}

/// Names come from peers and may not be UTF-8.
StatsStream::Written StatsStream::write(const nlohmann::ordered_json& keys) {
    nlohmann::ordered_json line = nlohmann::ordered_json::object();
    if (label_) {
        line = {{"stream", label_->number}, {"name", label_->name}};
    }
    line.update(keys);
    return output_->write(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n",
                          stop_);
}

}  // namespace verbcast
