import Testing

/// A rule of GraphQL over WebSocket, as a conversation between a client and a conforming server.
///
/// The rules are those of the protocol's document (`graphql-transport-ws`, PROTOCOL.md of
/// enisdenjo/graphql-ws) and of the reference implementation's own tests of servers; the conversations are
/// our own.
struct SocketAudit: Sendable, CustomTestStringConvertible {
    let id: String
    let demand: String
    /// True if the conversation starts after an acknowledged `connection_init`.
    let isAcknowledged: Bool
    let steps: [Step]

    var testDescription: String { "\(id) \(demand)" }

    enum Step: Sendable {
        case says(String)
        case hears(String)
        /// A message with this prefix; the rest may have any text.
        case hearsAny(String)
        /// The server closes the socket with this code, and this reason or prefix of it.
        case isClosed(Int, String)
        /// The server has sent no other message: the next one is the pong for this ping.
        case isQuiet
    }

    /// A conversation of a client whose `connection_init` was acknowledged.
    init(_ id: String, _ demand: String, _ steps: Step...) {
        self.init(id, demand, isAcknowledged: true, steps)
    }

    /// A conversation from the first message on.
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
    /// The client subscribes, with a payload that contains more than a document.
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
