import Foundation
import Glibc

/// The metrics of this process, with the names that Prometheus's client libraries use.
///
/// A figure that the system does not have is left out.
enum ProcessMetrics {
    static var families: [MetricFamily] {
        let memory = ProcessMemory.current
        return [
            family(
                "process_cpu_seconds_total", .counter,
                "Processor time of the process, in user and system mode.", cpuSeconds),
            family(
                "process_resident_memory_bytes", .gauge, "Memory in use, with shared libraries.",
                memory.resident),
            family("process_open_fds", .gauge, "Open file descriptors.", openDescriptors),
            family(
                "process_max_fds", .gauge, "The maximum number of open file descriptors.", maximumDescriptors),
            family(
                "process_start_time_seconds", .gauge, "The start of the process, in seconds since 1970.",
                startTime),
        ].compactMap(\.self)
    }

    private static func family(_ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: Int?)
        -> MetricFamily?
    {
        family(name, kind, help, value.map(Double.init))
    }

    private static func family(
        _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: Double?
    ) -> MetricFamily? {
        value.map { MetricFamily(name, kind, help, [MetricFamily.Sample($0)]) }
    }

    private static var cpuSeconds: Double? {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
        return [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }.reduce(
            0, +)
    }

    private static var openDescriptors: Int? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
    }

    private static var maximumDescriptors: Double? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Double(limit.rlim_cur)
    }

    /// Field 22 of proc_pid_stat(5), in ticks since the start of the machine, which is in proc_stat(5).
    private static let startTime: Double? = {
        guard let own = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let machine = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let line = machine.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let boot = Double(line.dropFirst(6)),
            // The second field is the name of the program in parentheses, which may contain spaces.
            let end = own.lastIndex(of: ")"),
            let ticks = own[end...].split(separator: " ").dropFirst(20).first.flatMap({ Double($0) })
        else { return nil }
        let rate = Double(sysconf(Int32(_SC_CLK_TCK)))
        return rate > 0 ? boot + ticks / rate : nil
    }()
}
