// bench register: compares registering a frame's memory each time with copying the frame into a ring that is
// registered already.
//
// Both use memory that exists: a frame has been written before it is sent, so its pages exist. Sizes smaller
// than the area move through it from place to place, so that neither method works from a cache. A GPU's
// memory is compared with a ring in main memory, as is used where that memory cannot be registered.
#include "app/bench/modes/bench_modes.h"

#include <fmt/format.h>
#include <linux/mman.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "app/bench/fit/fit.h"
#include "app/bench/report/report_text.h"
#include "app/bench/workers/worker.h"
#include "core/base/os/clock.h"
#include "core/base/text/counted.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"
#include "core/memory/available_memory.h"
#include "core/memory/frame_pool.h"

namespace verbcast {
namespace {

constexpr std::size_t kMinRepetitions = 5;
constexpr std::size_t kMaxRepetitions = 2000;

/// Calls work(n) for a tenth of --seconds, or --frames times. Returns false if interrupted too early.
template <typename Work>
bool repeat(const BenchOptions& options, Work&& work) {
    const TimestampNs end = nowNs() + static_cast<TimestampNs>(options.seconds * 1e8);
    const std::size_t least = options.frames.value_or(kMinRepetitions);
    const std::size_t most = options.frames.value_or(kMaxRepetitions);
    for (std::size_t n = 0; n < most && (n < least || nowNs() < end); ++n) {
        if (interruptEvent().isSet()) {
            return n >= kMinRepetitions;
        }
        work(n);
    }
    return true;
}

double medianUs(const std::vector<std::int64_t>& nanoseconds) {
    return nanoseconds.empty() ? 0 : static_cast<double>(medianBy(nanoseconds, std::identity{})) / 1000;
}

/// copy(n) copies the point's bytes.
template <typename Copy>
bool timeCopies(const BenchOptions& options, RegisterPoint& point, Copy&& copy) {
    std::vector<std::int64_t> times;
    const bool enough = repeat(options, [&](std::size_t n) {
        const TimestampNs begin = nowNs();
        copy(n);
        times.push_back(nowNs() - begin);
    });
    point.copyUs = medianUs(times);
    return enough;
}

/// probe(n) registers and deregisters the point's bytes, and returns its RegistrationTimes.
template <typename Probe>
bool timeRegistrations(const BenchOptions& options, RegisterPoint& point, Probe&& probe) {
    std::vector<std::int64_t> registering, deregistering;
    const bool enough = repeat(options, [&](std::size_t n) {
        const RegistrationTimes times = probe(n);
        registering.push_back(times.registering.count());
        deregistering.push_back(times.deregistering.count());
    });
    point.registerUs = medianUs(registering);
    point.deregisterUs = medianUs(deregistering);
    return enough;
}

/// Adds the crossover of one series of points, sorted by size.
void addCrossover(BenchReport& report, std::span<const RegisterPoint> points) {
    if (points.empty()) {
        return;
    }
    std::vector<CostPair> costs;
    for (const RegisterPoint& point : points) {
        costs.push_back({point.bytes, point.registerUs + point.deregisterUs, point.copyUs});
    }
    const RegisterPoint& largest = points.back();
    report.crossovers.push_back(
        {.device = largest.device,
         .pages = largest.pages,
         .load = largest.load,
         .bytes = crossoverBytes(costs),
         // From the largest size, where the cost of the call itself is negligible.
         .registerSecondsPerGib = largest.registerUs * 1e-6 * static_cast<double>(1ULL << 30) /
                                  static_cast<double>(largest.bytes)});
}

/// Measures all sizes of one kind of memory with one load.
class Series {
  public:
    Series(RegistrationProbe& probe, std::uint32_t load, const BenchOptions& options)
        : probe_(probe), load_(load), options_(options) {}
    virtual ~Series() = default;

    virtual std::string memoryName() const = 0;
    virtual bool fits(std::uint64_t) const { return true; }
    /// Returns nullopt if interrupted.
    virtual std::optional<RegisterPoint> measure(std::uint64_t bytes) = 0;
    std::string title() const {
        return fmt::format("{}, {}, {}", probe_.device(), memoryName(),
                           load_ == 0 ? "idle" : counted(load_, "burner"));
    }

