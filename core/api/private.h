/* For libverbcast-gl alone, which contains the core a second time: exported by libverbcast under a symbol
 * version of their own, not installed, and free to change. */
#pragma once

#include "core/api/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets what vc_error() and vc_error_code() return on this thread. */
VC_API void vcp_set_error(const char* text, vc_error_kind kind);
/* Passes a message to the callback of vc_set_log(). */
VC_API void vcp_log(vc_log_level level, const char* message);

#ifdef __cplusplus
}
#endif
