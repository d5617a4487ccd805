import Foundation

/// What a process takes of the system.
struct ProcessGauge: Sendable {
    private let folder: String

    init(_ processID: pid_t) {
        folder = "/proc/\(processID)"
    }

    /// Files and sockets that it has open.
    func openFiles() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").count
    }

    /// The names of its threads (proc_pid_comm(5)).
    func threadNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder)/task").map { thread in
            try String(contentsOfFile: "\(folder)/task/\(thread)/comm", encoding: .utf8)
                .trimmingCharacters(in: .newlines)
        }
    }

    /// The number of one of the CPUs that it may use.
    func allowedCPU() throws -> Int? {
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
        let list = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        return list?.split { !$0.isNumber }.first.flatMap { Int($0) }
    }

    /// Bytes that it has in memory.
    func residentBytes() throws -> Int {
        let fields = try String(contentsOfFile: "\(folder)/statm", encoding: .utf8).split(separator: " ")
        guard let pages = fields.dropFirst().first.flatMap({ Int($0) }) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Bytes in memory, each second until the task is cancelled.
    func sampleMemory() async -> [Int] {
        var samples: [Int] = []
        while !Task.isCancelled, let bytes = try? residentBytes() {
            samples.append(bytes)
            try? await Task.sleep(for: .seconds(1))
        }
        return samples
    }
}
