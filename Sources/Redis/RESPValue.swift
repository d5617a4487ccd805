/// A value of the Redis serialization protocol, versions 2 and 3 (RESP; redis.io, "Redis serialization protocol
/// specification").
package enum RESPValue: Hashable, Sendable {
    /// A bulk string, a simple string, a verbatim string or a big number.
    case bytes([UInt8])
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    /// The nulls of both versions.
    case null
    /// An error of the server: its code, such as `WRONGPASS`.
    ///
    /// Its text is dropped, because it can repeat the arguments of the command, among them a password.
    case error(code: String)
    /// An array or a set.
    case array([RESPValue])
    /// The keys and values of a map, alternating.
    case map([RESPValue])
    /// A message that is no reply to a command.
    case push([RESPValue])

    /// The elements of an array or a push message; nil for another value.
    package var elements: [RESPValue]? {
        switch self {
        case .array(let elements), .push(let elements): elements
        case .bytes, .integer, .double, .boolean, .null, .error, .map: nil
        }
    }

    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// Whether it is the reply `OK`.
    package var isOK: Bool { bytes == Array("OK".utf8) }
}

/// A command with its arguments; it is sent as an array of bulk strings.
///
/// It is not printed: arguments can be a password.
package struct RedisCommand: Sendable {
    let arguments: [[UInt8]]

    /// - Parameters:
    ///   - name: The name of the command, and further words such as `NX`.
    ///   - arguments: The arguments behind it.
    package init(_ name: String, _ arguments: [UInt8]...) {
        self.arguments = [Array(name.utf8)] + arguments
    }

    /// A command with arguments of text only.
    package init(_ words: [String]) {
        arguments = words.map { Array($0.utf8) }
    }

    /// A Lua script, which the server executes as one transaction.
    package init(script: String, keys: [String], arguments: [String]) {
        self.init(["EVAL", script, "\(keys.count)"] + keys + arguments)
    }

    /// `SET key value PX milliseconds`.
    package static func set(_ key: String, to value: [UInt8], for lifetime: Duration) -> RedisCommand {
        RedisCommand(
            "SET", Array(key.utf8), value, Array("PX".utf8), Array("\(lifetime.wholeMilliseconds)".utf8))
    }

    /// Whether the server replies to it; with version 3 of the protocol, it confirms subscriptions by push messages.
    var hasReply: Bool {
        let name = arguments.first.map { String(decoding: $0, as: UTF8.self) }
        return name != "SUBSCRIBE"
    }

    /// Its length on the wire, approximately.
    var weight: Int { arguments.reduce(16) { $0 + $1.count + 16 } }

    /// The command as an array of bulk strings.
    func write(to buffer: inout [UInt8]) {
        buffer += "*\(arguments.count)\r\n".utf8
        for argument in arguments {
            buffer += "$\(argument.count)\r\n".utf8
            buffer += argument
            buffer += "\r\n".utf8
        }
    }
}

extension RedisCommand: CustomStringConvertible, CustomReflectable {
    package var description: String { String(decoding: arguments.first ?? [], as: UTF8.self) }
    package var customMirror: Mirror { Mirror(self, children: ["name": description]) }
}

extension Duration {
    /// Whole milliseconds, at least 1, as expiry times need them.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return seconds < 0 ? 1 : .max }
        let (sum, overflowAgain) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflowAgain ? .max : max(sum, 1)
    }
}
