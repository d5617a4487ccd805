import Synchronization
import TestSupport

/// Clients that open connections and hold them: half a request, half a body, sockets and streams of unknown
/// symbols.
///
/// They reconnect if the server closes a connection, or after a minute without a message.
package final class HeldConnections: Sendable {
    private let port: Int
    private let count: Int
    private let accepted = Atomic(0)

    /// The number of WebSockets that the server has accepted.
    package var sockets: Int { accepted.load(ordering: .relaxed) }

    /// Connections to a server on this machine.
    ///
    /// - Parameters:
    ///   - port: The port of the server.
    ///   - count: The number of connections that are held at a time.
    package init(port: Int, count: Int) {
        self.port = port
        self.count = count
    }

    /// Holds the connections until its task is cancelled.
    package func hold() async {
        await withTaskGroup { group in
            for number in 0..<count {
                group.addTask { [self] in
                    while !Task.isCancelled {
                        try? await hold(number)
                        try? await Task.sleep(for: .milliseconds(200))
                    }
                }
            }
        }
    }

    private func hold(_ number: Int) async throws {
        let client = try RawClient(port: port, patience: 60)
        defer { client.close() }
        let address = "X-Forwarded-For: 198.51.100.\(1 + number / 4 % 16)"
        switch number % 4 {
        case 0: try await client.send("POST /graphql HTTP/1.1\r\nHost: localhost\r\n\(address)\r\n")
        case 1:
            try await client.send(
                "POST /graphql HTTP/1.1\r\nHost: localhost\r\n\(address)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{\"query\"")
        case 2:
            try await client.send(
                RawRequest.post(
                    RawRequest.query(subscription(number)),
                    fields: [address, "Accept: text/event-stream"]))
        default: try await openSocket(client, address, number)
        }
        while !Task.isCancelled { try await client.firstBytes() }
    }

    private func openSocket(_ client: RawClient, _ address: String, _ number: Int) async throws {
        try await client.send(
            RawRequest.get(
                "/graphql",
                fields: [
                    address, "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                    "Sec-WebSocket-Protocol: graphql-transport-ws",
                ]))
        guard try await client.response(toHead: true).status == 101 else { return }
        accepted.add(1, ordering: .relaxed)
        try await client.send(frame(#"{"type":"connection_init"}"#))
        for operation in 0..<100 {
            let document = RawRequest.query(subscription(number &* 100 &+ operation))
            try await client.send(
                frame(#"{"id":"\#(operation)","type":"subscribe","payload":\#(document)}"#))
        }
    }

    private func subscription(_ number: Int) -> String {
        let symbols = (0..<50).map { "\"Q\(number)X\($0)\"" }.joined(separator: " ")
        return "subscription { quotes(symbols: [\(symbols)]) { symbol price } }"
    }

    /// A client's text frame whose mask is zero (RFC 6455, section 5.2).
    private func frame(_ text: String) -> [UInt8] {
        let payload = Array(text.utf8)
        var frame: [UInt8] = [0x81]
        if payload.count < 126 {
            frame.append(0x80 | UInt8(payload.count))
        } else {
            frame += [0x80 | 126, UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF)]
        }
        return frame + [0, 0, 0, 0] + payload
    }
}
