#include "app/preload/program_input.h"

namespace verbcast {

ProgramInput::ProgramInput(std::uint32_t window, const RunSettings& settings, InputLog& log)
    : log_(log),
      input_(OneWindow{window}, injectedSerial_,
             {.devices = settings.devices,
              .pictureWidth = settings.options.size.value_or(PictureSize{}).width,
              .pictureHeight = settings.options.size.value_or(PictureSize{}).height}) {}

void ProgramInput::apply(std::span<const ViewerInput> events) {
    if (events.empty()) {
        return;
    }
    // Logged before sending: the program may wake up and draw before we learn that the server has them.
    log_.sent(events.back().serial, nowNs());
    input_.apply(events);
}

}  // namespace verbcast
