import Foundation

/// A program of the system, run for a test.
enum Command {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the output of a program; throws if it fails.
    ///
    /// It waits on a separate thread, which no task of a server needs.
    static func run(_ program: String, _ arguments: [String]) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try runAndWait(program, arguments) })
            }
        }
    }

    private static func runAndWait(_ program: String, _ arguments: [String]) throws -> Data {
        let process = Process()
        let output = Pipe()
        let errors = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                description: "\(program) ended with \(process.terminationStatus): "
                    + String(decoding: complaint, as: UTF8.self))
        }
        return data
    }
}
