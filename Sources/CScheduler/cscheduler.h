// sched_setattr(2), for which older versions of glibc have no function; Swift cannot call syscall(2) itself.
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Gives the calling thread a nice value and a time slice in nanoseconds (0.1 ms to 100 ms, from Linux 6.12; older kernels
/// ignore it). Returns 0, or -1 if the kernel refuses.
static inline int cscheduler_set_thread(int32_t nice, uint64_t slice) {
#ifdef SYS_sched_setattr
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = 48, .nice = nice, .runtime = slice};
    return (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
#else
    return -1;
#endif
}
