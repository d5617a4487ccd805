import Foundation
import HostileTraffic

/// A child process that runs the hostile clients.
enum AttackProcess {
    /// The first argument of the child process; the attack follows as JSON.
    static let argument = "attack"

    /// Runs an attack in a child process.
    ///
    /// - Returns: The responses.
    /// - Throws: An error if the process cannot be started or fails.
    static func result(of attack: HostileAttack) async throws -> HostileClients.Result {
        let process = Process()
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
        // The users and the providers have a higher priority, so that the measured times are those of the
        // server.
        process.executableURL = URL(filePath: "/usr/bin/nice")
        process.arguments = [
            "-n", "10", program, argument, String(decoding: try JSONEncoder().encode(attack), as: UTF8.self),
        ]
        let output = Pipe()
        process.standardOutput = output
        try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        // The result fits in a pipe's buffer.
        let result = output.fileHandleForReading.readDataToEndOfFile()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw HostileSoak.Failure("The process of the attack ended with \(process.terminationStatus).")
        }
        return try JSONDecoder().decode(HostileClients.Result.self, from: result)
    }

    /// Runs the attack of the arguments, and prints its result as JSON.
    ///
    /// - Throws: An error if the arguments are not an attack.
    static func run(_ arguments: ArraySlice<String>) async throws {
        let attack = try JSONDecoder().decode(HostileAttack.self, from: Data((arguments.first ?? "").utf8))
        let result = await attack.run()
        FileHandle.standardOutput.write(try JSONEncoder().encode(result))
    }
}
