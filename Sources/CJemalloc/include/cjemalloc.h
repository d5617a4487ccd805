// An executable that links jemalloc uses it for each allocation: its malloc replaces that of the C library.
#include <jemalloc/jemalloc.h>
