import CMalloc
import Foundation

/// The configuration of the memory allocator.
package enum MallocTuning {
    /// Makes glibc retain freed memory for the next responses.
    ///
    /// By default, glibc returns memory to the system whenever 128 KiB at the end of a thread's heap are free, which is
    /// after every few responses, and each page costs a page fault when it is used again. With this setting up to 4 MiB
    /// of each heap are retained, unless the environment sets another limit (mallopt(3): `MALLOC_TRIM_THRESHOLD_`). If
    /// this limit is set, glibc no longer adapts the size from which a block has a mapping of its own, so that size is
    /// set too.
    ///
    /// By default, glibc has up to eight heaps for each processor, and memory that was freed in one is not used by another. With
    /// this setting there is one more than processors (`MALLOC_ARENA_MAX`); a thread has a cache of its own for small blocks.
    /// Other C libraries have no such settings.
    package static func apply() {
        #if canImport(Glibc)
        let isSet = unsafe getenv("MALLOC_TRIM_THRESHOLD_") != nil || getenv("GLIBC_TUNABLES") != nil
        guard !isSet else { return }
        // If glibc rejects one, only speed or memory is lost.
        _ = mallopt(M_TRIM_THRESHOLD, 4 << 20)
        _ = mallopt(M_MMAP_THRESHOLD, 4 << 20)
        if unsafe getenv("MALLOC_ARENA_MAX") == nil {
            _ = mallopt(M_ARENA_MAX, Int32(clamping: ProcessInfo.processInfo.activeProcessorCount + 1))
        }
        #endif
    }
}
