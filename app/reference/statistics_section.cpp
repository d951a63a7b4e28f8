#include "app/reference/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include "app/reference/markdown.h"
#include "app/reference/meanings.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

/// A table for each struct of statistics, in the order of the page. `name` begins the keys of its meanings.
struct TableTitle {
    std::string_view name, heading, text;
};
constexpr TableTitle kTitles[] = {
    {"stream", "A stream",
     "`send`, `render`, `run`, `relay`, `compose` and `view` write one object at the end. A sender's counts "
     "are the sums of its viewers': what it captured without a viewer is in none of them."},
    {"percentiles", "Percentiles", "What several of these hold: how long it took."},
    {"program", "The program", "Beside the keys of the only stream, or of all."},
    {"streams", "Several streams",
     "A viewer of several streams and a sender of several sources write a list. Each "
     "object in it has the keys of a stream, and these."},
    {"stream_alignment", "Alignment of a stream", "`streams[].alignment`, with `--align`."},
    {"alignment", "Alignment of all streams", "`alignment`, with `--align`."},
    {"receiver", "Each viewer of a sender", "`receivers[]`. A viewer that reconnects keeps its object."},
    {"rail", "Rails", "`rails[]`, and `receivers[].rails[]` at the sender."},
    {"sound", "Sound", "`sound`, of a stream with sound, which travels in blocks of some milliseconds."},
    {"playback", "Sound that is played",
     "`sound.playback`, of a viewer with a screen: from when it first plays the stream's sound."},
    {"together", "Displays that show together",
     "`together`, with [`send --sync`](walls.md#all-displays-at-the-same-moment). A viewer repeats what the "
     "sender says once a second."},
    {"display", "A display",
     "`together.displays[]` at the sender; `together.own` at a viewer, about itself."},
    {"multicast", "Multicast", "`multicast`, with a [group](multicast.md)."},
    {"decoder", "The decoder", "`decoder`, of a sender that [decodes](sources.md#decoders)."},
    {"screen", "A screen without a desktop", "`screen`, with [`view --drm`](viewing.md#without-a-desktop)."},
    {"window", "A window on Wayland", "`window`. A picture holds a new frame of at least one stream."},
    {"upload", "Textures", "`upload`, of a viewer that draws: how frames [became textures](gpu.md)."},
    {"numa", "The NUMA node", "`numa`, of the program."},
};

/// Of these a struct's own; "": its fields stand in the table of the struct around it.
struct TableOf {
    static constexpr std::string_view name(const void*) { return ""; }
    static constexpr std::string_view name(const StreamStats*) { return "stream"; }
    static constexpr std::string_view name(const Percentiles*) { return "percentiles"; }
    static constexpr std::string_view name(const NamedStats*) { return "streams"; }
    static constexpr std::string_view name(const StreamAlignment*) { return "stream_alignment"; }
    static constexpr std::string_view name(const AlignmentStats*) { return "alignment"; }
    static constexpr std::string_view name(const ViewerStats*) { return "receiver"; }
    static constexpr std::string_view name(const RailStats*) { return "rail"; }
    static constexpr std::string_view name(const SoundStats*) { return "sound"; }
    static constexpr std::string_view name(const SoundPlaybackStats*) { return "playback"; }
    static constexpr std::string_view name(const FrameLockStats*) { return "together"; }
    static constexpr std::string_view name(const DisplayStats*) { return "display"; }
    static constexpr std::string_view name(const GroupStats*) { return "multicast"; }
    static constexpr std::string_view name(const DecodingStats*) { return "decoder"; }
    static constexpr std::string_view name(const ScreenStats*) { return "screen"; }
    static constexpr std::string_view name(const WindowStats*) { return "window"; }
    static constexpr std::string_view name(const UploadStats*) { return "upload"; }
    static constexpr std::string_view name(const NumaStats*) { return "numa"; }
};
template <typename Stats>
inline constexpr std::string_view kTable = TableOf::name(static_cast<const Stats*>(nullptr));

