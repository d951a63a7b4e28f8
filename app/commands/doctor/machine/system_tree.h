// Reads /proc, /sys, /dev and /etc, or a test tree in their place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace verbcast {

/// The machine's files under a prefix; "" for the real ones. Paths are absolute, "/sys/class/net". What does
/// not exist or cannot be read is empty, never an error: kernels and containers differ in what they show.
class SystemTree {
  public:
    explicit SystemTree(std::string prefix = "") : prefix_(std::move(prefix)) {}

    std::filesystem::path path(const std::string& absolute) const { return prefix_ + absolute; }
    bool exists(const std::string& absolute) const;
    /// True if this process may open it for reading and writing.
    bool usable(const std::string& absolute) const;
    /// The whole file without its final newline. At most 64 KiB.
    std::string text(const std::string& absolute) const;
    /// The number at the start of the file: "16.0 GT/s PCIe" is 16.
    std::optional<double> number(const std::string& absolute) const;
    /// Names in a folder, sorted.
    std::vector<std::string> names(const std::string& folder) const;
    /// The last component of a symbolic link's target, such as a device's driver.
    std::string linkName(const std::string& absolute) const;

  private:
    std::string prefix_;
};

}  // namespace verbcast
