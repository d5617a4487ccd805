import Upstream

/// What a control message demands.
enum SaxoStreamControl: Hashable, Sendable {
    /// These subscriptions are alive, though there is nothing to tell.
    case heartbeat([String])
    /// These are to begin anew, all of them where none is named.
    case reset([String])
    /// The session has ended.
    case disconnect
    /// Of no concern.
    case other

    /// By the reference of its message, whose payload is an object or an array of one.
    init(_ message: SaxoStreamMessage) throws(JSONError) {
        switch message.referenceID {
        case "_heartbeat":
            self = .heartbeat(
                try Self.references(in: message, "Heartbeats") { reader throws(JSONError) in
                    try reader.originatingReference()
                })
        case "_resetsubscriptions":
            self = .reset(
                try Self.references(in: message, "TargetReferenceIds") { reader throws(JSONError) in
                    try reader.string()
                })
        case "_disconnect": self = .disconnect
        default: self = .other
        }
    }

    /// What `read` makes of each item of the list under a key.
    private static func references(
        in message: SaxoStreamMessage, _ name: String,
        _ read: (inout JSONReader) throws(JSONError) -> String?
    ) throws(JSONError) -> [String] {
        var references: [String] = []
        try JSONReader.read(message.payload) { reader throws(JSONError) in
            try reader.eachObject { reader throws(JSONError) in
                try reader.object { key, reader throws(JSONError) in
                    guard key.string == name else { return try reader.skip() }
                    guard try !reader.null() else { return }
                    try reader.array { reader throws(JSONError) in
                        if let reference = try read(&reader) { references.append(reference) }
                    }
                }
            }
        }
        return references
    }
}

extension JSONReader {
    /// Reads an object, or each of an array of them.
    mutating func eachObject(
        _ body: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        if try kind() == .array {
            try array { reader throws(JSONError) in try body(&reader) }
        } else {
            try body(&self)
        }
    }

    /// Reads the subscription that a heartbeat is of.
    fileprivate mutating func originatingReference() throws(JSONError) -> String? {
        var reference: String?
        try object { key, reader throws(JSONError) in
            switch key {
            case "OriginatingReferenceId": reference = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
        return reference
    }
}