  protected:
    RegistrationProbe& probe_;
    const std::uint32_t load_;
    const BenchOptions& options_;
};

/// Returns false if interrupted.
bool measureSeries(Series& series, const std::vector<std::uint64_t>& sizes, BenchReport& report,
                   const Say& say) {
    const std::string title = series.title();
    const std::size_t first = report.registrations.size();
    bool finished = true;
    for (const std::uint64_t bytes : sizes) {
        if (!series.fits(bytes)) {
            report.notes.push_back(fmt::format(
                "{}: {} and more are left out, as twice as much is not free here", title, bytesText(bytes)));
            break;
        }
        say(fmt::format("{}: {}", title, bytesText(bytes)));
        try {
            const auto point = series.measure(bytes);
            finished = point.has_value();
            if (!finished) {
                break;
            }
            report.registrations.push_back(*point);
        } catch (const Error& error) {
            // Keep what was measured, unless there is nothing.
            if (error.kind() != ErrorKind::Resource || report.registrations.empty()) {
                throw;
            }
            report.notes.push_back(fmt::format("{}: {} and more are left out: {}; {}", title,
                                               bytesText(bytes), error.what(), error.remedy()));
            break;
        }
    }
    addCrossover(report, std::span(report.registrations).subspan(first));
    return finished;
}

enum class Pages { Small, Huge };

const char* pagesName(Pages pages) {
    return pages == Pages::Small ? "4 KiB" : "2 MiB";
}

/// Anonymous memory with pages of one size, each page touched.
class Area {
  public:
    Area(std::uint64_t bytes, Pages pages) : bytes_(bytes) {
        const bool huge = pages == Pages::Huge;
        void* base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | (huge ? MAP_HUGETLB | MAP_HUGE_2MB : 0), -1, 0);
        if (base == MAP_FAILED) {
            throwErrno(ErrorKind::Resource, "mmap",
                       fmt::format("{} in pages of {}", bytesText(bytes), pagesName(pages)), errno);
        }
        base_ = static_cast<std::byte*>(base);
        if (!huge) {
            ::madvise(base, bytes, MADV_NOHUGEPAGE);  // otherwise the pages might not be 4 KiB
        }
        std::memset(base, 1, bytes);
    }
    ~Area() { ::munmap(base_, bytes_); }
    Area(const Area&) = delete;
    Area& operator=(const Area&) = delete;

    std::uint64_t size() const { return bytes_; }
    std::span<std::byte> all() const { return {base_, bytes_}; }
    /// The n-th place of that size, wrapping around.
    std::span<std::byte> place(std::size_t n, std::uint64_t bytes) const {
        return {base_ + n % (bytes_ / bytes) * bytes, bytes};
    }