constexpr Meaning kMeanings[] = {
    {"stream.transport", "of the last connection"},
    {"stream.width", "of the last frame"},
    {"stream.height", "of the last frame"},
    {"stream.pixel_format", "of the last frame"},
    {"stream.frames", "sent to at least one viewer, each counted once"},
    {"stream.frames_received", "arrived whole"},
    {"stream.frames_sent", "summed over the viewers"},
    {"stream.frames_shown", "on the screen; headless: taken"},
    {"stream.frames_dropped", "see the [glossary](#glossary), as for the next three"},
    {"stream.frames_lost", "of a lossless stream"},
    {"stream.frames_skipped", "arrived, but not shown"},
    {"stream.frames_corrupt", "damaged"},
    {"stream.frames_refused", "with encryption: changed on their way"},
    {"stream.cipher_gigabytes_per_second", "with encryption: how fast this end encrypted or decrypted"},
    {"stream.bytes", "whole frames, summed over the viewers"},
    {"stream.bytes_moved",
     "really sent: less where [only what changed](streams.md#only-what-changed) is sent, none "
     "over shm, slightly more with encryption"},
    {"stream.bytes_copied", "copied by this end's processor"},
    {"stream.bytes_assembled",
     "copied to put the parts of [several senders](walls.md#a-picture-that-several-senders-draw) together"},
    {"stream.bytes_from_device", "copied out of a GPU over PCIe before they were sent"},
    {"stream.bytes_to_device", "copied into a GPU over PCIe after they had arrived"},
    {"stream.seconds", "from the first frame to the last"},
    {"stream.fps", "of `frames` or `frames_received`"},
    {"stream.gigabytes_per_second", "of `bytes`"},
    {"stream.latency_us",
     "from the sender's submission of a frame until all of it has arrived; null at a sender that "
     "has had several viewers"},
    {"stream.clock_error_us",
     "the bound of the error of latencies between two hosts, which rely on an estimate of "
     "their clocks' offset; 0 on one host"},
    {"stream.latency_to_screen_us", "from submission until the frame is shown"},
    {"stream.stages_us.capture", "from a frame's capture to its submission"},
    {"stream.stages_us.post", "from its submission until it is handed to the transport"},
    {"stream.stages_us.wire", "from there to its arrival"},
    {"stream.stages_us.show", "from its arrival until it is shown"},
    {"stream.input_to_picture_us", "from an input event until the picture with its effect is shown"},
    {"stream.connect_to_first_frame_shown_ms", "from the start of connecting"},
    {"stream.connections", "made so far"},
    {"stream.connections_lost", "of these"},
    {"stream.rails", "over several networks: each of them"},
    {"stream.sound", "of a stream with sound"},
    {"stream.together", "with `--sync`"},
    {"stream.decoder", "of a sender that decodes"},
    {"stream.screen", "of a viewer without a desktop"},
    {"stream.upload", "of a viewer that draws"},
    {"stream.window", "of a viewer in a window on Wayland"},
    {"stream.multicast", "with a multicast group"},
    {"stream.receivers", "those that have left first, the last 64 of them"},
    {"stream.receivers_left_out", "how many left earlier, and are only in the sums"},
    {"percentiles.p50", "half of the values are at most this"},
    {"percentiles.p99", "null with fewer than 100 values"},
    {"percentiles.p999", "99.9 %; null with fewer than 1000 values"},
    {"percentiles.max", "the largest value"},
    {"percentiles.count", "how many values"},
    {"program.numa", "where it ran"},
    {"program.cpu_seconds", "user and system time"},
    {"program.exit_reason",
     "why it ended, for example `end of stream`, `lost`, `interrupted`, `frames`, `duration`, or a kind of "
     "error"},
    {"program.alignment", "of several streams, with `--align`"},
    {"program.streams", "of several streams; of a viewer those still shown at the end"},
    {"streams.number", "from 1, as in `%n`"},
    {"streams.name",
     "of a viewer the URL, or with `--listen` the sender's name; of a sender the stream's `--name`"},
    {"streams.alignment", "with `--align`"},
    {"streams.exit_reason", "how the stream ended"},
    {"stream_alignment.aligned", "whether it is shown with the others"},
    {"stream_alignment.reason", "why not"},
    {"stream_alignment.frames_late", "came after the pictures that they belong to had been shown"},
    {"stream_alignment.frames_thinned", "left out, because there were too few slots to keep them"},
    {"stream_alignment.slots_needed", "`--slots` with which none would have been left out"},
    {"alignment.by", "`capture` or `pts`"},
    {"alignment.delay_ms", "in use at the end"},
    {"alignment.delay_given", "whether that is `--delay`"},
    {"alignment.smallest_delay_ms", "that would have sufficed in the last seconds"},
    {"alignment.sets", "sets of matching pictures shown"},
    {"alignment.skew_us", "from the oldest picture of a set to the newest, of streams that are running"},
    {"receiver.name", "the viewer's"},
    {"receiver.peer", "its address, over the last connection"},
    {"receiver.transport", "of the last connection"},
    {"receiver.protection", "`none`, `this-host`, `proven` or `encrypted`"},
    {"receiver.connected", "whether it is now"},
    {"receiver.connected_seconds", "in total"},
    {"receiver.end_reason", "how the last connection ended; null while connected"},
    {"receiver.connections", "how many"},
    {"receiver.frames_sent", "to this viewer; one that was sent again counts once"},
    {"receiver.frames_dropped", "for this viewer"},
    {"receiver.frames_lost", "for this viewer"},
    {"receiver.frames_shown", "as the viewer reports once a second and when it leaves, like the next one"},
    {"receiver.frames_skipped", "arrived, but not shown"},
    {"receiver.bytes", "sent to it"},
    {"receiver.latency_us", "as the viewer reports: from submission to arrival"},
    {"receiver.clock_error_us", "the bound of that latency's error between two hosts"},
    {"receiver.rails", "if it is served over several"},
    {"rail.rail", "its number"},
    {"rail.transport", "of its last connection"},
    {"rail.local", "the address at this end"},
    {"rail.peer", "the address at the other end"},
    {"rail.up", "whether it is connected now"},
    {"rail.frames_sent", "over it"},
    {"rail.frames_received", "over it"},
    {"rail.bytes", "that it carried"},
    {"rail.frames_first", "that no other rail had sent, or delivered, before"},
    {"rail.frames_missed", "with `double`: frames of the stream that it did not deliver"},
    {"rail.times_down", "how often it was lost"},
    {"sound.rate", "samples of each channel in a second, of the last block"},
    {"sound.channels", "of the last block"},
    {"sound.blocks_sent", "to at least one viewer, each counted once"},
    {"sound.blocks_received", "arrived whole"},
    {"sound.blocks_dropped", "never sent"},
    {"sound.blocks_lost", "did not arrive: silence stands for them"},
    {"sound.seconds", "how much was sent, or has arrived, if rate and channels stay the same"},
    {"sound.delay_us", "from the sender's submission of a block until it has arrived"},
    {"sound.playback", "of a viewer that plays it"},
    {"playback.device", "where it is played; empty while there is no device"},
    {"playback.problem", "why nothing is heard; empty if nothing is wrong"},
    {"playback.muted", "by the user, or since another stream of the window sounds"},
    {"playback.sounding", "whether sound was heard at the end"},
    {"playback.offset_ms",
     "how long after their pictures sounds were heard at the end; negative: before them"},
    {"playback.offset_us", "the distance of that from 0 (and from `--av-offset`), while it sounded"},
    {"playback.drift_ppm", "how much faster the clock of the stream's sound is than the device's"},
    {"playback.buffered_ms", "had arrived, and was still to be heard"},
    {"playback.delay_ms", "for how long pictures should wait for their sound"},
    {"playback.held_ms",
     "for how long the last one did: 0 where streams are aligned, compared, or shown together"},
    {"playback.held_short", "pictures that waited less, since they would have filled the slots (`--slots`)"},
    {"playback.underruns", "how often sound was late by less than a second"},
    {"playback.device_underruns", "how often the device was not filled in time"},
    {"playback.concealed", "how often blocks were lost"},
    {"playback.dropped", "blocks that made no sense, or that no device played"},
    {"playback.resyncs", "jumps of more than 0.1 s, as after a seek"},
    {"together.mode", "`hold` or `go`"},
    {"together.displays_now", "that take part at the end"},
    {"together.delay_ms", "from a frame's submission to its presentation"},
    {"together.smallest_delay_ms", "with which no display would have been late in the last seconds"},
    {"together.longest_delay_ms", "that the displays' slots allow"},
    {"together.frames", "that at least two displays showed"},
    {"together.frames_held", "with `hold`: shown after their time, or not at all"},
    {"together.frames_without", "that some displays showed in time, and others late or not at all"},
    {"together.skew_us", "from the first to the last display that showed a frame"},
    {"together.clock_error_us", "the largest bound of the displays' clocks"},
    {"together.late", "the display that was late most recently"},
    {"together.displays", "those connected, then the last 16 that left"},
    {"together.own", "this display"},
    {"display.name", "the display's"},
    {"display.connected", "whether it is now"},
    {"display.frames_shown", "in time"},
    {"display.frames_late", "not ready in time"},
    {"display.times_left_out", "how often the others stopped waiting for it"},
    {"display.shown_by",
     "what tells when a frame was shown: `the display`, `the swap (not told by the display)` or "
     "`the timer (no screen)`"},
    {"display.clock", "in use: `the same host's`, `PTP`, `the session's estimate` or `not known`"},
    {"display.clock_error_us", "the bound of its error"},
    {"display.behind_due_us", "from the time to present a frame until it was shown"},
    {"multicast.frames", "that left, or arrived whole, by the group alone"},
    {"multicast.datagrams", "sent, or received"},
    {"multicast.bytes", "sent to the group, or received from it, with repeats"},
    {"multicast.bytes_repeated", "of these, sent again to the group"},
    {"multicast.bytes_repaired", "sent again over viewers' sessions"},
    {"multicast.datagrams_refused", "that were not the stream's"},
    {"multicast.frames_late", "given up"},
    {"multicast.requests", "for what was missing"},
    {"multicast.frames_by_rdma", "of the frames; the others came by UDP"},
    {"multicast.datagrams_by_rdma", "of the datagrams"},
    {"decoder.name", "`software`, `vaapi`, `cuda` or `vulkan`"},
    {"decoder.codec", "of the file"},
    {"decoder.reason", "why that decoder"},
    {"decoder.from_device", "pictures brought from a card's memory"},
    {"decoder.on_device", "pictures that stayed there"},
    {"screen.connector", "its name"},
    {"screen.connected", "whether a display is plugged in"},
    {"screen.width", "of the mode"},
    {"screen.height", "of the mode"},
    {"screen.refresh_hz", "of the mode"},
    {"screen.page_flips", "`atomic` or `legacy`"},
    {"screen.shown_by", "what tells when a picture was shown, as for a display above"},
    {"screen.flips", "pictures put on the screen, with fades and stills"},
    {"screen.unplugged", "how often the display was unplugged"},
    {"screen.interval_us", "between two frames of the stream on the screen"},
    {"screen.wait_us", "from drawing a frame until it is on the screen"},
    {"window.shown_by", "what tells when a picture was shown, as for a display above"},
    {"window.reason",
     "why the display does not: the compositor has no wp_presentation, or this build no support for it"},
    {"window.refresh_hz", "of the output, as last reported; 0: unknown"},
    {"window.pictures_shown", "on the screen"},
    {"window.pictures_not_shown", "discarded by the compositor"},
    {"window.interval_us", "between two pictures on the screen"},
    {"window.wait_us", "from giving a picture to the compositor until it is on the screen"},
    {"upload.frames_in_place", "read where they lie, as [dma-bufs](gpu.md#dma-bufs)"},
    {"upload.frames_within_gpu", "copied within the GPU that draws"},
    {"upload.frames_uploaded", "all others"},
    {"upload.reason", "for the way of the last one"},
    {"numa.node", "null: none was chosen"},
    {"numa.chosen_by", "`auto`, `off` or the number given"},
    {"numa.reason", "why that node"},
};

