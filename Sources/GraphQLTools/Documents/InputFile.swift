import Foundation
package import GraphQL
import PorticoCore

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
            throw UsageError("\(path) cannot be read: \(error.localizedDescription)")
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

    /// Replaces the file atomically.
    ///
    /// - Throws: `UsageError` if it cannot be written.
    package func replace(with text: String) throws {
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw UsageError("\(path) cannot be written: \(error.localizedDescription)")
        }
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
