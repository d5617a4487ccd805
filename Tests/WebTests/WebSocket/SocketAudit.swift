import Testing

/// A rule of GraphQL over WebSocket, as a talk between a client and the server that keeps to it.
///
/// The rules are those of the protocol's document (`graphql-transport-ws`, PROTOCOL.md of enisdenjo/graphql-ws) and what the
/// reference implementation's own tests demand of a server; the talks are written anew.
struct SocketAudit: Sendable, CustomTestStringConvertible {
    let id: String
    let demand: String
    /// Whether the talk begins behind an acknowledged `connection_init`.
    let isAcknowledged: Bool
    let steps: [Step]

    var testDescription: String { "\(id) \(demand)" }

    enum Step: Sendable {
        case says(String)
        case hears(String)
        /// What is said in a message with this beginning is the server's own affair.
        case hearsAny(String)
        /// The server closes the socket with this code, and says why: the whole text, or how it begins.
        case isClosed(Int, String)
        /// Nothing else was said: the next that is heard answers this ping.
        case isQuiet
    }

    /// A talk of a client that has been let in.
    init(_ id: String, _ demand: String, _ steps: Step...) {
        self.init(id, demand, isAcknowledged: true, steps)
    }

    /// A talk from the first message on.
    init(first id: String, _ demand: String, _ steps: Step...) {
        self.init(id, demand, isAcknowledged: false, steps)
    }

    private init(_ id: String, _ demand: String, isAcknowledged: Bool, _ steps: [Step]) {
        self.id = id
        self.demand = demand
        self.isAcknowledged = isAcknowledged
        self.steps = steps
    }
}

extension SocketAudit.Step {
    /// The client subscribes, with a payload that is more than a document.
    static func subscribes(_ id: String, payload: String) -> SocketAudit.Step {
        .says(#"{"id":"\#(id)","type":"subscribe","payload":\#(payload)}"#)
    }

    static func subscribes(_ id: String, _ document: String) -> SocketAudit.Step {
        subscribes(id, payload: #"{"query":"\#(document)"}"#)
    }

    static func completes(_ id: String) -> SocketAudit.Step {
        .says(#"{"id":"\#(id)","type":"complete"}"#)
    }

    static func next(_ id: String, _ data: String) -> SocketAudit.Step {
        .hears(#"{"id":"\#(id)","type":"next","payload":{"data":\#(data)}}"#)
    }

    static func complete(_ id: String) -> SocketAudit.Step {
        .hears(#"{"id":"\#(id)","type":"complete"}"#)
    }

    static func error(_ id: String, _ message: String) -> SocketAudit.Step {
        .hearsAny(#"{"id":"\#(id)","type":"error","payload":[{"message":"\#(message)"#)
    }
}
