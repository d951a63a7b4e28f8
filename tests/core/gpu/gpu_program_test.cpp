// What the program reports about GPUs with each kind of driver. The dynamic loader finds the drivers by
// LD_LIBRARY_PATH.
#include <dlfcn.h>

#include <algorithm>

#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class GpuProgramTest : public ProgramTest {
  protected:
    /// The output of `verbcast ARGUMENTS` with that driver and those variables.
    std::string ask(const std::string& driver, const Arguments& arguments, const Arguments& variables = {}) {
        const Arguments all = Arguments{"/usr/bin/env", "LD_LIBRARY_PATH=" + driver} + variables +
                              Arguments{verbcastPath()} + arguments;
        ChildProcess program(all, {.folder = home_.path()});
        EXPECT_TRUE(endsWith(program, 0));
        EXPECT_EQ(program.errors(), "");
        return program.output();
    }
    static std::string driver(const std::string& name) { return std::string(VERBCAST_DRIVERS) + "/" + name; }
    /// `verbcast bench frames --memory device ARGUMENTS` over the double, with a report.
    Arguments bench(const Arguments& arguments, const Arguments& variables = {}) const {
        return Arguments{"/usr/bin/env", "LD_LIBRARY_PATH=" + driver("double")} + variables +
               Arguments{verbcastPath(), "bench", "frames",  "--memory", "device",
                         "--size",       "64x64", "--quiet", "--json",   file("report.json")} +
               arguments;
    }
    /// A check of `verbcast doctor --json`, which may exit with 10 or 11 on a machine with faults.
    nlohmann::json check(const std::string& driver, const std::string& name,
                         const Arguments& variables = {}) {
        const Arguments all = Arguments{"/usr/bin/env", "LD_LIBRARY_PATH=" + driver} + variables +
                              Arguments{verbcastPath(), "doctor", "--json", "--size", "64x64", "--fps", "10"};
        ChildProcess program(all, {.folder = home_.path()});
        EXPECT_TRUE(program.waitForEnd());
        const nlohmann::json report = nlohmann::json::parse(program.output());
        for (const auto& each : report["checks"]) {
            if (each["name"] == name) {
                return each;
            }
        }
        ADD_FAILURE() << "no check named " << name << ": " << report.dump(2);
        return {};
    }
};

#ifdef VERBCAST_TEST_CUDA

TEST_F(GpuProgramTest, ADeviceIsTold) {
    const std::string version = ask(driver("double"), {"devices"});
    EXPECT_TRUE(holds(version, ", driver 12.4: Double 0"));
    const std::string devices = ask(driver("double"), {"devices"}, {"CUDA_DOUBLE_DEVICES=2"});
    EXPECT_TRUE(holds(devices,
                      "\n  0  0000:fa:00.0  Double 0  compute 9.0  1.0 GiB  BAR1 unknown\n"
                      "    GPU-d0d0d0d0-d0d0-d0d0-d0d0-d0d0d0d0d0d0\n"
                      "    GPUDirect RDMA, dma-buf, remote writes are in order for this GPU\n"
                      "  1  0000:fb:00.0  Double 1"));
    const auto gpu = check(driver("double"), "GPU");
    EXPECT_EQ(gpu["state"], "info");
    EXPECT_TRUE(holds(gpu["seen"], "Double 0 at 0000:fa:00.0"));
    EXPECT_TRUE(holds(check(driver("double"), "GPUDirect")["seen"], "Double 0: dma-buf "));
}

TEST_F(GpuProgramTest, OfADriverOfCudaElevenTheOlderEntryIsUsed) {
    EXPECT_TRUE(holds(ask(driver("double_eleven"), {"devices"}), ", driver 11.8: Double 0"));
}

TEST_F(GpuProgramTest, ADriverWithoutDevicesIsTold) {
    const Arguments none{"CUDA_DOUBLE_DEVICES=0"};
    EXPECT_TRUE(
        holds(ask(driver("double"), {"devices"}, none), "(no device: cuInit: CUDA_ERROR_NO_DEVICE (100)"));
    EXPECT_EQ(check(driver("double"), "GPU", none)["state"], "info");
}

TEST_F(GpuProgramTest, ADriverThatIsTooOldIsTold) {
    for (const auto& [name, variables] :
         {std::pair<std::string, Arguments>{"old_driver", {}}, {"double", {"CUDA_DOUBLE_VERSION=11060"}}}) {
        EXPECT_TRUE(
            holds(ask(driver(name), {"devices"}, variables), "(driver too old: the driver knows CUDA 1"));
        const auto gpu = check(driver(name), "GPU", variables);
        EXPECT_EQ(gpu["state"], "warning");
        EXPECT_TRUE(holds(gpu["seen"], "11.7 needed"));
        EXPECT_TRUE(holds(gpu["remedy"], "515"));
    }
}

