#include "core/sync/frame_alignment.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

namespace verbcast {
namespace {

constexpr TimestampNs kAnyInterval = 40'000'000;  // until a stream's own is known
constexpr TimestampNs kGone = 500'000'000;        // no frame for this long: stopped, unless frames are rarer
constexpr TimestampNs kIntervalsUntilGone = 3;
constexpr TimestampNs kRegroup = 500'000'000;
constexpr TimestampNs kSinking = 16;  // the delay loses 1/16 of its surplus with each set
constexpr double kLongest = 4e18;     // ns: times beyond it would not fit
// Besides the waiting frames: one that is shown, and what SlotBudget keeps for the newest. A frame that came
// late for lack of a free slot would raise the delay, which takes still more slots.
constexpr std::uint32_t kSlotsBesides = 4;

TimestampNs distance(TimestampNs a, TimestampNs b) {
    const TimestampNs difference = elapsedNs(a, b);
    return difference < 0 ? elapsedNs(difference, 0) : difference;
}

}  // namespace

FrameAlignment::StreamId FrameAlignment::add(std::uint32_t held) {
    streams_.emplace(nextId_, Stream(std::max(held, 1U)));
    return nextId_++;
}

std::optional<TimestampNs> FrameAlignment::timeOf(const ReceivedFrame& frame) const {
    double nanoseconds = static_cast<double>(frame.capturedAt);
    if (options_.by == AlignBy::Pts && frame.format) {
        nanoseconds = static_cast<double>(frame.info.pts) * frame.format->timeBase.value() * 1e9;
    }
    const bool known = options_.by == AlignBy::Pts ? frame.format != nullptr : frame.clockKnown;
    if (!known || std::abs(nanoseconds) > kLongest) {
        return std::nullopt;
    }
    return options_.by == AlignBy::Pts ? static_cast<TimestampNs>(std::llround(nanoseconds))
                                       : frame.capturedAt;
}

void FrameAlignment::skip(Stream& stream, const FrameInfo& info) {
    stream.left.add(PictureChanges::of(info));
    ++stream.skipped;
}

void FrameAlignment::begin(Stream& stream) {
    for (const Waiting& waiting : std::exchange(stream.waiting, {})) {
        skip(stream, waiting.frame.info);
    }
    stream.transit = {};
    stream.needed = {};
    stream.shown.reset();
    stream.interval = 0;
    hasChosen_ = hasChosen_ && !stream.begun;
    stream.begun = false;
}

void FrameAlignment::put(StreamId id, ReceivedFrame frame, TimestampNs now) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) {
        return;
    }
    Stream& stream = found->second;
    now_ = std::max(now_, now);
    const std::optional<TimestampNs> time = timeOf(frame);
    if (!time) {
        begin(stream);
        stream.standing = Standing::NoClock;
    } else {
        const TimestampNs passed = now_ - stream.lastCame;
        const bool jumps = distance(elapsedNs(stream.lastTime, *time), passed) > kFarthest;
        if (stream.begun && (*time <= stream.lastTime || jumps)) {
            begin(stream);
        }
        follow(stream, *time, frame);
    }
    makeRoom(stream, frame);
    stream.waiting.push_back({time.value_or(0), now_, std::move(frame)});
}

void FrameAlignment::expectNone(StreamId id) {
    if (const auto found = streams_.find(id); found != streams_.end()) {
        found->second.expected = false;
    }
}

