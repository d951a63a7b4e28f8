#include "app/commands/doctor/doctor_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/text/clean_text.h"

namespace verbcast {
namespace {

const char* colourOf(CheckState state) {
    constexpr std::array kColours{"\033[32m", "\033[36m", "\033[33m", "\033[31m"};
    return kColours.at(static_cast<std::size_t>(state));
}

}  // namespace

std::string checkText(const Check& check, bool colours) {
    std::string text =
        fmt::format("{}{:<7}{}  {:<18}  {}\n", colours ? colourOf(check.state) : "",
                    checkStateName(check.state), colours ? "\033[0m" : "", check.name, cleanLine(check.seen));
    if (!check.remedy.empty()) {
        text += fmt::format("           {}\n", cleanLine(check.remedy));
    }
    return text;
}

nlohmann::ordered_json doctorJson(const DoctorOptions& options, const StreamNeed& need, const Checks& checks,
                                  const Verdict& verdict, int exitCode) {
    nlohmann::ordered_json json;
    json["schema"] = "verbcast-doctor/1";
    json["stream"] = {{"width", options.size.width},
                      {"height", options.size.height},
                      {"pixel_format", pixelFormatName(options.pixelFormat)},
                      {"fps", options.fps.value()},
                      {"gigabytes_per_second", need.gigabytes()},
                      {"gigabits_per_second", need.gigabits()},
                      {"ring_bytes", need.ringBytes}};
    json["checks"] = nlohmann::ordered_json::array();
    for (const Check& check : checks) {
        json["checks"].push_back({{"name", check.name},
                                  {"state", checkStateName(check.state)},
                                  {"seen", check.seen},
                                  {"remedy", check.remedy}});
    }
    json["verdict"] = {
        {"fits", verdict.fits}, {"reason", verdict.reason}, {"transports", nlohmann::ordered_json::array()}};
    for (const TransportVerdict& one : verdict.transports) {
        json["verdict"]["transports"].push_back(
            {{"transport", one.transport}, {"carries", one.carries}, {"why", one.why}});
    }
    json["exit_code"] = exitCode;
    return json;
}

bool coloursWanted() {
    const char* refused = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return ::isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0') && terminal != nullptr &&
           std::strcmp(terminal, "dumb") != 0;
}

}  // namespace verbcast
