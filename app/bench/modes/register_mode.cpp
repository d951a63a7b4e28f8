// bench register: compares registering a frame's memory each time with copying the frame into a ring that is
// registered already.
//
// Both use memory that exists: a frame has been written before it is sent, so its pages exist. Sizes smaller
// than the area move through it from place to place, so that neither method works from a cache.
#include "app/bench/modes/register_mode.h"

#include <fmt/format.h>
#include <linux/mman.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>

#include "app/bench/limits/memory_info.h"
#include "app/bench/modes/register_times.h"
#include "app/bench/report/report_text.h"
#include "app/bench/workers/bench_roles.h"
#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/base/text/counted.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"

namespace verbcast {
namespace {

constexpr std::uint64_t kHugePageBytes = 2ULL << 20;

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

/// Memory limit for both areas together.
std::uint64_t budgetFor(Pages pages) {
    return pages == Pages::Huge ? memoryInfo("HugePages_Free") * kHugePageBytes
                                : memoryInfo("MemAvailable") * 1024 / 2;
}

/// Measures all sizes with one page size and one load.
class Series {
  public:
    Series(RegistrationProbe& probe, Pages pages, std::uint32_t load, std::uint64_t spreadBytes,
           const BenchOptions& options)
        : probe_(probe),
          pages_(pages),
          load_(load),
          options_(options),
          budget_(budgetFor(pages)),
          spread_(std::min(spreadBytes, budget_ / 4)) {}

    bool fits(std::uint64_t bytes) const { return 2 * roundedUp(bytes) <= budget_; }

    /// Returns nullopt if interrupted.
    std::optional<RegisterPoint> measure(std::uint64_t bytes) {
        useAreas(bytes);
        RegisterPoint point;
        point.device = probe_.device();
        point.pages = pagesName(pages_);
        point.load = load_;
        point.bytes = bytes;
        if (!measureCopy(point) || !measureRegistration(point)) {
            return std::nullopt;
        }
        return point;
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

    bool measureCopy(RegisterPoint& point) {
        const auto registered = probe_.keepRegistered(ring_->all());
        std::vector<std::int64_t> times;
        const bool enough = repeat(options_, [&](std::size_t n) {
            const auto from = frames_->place(n, point.bytes);
            const auto to = ring_->place(n, point.bytes);
            const TimestampNs begin = nowNs();
            std::memcpy(to.data(), from.data(), from.size());
            times.push_back(nowNs() - begin);
        });
        point.copyUs = medianUs(times);
        return enough;
    }

    bool measureRegistration(RegisterPoint& point) {
        std::vector<std::int64_t> registering;
        std::vector<std::int64_t> deregistering;
        const bool enough = repeat(options_, [&](std::size_t n) {
            const RegistrationTimes times = probe_.measure(frames_->place(n, point.bytes));
            registering.push_back(times.registering.count());
            deregistering.push_back(times.deregistering.count());
        });
        point.registerUs = medianUs(registering);
        point.deregisterUs = medianUs(deregistering);
        return enough;
    }

    RegistrationProbe& probe_;
    Pages pages_;
    std::uint32_t load_;
    const BenchOptions& options_;
    std::uint64_t budget_;
    std::uint64_t spread_;
    std::optional<Area> frames_, ring_;
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
    std::vector<Pages> usable{Pages::Small};
    if (budgetFor(Pages::Huge) >= 2 * std::max(kHugePageBytes, range.sizes.front())) {
        usable.push_back(Pages::Huge);
    } else {
        report.notes.push_back(fmt::format(
            "2 MiB pages are left out: {} of them are free here; for all sizes, as root: echo {} > "
            "/proc/sys/vm/nr_hugepages",
            memoryInfo("HugePages_Free"), 2 * range.sizes.back() / kHugePageBytes));
    }
    return usable;
}

/// Returns false if interrupted.
bool measureSeries(Series& series, const RegisterRange& range, const std::string& title, BenchReport& report,
                   const std::function<void(const std::string&)>& announce) {
    const std::size_t first = report.registrations.size();
    bool finished = true;
    for (const std::uint64_t bytes : range.sizes) {
        if (!series.fits(bytes)) {
            report.notes.push_back(fmt::format(
                "{}: {} and more are left out, as twice as much is not free here", title, bytesText(bytes)));
            break;
        }
        announce(fmt::format("{}: {}", title, bytesText(bytes)));
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

}  // namespace

RegisterRange standardRegisterRange() {
    RegisterRange range;
    for (std::uint64_t bytes = 64ULL << 10; bytes <= 1ULL << 30; bytes *= 4) {
        range.sizes.push_back(bytes);
    }
    return range;
}

void registerRange(RegistrationProbe& probe, const RegisterRange& range, const BenchOptions& options,
                   BenchReport& report, BenchProgress& progress) {
    addNotes(probe.device(), report);
    const std::vector<Pages> kinds = usablePages(range, report);
    std::vector<std::uint32_t> loads{0};
    if (options.load > 0) {
        loads.push_back(options.load);
    }
    std::size_t done = 0;
    for (const Pages pages : kinds) {
        for (const std::uint32_t load : loads) {
            const Burners burners(load);
            Series series(probe, pages, load, range.spreadBytes, options);
            const std::string title = fmt::format("{}, {} pages, {}", probe.device(), pagesName(pages),
                                                  load == 0 ? "idle" : counted(load, "burner"));
            const bool finished = measureSeries(series, range, title, report, [&](const std::string& text) {
                progress.step(++done, range.sizes.size() * kinds.size() * loads.size(), text);
            });
            if (!finished) {
                return;
            }
        }
    }
}

void benchRegister(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    if (options.deviceMemory) {
        const auto gpu = gpuAllocator(chosenGpu());  // first: without a GPU an RDMA device is of no use
        const auto probe = openRegistrationProbe(options.device);
        return registerDeviceRange(*probe, *gpu, deviceRegisterSizes(), options, report, progress);
    }
    const auto probe = openRegistrationProbe(options.device);
    registerRange(*probe, standardRegisterRange(), options, report, progress);
}

}  // namespace verbcast
