import Foundation
package import GraphQL
package import PorticoCore

/// A file that is a command's argument; `-` is standard input.
package struct InputFile {
    let path: String
    package let bytes: [UInt8]

    package var isStandardInput: Bool { path == "-" }

    /// The name in messages.
    package var name: String { isStandardInput ? "standard input" : path }

    package var source: SourceText { SourceText(bytes: bytes, name: name) }

    /// Reads the whole file.
    ///
    /// - Throws: `UsageError` if it cannot be read.
    package init(path: String) throws {
        self.path = path
        do {
            // A handle also reads pipes, such as a shell's <(…).
            let handle =
                path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: path))
            let data = try handle.readToEnd() ?? Data()
            bytes = [UInt8](data)
        } catch {
            throw UsageError(
                "\(path) cannot be read: \(SystemReason.text(of: error) ?? error.localizedDescription)")
        }
    }

    private init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    /// Returns the argument itself as the text if it contains a brace, otherwise the file.
    ///
    /// Every document contains a brace, and few paths do.
    package static func named(_ argument: String, of option: String) throws -> InputFile {
        argument.contains("{")
            ? InputFile(path: option, bytes: Array(argument.utf8)) : try InputFile(path: argument)
    }

    /// Replaces the content of the file atomically.
    ///
    /// A symbolic link stays: the file that it names is replaced. The new file has the permissions and the group of the old one,
    /// and if root writes it, also the owner.
    ///
    /// - Throws: `UsageError` if it cannot be written.
    package func replace(with text: String) throws(UsageError) {
        guard let target = unsafe realpath(path, nil) else { throw unwritable(SystemReason.text(of: errno)) }
        defer { unsafe free(target) }
        let file = unsafe String(cString: target)
        let draft = "\(file).\(String(UInt64.random(in: 0...UInt64.max), radix: 16)).new"
        var status = stat()
        guard unsafe stat(file, &status) == 0 else { throw unwritable(SystemReason.text(of: errno)) }
        // The new name needs rights to the directory only; a file that may not be written stays as it is.
        guard unsafe access(file, W_OK) == 0 else { throw unwritable(SystemReason.text(of: errno)) }
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw unwritable(SystemReason.text(of: errno)) }
        defer {
            close(descriptor)
            _ = unsafe unlink(draft)
        }
        do {
            try FileHandle(fileDescriptor: descriptor).write(contentsOf: Data(text.utf8))
        } catch {
            throw unwritable(SystemReason.text(of: error) ?? error.localizedDescription)
        }
        // A change of the owner removes permissions, so it comes first. Only root can keep another owner.
        let owner = geteuid() == 0 ? status.st_uid : uid_t.max
        guard fchown(descriptor, owner, status.st_gid) == 0,
            fchmod(descriptor, status.st_mode & 0o7777) == 0, fsync(descriptor) == 0,
            unsafe rename(draft, file) == 0
        else { throw unwritable(SystemReason.text(of: errno)) }
    }

    private func unwritable(_ reason: String) -> UsageError {
        UsageError("\(path) cannot be written: \(reason)")
    }
}

/// A file that defines a schema.
package struct SchemaFile {
    package let source: SourceText
    package let result: Result<Schema, GraphQLErrors>

    /// Reads a file.
    ///
    /// - Throws: `UsageError` if the file cannot be read.
    package init(path: String) throws {
        self.init(source: try InputFile(path: path).source)
    }

    /// Builds the schema of a text.
    package init(source: SourceText) {
        self.source = source
        result = Result { () throws(GraphQLErrors) in
            try Schema.build(Document.read(source, within: LargeStackThread.schemaLimits))
        }
    }
}

/// A cache of the most recently used schemas of a batch by their text, because many cases share one.
package struct SchemaCache {
    private struct Entry {
        let text: String
        let incrementalDelivery: Bool
        let result: Result<Schema, GraphQLErrors>
    }

    /// The entries, most recently used first.
    private var entries: [Entry] = []
    private static let capacity = 16
    /// The reference implementation reports all errors of a schema; this limit protects memory and exceeds
    /// practical use.
    private static let maximumErrors = 10_000

    /// Returns the schema that a text defines.
    ///
    /// - Parameters:
    ///   - text: The definitions.
    ///   - incrementalDelivery: True if `@defer` and `@stream` are built in.
    /// - Returns: The stored schema, or a new one.
    /// - Throws: The errors of its syntax, or those of the schema.
    mutating func schema(_ text: String, incrementalDelivery: Bool) throws(GraphQLErrors) -> Schema {
        let known = entries.firstIndex {
            $0.incrementalDelivery == incrementalDelivery && $0.text.utf8.elementsEqual(text.utf8)
        }
        if let position = known {
            let entry = entries.remove(at: position)
            entries.insert(entry, at: 0)
            return try entry.result.get()
        }
        let result = Result { () throws(GraphQLErrors) in
            try Schema.build(
                Document.read(SourceText(text), within: LargeStackThread.schemaLimits),
                errorLimit: SchemaCache.maximumErrors, incrementalDelivery: incrementalDelivery)
        }
        let entry = Entry(text: text, incrementalDelivery: incrementalDelivery, result: result)
        if entries.count == SchemaCache.capacity { entries.removeLast() }
        entries.insert(entry, at: 0)
        return try entry.result.get()
    }
}

extension Document {
    /// Parses a text within the limits of commands.
    ///
    /// - Throws: The syntax error.
    package static func read(
        _ source: SourceText, within limits: ParserLimits = LargeStackThread.limits
    ) throws(GraphQLErrors) -> Document {
        do {
            return try parse(source, limits: limits)
        } catch {
            throw GraphQLErrors([GraphQLError(error)])
        }
    }
}
