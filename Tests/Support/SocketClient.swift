/// A WebSocket client that sends exact frames (RFC 6455, section 5).
package struct SocketClient: Sendable {
    package let client: RawClient

    package init(client: RawClient) {
        self.client = client
    }

    /// A frame from the server.
    package struct Frame: Equatable, Sendable {
        package let opcode: UInt8
        package let payload: [UInt8]

        package init(opcode: UInt8, payload: [UInt8]) {
            self.opcode = opcode
            self.payload = payload
        }

        package var text: String { String(decoding: payload, as: UTF8.self) }
        /// The code of a close frame.
        package var closeCode: Int? {
            opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
        }
        package var closeMessage: String { String(decoding: payload.dropFirst(2), as: UTF8.self) }
    }

    package static func handshake(
        protocols: String? = "graphql-transport-ws", key: String = "dGhlIHNhbXBsZSBub25jZQ==",
        version: String = "13", target: String = "/graphql", host: String = "localhost", fields: String = "",
        http: String = "1.1"
    ) -> String {
        "GET \(target) HTTP/\(http)\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: \(version)\r\n"
            + (protocols.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? "") + fields + "\r\n"
    }

    package func say(_ text: String) async throws {
        try await send(opcode: 1, Array(text.utf8))
    }

    package func subscribe(_ id: String, _ query: String) async throws {
        let query = query.replacing("\"", with: "\\\"").replacing("\n", with: " ")
        try await say(#"{"id":"\#(id)","type":"subscribe","payload":{"query":"\#(query)"}}"#)
    }

    package func send(
        opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, isMasked: Bool = true, reserved: UInt8 = 0
    ) async throws {
        var frame: [UInt8] = [(isFinal ? 0x80 : 0) | reserved | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case ..<126: frame.append(mask | UInt8(payload.count))
        case ..<65_536: frame += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            frame.append(mask | 127)
            frame += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        let key: [UInt8] = [1, 2, 3, 4]
        if isMasked { frame += key }
        frame += isMasked ? payload.enumerated().map { $1 ^ key[$0 % 4] } : payload
        try await client.send(frame)
    }

    /// Reads the next frame; pings of the server are skipped.
    package func next() async throws -> Frame {
        while true {
            let head = try await client.takeBytes(2)
            var length = Int(head[1] & 0x7F)
            if length == 126 { length = try await client.takeBytes(2).reduce(0) { $0 << 8 | Int($1) } }
            if length == 127 { length = try await client.takeBytes(8).reduce(0) { $0 << 8 | Int($1) } }
            let payload = length == 0 ? [] : try await client.takeBytes(length)
            let frame = Frame(opcode: head[0] & 0x0F, payload: payload)
            if frame.opcode != 9 { return frame }
        }
    }
}
