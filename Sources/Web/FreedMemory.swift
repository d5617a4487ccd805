import CMalloc

/// What becomes of memory that answers have taken and given back.
package enum FreedMemory {
    /// Has glibc keep it for the next answers.
    ///
    /// By itself, glibc returns memory to the system whenever 128 KiB at the end of a thread's heap are free, which is
    /// after every few answers, and each page costs a fault when the next ones take it again: a tenth of a home screen's
    /// time. Up to 16 MiB of each heap are kept instead. Once that is said, glibc no longer learns which blocks are
    /// worth a mapping of their own, so that is said, too. Other libraries have no such switch, and need none.
    package static func keep() {
        #if canImport(Glibc)
        // These parameters are always taken; they change nothing but speed.
        _ = mallopt(M_TRIM_THRESHOLD, 16 << 20)
        _ = mallopt(M_MMAP_THRESHOLD, 4 << 20)
        #endif
    }
}
