import TestSupport
import Testing

/// A rule of GraphQL over Server-Sent Events in its distinct connections mode, as a request and the expected
/// result.
///
/// The rules are those of the protocol's document (PROTOCOL.md of enisdenjo/graphql-sse), of GraphQL over
/// HTTP if that one refers to it, and of the reference implementation's own tests of servers; the requests
/// are our own.
struct EventStreamAudit: Sendable, CustomTestStringConvertible {
    let id: String
    let demand: String
    let request: String
    let outcome: Outcome

    var testDescription: String { "\(id) \(demand)" }

    enum Outcome: Sendable {
        /// A stream of these events.
        case stream([ServerSentEvent])
        /// A stream of one response with this prefix, and the end.
        case response(String)
        /// No stream: a status, and an error whose message contains this text.
        case refusal(Int, String)
        /// One response of this type.
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
    /// A stream of responses with these data, and the end.
    static func data(_ data: String...) -> EventStreamAudit.Outcome {
        .stream(data.map { ServerSentEvent("next", #"{"data":\#($0)}"#) } + [ServerSentEvent("complete", "")])
    }
}

/// An event as parsed by a browser (HTML, "Interpreting an event stream").
struct ServerSentEvent: Sendable, Equatable {
    let type: String
    let data: String

    init(_ type: String, _ data: String) {
        self.type = type
        self.data = data
    }

    /// Parses all events of a complete stream.
    static func read(_ stream: String) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        var (type, data): (String, [String]) = ("", [])
        // `\r `, ` ` and `\r` end lines; the first is one `Character`.
        for line in stream.split(omittingEmptySubsequences: false, whereSeparator: \.isLineEnd) {
            if line.isEmpty {
                // An event without data is ignored.
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
    /// The line ends of an event stream; other line separators, such as U+2028, are text.
    fileprivate var isLineEnd: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}