struct Row {
    std::string key;
    std::string_view end;  ///< "sender", "viewer", "both"
    bool ifAny = false, orNull = false;
    std::string type;  ///< or unit

    std::string form() const {
        return fmt::format("{}{}{}", type, ifAny ? ", if any" : "", orNull ? ", or null" : "");
    }
};

struct Table {
    std::string_view name;
    std::vector<Row> rows;
};

std::string anchor(std::string_view name) {
    const auto* const title = std::ranges::find(kTitles, name, &TableTitle::name);
    std::string text(title->heading);
    std::ranges::transform(text, text.begin(), [](char c) {
        return c == ' ' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    return text;
}

template <typename Value>
struct Held {  // by an optional or a list
    using Type = Value;
    static constexpr std::string_view kForm = "object";
};
template <typename Value>
struct Held<std::optional<Value>> : Held<Value> {};
template <typename Value>
struct Held<std::vector<Value>> {
    using Type = Value;
    static constexpr std::string_view kForm = "list";
};

std::string unitOf(const std::string& key) {
    const std::string_view name = std::string_view(key).substr(key.rfind('.') + 1);
    if (name.ends_with("gigabytes_per_second")) {
        return "GB/s (1e9)";
    }
    constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
        {"_us", "us"},       {"_ms", "ms"},       {"seconds", "s"},     {"_hz", "Hz"},
        {"fps", "frames/s"}, {"width", "pixels"}, {"height", "pixels"}, {"p50", "us"},
        {"p99", "us"},       {"p999", "us"},      {"max", "us"}};
    for (const auto& [ending, unit] : kEndings) {
        if (name.ends_with(ending)) {
            return std::string(unit);
        }
    }
    return name.starts_with("bytes") ? "bytes" : "number";
}

template <typename Value>
std::string typeOf(const std::string& key) {
    using Inner = typename Held<Value>::Type;
    if constexpr (std::is_same_v<Inner, Percentiles>) {
        return fmt::format("us, [percentiles](#{})", anchor("percentiles"));
    } else if constexpr (HasFields<Inner>) {
        return fmt::format("[{}](#{})", Held<Value>::kForm, anchor(kTable<Inner>));
    } else if constexpr (std::is_same_v<Inner, bool>) {
        return "true, false";
    } else if constexpr (std::is_arithmetic_v<Inner>) {
        return unitOf(key);
    } else {
        return "text";
    }
}

template <typename How>
inline constexpr bool kIsNullUnless = false;
template <typename Condition>
inline constexpr bool kIsNullUnless<NullUnless<Condition>> = true;

class Tables {
  public:
    /// Adds the struct's table, and those of what it holds.
    template <HasFields Stats>
    void add() {
        if (std::ranges::find(all_, kTable<Stats>, &Table::name) == all_.end()) {
            all_.push_back({kTable<Stats>, {}});
            Stats::fields(Visitor<Stats>{*this, kTable<Stats>, false});
        }
    }
    Table& at(std::string_view name) { return *std::ranges::find(all_, name, &Table::name); }
    void add(Table table) { all_.push_back(std::move(table)); }
    std::size_t count() const { return all_.size(); }

  private:
    template <HasFields Stats>
    struct Visitor {
        Tables& tables;
        std::string_view table;
        bool ifAny;  // all of them

        template <typename Member, typename... How>
        void operator()(StatKey key, Member member, How... /*how*/) const {
            using Value = std::remove_cvref_t<std::invoke_result_t<Member, const Stats&>>;
            using Inner = typename Held<Value>::Type;
            static_cast<void>(member);
            const bool mayLack = ifAny || (std::is_same_v<How, IfAny> || ...);
            if constexpr (HasFields<Inner>) {
                if constexpr (!kTable<Inner>.empty()) {
                    tables.add<Inner>();
                } else if (key.isNone()) {
                    Inner::fields(Visitor<Inner>{tables, table, mayLack});
                }
            }
            const auto put = [&](const char* name, std::string_view end) {
                if (name != nullptr) {
                    const std::string path =
                        key.object != nullptr ? fmt::format("{}.{}", key.object, name) : name;
                    tables.at(table).rows.push_back(
                        {path, end, mayLack, (kIsNullUnless<How> || ...), typeOf<Value>(path)});
                }
            };
            const bool same = key.sender != nullptr && key.receiver != nullptr &&
                              std::string_view(key.sender) == key.receiver;
            put(key.sender, same ? "both" : "sender");
            put(same ? nullptr : key.receiver, "viewer");
        }
    };

    std::vector<Table> all_;
};

bool isListed(const std::vector<Row>& rows, const std::string& key) {
    return std::ranges::any_of(
        rows, [&](const Row& row) { return row.key == key || row.key.starts_with(key + "."); });
}

/// What statsJson() adds to the fields.
Table programTable(const std::vector<Row>& ofStream) {
    using Json = nlohmann::ordered_json;
    const Json one = Json::parse(statsJson(StreamEnd::Sender, StreamStats{}, "", NumaStats{}));
    const Json several = Json::parse(
        statsJson(StreamEnd::Sender, std::vector<NamedStats>{}, "", AlignmentStats{}, NumaStats{}));
    Table table{"program", {}};
    for (const Json* json : {&several, &one}) {
        for (const auto& [key, value] : json->items()) {
            if (isListed(ofStream, key) || isListed(table.rows, key)) {
                continue;
            }
            const std::string type = value.is_array()    ? "[list](#several-streams)"
                                     : value.is_object() ? fmt::format("[object](#{})", anchor(key))
                                     : value.is_string() ? "text"
                                                         : unitOf(key);
            table.rows.push_back({key, "both", json == &several && !one.contains(key), false, type});
        }
    }
    return table;
}

std::string tableText(const TableTitle& title, const Table& table, Meanings& meanings) {
    std::string text =
        fmt::format("\n### {}\n\n{}\n\n", title.heading, markdownLines(std::string(title.text)));
    const bool ends = std::ranges::any_of(table.rows, [](const Row& row) { return row.end != "both"; });
    text += ends ? "| key | at | unit or type | meaning |\n|---|---|---|---|\n"
                 : "| key | unit or type | meaning |\n|---|---|---|\n";
    for (const Row& row : table.rows) {
        text += fmt::format("| `{}` |{} {} | {} |\n", row.key, ends ? fmt::format(" {} |", row.end) : "",
                            row.form(), meanings.of(fmt::format("{}.{}", table.name, row.key)));
    }
    return text;
}

}  // namespace

std::string statisticsSection() {
    Tables tables;
    tables.add<StreamStats>();
    tables.add<NamedStats>();
    tables.add<AlignmentStats>();
    tables.add<NumaStats>();
    tables.add(programTable(tables.at("stream").rows));
    if (tables.count() != std::size(kTitles)) {
        throw std::runtime_error("a table of statistics has no title in app/reference");
    }
    Meanings meanings("--stats-json", kMeanings);
    std::string text;
    for (const TableTitle& title : kTitles) {
        text += tableText(title, tables.at(title.name), meanings);
    }
    meanings.requireAllUsed();
    return text;
}

}  // namespace verbcast
