import Foundation
import GraphQL

/// A file that a command was given by its path; `-` is standard input.
struct InputFile {
    let path: String
    let bytes: [UInt8]

    var isStandardInput: Bool { path == "-" }

    /// What messages call it.
    var name: String { isStandardInput ? "standard input" : path }

    var source: SourceText { SourceText(bytes: bytes, name: name) }

    /// Reads it whole.
    ///
    /// - Throws: `UsageError` where it cannot be read.
    init(path: String) throws {
        self.path = path
        do {
            // A handle reads pipes too, which a shell's <(…) is.
            let handle =
                path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: path))
            let data = try handle.readToEnd() ?? Data()
            bytes = [UInt8](data)
        } catch {
            throw UsageError("\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    private init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    /// A text given on the command line itself where it has a brace, which no document lacks and few paths have;
    /// else the file.
    static func named(_ argument: String, of option: String) throws -> InputFile {
        argument.contains("{")
            ? InputFile(path: option, bytes: Array(argument.utf8)) : try InputFile(path: argument)
    }

    /// Replaces the file whole or not at all.
    ///
    /// - Throws: `UsageError` where it cannot be written.
    func replace(with text: String) throws {
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw UsageError("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
