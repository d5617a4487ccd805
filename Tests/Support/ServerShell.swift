import Foundation
import Glibc
import Synchronization

/// A shell that runs a server for tests in a directory, and executes commands about it.
///
/// The server ends with this process, however that ends: the shell reads commands from a pipe, and stops the server and
/// deletes the directory when the pipe is closed. It prints `ready` when the server has started, and `done` or `failed`
/// behind the output of each command.
package final class ServerShell: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// The pipes of the shell; the end of this process closes them.
    ///
    /// Held while a command is executed.
    private let pipes: Mutex<(input: FileHandle, output: FileHandle)>

    /// Starts a script.
    ///
    /// - Parameters:
    ///   - name: The name of the server, for errors.
    ///   - script: The script.
    ///   - arguments: Its arguments.
    /// - Throws: `Failure` if the server does not start.
    init(_ name: String, _ script: String, _ arguments: [String]) throws {
        let (input, output, process) = (Pipe(), Pipe(), Process())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script, "sh"] + arguments
        process.standardInput = input
        process.standardOutput = output
        // Other programs that tests start must not hold the pipe open.
        let descriptor = input.fileHandleForWriting.fileDescriptor
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            throw Failure(description: "The pipe to \(name) cannot be set up.")
        }
        try process.run()
        pipes = Mutex((input.fileHandleForWriting, output.fileHandleForReading))
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard text.hasPrefix("ready") else {
            throw Failure(description: "\(name) does not start: \(text)")
        }
    }

    /// The path of a directory in the temporary directory that does not exist yet, short enough for a socket in it.
    static func newDirectory(for name: String) -> String {
        let name = "portico-\(name)-\(UUID().uuidString.prefix(8))"
        return FileManager.default.temporaryDirectory.appending(path: name).path
    }

    /// The first of some directories, and then of those in PATH, that has a program.
    static func directory(of program: String, before directories: [String] = []) -> String? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (directories + path).first {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }

    /// Lets the shell execute a command, and returns its output.
    func command(_ command: String) throws -> String {
        try pipes.withLock { pipes in
            try pipes.input.write(contentsOf: Data((command + "\n").utf8))
            var text = ""
            while !text.hasSuffix("done\n"), !text.hasSuffix("failed\n") {
                let data = pipes.output.availableData
                guard !data.isEmpty else { break }
                text += String(decoding: data, as: UTF8.self)
            }
            guard text.hasSuffix("done\n") else { throw Failure(description: "\(command): \(text)") }
            return text.dropLast("done\n".count).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}
