import TestSupport
import Testing

extension SocketClient {
    /// Opens a socket on a server.
    static func open(_ server: TestServer, _ handshake: String = handshake()) async throws -> SocketClient {
        let client = try server.client()
        let response = try await client.asking(handshake)
        #expect(response.status == 101)
        return SocketClient(client: client)
    }

    /// Opens a socket, and sends `connection_init`.
    static func begin(_ server: TestServer, payload: String = "{}") async throws -> SocketClient {
        let socket = try await open(server)
        try await socket.say(#"{"type":"connection_init","payload":\#(payload)}"#)
        #expect(try await socket.next().text == #"{"type":"connection_ack"}"#)
        return socket
    }
}
