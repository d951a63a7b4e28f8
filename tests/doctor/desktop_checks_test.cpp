#include "app/host/process.h"
#include "tests/doctor/made_up_machine.h"

namespace verbcast::testing {
namespace {

RendererAnswer renderer(const std::string& name, double framesPerSecond = 0) {
    return {name, "PBO", framesPerSecond, framesPerSecond * 0.033, true};
}

TEST(RendererCheck, SoftwareIsAWarningAbove1080p60) {
    const DoctorOptions fourK;
    DoctorOptions fullHd;
    fullHd.size = {1920, 1080};
    const RendererAnswer software = renderer("llvmpipe (LLVM 15.0.6, 256 bits)", 200);
    EXPECT_TRUE(
        is(rendererCheck(software, fourK), CheckState::Warning, "draws in software", "libgl1-mesa-dri"));
    EXPECT_TRUE(is(rendererCheck(software, fullHd), CheckState::Ok, "llvmpipe"));
    EXPECT_TRUE(is(rendererCheck(renderer("NVIDIA RTX A4000", 500), fourK), CheckState::Ok,
                   "uploads 500 frames/s (16.5 GB/s, PBO), 60 needed"));
}

TEST(RendererCheck, SlowUploadsWarn) {
    EXPECT_TRUE(is(rendererCheck(renderer("Mesa Intel(R) UHD", 40), {}), CheckState::Warning,
                   "uploads 40 frames/s", "--fps 30"));
}

TEST(RendererCheck, NoneAndNotInstalledAreTold) {
    EXPECT_TRUE(is(rendererCheck(renderer("none: no EGL display"), {}), CheckState::Warning, "no EGL display",
                   "--headless"));
    EXPECT_TRUE(is(rendererCheck(renderer(""), {}), CheckState::Warning, "did not answer", "libegl1"));
    EXPECT_TRUE(
        is(rendererCheck({}, {}), CheckState::Info, "no windows in this installation", "build again"));
}

TEST(SessionCheck, TellsWhoMayCaptureTheScreen) {
    EXPECT_TRUE(is(sessionCheck({}), CheckState::Info, "no window can open", "--headless"));
    EXPECT_TRUE(is(sessionCheck({"x11", ":1", ""}), CheckState::Info, "X11 on :1"));
    EXPECT_TRUE(is(sessionCheck({"wayland", ":0", "wayland-0", true}), CheckState::Info,
                   "Wayland on wayland-0: verbcast send screen asks the desktop"));
    EXPECT_TRUE(is(sessionCheck({"wayland", ":0", "wayland-0", false}), CheckState::Info,
                   "only X programs can be captured", "libpipewire-0.3-dev"));
    EXPECT_TRUE(is(sessionCheck({"", "", "wayland-0", false}), CheckState::Info, "no screen can be captured",
                   "X11 session"));
}

TEST(SoundCheck, NamesTheDefaultDevices) {
    const SoundDevices outputs{
        .devices = {{"pipewire:hdmi", "HDMI", "PipeWire, 8 channels"},
                    {"pipewire:analog", "Built-in Audio", "PipeWire, 2 channels", true},
                    {"alsa:default", "Default", "ALSA", true}},
        .problems = {}};
    const SoundDevices inputs{.devices = {{"alsa:default", "Microphone", "ALSA", true}},
                              .problems = {"PipeWire has no device that records"}};
    EXPECT_TRUE(is(soundCheck(outputs, inputs), CheckState::Ok,
                   "plays on Built-in Audio (PipeWire, 2 channels); records from Microphone (ALSA)"));
    EXPECT_TRUE(is(soundCheck(outputs, {}), CheckState::Ok, "no default device records"));
}

TEST(SoundCheck, NoneIsNoFailureAndTheReasonsAreTold) {
    const SoundDevices none{.devices = {{"alsa:null", "Discard all samples", "ALSA"}},
                            .problems = {"no PipeWire runs", "ALSA has no device that plays"}};
    EXPECT_TRUE(is(soundCheck(none, none), CheckState::Info,
                   "no default device plays: no PipeWire runs, ALSA has no device that plays",
                   "systemctl --user start pipewire"));
}

TEST(DecoderCheck, NamesWhatHasADevice) {
    const MadeUpMachine machine;
    std::vector<HardwareDecoder> decoders{
        {.decoder = Decoder::Cuda, .reason = "Cannot load libcuda.so.1", .codecs = {"hevc"}},
        {.decoder = Decoder::Vaapi, .reason = "there is no /dev/dri/renderD128", .codecs = {"av1", "h264"}}};
    EXPECT_TRUE(is(decoderCheck(machine.tree(), decoders), CheckState::Info,
                   "none: files are decoded on the processors (cuda: Cannot load libcuda.so.1; vaapi: there "
                   "is no /dev/dri/renderD128)"));
    machine.file("/dev/dri/renderD129", "");
    decoders.back().works = true;
    const Check check = decoderCheck(machine.tree(), decoders);
    EXPECT_TRUE(is(check, CheckState::Info, "vaapi (av1 h264): verbcast send --decoder auto takes them"));
    EXPECT_NE(check.seen.find("cuda: Cannot load"), std::string::npos) << check.seen;
    EXPECT_EQ(check.remedy, "");
}

TEST(DecoderCheck, EachKindThatCanBeNamedIsLookedAt) {
    std::vector<Decoder> kinds;
    for (const HardwareDecoder& decoder : hardwareDecoders()) {
        kinds.push_back(decoder.decoder);
        EXPECT_NE(decoder.works, !decoder.reason.empty()) << nameOf(decoder.decoder);
        EXPECT_TRUE(std::is_sorted(decoder.codecs.begin(), decoder.codecs.end()));
    }
    EXPECT_EQ(kinds, (std::vector{Decoder::Cuda, Decoder::Vaapi, Decoder::Vulkan}));
}

TEST(ChildOutput, IsWhatTheProgramPrints) {
    EXPECT_EQ(childOutput({"/bin/echo", "two words"}, std::chrono::seconds(30)), "two words\n");
    EXPECT_FALSE(childOutput({"/bin/false"}, std::chrono::seconds(30)));
    EXPECT_FALSE(childOutput({"/nonexistent/program"}, std::chrono::seconds(30)));
}

TEST(ChildOutput, EndsAProgramThatHangs) {
    // Each would run until the test times out: the first is silent, the second has closed its output.
    EXPECT_FALSE(childOutput({"/bin/sleep", "3600"}, std::chrono::milliseconds(50)));
    EXPECT_FALSE(
        childOutput({"/bin/sh", "-c", "exec >/dev/null; exec sleep 3600"}, std::chrono::milliseconds(50)));
}

}  // namespace
}  // namespace verbcast::testing
