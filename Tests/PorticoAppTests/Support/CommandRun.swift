import Foundation
import Testing

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

/// A run of a command, and its expected result.
struct CommandCase: CustomTestStringConvertible, Sendable {
    /// A word that begins with "@" is a path in the folder of the run; for `portico graphql`, a word with an ending is.
    let arguments: [String]
    var input: String?
    let status: Int32
    var output = ""
    /// The whole standard error, or its first line if the arguments are wrong, because the usage follows.
    var errors = ""

    var testDescription: String { arguments.joined(separator: " ") }

    func check(
        status: Int32, output: String, errors: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(status == self.status, sourceLocation: sourceLocation)
        #expect(output == self.output, sourceLocation: sourceLocation)
        let firstLine = errors.split(separator: "\n").first.map(String.init)
        let compared = self.errors.hasPrefix("Error: ") ? firstLine : errors
        #expect(compared == self.errors, sourceLocation: sourceLocation)
    }
}
