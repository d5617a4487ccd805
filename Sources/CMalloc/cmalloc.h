// What glibc's allocator can be told; other libraries have none of it.
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
