// Counts every allocation of a process it is preloaded into:
//
//   cc -O2 -shared -fPIC -o malloc_hook.so malloc_hook.c
//   LD_PRELOAD=./malloc_hook.so some-program
//
// It hands each request to glibc under the names that glibc keeps for this; looking the originals up with dlsym would
// itself allocate. Frees are not counted, and so not intercepted.
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t allocations;

static void count(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

/// How many allocations, of all threads, there have been so far.
uint64_t malloc_count_get(void) { return atomic_load_explicit(&allocations, memory_order_relaxed); }

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
    count();
    return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    count();
    void *block = __libc_memalign(alignment, size);
    if (block == NULL) return ENOMEM;
    *pointer = block;
    return 0;
}
