/* Verbcast's C interface: a program sends its own frames and sound, or receives them, without any of
 * Verbcast's windows. verbcast.hpp is the same interface for C++; sender.h and receiver.h are its two halves.
 *
 * Threads. Every function may be called from any thread; where only one thread may be in a function at a
 * time, it says so, and a second one gets VC_ERROR. The library's own threads block all signals. It changes
 * no signal handler, no locale and no other state of the process.
 *
 * Blocking. Only functions with timeout_ms wait, besides vc_sender_submit() and vc_sender_send_sound() with
 * VC_LOSSLESS, and the two that close, which wait for threads that are about to end.
 *
 * Errors. Functions that return vc_status, a pointer or a descriptor report failure with VC_ERROR, NULL or
 * -1; vc_error() then describes it, for the calling thread. No function prints, exits or throws; messages go
 * to vc_set_log(). A handle that is NULL, or was closed, gets an error, even while another thread is about to
 * close it.
 *
 * Ownership. Strings that functions return or put into structs belong to the library, and are valid until the
 * calling thread's next call of a function that returns any, or its end. They are UTF-8, but those that come
 * from peers may be anything without control characters.
 *
 * Structs that may grow begin with their size, which VC_INIT() sets. The library accesses only that many
 * bytes, so a program also works with a library newer than its header: fields that it lacks have their
 * defaults. It also works with an older library, as long as the fields that the library lacks are zero. Other
 * languages set `size` to the struct's size, and everything else to zero.
 *
 * After fork(), the child's copies of handles get errors, and close nothing; it may open others. It keeps
 * descriptors of its parent's connections until it calls exec() or ends, and peers wait that long to learn
 * that the parent has ended.
 */
#ifndef VERBCAST_H
#define VERBCAST_H

#include <verbcast/common.h>
#include <verbcast/receiver.h>
#include <verbcast/sender.h>

#endif
