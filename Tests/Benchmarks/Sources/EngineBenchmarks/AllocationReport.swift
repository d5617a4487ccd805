import CMallocCounter
import Foundation
import Workload

/// Allocations by operation and step.
///
/// They are exact, so that a machine's load does not touch them, and the least change of the engine shows.
typealias AllocationCounts = [String: [Operation.Step: Int]]

enum AllocationReport {
    /// What operations may allocate, checked in.
    private static let thresholds = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../thresholds.json").standardizedFileURL

    static func print() throws {
        let counts = try count()
        let steps = Operation.Step.allCases
        Swift.print("".padded(to: 20) + steps.map { $0.rawValue.aligned(to: 12) }.joined())
        for (operation, row) in counts.sorted(by: { $0.key < $1.key }) {
            let cells = steps.map { (row[$0].map(String.init) ?? "").aligned(to: 12) }
            Swift.print(operation.padded(to: 20) + cells.joined())
        }
    }

    /// Compares with the thresholds.
    ///
    /// - Throws: everything that allocates more than it may, or has no threshold.
    static func check() throws {
        let allowed = try JSONDecoder().decode(AllocationCounts.self, from: Data(contentsOf: thresholds))
        let counts = try count()
        var faults: [String] = []
        var gains = 0
        for (operation, row) in counts.sorted(by: { $0.key < $1.key }) {
            for step in Operation.Step.allCases {
                let found = row[step] ?? 0
                guard let limit = allowed[operation]?[step] else {
                    faults.append("\(operation) \(step): no threshold")
                    continue
                }
                // Sets grow by how their hashes fall, which differs from run to run: one in a hundred is no growth.
                if found > limit + limit / 100 {
                    faults.append("\(operation) \(step): \(found) allocations, \(limit) allowed")
                }
                if found < limit { gains += 1 }
            }
        }
        guard faults.isEmpty else {
            throw BenchmarkError(
                (faults + ["If this is meant to be: make bench-check RECORD=1"]).joined(separator: "\n"))
        }
        Swift.print("No operation allocates more than it may.")
        if gains > 0 { Swift.print("\(gains) allocate less; make bench-check RECORD=1 keeps it so.") }
    }

    /// Writes the counts of this machine as the thresholds.
    static func record() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(try count()) + Data("\n".utf8)).write(to: thresholds)
        try print()
    }

    private static func count() throws -> AllocationCounts {
        guard malloc_counter_is_loaded() else {
            throw BenchmarkError(
                "Allocations are not counted: LD_PRELOAD malloc_hook.so (see Scripts/bench.sh).")
        }
        var counts: AllocationCounts = [:]
        for operation in try Operation.all() {
            for step in Operation.Step.allCases {
                counts[operation.name, default: [:]][step] = try allocations(of: try operation.measured(step))
            }
        }
        return counts
    }

    /// Allocations of one call, the mean of many: what a cache allocates now and then counts as well.
    private static func allocations(of operation: () throws -> Void) throws -> Int {
        let calls = 256
        for _ in 0..<calls { try operation() }
        let before = malloc_counter_read()
        for _ in 0..<calls { try operation() }
        let total = Double(malloc_counter_read() - before)
        return Int((total / Double(calls)).rounded())
    }
}