/// Updates the stream by what the frame tells.
void FrameAlignment::follow(Stream& stream, TimestampNs time, const ReceivedFrame& frame) {
    const bool first = !std::exchange(stream.begun, true);
    const double rate = frame.format ? frame.format->frameRate.value() : 0;
    if (rate > 0) {
        stream.interval = static_cast<TimestampNs>(std::min(1e9 / rate, 1e10));
    } else if (!first) {
        const TimestampNs step = std::min(elapsedNs(stream.lastTime, time), kFarthest);
        stream.interval = stream.interval == 0 ? step : stream.interval + (step - stream.interval) / 8;
    }
    stream.expected = true;
    stream.lastTime = time;
    stream.lastCame = now_;
    const TimestampNs transit = elapsedNs(time, now_);
    stream.transit.add(transit, now_);
    if (first || now_ - groupedAt_ >= kRegroup) {
        group();
    }
    const Common before = common();
    const TimestampNs needed = elapsedNs(partner(before, stream, time), now_);
    stream.needed.add(needed, now_);
    if (stream.standing != Standing::Aligned) {
        return;
    }
    stream.late += !first && hasChosen_ && needed > before.delay ? 1 : 0;
    const TimestampNs smallest = smallestDelay().value_or(needed);
    if (smallest > chosen_ || !hasChosen_) {
        chosen_ = smallest;
        hasChosen_ = true;
    }
    const TimestampNs interval = stream.interval > 0 ? stream.interval : kAnyInterval;
    const TimestampNs waits = std::clamp(common().delay - transit, TimestampNs{0}, kFarthest);
    stream.slotsNeeded =
        std::max(stream.slotsNeeded, static_cast<std::uint32_t>(waits / interval) + 1 + kSlotsBesides);
}

/// The time of the leader's frame that a frame of `time` is shown with.
TimestampNs FrameAlignment::partner(const Common& common, const Stream& stream, TimestampNs time) {
    if (common.leader == nullptr || common.leader == &stream || common.leader->interval <= 0) {
        return time;
    }
    const TimestampNs interval = common.leader->interval;
    const TimestampNs behind = elapsedNs(common.leader->lastTime, time) % interval;
    const TimestampNs ahead = behind < 0 ? behind + interval : behind;
    return ahead <= interval / 2 ? time - ahead : time - ahead + interval;
}

void FrameAlignment::makeRoom(Stream& stream, ReceivedFrame& frame) {
    std::uint32_t most = stream.standing == Standing::Aligned ? stream.held : 1;
    if (const auto& pool = frame.lease.pool()) {
        // With shared memory, the ring is the sender's.
        most = std::min(most, std::max(pool->slotCount(), kSlotsBesides + 1) - kSlotsBesides);
    }
    if (stream.standing == Standing::Aligned && stream.waiting.size() >= most) {
        stream.slotsNeeded = std::max(stream.slotsNeeded, most + 1 + kSlotsBesides);
    }
    while (stream.waiting.size() >= most) {
        PictureChanges changes = PictureChanges::of(stream.waiting.back().frame.info);
        changes.add(PictureChanges::of(frame.info));
        changes.tellIn(frame.info);
        stream.waiting.pop_back();
        ++stream.skipped;
        stream.thinned += stream.standing == Standing::Aligned ? 1 : 0;
    }
}

/// Aligns the largest group of streams whose times are near each other.
void FrameAlignment::group() {
    groupedAt_ = now_;
    const auto near = [&](const Stream& a, const Stream& b) {
        const auto from = a.transit.smallest(now_), to = b.transit.smallest(now_);
        return from && to && distance(*from, *to) <= kFarthest;
    };
    const Stream* centre = nullptr;
    std::ptrdiff_t most = 0;
    for (const auto& [id, stream] : streams_) {
        const auto count = std::ranges::count_if(
            streams_, [&, &each = stream](const Entry& other) { return near(each, other.second); });
        if (count > most) {
            most = count;
            centre = &stream;
        }
    }
    for (auto& [id, stream] : streams_) {
        if (centre == nullptr || !stream.begun || !stream.transit.smallest(now_)) {
            continue;
        }
        const Standing standing = near(*centre, stream) ? Standing::Aligned : Standing::Apart;
        if (std::exchange(stream.standing, standing) != standing) {
            hasChosen_ = false;
        }
    }
}

