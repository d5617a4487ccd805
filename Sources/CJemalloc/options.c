#include "cjemalloc.h"

// jemalloc reads its options here at its first use (jemalloc(3), TUNING); the environment's MALLOC_CONF has precedence.
// - lg_tcache_max: the cache of a thread has blocks of up to 64 KiB, such as the buffers of libcurl, SQLite and responses.
// - narenas: threads share four arenas instead of four for each processor. Memory that one thread has freed, as the event loop
//   frees what a request allocated, is used by the others.
// - background_thread: a thread returns freed memory to the system after some seconds, also while there are no requests.
const char *malloc_conf = "lg_tcache_max:16,narenas:4,background_thread:true";
