import Foundation
import NIOCore

/// The CPUs that this process may use.
package enum AvailableCPUs {
    /// Their number: the smallest of the CPUs of the machine, the CPU set and quota of the control group, and the
    /// affinity mask (`taskset(1)`, `sched_setaffinity(2)`).
    package static let count: Int = {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        return max(1, min(System.coreCount, status.flatMap(allowed(by:)) ?? .max))
    }()

    /// Makes NIO start one event loop for each of them.
    ///
    /// NIO does not read the affinity mask. Two event loops on one CPU take turns, which adds milliseconds to the
    /// latency. The variable `NIO_SINGLETON_GROUP_LOOP_COUNT` has precedence.
    ///
    /// - Precondition: It is called once, before the first event loop is used.
    package static func limitEventLoops() {
        guard ProcessInfo.processInfo.environment["NIO_SINGLETON_GROUP_LOOP_COUNT"] == nil else { return }
        NIOSingletons.groupLoopCountSuggestion = count
    }

    /// Returns the number of CPUs in the affinity mask of a process.
    ///
    /// - Parameter status: The text of `/proc/PID/status` (proc_pid_status(5)). Its line `Cpus_allowed` has the mask
    ///   in hexadecimal words of 32 bits, separated by commas.
    /// - Returns: The number; nil if there is no mask, or an empty one.
    package static func allowed(by status: String) -> Int? {
        let label = "Cpus_allowed:"
        let line = status.split(separator: "\n").first { $0.hasPrefix(label) }
        guard let line else { return nil }
        let words = line.dropFirst(label.count).trimmingCharacters(in: .whitespaces)
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { UInt32($0, radix: 16) }
        guard !words.contains(nil) else { return nil }
        let count = words.reduce(0) { $0 + ($1?.nonzeroBitCount ?? 0) }
        return count > 0 ? count : nil
    }
}
