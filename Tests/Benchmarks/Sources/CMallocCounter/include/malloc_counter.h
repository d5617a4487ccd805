#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Whether malloc_hook.so is preloaded into this process.
bool malloc_counter_is_loaded(void);

/// How many allocations, of all threads, there have been so far; 0 where the hook is not preloaded.
uint64_t malloc_counter_read(void);
