// bench stages, the process for a file or pattern: decodes or draws, and sends. For scenes see
// app/bench/gl/stages_roles.h.
#include <memory>

#include "app/bench/workers/bench_roles.h"
#include "app/bench/workers/pinning.h"
#include "app/bench/workers/stages/stages_sending.h"

namespace verbcast {
namespace {

SourceOptions sourceOptions(const StagesJob& job) {
    SourceOptions options;
    options.source = job.source;
    options.pixelFormat = job.pixelFormat;
    if (job.size) {
        options.width = job.size->width;
        options.height = job.size->height;
    }
    options.frameRate = job.fps;
    options.loop = true;
    options.slots = sourceSlots(job);
    if (job.deviceMemory && !job.source.starts_with("pattern")) {  // as `send FILE --memory device`
        options.decoder = Decoder::Cuda;
        options.memory = PictureMemory::Device;
    }
    return options;
}

}  // namespace

nlohmann::json stagesSendRole(const nlohmann::json& json, const WorkerEmit& emit) {
    const auto job = json.get<StagesJob>();
    pinThread(senderPin(job.pin));
    const std::unique_ptr<FrameSource> source = openSource(sourceOptions(job));
    return sendStages(job, {.source = *source}, emit);
}

}  // namespace verbcast
