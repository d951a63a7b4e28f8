// Reading /proc, /sys, /dev and /etc, or a made-up tree in their place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace verbcast {

/// The machine's files under a prefix: "" for the real ones. Paths are absolute, "/sys/class/net". What is
/// not there or cannot be read is empty, never an error: kernels and containers differ in what they show.
class SystemTree {
  public:
    explicit SystemTree(std::string prefix = "") : prefix_(std::move(prefix)) {}

    std::filesystem::path path(const std::string& absolute) const { return prefix_ + absolute; }
    bool exists(const std::string& absolute) const;
    /// May be opened for reading and writing by this process.
    bool usable(const std::string& absolute) const;
    /// The whole file without the line break at its end. At most 64 KiB.
    std::string text(const std::string& absolute) const;
    /// The number that the file starts with: "16.0 GT/s PCIe" is 16.
    std::optional<double> number(const std::string& absolute) const;
    /// The number behind "KEY:" of a file like /proc/meminfo, as it stands there.
    std::optional<std::uint64_t> field(const std::string& absolute, const std::string& key) const;
    /// Names in a folder, sorted.
    std::vector<std::string> names(const std::string& folder) const;
    /// The last part of where a symbolic link points: a device's driver.
    std::string linkName(const std::string& absolute) const;

  private:
    std::string prefix_;
};

}  // namespace verbcast
