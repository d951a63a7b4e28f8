#include "app/commands/run/program_sound.h"

#include "app/host/process_tree.h"
#include "capture/sound/open_sound_device.h"
#include "capture/sound/pipewire_sound.h"
#include "core/base/log/log.h"

namespace verbcast {
namespace {

std::unique_ptr<SoundSource> openSound(const std::string& audio) {
    const SoundOptions options{.ptsZero = 0};  // as the pictures' time stamps
    return audio == "auto" ? openPipeWirePrograms(isBelowThisProcess, options)
                           : openSoundDevice(audio, options);
}

}  // namespace

ProgramSound::ProgramSound(const std::string& audio)
    : source_(openSound(audio)), thread_([this] { run(); }) {}

ProgramSound::~ProgramSound() {
    stop_.notify();
}

void ProgramSound::run() {
    try {
        CapturedSound block;
        while (!stop_.isSet()) {
            const Status status = source_->read(block);
            if (notes_.keep(source_->notes())) {
                news_.notify();
            }
            if (status == Status::Ok) {
                lines_.pass(block, source_->format());
            } else {
                waitReadable({source_->waitDescriptor(), stop_.descriptor()}, Deadline::never());
            }
        }
    } catch (const Error& error) {
        log(LogCategory::Capture).error("no more sound: {}", error.what());
    }
}

}  // namespace verbcast
