import GraphQL
package import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The default destination of log lines.
package enum StandardError {
    /// Writes a line in one call if the system accepts it whole, so that lines of several threads do not
    /// mix.
    package static func print(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            // The system reads only the bytes of the buffer.
            let count = unsafe rest.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
            // A failure to write the log cannot be reported.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// Writes each entry of a log as one line of JSON: `{"time":…,"level":…,"logger":…,"message":…}`, and metadata behind.
///
/// Whole numbers and truth values of the metadata are those of JSON.
package struct JSONLogHandler: LogHandler {
    package var metadata = Logger.Metadata()
    package var logLevel = Logger.Level.info
    private let label: String
    private let write: @Sendable (String) -> Void

    /// Creates a handler that writes lines to standard error, or with the given closure.
    package init(label: String, write: @escaping @Sendable (String) -> Void = StandardError.print) {
        self.label = label
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line: InputObject = [
            "time": .string(Timestamp.now()), "level": .string(event.level.rawValue),
            "logger": .string(label), "message": .string(event.message.description),
        ]
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) where line[key] == nil {
            line[key] = JSONLogHandler.json(value)
        }
        write(String(decoding: InputValue.object(line).json, as: UTF8.self))
    }

    private static func json(_ value: Logger.Metadata.Value) -> InputValue {
        switch value {
        case .string(let text): return .string(text)
        case .stringConvertible(let value as any BinaryInteger): return .int(Int(clamping: value))
        case .stringConvertible(let value as Bool): return .boolean(value)
        case .stringConvertible(let value): return .string(value.description)
        case .array(let values): return .list(values.map(json))
        case .dictionary(let values):
            var object = InputObject()
            for (key, value) in values.sorted(by: { $0.key < $1.key }) { object[key] = json(value) }
            return .object(object)
        }
    }
}