TEST_F(GpuProgramTest, ADriverThatFailsIsTold) {
    const Arguments mismatch{"CUDA_DOUBLE_FAIL=cuInit:803"};
    EXPECT_TRUE(holds(ask(driver("double"), {"devices"}, mismatch),
                      "(unusable driver: cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"));
    EXPECT_EQ(check(driver("double"), "GPU", mismatch)["state"], "warning");
    EXPECT_TRUE(holds(ask(driver("double"), {"devices"}, {"CUDA_DOUBLE_FAIL=cuDeviceGetName:719"}),
                      "cuDeviceGetName on GPU 0: CUDA_ERROR_LAUNCH_FAILED (719)"));
    EXPECT_TRUE(holds(ask(driver("double"), {"devices"}, {"CUDA_DOUBLE_FAIL=cuGetProcAddress:500:4"}),
                      "the driver of CUDA 12.4 has no cu"));
}

TEST_F(GpuProgramTest, AFileThatIsNoDriverIsTold) {
    std::ofstream(files_.file("libcuda.so.1")) << "not a library";
    EXPECT_TRUE(holds(ask(files_.path(), {"devices"}), "(unusable driver: "));
}

/// The dynamic loader logs what a program and its children look for.
TEST_F(GpuProgramTest, TheDriverIsLoadedOnlyWhereItIsAskedFor) {
    const auto loads = [&](const Arguments& arguments) {
        const Arguments all =
            Arguments{"/usr/bin/env", "LD_LIBRARY_PATH=" + driver("double"), "LD_DEBUG=libs",
                      "LD_DEBUG_OUTPUT=" + file("loaded"), verbcastPath()} +
            arguments;
        ChildProcess program(all, {.folder = home_.path()});
        EXPECT_TRUE(endsWith(program, 0));
        bool found = false;
        std::size_t processes = 0;
        for (const std::string& name : files_.names()) {
            if (name.starts_with("loaded.")) {
                ++processes;
                found |= contentOf(file(name)).find("find library=libcuda.so.1") != std::string::npos;
                std::filesystem::remove(file(name));
            }
        }
        EXPECT_GT(processes, 0U) << "the loader told nothing";
        return found;
    };
    const Arguments small{"bench", "frames", "--size", "64x64", "--fps", "max", "--frames", "20", "--quiet"};
    EXPECT_FALSE(loads(small + Arguments{"--transport", "shm,tcp"}));
    EXPECT_FALSE(loads({"formats"}));
    EXPECT_TRUE(loads(small + Arguments{"--transport", "shm", "--memory", "device"}));
    EXPECT_TRUE(loads({"devices"}));
}

/// Whole benchmarks, of a driver that is no GPU: what they print, not how fast it is.
class ThoroughGpuBench : public GpuProgramTest {};

/// Over tcp, shm and every other transport that needs no RDMA device: from ring to ring, with the copies
/// counted.
TEST_F(ThoroughGpuBench, MovesFramesBetweenGpuRings) {
#ifdef VERBCAST_TEST_OFI
    const std::string transports = "shm,tcp,ofi";
    constexpr std::size_t kRows = 3;
#else
    const std::string transports = "shm,tcp";
    constexpr std::size_t kRows = 2;
#endif
    ChildProcess program(bench({"--transport", transports, "--fps", "max", "--frames", "20"}),
                         {.folder = home_.path()});
    EXPECT_TRUE(endsWith(program, 0));
    EXPECT_EQ(program.errors().find("cuda double"), std::string::npos) << program.errors();
    EXPECT_TRUE(holds(program.output(), "in GPU memory"));
    const nlohmann::json report = readJson(file("report.json"));
    ASSERT_EQ(report["rows"].size(), kRows) << report.dump(2);
    EXPECT_TRUE(holds(report["notes"].dump(), "are in the memory of Double 0 (GPU 0)"));
    for (const auto& row : report["rows"]) {
        const bool tcp = row["transport"] == "tcp";
        EXPECT_EQ(row["memory"], "device");
        EXPECT_EQ(row["frames"], 20) << row.dump(2);
        EXPECT_EQ(row["frames_corrupt"], 0);
        EXPECT_EQ(row["verify"], "full");
        EXPECT_NEAR(row["device_memory"]["pcie_copies_per_frame"], 2, 1e-9)
            << "out of one GPU, into the other";
        EXPECT_NEAR(row["pixel_copies_per_frame"], tcp ? 2 : 0, 1e-9) << "by the processors";
        for (const char* way : {"to_host", "to_device"}) {
            EXPECT_GT(row["device_memory"][way]["gigabytes_per_second"], 0);
        }
        if (row["transport"] == "shm") {
            EXPECT_TRUE(row["limit"]["name"] == "cuMemcpyDtoH" || row["limit"]["name"] == "cuMemcpyHtoD");
        } else {
            EXPECT_EQ(row["limit"]["name"], "plain TCP, checked");
        }
        EXPECT_TRUE(row["hand_offs_per_second"].is_null());
    }
}

