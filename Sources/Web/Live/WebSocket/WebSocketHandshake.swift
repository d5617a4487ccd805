import Crypto
import Foundation
import NIOCore
import NIOHTTP1

/// The opening handshake of a WebSocket (RFC 6455, section 4.2).
struct WebSocketHandshake: Sendable {
    /// Whether the client offers the protocol that is spoken here; a socket without it is closed at once, with the code
    /// that says so.
    let speaksProtocol: Bool
    private let key: String

    /// The name of the protocol (GraphQL over WebSocket, "Communication").
    static let subprotocol = "graphql-transport-ws"

    /// Whether a request wants a WebSocket; what HTTP/1.0 says of Upgrade is passed over (RFC 9110, section 7.8).
    static func isAskedFor(by head: RequestHead) -> Bool {
        head.method == .GET && !head.isHTTP10 && head.fields.asksForUpgrade(to: "websocket")
    }

    /// Reads the client's part.
    ///
    /// - Throws: what is wrong with it.
    init(_ fields: RequestHeaders) throws(HTTPError) {
        guard fields.webSocketVersion == "13" else { throw .webSocketVersion }
        guard let key = fields.webSocketKey, Data(base64Encoded: key)?.count == 16 else {
            throw .webSocketKey
        }
        self.key = key
        speaksProtocol =
            fields.webSocketProtocol?.listMembers.contains { $0 == WebSocketHandshake.subprotocol } ?? false
    }

    /// The server's part, after which the connection is the protocol's.
    ///
    /// Its fields are named in the letters of RFC 6455: clients look for them in these, such as gql of Python.
    func response(_ handover: ProtocolUpgrade) -> HTTPResponse {
        var headers = [
            HTTPResponse.Header("Upgrade", "websocket"),
            HTTPResponse.Header("Sec-WebSocket-Accept", accept),
        ]
        if speaksProtocol {
            headers.append(HTTPResponse.Header("Sec-WebSocket-Protocol", WebSocketHandshake.subprotocol))
        }
        return HTTPResponse(switchingTo: handover, headers: headers)
    }

    /// Shows that the server has read the key (RFC 6455, section 4.2.2, 5.4); nothing rests on the strength of SHA-1.
    private var accept: String {
        let digest = Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Data(digest).base64EncodedString()
    }
}