  private:
    std::uint64_t bytes_;
    std::byte* base_ = nullptr;
};

std::uint64_t freeHugePages() {
    std::ifstream file("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
    std::uint64_t pages = 0;
    file >> pages;
    return pages;
}

/// Memory limit for both areas together.
std::uint64_t budgetFor(Pages pages) {
    return pages == Pages::Huge ? freeHugePages() * kHugePageBytes : availableMemory().value_or(0) / 2;
}

class MainMemory final : public Series {
  public:
    MainMemory(RegistrationProbe& probe, Pages pages, std::uint32_t load, std::uint64_t spreadBytes,
               const BenchOptions& options)
        : Series(probe, load, options),
          pages_(pages),
          budget_(budgetFor(pages)),
          spread_(std::min(spreadBytes, budget_ / 4)) {}

    std::string memoryName() const override { return fmt::format("{} pages", pagesName(pages_)); }
    bool fits(std::uint64_t bytes) const override { return 2 * roundedUp(bytes) <= budget_; }
    std::optional<RegisterPoint> measure(std::uint64_t bytes) override {
        useAreas(bytes);
        RegisterPoint point{
            .device = probe_.device(), .pages = pagesName(pages_), .load = load_, .bytes = bytes};
        auto registered = probe_.keepRegistered(ring_->all());
        bool enough = timeCopies(options_, point, [&](std::size_t n) {
            std::memcpy(ring_->place(n, bytes).data(), frames_->place(n, bytes).data(), bytes);
        });
        registered.reset();
        enough = enough && timeRegistrations(options_, point, [&](std::size_t n) {
                     return probe_.measure(frames_->place(n, bytes));
                 });
        return enough ? std::optional(point) : std::nullopt;
    }

  private:
    std::uint64_t roundedUp(std::uint64_t bytes) const {
        const std::uint64_t page = pages_ == Pages::Huge ? kHugePageBytes : 4096;
        return (bytes + page - 1) / page * page;
    }

    void useAreas(std::uint64_t bytes) {
        const std::uint64_t needed = roundedUp(std::max(bytes, spread_ / kHugePageBytes * kHugePageBytes));
        if (frames_ && frames_->size() == needed) {
            return;
        }
        frames_.reset();
        ring_.reset();
        frames_.emplace(needed, pages_);
        ring_.emplace(needed, pages_);
    }

    const Pages pages_;
    const std::uint64_t budget_, spread_;
    std::optional<Area> frames_, ring_;
};

class GpuMemory final : public Series {
  public:
    GpuMemory(RegistrationProbe& probe, const DeviceAllocator& gpu, std::uint32_t load,
              const BenchOptions& options)
        : Series(probe, load, options), gpu_(gpu) {}

    std::string memoryName() const override { return "memory of " + gpu_.deviceName(); }
    std::optional<RegisterPoint> measure(std::uint64_t bytes) override {
        RegisterPoint point{.device = probe_.device(), .pages = kGpuPages, .load = load_, .bytes = bytes};
        const auto frame = gpu_.allocate(bytes);
        const auto ring = FramePool::create({.slotBytes = bytes, .slotCount = 1});
        const auto pinned = frame->pin(ring->memory());
        const auto registered = probe_.keepRegistered(ring->memory()->bytes());
        const bool enough = timeCopies(options_, point,
                                       [&](std::size_t) {
                                           frame->read(0, {ring->slotData(0), bytes});
                                       }) &&
                            timeRegistrations(options_, point, [&](std::size_t) {
                                const DeviceRegistration done = probe_.measure(*frame);
                                point.way = done.way;
                                return done.times;
                            });
        return enough ? std::optional(point) : std::nullopt;
    }

  private:
    const DeviceAllocator& gpu_;
};

void addNotes(const std::string& device, BenchReport& report) {
    report.notes.emplace_back(
        "a ring that is registered once costs a frame nothing: 0 by definition, and what verbcast does. "
        "Registering each frame costs register + deregister, copying into the ring costs the copy");
    report.notes.emplace_back(
        "all memory was touched before, since a frame has been written when it is sent; registering memory "
        "for the first time also pays for clearing its pages");
    std::error_code code;
    if (!std::filesystem::exists("/sys/class/infiniband/" + device + "/device", code)) {
        report.notes.push_back(device +
                               " has no hardware of its own: a real adapter must also be told each page, so "
                               "registering costs more there");
    }
}

/// The page sizes that can be measured; notes why the others cannot.
std::vector<Pages> usablePages(const RegisterRange& range, BenchReport& report) {
    if (budgetFor(Pages::Huge) >= 2 * std::max(kHugePageBytes, range.sizes.front())) {
        return {Pages::Small, Pages::Huge};
    }
    report.notes.push_back(
        fmt::format("2 MiB pages are left out: {} of them are free here; for all sizes, as root: echo {} > "
                    "/proc/sys/vm/nr_hugepages",
                    freeHugePages(), 2 * range.sizes.back() / kHugePageBytes));
    return {Pages::Small};
}

/// From `least` to `most` bytes.
std::vector<std::uint64_t> sizesUpTo(std::uint64_t least, std::uint64_t most) {
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t bytes = least; bytes <= most; bytes *= 4) {
        sizes.push_back(bytes);
    }
    return sizes;
}

/// Compares a GPU's memory with copies into registered main memory. Throws Error{Resource}, with the reason,
/// if the memory cannot be registered at all.
void registerGpuMemory(RegistrationProbe& probe, const DeviceAllocator& gpu, const BenchOptions& options,
                       BenchReport& report, BenchProgress& progress) {
    const std::vector<std::uint64_t> sizes =
        sizesUpTo(2ULL << 20, 512ULL << 20);  // from the granularity of allocations
    const std::vector<std::uint32_t> loads = options.loads();
    std::size_t done = 0;
    const Say say = [&](const std::string& text) {
        progress.step(++done, sizes.size() * loads.size(), text);
    };
    static_cast<void>(std::ranges::all_of(loads, [&](std::uint32_t load) {
        const Burners burners(load);
        GpuMemory series(probe, gpu, load, options);
        return measureSeries(series, sizes, report, say);
    }));
    report.notes.push_back(fmt::format(
        "the memory is that of {}; the ring is in main memory, registered and pinned before: copying into it "
        "is one copy over PCIe, by the GPU",
        gpu.deviceName()));
    if (!report.registrations.empty()) {
        report.notes.push_back(fmt::format("{} registers it {}", probe.device(),
                                           report.registrations.front().way == "dma-buf"
                                               ? "as a dma-buf, made anew each time"
                                               : "by its address (nvidia-peermem)"));
    }
}

}  // namespace

void registerRange(RegistrationProbe& probe, const RegisterRange& range, const BenchOptions& options,
                   BenchReport& report, BenchProgress& progress) {
    addNotes(probe.device(), report);
    const std::vector<Pages> kinds = usablePages(range, report);
    const std::vector<std::uint32_t> loads = options.loads();
    std::size_t done = 0;
    const Say say = [&](const std::string& text) {
        progress.step(++done, range.sizes.size() * kinds.size() * loads.size(), text);
    };
    for (const Pages pages : kinds) {
        for (const std::uint32_t load : loads) {
            const Burners burners(load);
            MainMemory series(probe, pages, load, range.spreadBytes, options);
            if (!measureSeries(series, range.sizes, report, say)) {
                return;
            }
        }
    }
}

void benchRegister(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    if (options.deviceMemory) {
        const auto gpu = gpuAllocator(chosenGpu());  // first: without a GPU an RDMA device is of no use
        const auto probe = openRegistrationProbe(options.device);
        return registerGpuMemory(*probe, *gpu, options, report, progress);
    }
    const auto probe = openRegistrationProbe(options.device);
    registerRange(*probe, {.sizes = sizesUpTo(64ULL << 10, 1ULL << 30)}, options, report, progress);
}

}  // namespace verbcast