/// One option for memory, decoding and drawing; workers and helpers use the same GPU.
TEST_F(GpuProgramTest, AnotherGpuIsChosen) {
    for (const char* name : {"1", "GPU-d1d1d1d1-d1d1-d1d1-d1d1-d1d1d1d1d1d1", "fb:00.0"}) {
        ChildProcess program(bench({"--transport", "shm", "--fps", "max", "--frames", "4", "--gpu", name},
                                   {"CUDA_DOUBLE_DEVICES=2"}),
                             {.folder = home_.path()});
        EXPECT_TRUE(endsWith(program, 0));
        const nlohmann::json report = readJson(file("report.json"));
        EXPECT_TRUE(holds(report["notes"].dump(), "are in the memory of Double 1 (GPU 1)")) << name;
        EXPECT_EQ(report["rows"][0]["frames"], 4);
    }
    const auto expectError = [&](const Arguments& arguments, int code, const std::string& text) {
        ChildProcess program(Arguments{"/usr/bin/env", "LD_LIBRARY_PATH=" + driver("double"),
                                       "CUDA_DOUBLE_DEVICES=2", verbcastPath()} +
                                 arguments,
                             {.folder = home_.path()});
        EXPECT_TRUE(endsWith(program, code));
        EXPECT_TRUE(holds(program.errors(), text));
    };
    expectError({"bench", "--memory", "device", "--gpu", "2", "--quiet"}, 2,
                "--gpu 2: no GPU has that number, UUID or PCI address");
    expectError({"bench", "--memory", "device", "--gpu", "2", "--quiet"}, 2,
                "there are: 0 (Double 0, 0000:fa:00.0), 1 (Double 1, 0000:fb:00.0)");
#ifdef VERBCAST_TEST_OPENGL
    // The double's GPU 0 draws, whichever EGL device is asked.
    expectError({"render", "--gpu", "1", "--frames", "1", "--listen", "shm://nobody"}, 7,
                "OpenGL draws on GPU 0, and --gpu names GPU 1");
#endif
}

/// Two processes on one GPU: the receiver maps the sender's ring.
TEST_F(ThoroughGpuBench, SharesAGpusRing) {
    for (const char* shares : {"CUDA_DOUBLE_SHARES=1", "CUDA_DOUBLE_SHARES=2"}) {
        ChildProcess program(bench({"--transport", "shm", "--fps", "max", "--frames", "20"}, {shares}),
                             {.folder = home_.path()});
        EXPECT_TRUE(endsWith(program, 0));
        EXPECT_EQ(program.errors().find("cuda double"), std::string::npos) << program.errors();
        const auto row = readJson(file("report.json"))["rows"][0];
        EXPECT_EQ(row["frames"], 20) << row.dump(2);
        EXPECT_EQ(row["frames_corrupt"], 0);
        EXPECT_EQ(row["verify"], "full");
        EXPECT_NEAR(row["device_memory"]["pcie_copies_per_frame"], 0, 1e-9);
        EXPECT_NEAR(row["pixel_copies_per_frame"], 0, 1e-9);
    }
}

TEST_F(ThoroughGpuBench, MovesFramesAtARate) {
    ChildProcess program(
        bench({"--transport", "shm", "--fps", "100", "--frames", "10", "--verify", "header"}),
        {.folder = home_.path()});
    EXPECT_TRUE(endsWith(program, 0));
    const auto row = readJson(file("report.json"))["rows"][0];
    EXPECT_GT(row["frames"], 0);
    EXPECT_TRUE(row["wake_up"].is_null()) << "frames are copied";
    const double copies = row["device_memory"]["pcie_copies_per_frame"];
    EXPECT_GE(copies, 2) << row.dump(2);
    EXPECT_LT(copies, 3) << "more than 2 only if some were copied, but came too late";
}