/// Whether it is aligned and has not stopped.
bool FrameAlignment::counts(const Stream& stream) const {
    const TimestampNs patience = std::max(kGone, kIntervalsUntilGone * stream.interval);
    return stream.begun && stream.expected && stream.standing == Standing::Aligned &&
           now_ - stream.lastCame <= patience;
}

const FrameAlignment::Stream* FrameAlignment::leader() const {
    const Stream* leader = nullptr;
    for (const auto& [id, stream] : streams_) {
        if (counts(stream) && (leader == nullptr || stream.interval < leader->interval)) {
            leader = &stream;
        }
    }
    return leader;
}

FrameAlignment::Common FrameAlignment::common() const {
    Common common{.leader = leader()};
    const bool known = common.leader != nullptr && common.leader->interval > 0;
    common.halfInterval = (known ? common.leader->interval : kAnyInterval) / 2;
    common.delay = chosen_;
    if (options_.delay) {
        common.delay = options_.delay->count() + (options_.by == AlignBy::Pts ? fastest().value_or(0) : 0);
    }
    return common;
}

/// The shortest time from a frame's time until it arrived.
std::optional<TimestampNs> FrameAlignment::fastest() const {
    std::optional<TimestampNs> fastest;
    for (const auto& [id, stream] : streams_) {
        const auto own = stream.transit.smallest(now_);
        if (own && counts(stream)) {
            fastest = std::min(fastest.value_or(*own), *own);
        }
    }
    return fastest;
}

std::optional<TimestampNs> FrameAlignment::smallestDelay() const {
    std::optional<TimestampNs> smallest;
    for (const auto& [id, stream] : streams_) {
        const auto own = stream.needed.largest(now_);
        if (own && counts(stream)) {
            smallest = std::max(smallest.value_or(*own + kMargin), *own + kMargin);
        }
    }
    return smallest;
}

TimestampNs FrameAlignment::dueOf(const Stream& stream, const Common& common) {
    const Waiting& first = stream.waiting.front();
    if (stream.standing != Standing::Aligned) {
        return first.cameAt;
    }
    // There is nothing to wait for if the leader has already shown its frame.
    const bool waits =
        common.leader != &stream && !(common.leader != nullptr && common.leader->shown &&
                                      first.time <= *common.leader->shown + common.halfInterval);
    return first.time + common.delay + (waits ? common.halfInterval : 0);
}

/// The stream whose frame is due first; null while no frame waits.
FrameAlignment::Entry* FrameAlignment::dueFirst(const Common& common) {
    Entry* first = nullptr;
    for (Entry& entry : streams_) {
        if (!entry.second.waiting.empty() &&
            (first == nullptr || dueOf(entry.second, common) < dueOf(first->second, common))) {
            first = &entry;
        }
    }
    return first;
}

std::optional<TimestampNs> FrameAlignment::due() const {
    const Common all = common();
    std::optional<TimestampNs> due;
    for (const auto& [id, stream] : streams_) {
        if (!stream.waiting.empty()) {
            const TimestampNs own = dueOf(stream, all);
            due = std::min(due.value_or(own), own);
        }
    }
    return due;
}

/// A new stream begins with the picture that belongs to those being shown, if it can.
bool FrameAlignment::isTooOld(const Stream& stream, const Waiting& waiting, const Common& common) const {
    if (stream.shown || waiting.cameAt > waiting.time + common.delay) {
        return false;
    }
    return std::ranges::any_of(streams_, [&](const Entry& other) {
        return other.second.shown && counts(other.second) &&
               waiting.time < *other.second.shown - common.halfInterval;
    });
}

/// Shows the first frame that waits.
void FrameAlignment::show(StreamId id, Stream& stream, std::vector<Shown>& shown) {
    Waiting waiting = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    const auto before = std::ranges::find_if(shown, [&](const Shown& each) { return each.stream == id; });
    if (before != shown.end()) {
        skip(stream, before->frame.info);
        shown.erase(before);
    }
    if (!stream.left.isNone()) {
        stream.left.add(PictureChanges::of(waiting.frame.info));
        stream.left.tellIn(waiting.frame.info);
        stream.left = PictureChanges::none();
    }
    if (stream.standing == Standing::Aligned) {
        stream.shown = waiting.time;
    }
    shown.push_back({id, std::move(waiting.frame)});
}

