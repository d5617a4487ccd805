import Foundation

/// What another engine needed for the same steps, measured by a command that prints one JSON object
/// (baseline/graphql-js.js).
struct Peer: Decodable {
    let engine: String
    let version: String
    let node: String
    private let w1, w2, w3, w4: [Operation.Step: Double]

    /// The median time of a step in microseconds; nil where it was not measured.
    func time(_ step: Operation.Step, of operation: String) -> Double? {
        switch operation {
        case "w1": w1[step]
        case "w2": w2[step]
        case "w3": w3[step]
        case "w4": w4[step]
        default: nil
        }
    }

    /// Runs the command; it shares our processor, and so whatever else disturbs the measurement.
    static func measure(_ command: [String]) throws -> Peer {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError(
                "\(command.joined(separator: " ")) ended with status \(process.terminationStatus)")
        }
        return try JSONDecoder().decode(Peer.self, from: data)
    }
}