TEST_F(GpuProgramTest, TheBenchSaysWhatItCannotDo) {
    const auto expectError = [&](const Arguments& arguments, const Arguments& variables, int code,
                                 const std::string& text) {
        ChildProcess program(bench(arguments, variables), {.folder = home_.path()});
        EXPECT_TRUE(endsWith(program, code));
        EXPECT_TRUE(holds(program.errors(), text));
        EXPECT_EQ(program.errors().find("cuda double"), std::string::npos) << program.errors();
    };
    const Arguments tcp{"--transport", "tcp", "--fps", "max", "--frames", "50"};
    expectError(tcp, {"CUDA_DOUBLE_DEVICES=0"}, 7, "no GPU can be used here: cuInit: CUDA_ERROR_NO_DEVICE");
    expectError(tcp, {"CUDA_DOUBLE_MEMORY=1000000"}, 5, "CUDA_ERROR_OUT_OF_MEMORY");
    expectError(tcp, {"CUDA_DOUBLE_FAIL=cuMemcpyDtoHAsync:719:10"}, 7,
                "cuMemcpyDtoHAsync on Double 0 (GPU 0): CUDA_ERROR_LAUNCH_FAILED (719)");
    expectError(tcp + Arguments{"--damage", "5"}, {}, 2, "--damage with --memory device");
}

TEST_F(GpuProgramTest, TheBenchGoesOnWhereNothingCanBePinned) {
    ChildProcess program(bench({"--transport", "shm", "--fps", "max", "--frames", "20"},
                               {"CUDA_DOUBLE_FAIL=cuMemHostRegister:801"}),
                         {.folder = home_.path()});
    EXPECT_TRUE(endsWith(program, 0));
    const auto row = readJson(file("report.json"))["rows"][0];
    EXPECT_EQ(row["frames"], 20);
    EXPECT_TRUE(holds(row["limit"]["unavailable"], "cuMemHostRegister"));
}

TEST_F(ThoroughGpuBench, TellsTheLimitsOfAGpu) {
    Arguments arguments = bench({"--frames", "20"});
    std::replace(arguments.begin(), arguments.end(), std::string("frames"), std::string("limits"));
    ChildProcess program(arguments, {.folder = home_.path()});
    EXPECT_TRUE(endsWith(program, 0));
    EXPECT_EQ(program.errors().find("cuda double"), std::string::npos) << program.errors();
    const auto limits = readJson(file("report.json"))["limits"];
    ASSERT_EQ(limits.size(), 3U) << limits.dump(2);
    for (const std::size_t copies : {0U, 1U}) {
        EXPECT_TRUE(holds(limits[copies]["name"], copies == 0 ? "cuMemcpyDtoH" : "cuMemcpyHtoD"));
        EXPECT_GT(limits[copies]["gigabytes_per_second"], 0);
    }
    EXPECT_TRUE(holds(limits[2]["name"], "ib_write_bw --use_cuda"));
    EXPECT_NE(limits[2]["unavailable"], "") << "this machine has an RDMA device and perftest with CUDA";
}

TEST_F(ThoroughGpuBench, RegistersAGpusMemoryWhereItCan) {
    const auto expectError = [&](const std::string& variable, const std::string& text) {
        ChildProcess program({"/usr/bin/env", "LD_LIBRARY_PATH=" + driver("double"), variable, verbcastPath(),
                              "bench", "register", "--memory", "device", "--quiet"},
                             {.folder = home_.path()});
        EXPECT_TRUE(endsWith(program, 7));
        EXPECT_TRUE(holds(program.errors(), text));
    };
    expectError("CUDA_DOUBLE_DEVICES=0", "no GPU can be used here: cuInit: CUDA_ERROR_NO_DEVICE");
    if (!std::filesystem::exists("/sys/class/infiniband")) {
        expectError("CUDA_DOUBLE_DEVICES=1", "RDMA");
    }
}

#ifdef VERBCAST_TEST_OPENGL

/// Into the GPU, through its ring, and out of it for drawing.
TEST_F(ThoroughGpuBench, TellsTheStagesOfAGpusPipeline) {
    for (const auto& [shares, copies] : {std::pair{"0", 3.0}, {"2", 1.0}}) {
        ChildProcess program({"/usr/bin/env", "LD_LIBRARY_PATH=" + driver("double"),
                              std::string("CUDA_DOUBLE_SHARES=") + shares, verbcastPath(), "bench", "stages",
                              "--memory", "device", "--transport", "shm", "--size", "64x64", "--frames", "30",
                              "--quiet", "--json", file("report.json")},
                             {.folder = home_.path()});
        EXPECT_TRUE(endsWith(program, 0));
        EXPECT_EQ(program.errors().find("cuda double"), std::string::npos) << program.errors();
        EXPECT_TRUE(holds(program.output(), "by the processors, 1.00 within the GPU, "));
        const auto run = readJson(file("report.json"))["stages"][0];
        EXPECT_EQ(run["memory"], "device");
        EXPECT_GE(run["frames"], 30);
        EXPECT_NEAR(run["device_memory"]["pcie_copies_per_frame"], copies, 0.25) << run.dump(2);
        EXPECT_NEAR(run["device_memory"]["processor_copies_per_frame"], 0, 1e-9);
        EXPECT_NEAR(run["device_memory"]["gpu_copies_per_frame"], 1, 1e-9);
        EXPECT_GT(run["device_memory"]["to_host"]["gigabytes_per_second"], 0);
        std::string names;
        for (const auto& stage : run["stages"]) {
            names += stage["name"].get<std::string>() + ",";
        }
        EXPECT_TRUE(holds(names, "draw pattern,wait for room,to GPU,post,wire,queue,upload,draw,"));
    }
}

