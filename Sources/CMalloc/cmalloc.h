// The functions of glibc that configure and report its allocator; other C libraries have none of them.
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
