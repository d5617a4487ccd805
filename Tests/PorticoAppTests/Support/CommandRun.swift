import Foundation

/// A run of a command in a folder with some files, and what comes of it.
struct CommandRun {
    let status: Int32
    let output: String
    let errors: String

    /// Runs `portico` with arguments in a folder of its own.
    ///
    /// - Parameters:
    ///   - arguments: Those that begin with `@` are paths in the folder.
    ///   - files: What lies in the folder, by path.
    /// - Returns: What came of it, with the folder's path taken out of the texts.
    /// - Throws: Where it cannot be run.
    static func run(_ arguments: [String], among files: [String: String]) async throws -> CommandRun {
        try await withFolder { folder in
            for (path, text) in files {
                let file = folder.appending(path: path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try text.write(to: file, atomically: true, encoding: .utf8)
            }
            let words = arguments.map { word in
                word.hasPrefix("@") ? folder.appending(path: String(word.dropFirst())).path : word
            }
            let run = try await Program.run(words)
            func bare(_ text: String) -> String { text.replacing(folder.path + "/", with: "") }
            return CommandRun(status: run.status, output: bare(run.output), errors: bare(run.errors))
        }
    }
}