/// The scene is drawn into the ring's memory, and shown from there.
TEST_F(ThoroughGpuBench, TellsTheStagesOfAScene) {
    ChildProcess program(
        {"/usr/bin/env", "LD_LIBRARY_PATH=" + driver("double"), "CUDA_DOUBLE_SHARES=2", verbcastPath(),
         "bench", "stages", "--memory", "device", "--source", "scene", "--transport", "shm", "--size",
         "64x64", "--frames", "30", "--quiet", "--json", file("report.json")},
        {.folder = home_.path()});
    EXPECT_TRUE(endsWith(program, 0));
    EXPECT_EQ(program.errors().find("cuda double"), std::string::npos) << program.errors();
    const auto run = readJson(file("report.json"))["stages"][0];
    EXPECT_EQ(run["memory"], "device");
    EXPECT_NEAR(run["device_memory"]["pcie_copies_per_frame"], 0, 1e-9) << run.dump(2);
    EXPECT_NEAR(run["device_memory"]["processor_copies_per_frame"], 0, 1e-9);
    EXPECT_NEAR(run["device_memory"]["gpu_copies_per_frame"], 2, 1e-9);
    EXPECT_FALSE(run["transfer_cost"].is_null());
    std::string names;
    for (const auto& stage : run["stages"]) {
        names += stage["name"].get<std::string>() + ",";
    }
    EXPECT_TRUE(holds(names, "draw scene,read scene,wait for room,post,wire,queue,upload,draw,"));
}

#endif

/// The stub exports all calls that we need, but must be reported as an unusable driver.
TEST_F(GpuProgramTest, TheToolkitsStubIsNoDriver) {
    const std::string stub = "/usr/local/cuda/lib64/stubs/libcuda.so";
    if (!std::filesystem::exists(stub)) {
        GTEST_SKIP() << "needs CUDA's toolkit: " << stub << " is not here";
    }
    std::filesystem::create_symlink(stub, files_.file("libcuda.so.1"));
    EXPECT_TRUE(holds(ask(files_.path(), {"devices"}), "(unusable driver: "));
}

TEST_F(GpuProgramTest, NoDriverIsTold) {
    if (::dlopen("libcuda.so.1", RTLD_NOW) != nullptr) {
        GTEST_SKIP() << "this machine has NVIDIA's driver";
    }
    EXPECT_TRUE(holds(ask("", {"devices"}), "(no driver: libcuda.so.1 is not installed)"));
    EXPECT_EQ(check("", "GPUDirect")["state"], "info");
}

#else

TEST_F(GpuProgramTest, TheBenchSaysThatItWasBuiltWithoutTheHeader) {
    Verbcast program({"bench", "frames", "--memory", "device", "--transport", "shm", "--size", "64x64"},
                     home_);
    EXPECT_TRUE(endsWith(program, 7));
    EXPECT_TRUE(
        holds(program.errors(), "no GPU can be used here: this verbcast was built without CUDA's header"));
}

TEST_F(GpuProgramTest, ABuildWithoutTheHeaderSaysSo) {
    EXPECT_TRUE(holds(ask("", {"devices"}), "GPUs: CUDA not compiled in"));
    EXPECT_EQ(check("", "GPUDirect")["state"], "info");
}

#endif

TEST_F(GpuProgramTest, MemoryIsOfTheHostOrADeviceAndOfFrames) {
    for (const auto& [arguments, text] :
         {std::pair<Arguments, std::string>{{"bench", "--memory", "vram"},
                                            "--memory vram: host or device expected"},
          {{"bench", "sweep", "--memory", "device"},
           "--memory with bench sweep: all of it is in main memory"}}) {
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, 2));
        EXPECT_TRUE(holds(program.errors(), text));
    }
}

}  // namespace
}  // namespace verbcast::testing
