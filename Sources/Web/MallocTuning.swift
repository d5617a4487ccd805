import CMalloc

/// What becomes of memory that answers have taken and given back.
package enum MallocTuning {
    /// Has glibc keep it for the next answers.
    ///
    /// By itself, glibc returns memory to the system whenever 128 KiB at the end of a thread's heap are free, which is
    /// after every few answers, and each page costs a fault when the next ones take it again. Up to 4 MiB of each heap
    /// are kept instead, unless the environment says otherwise (mallopt(3): `MALLOC_TRIM_THRESHOLD_`). Once that is said,
    /// glibc no longer learns which blocks are worth a mapping of their own, so that is said, too. Other libraries have
    /// no such switch, and need none.
    package static func apply() {
        #if canImport(Glibc)
        let isSet = unsafe getenv("MALLOC_TRIM_THRESHOLD_") != nil || getenv("GLIBC_TUNABLES") != nil
        guard !isSet else { return }
        // Where one is refused, nothing but speed is lost.
        _ = mallopt(M_TRIM_THRESHOLD, 4 << 20)
        _ = mallopt(M_MMAP_THRESHOLD, 4 << 20)
        #endif
    }
}
