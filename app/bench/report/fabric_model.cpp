#include "app/bench/report/fabric_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace verbcast {
namespace {

constexpr double kSwitches = 3;  // leaf, spine, leaf
constexpr Spread kSpreads[] = {Spread::Unicast, Spread::Tiles, Spread::Multicast, Spread::Relays,
                               Spread::Incast};

double microsecondsOn(double gbps, double bytes) {
    return bytes * 8 / (gbps * 1e3);
}

/// Levels of relays between the sender and that many displays.
std::uint32_t relayLevels(std::uint32_t fanOut, std::uint32_t displays) {
    std::uint32_t levels = 0;
    for (std::uint64_t reached = fanOut; reached < displays; reached *= fanOut) {
        ++levels;
    }
    return levels;
}

class Row {
  public:
    Row(const FabricModel& fabric, const StreamModel& stream, Spread spread, std::uint32_t displays)
        : fabric_(fabric), stream_(stream) {
        row_.spread = spread;
        row_.displays = displays;
    }

    ModelRow fill() {
        const double copies = row_.displays;
        const double frame = microsecondsOn(fabric_.linkGbps, static_cast<double>(stream_.frameBytes));
        const double way = kSwitches * fabric_.hopUs;
        const double onLeaf = std::min(row_.displays, fabric_.leafHosts);
        const double uplinks = fabric_.leafHosts * fabric_.linkGbps / fabric_.oversubscription;
        const double rate = stream_.gbps();
        switch (row_.spread) {
            case Spread::Unicast:
                load("sender's link", copies * rate / fabric_.linkGbps);
                load("leaf's uplinks", onLeaf * rate / uplinks);
                row_.lastUs = copies * frame + way;
                break;
            case Spread::Tiles:
                load("sender's link", rate / fabric_.linkGbps);
                load("leaf's uplinks", onLeaf / copies * rate / uplinks);
                row_.lastUs = frame + way;
                break;
            case Spread::Multicast:
                load("sender's link", rate / fabric_.linkGbps);
                row_.lastUs = frame + way;
                break;
            case Spread::Relays:
                fillRelays(frame, way, rate, uplinks);
                break;
            case Spread::Incast:
                load("display's link", copies * rate / fabric_.linkGbps);
                row_.lastUs = copies * frame + way;
                break;
        }
        // A slot is free again when the frame has arrived and the credit has come back.
        const double roundTrip = row_.lastUs + way;
        row_.slots = 2 + static_cast<std::uint32_t>(std::ceil(roundTrip * stream_.fps * 1e-6));
        if (!row_.holds()) {
            row_.lastUs = std::numeric_limits<double>::infinity();
        }
        return row_;
    }

  private:
    void load(const char* link, double share) {
        if (share > row_.busiestShare) {
            row_.busiestShare = share;
            row_.busiest = link;
        }
    }

    /// A relay starts when it has the whole frame, and sends its copies one after another.
    void fillRelays(double frame, double way, double rate, double uplinks) {
        row_.levels = relayLevels(fabric_.fanOut, row_.displays);
        const double copies = std::min(fabric_.fanOut, row_.displays);
        load(row_.levels == 0 ? "sender's link" : "relay's link", copies * rate / fabric_.linkGbps);
        // Every host of a leaf may be a relay with its viewers elsewhere.
        const double relaysOnLeaf = row_.levels == 0 ? 1 : std::min(row_.displays, fabric_.leafHosts);
        load("leaf's uplinks", relaysOnLeaf * copies * rate / uplinks);
        row_.lastUs = (row_.levels + 1) * (copies * frame + way) + row_.levels * fabric_.relayUs;
    }

    const FabricModel& fabric_;
    const StreamModel& stream_;
    ModelRow row_;
};

}  // namespace

std::string_view spreadText(Spread spread) {
    switch (spread) {
        case Spread::Unicast:
            return "unicast";
        case Spread::Tiles:
            return "tiles of a wall";
        case Spread::Multicast:
            return "multicast";
        case Spread::Relays:
            return "relays";
        case Spread::Incast:
            return "senders into one";
    }
    return "";
}

std::vector<ModelRow> modelRows(const FabricModel& fabric, const StreamModel& stream,
                                std::uint32_t displays) {
    std::vector<ModelRow> rows;
    for (const Spread spread : kSpreads) {
        for (std::uint32_t count = 1; count < displays; count *= 2) {
            rows.push_back(Row(fabric, stream, spread, count).fill());
        }
        rows.push_back(Row(fabric, stream, spread, displays).fill());
    }
    return rows;
}

std::uint32_t mostDisplays(const FabricModel& fabric, const StreamModel& stream, Spread spread) {
    // A link's load never decreases as displays are added.
    std::uint32_t most = 0;
    for (std::uint32_t step = 1 << 13; step > 0; step /= 2) {
        if (most + step <= kMaxModelDisplays && Row(fabric, stream, spread, most + step).fill().holds()) {
            most += step;
        }
    }
    return most;
}

}  // namespace verbcast