std::vector<FrameAlignment::Shown> FrameAlignment::take(TimestampNs now) {
    now_ = std::max(now_, now);
    const Common all = common();
    std::vector<Shown> shown;
    bool set = false;
    // The frame that is due first determines which time is shown.
    for (Entry* first = dueFirst(all); first != nullptr && dueOf(first->second, all) <= now_;
         first = dueFirst(all)) {
        if (first->second.standing != Standing::Aligned) {
            show(first->first, first->second, shown);
            continue;
        }
        const TimestampNs until = first->second.waiting.front().time + all.halfInterval;
        for (auto& [id, stream] : streams_) {
            while (stream.standing == Standing::Aligned && !stream.waiting.empty() &&
                   stream.waiting.front().time <= until) {
                if (isTooOld(stream, stream.waiting.front(), all)) {
                    skip(stream, stream.waiting.front().frame.info);
                    stream.waiting.pop_front();
                } else {
                    show(id, stream, shown);
                    set = true;
                }
            }
        }
    }
    if (set) {
        recordSet();
    }
    return shown;
}

void FrameAlignment::recordSet() {
    TimestampNs oldest = 0, newest = 0;
    std::size_t pictures = 0;
    for (const auto& [id, stream] : streams_) {
        const bool goesOn =
            !stream.waiting.empty() || now_ - stream.lastCame <= kIntervalsUntilGone * stream.interval;
        if (stream.shown && counts(stream) && goesOn) {
            oldest = pictures == 0 ? *stream.shown : std::min(oldest, *stream.shown);
            newest = pictures == 0 ? *stream.shown : std::max(newest, *stream.shown);
            ++pictures;
        }
    }
    ++sets_;
    if (pictures > 1) {
        skew_.record(newest - oldest);
    }
    const TimestampNs smallest = smallestDelay().value_or(chosen_);
    if (leader() != nullptr && (pictures > 1 || now_ - told_.at > kGone)) {
        const TimestampNs from = options_.by == AlignBy::Pts ? fastest().value_or(0) : 0;
        told_ = {chosen_ - from, smallest - from, now_};
    }
    const TimestampNs surplus = chosen_ - smallest;
    if (surplus > 0) {
        chosen_ -= std::max(surplus / kSinking, TimestampNs{1});
    }
}

std::uint64_t FrameAlignment::skipped(StreamId id) const {
    const auto found = streams_.find(id);
    return found == streams_.end() ? 0 : found->second.skipped;
}

StreamAlignment FrameAlignment::statsOf(StreamId id) const {
    const auto found = streams_.find(id);
    if (found == streams_.end()) {
        return {};
    }
    const Stream& stream = found->second;
    StreamAlignment stats{.aligned = stream.begun && stream.standing == Standing::Aligned,
                          .reason = {},
                          .framesLate = stream.late,
                          .framesThinned = stream.thinned,
                          .slotsNeeded = stream.slotsNeeded};
    if (stream.standing == Standing::NoClock) {
        stats.clockKnown = false;
        stats.reason = "its clock is not known";
    } else if (stream.standing == Standing::Apart) {
        stats.reason =
            fmt::format("its times are more than {} s from the others'", kFarthest / 1'000'000'000);
    }
    return stats;
}

AlignmentStats FrameAlignment::stats() const {
    return {.by = options_.by == AlignBy::Pts ? "pts" : "capture",
            .delayMs = static_cast<double>(options_.delay ? options_.delay->count() : told_.delay) * 1e-6,
            .smallestDelayMs = static_cast<double>(told_.smallest) * 1e-6,
            .delayGiven = options_.delay.has_value(),
            .sets = sets_,
            .skew = skew_.percentiles()};
}

}  // namespace verbcast
