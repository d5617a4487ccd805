#include "malloc_counter.h"

#include <stddef.h>

// Weak: null unless the hook is preloaded.
extern uint64_t malloc_count_get(void) __attribute__((weak));

bool malloc_counter_is_loaded(void) { return malloc_count_get != NULL; }

uint64_t malloc_counter_read(void) { return malloc_count_get != NULL ? malloc_count_get() : 0; }
