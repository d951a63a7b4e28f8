#include "app/commands/pipe/run/stage_protocol.h"
#include "app/wall/new_wall.h"
#include "app/wall/wall_file.h"
#include "app/window/settings/session_file.h"
#include "tests/fuzz/seed_writer.h"

namespace verbcast::fuzz {

void writeTextSeeds(const std::filesystem::path& seeds) {
    const SeedFolder urls(seeds, "url");
    urls.add("tcp", "tcp://192.168.1.2:7423");
    urls.add("v6", "verbs://[fe80::1]:1?device=mlx5_0&port=1");
    urls.add("shm", "shm://second");
    urls.add("auto", "auto://:7");
    urls.add("interface", "multicast://239.1.2.3%eth0?ttl=4");

    const SeedFolder words(seeds, "shell_words");
    words.add("quotes", "a 'b c' \"d \\\" $e\" f\\ g");

    const SeedFolder sessions(seeds, "session_file");
    sessions.add("default", sessionText({}));
    sessions.add("number_too_large", "{\"verbcast_session\": 1E999}");

    const SeedFolder walls(seeds, "wall_file");
    Wall wall = newWall({.columns = 2, .rows = 2, .overlapX = 64, .overlapY = 32});
    walls.add("overlaps", wallText(wall));
    wall.displays.front().corners[2] = {0.9, 0.8};
    wall.displays.front().colour = {{0.9, 1, 1.1}, 1.2, 0.02};
    wall.displays.front().rotation = 180;
    walls.add("warped", wallText(wall));
    walls.add("conductor", wallText(newWall({.columns = 2,
                                             .rows = 1,
                                             .sourceColumns = 2,
                                             .sourceRows = 1,
                                             .conductor = std::string("part-1-2")})));
    walls.add("bezels", wallText(newWall({.columns = 3, .rows = 1, .rotation = 90, .gapX = 40})));
    walls.add("twice", R"({"canvas": {"width": 16, "width": 17}})");

    const SeedFolder lines(seeds, "stage_lines");
    StagePlan plan;
    plan.text = "gzip";
    plan.input = "tcp://:0";
    plan.transfer.trust.key = NamedKey{kSharedKeyName, SessionKey::fromText(std::string(64, 'a'))};
    lines.add("plan", encodeLine(StageOrder(plan)));
    lines.add("start", encodeLine(StageOrder(StageStart{"tcp://host:1"})));
    lines.add("hello", encodeLine(StageReport(StageHello{"0.1.0", "10.0.0.1"})));
    lines.add("ready", encodeLine(StageReport(StageReady{{"tcp://:1"}, {"shm://a"}})));
    lines.add("flow", encodeLine(StageReport(StageFlow{})));
    lines.add("done", encodeLine(StageReport(StageDone{1})));
    lines.add("failed", encodeLine(StageReport(StageFailed{5, "no"})));
}

}  // namespace verbcast::fuzz
