// A display on which libva finds the driver double: an X server without a monitor.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/xvfb.h"

namespace verbcast::testing {

/// The environment variables that configure libva and the double, for this process or a child.
inline std::map<std::string, std::string> doubleVariables(const std::string& display) {
    return {{"DISPLAY", display},
            {"LIBVA_DRIVERS_PATH", VERBCAST_VA_DRIVERS},
            {"LIBVA_DRIVER_NAME", "verbcast_double"}};
}

/// Sets environment variables of this process and restores them.
class Environment {
  public:
    explicit Environment(const std::map<std::string, std::string>& variables) {
        for (const auto& [name, value] : variables) {
            set(name, value);
        }
    }
    ~Environment() {
        for (const auto& [name, value] : before_) {
            value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
        }
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    void set(const std::string& name, const std::string& value) {
        const char* const old = std::getenv(name.c_str());
        before_.try_emplace(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
        ::setenv(name.c_str(), value.c_str(), 1);
    }

  private:
    std::map<std::string, std::optional<std::string>> before_;
};

}  // namespace verbcast::testing
