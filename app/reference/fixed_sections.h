// What the reference says that is derived from nothing: in Markdown.
#pragma once

namespace verbcast {

inline constexpr const char* kStatsFdSection = R"(
#### While it runs

Senders and relays also report while they run: `--stats-fd N` writes a line of JSON to the open descriptor N at the
start, every second and at the end.

| key | meaning |
|---|---|
| `width`, `height`, `pixel_format`, `frames`, `frames_sent`, `frames_dropped`, `bytes`, `bytes_moved`, `connections`, `connections_lost`, `receivers_left_out`, `decoder` | as at the end |
| `fps`, `gigabytes_per_second` | of the last second |
| `receivers[]`, `receivers_ended[]` | the viewers that are connected; the last 8 that left |
| `needs_pairing` | the viewer at the address of `--to` serves only paired hosts |
| `stream`, `name` | with several sources, first: which one the line is about |

Further lines: `{"pairing": {"host", "code", "seconds"}}` while another host may type a pairing code, then
`{"pairing": null}`; and with `--control`, ten times a second and after each command, `{"playback": {"position_s",
"duration_s", "paused"}}`, the duration null if the file has none. Whoever reads this output can read the code.
)";

inline constexpr const char* kPipeSection = R"(
### Pipes

`pipe send`, `recv` and `relay` write `verbcast-pipe/1` (the value of `schema`), `pipe run` writes
`verbcast-pipeline/1`.

| key | unit or type | meaning |
|---|---|---|
| `role` | text | `send`, `recv` or `relay` |
| `peer`, `address` | text | of the last connection; or null |
| `transport` | text | in use; or null |
| `bytes` | bytes | carried |
| `resumed_at` | bytes | that the receiver already had |
| `seconds`, `gigabytes_per_second` | s, GB/s | of the transfer |
| `block_bytes`, `depth` | bytes, number | agreed by both ends |
| `checksum` | text | `xxh3:` and 16 hexadecimal digits; null without `--checksum` |
| `numa` | [object](#the-numa-node) | of the program |
| `exit_code`, `error` | number, text | how it ended; the error is null if there was none |
| `hops[]` | list | `pipe run`: `from`, `to`, the keys from `transport` to `checksum` without `resumed_at`, and `from_numa` and `to_numa`, null for an end that is not over |
| `commands[]` | list | `pipe run`: `host` and `exit_code` of each command, null for one that did not end |
)";

inline constexpr const char* kDoctorSection = R"(
## What the doctor checks

Each line is `ok`, `info`, `warning` or `failed`, says what was found and how to fix it.

| line | warns or fails if |
|---|---|
| `RDMA device` | there is none, its driver is not loaded, libibverbs cannot use it, or Verbcast was built without it |
| `RDMA device files` | one is missing, or not this user's to open |
| `RDMA port` | it is not ACTIVE: Ethernet is down, or no subnet manager runs on InfiniBand |
| `RDMA MTU` | it is below what the port supports |
| `RDMA GIDs` | there are none, or none of RoCE v2, which passes routers |
| `RDMA address` | the interface has no IP address, by which rdma_cm connects |
| `RDMA link rate`, `RDMA PCIe link` | too slow for the stream; narrower than the card supports |
| `NUMA` | device and process are on different nodes |
| `locked memory` | RLIMIT_MEMLOCK is too small for two rings |
| `huge pages` | too few are free: registering memory is slower |
| `free memory` | a ring does not fit |
| `memory speed` | a processor copies less than twice the stream's rate |
| `processors`, `processor clock` | too few for both ends over tcp, or all busy; the governor is not `performance` |
| `TCP speed`, `TCP buffers` | below the stream's rate; too small for a round trip of 1 ms |
| `network` | the fastest interface is too slow |
| `clock source`, `time between hosts` | slow to read (hpet, acpi_pm); neither PTP nor NTP runs |
| `OpenGL` | there is none, it draws in software, or uploads too few frames |
| `desktop session` | there is none, or Wayland without the portal |
| `hardware decoders` | a device may not be opened by this user |
| `GPU` | CUDA is not compiled in, the driver is missing or too old, or a ring does not fit through BAR1 |
| `GPUDirect` | neither dma-buf nor nvidia-peermem gives RDMA devices the GPU's memory |
| `GPU and RDMA` | they are across sockets |
| `peer` | with a URL: it does not answer, or refuses |
| `rail N`, `spare rails` | with URLs: one does not answer, or two share an interface |

`doctor --json` writes `verbcast-doctor/1`:

| key | meaning |
|---|---|
| `stream` | what was checked for: `width`, `height`, `pixel_format`, `fps`, `gigabytes_per_second`, `gigabits_per_second`, `ring_bytes` |
| `checks[]` | `name`, `state`, `seen`, `remedy` |
| `verdict` | `fits`, `reason`, and of each transport in `transports[]`: `transport`, `carries`, `why` |
| `exit_code` | the program's |
)";

inline constexpr const char* kBenchSection = R"(
## The benchmark's report

