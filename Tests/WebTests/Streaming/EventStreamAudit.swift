import TestSupport
import Testing

/// A rule of GraphQL over Server-Sent Events in its distinct connections mode, as a request and what must come of it.
///
/// The rules are those of the protocol's document (PROTOCOL.md of enisdenjo/graphql-sse), of GraphQL over HTTP where that one
/// refers to it, and what the reference implementation's own tests demand of a server; the requests are written anew.
struct EventStreamAudit: Sendable, CustomTestStringConvertible {
    let id: String
    let demand: String
    let request: String
    let outcome: Outcome

    var testDescription: String { "\(id) \(demand)" }

    enum Outcome: Sendable {
        /// A stream of these events.
        case stream([ServerSentEvent])
        /// A stream of one response, whose text begins so, and the end.
        case response(String)
        /// No stream: a status, and an error whose message has this.
        case refusal(Int, String)
        /// One response, of this type.
        case single(String)
    }

    init(_ id: String, _ demand: String, _ request: String, _ outcome: Outcome) {
        self.id = id
        self.demand = demand
        self.request = request
        self.outcome = outcome
    }
}

extension EventStreamAudit.Outcome {
    /// A stream with the data of these responses, and the end.
    static func data(_ data: String...) -> EventStreamAudit.Outcome {
        .stream(data.map { ServerSentEvent("next", #"{"data":\#($0)}"#) } + [ServerSentEvent("complete", "")])
    }
}

/// An event as a browser reads it (HTML, "Interpreting an event stream").
struct ServerSentEvent: Sendable, Equatable {
    let type: String
    let data: String

    init(_ type: String, _ data: String) {
        self.type = type
        self.data = data
    }

    /// All events of a stream that has ended.
    static func read(_ stream: String) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        var (type, data): (String, [String]) = ("", [])
        // `\r\n`, `\n` and `\r` end lines alike; the first is one `Character`.
        for line in stream.split(omittingEmptySubsequences: false, whereSeparator: \.isLineEnd) {
            if line.isEmpty {
                // An event without data is none.
                if !data.isEmpty {
                    events.append(
                        ServerSentEvent(type.isEmpty ? "message" : type, data.joined(separator: "\n")))
                }
                (type, data) = ("", [])
                continue
            }
            let field = line.prefix { $0 != ":" }
            var value = line.dropFirst(field.count + 1)
            if value.first == " " { value = value.dropFirst() }
            switch field {
            case "event": type = String(value)
            case "data": data.append(String(value))
            default: break
            }
        }
        return events
    }
}

extension Character {
    /// Of an event stream; other ends of lines, as U+2028, are text there.
    fileprivate var isLineEnd: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}
