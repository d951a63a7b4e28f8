// Sends viewers' input to the window of the program that we are in.
#pragma once

#include <atomic>

#include "app/preload/input_log.h"
#include "app/preload/run_settings.h"
#include "capture/input_injector.h"
#include "capture/screen/screen_input.h"

namespace verbcast {

class ProgramInput final : public InputInjector {
  public:
    /// `log` must outlive this object. Throws Error{Display} if $DISPLAY cannot be opened.
    ProgramInput(std::uint32_t window, const RunSettings& settings, InputLog& log);
    void apply(std::span<const ViewerInput> events) override;

  private:
    InputLog& log_;
    std::atomic<std::uint64_t> injectedSerial_{0};
    ScreenInput input_;
};

}  // namespace verbcast