`verbcast bench --json FILE` writes `verbcast-bench/1`, whole or not at all. null means not measured or undefined. Every
mode has all lists; those of other modes are empty. Each `latency_us`, `time_us` and `total_us` holds
[percentiles](#percentiles).

| key | meaning |
|---|---|
| `mode` | `frames`, `limits`, `sweep`, `register`, `rpc`, `stages`, `scale`, `viewers`, `decode` |
| `started_at`, `command_line`, `interrupted` | UTC, ISO 8601; as typed into a shell; true after Ctrl-C |
| `machine` | `processor`, `processors`, `memory_bytes`, `kernel`, `compiler`, `verbcast`, `ffmpeg`, `rdma_core`, [`numa`](#the-numa-node) |
| `notes[]` | sentences |
| `limits[]` | `name`, `gigabytes_per_second`, `note`, `unavailable` (why not measured, or null) |
| `rows[]` | a run of whole frames each: below |
| `sweep[]` | `transport`, `block_bytes`, `in_flight`, `blocks_per_second`, `gigabytes_per_second`, `latency_us` |
| `sweep_fits[]` | time = t0 + bytes / bandwidth: `transport`, `in_flight`, `t0_us`, `gigabytes_per_second`, `half_bytes`, `r2` |
| `registrations[]` | medians: `device`, `pages`, `load`, `bytes`, `register_us`, `deregister_us`, `copy_us`, `way` of a GPU's memory (`dma-buf`, `address`) |
| `register_crossovers[]` | `device`, `pages`, `load`, `bytes` from which registering each time is cheaper than copying, `register_seconds_per_gib` |
| `rpc[]` | `transport`, `callers`, `payload_bytes`, `calls_per_second`, `latency_us` of the round trip |
| `stages[]` | `source`, `transport`, `renderer`, `width`, `height`, `pixel_format`, `load`, `offered_fps`, `fps`, `frames`, `frames_dropped`, `stages[]` of `name` and `time_us`, `total_us`, `memory`, `device_memory`, `transfer_cost`, `input_to_picture` |
| `stages[].device_memory` | `processor_copies_per_frame`, `gpu_copies_per_frame`, `pcie_copies_per_frame`, `to_host`, `to_device` |
| `stages[].transfer_cost` | of scenes: `parts[]` and `together`, each with `name`, `alone` and `pipeline` of `cpu_us` and `wall_us`; `judged_by`, `ratio`, `limit`, `holds` |
| `stages[].input_to_picture` | with `--input`: `time_us`, `frame_times` and `limit_frame_times` of `p50` and `p99`, `holds` |
| `viewers[]` | `transport`, `width`, `height`, `pixel_format`, `offered_fps`, `slots`, `viewers` that keep up, `slow_viewers`, `slow_take`, `frames`, `seconds`, `least_fps`, `frames_missed`, `frames_corrupt`, `slow_frames`, `departures`, `latency_us`, `sender_cpu_us_per_frame`, `sender_memory_bytes`, `ratios` to the row without slow ones: `fps`, `p99`, `sender_cpu`, `sender_memory` |
| `decoding[]` | `decoder`, `memory`, `width`, `height`, `pixel_format`, `pictures`, `seconds`, `fps`, `cpu_us_per_picture`, `ffmpeg_fps`, `ffmpeg_cpu_us_per_picture`, `ratio_to_ffmpeg`, `ffmpeg_unavailable`, `note` |

Of `rows[]`:

| key | meaning |
|---|---|
| `transport`, `width`, `height`, `pixel_format`, `frame_bytes` | what was sent |
| `verify` | `full`; `header` or `none`: pixels were not touched |
| `offered_fps` | null: as fast as possible, and then latency includes the wait in queues |
| `streams`, `into_one`, `slots`, `poll`, `load` | how it was run; `into_one`: with one receiving process; `load`: processors kept busy |
| `frames`, `frames_dropped`, `frames_corrupt`, `seconds`, `fps` | counted |
| `fps_of_each`, `receiver_cpu_times_one_stream` | with one receiving process |
| `gigabytes_per_second`, `gigabits_per_second` | 1e9 bytes, 1e9 bits |
| `hand_offs_per_second` | over shm without pixels, of all streams: read it instead of GB/s |
| `latency_us`, `latency_distribution[]`, `jitter_us` | submit to receive; `microseconds` that a `fraction` of the frames took at most; standard deviation of the time between arrivals |
| `cpu_us_per_frame`, `cpu_seconds_per_gigabyte`, `cpu`, `context_switches`, `read_write_system_calls` | of `sender` and `receiver`: user and system together; `user_seconds`, `system_seconds`; `voluntary`, `involuntary` |
| `pixel_copies_per_frame` | by processors |
| `memory`, `device_memory` | `host` and null, or `device` and `pcie_copies_per_frame`, `to_host`, `to_device` |
| `limit`, `ratio_to_limit` | what it is compared with, as in `limits[]` |
| `damage` | with `--damage`: `percent`, `bytes_moved_per_frame`, `cpu_us_per_frame_both_sides`, the same of `whole` frames, also `fps` and `latency_p50_us`, and `ratios` of `bytes_moved`, `cpu`, `fps` |
| `cipher` | with `--encrypt`: `encrypt_gigabytes_per_second`, `decrypt_gigabytes_per_second`, `encrypt_ratio_to_openssl_speed`, `decrypt_ratio_to_openssl_speed`, `openssl_speed_unavailable` |
| `wake_up` | over shm at a rate without polling, of a bare futex wake-up: `latency_us`, `cpu_us_both_sides` |
| `repeats[]` | each run of `--repeat`: `fps`, `gigabytes_per_second`, `latency_us` of `p50` and `p99`, `cpu_us_per_frame_both_sides` |
)";

inline constexpr const char* kEnvironmentSection = R"(
## Environment

| variable | means |
|---|---|
| `VERBCAST_KEY` | a key: the contents of the file that `--key-file` names |
| `VERBCAST_TIMEOUT` | the default of `--timeout` |
| `VERBCAST_GPU` | the default of `--gpu` |
| `VERBCAST_LOG`, `VERBCAST_LOG_TIMES` | [what is logged](troubleshooting.md#messages-and-logs), and whether with times |
| `VERBCAST_DRM_LEGACY` | `1`: `view --drm` flips pages without atomic commits |
| `NO_COLOR` | the doctor prints without colours |
| `CUDA_VISIBLE_DEVICES` | hides GPUs from CUDA, but not from EGL |
)";

}  // namespace verbcast
