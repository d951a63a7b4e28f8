#include "app/preload/run_options.h"

namespace verbcast {

void addRunOptions(OptionList& list, RunOptions& options) {
    list.add(
        option(section::kPicture, "--size", "WxH", "Scale pictures to this size (default: the window's own)"),
        options.size, sizeValue());
    list.add(
        option(section::kSource, "--audio", "auto|none|DEVICE",
               "Sound beside the pictures. auto: what the program and those that it starts play "
               "(PipeWire); default, monitor (what is played) or the name of a device (verbcast devices)"),
        options.audio);
    addFps(list, options, "N", "Maximum number of pictures sent per second");
    list.add(option(section::kDelivery, "--name", "NAME",
                    "Name of the stream, as viewers see it (default: the host's)"),
             options.sender.name);
    addPolicy(
        list, options,
        "latest: drop pictures that a viewer is too slow for; never slows the program (default); lossless: "
        "make the program wait for the slowest viewer");
    addAllowInput(list, options, "Viewers' keyboard, mouse and touch go to the program's window");
    addMemory(
        list, options, {"host", "device"},
        "Where frames are kept. host: read back from the GPU; device: in the memory of the NVIDIA GPU that "
        "draws them, from where RDMA devices send them");
    addSending(list, options);
    addPreview(list, options.sender);
    addSession(list, options, options.sender, options.sender.slots);
}

}  // namespace verbcast
