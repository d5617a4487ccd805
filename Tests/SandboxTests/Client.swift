import NIOCore
import NIOPosix
import TestSupport
import Testing

/// A client that returns responses as they came over the socket, invalid ones included.
struct Client {
    let address: String

    /// The bytes received until the server closed the connection.
    struct Reply: Sendable, Equatable {
        /// Nil if nothing was received.
        var status: Int?
        var headers: [String: String] = [:]
        var body = ""

        /// True if the body has the length in the header.
        var isWhole: Bool { headers["content-length"] == String(body.utf8.count) }

        /// Checks that it is a complete success whose JSON is valid by a definition of a provider's schema.
        func check(by provider: String, _ shape: String, sourceLocation: SourceLocation = #_sourceLocation)
            throws
        {
            #expect(status == 200, sourceLocation: sourceLocation)
            #expect(
                headers["content-type"] == "application/json; charset=UTF-8", sourceLocation: sourceLocation)
            #expect(isWhole, sourceLocation: sourceLocation)
            let violations = try Golden.schema(of: provider).definition(shape).violations(
                in: JSONValue(parsing: body))
            #expect(violations == [], sourceLocation: sourceLocation)
        }
    }

    func get(_ path: String, _ headers: [String: String] = [:]) async throws -> Reply {
        try await send("GET", path, headers)
    }

    func post(_ path: String, _ body: String) async throws -> Reply {
        try await send("POST", path, ["Content-Length": String(body.utf8.count)], body)
    }

    func send(
        _ method: String, _ path: String, _ headers: [String: String] = [:], _ body: String = ""
    ) async throws -> Reply {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: \(address)", "Connection: close"]
        lines += headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return Reply(try await exchange(lines.joined(separator: "\r\n") + "\r\n\r\n" + body))
    }

    /// Sends a text, and reads until the server closes.
    func exchange(_ text: String) async throws -> String {
        try await connected { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            return try await Self.rest(of: inbound)
        }
    }

    static func rest(of inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async throws -> String {
        var received = ByteBuffer()
        do {
            for try await var part in inbound { received.writeBuffer(&part) }
        } catch is IOError {
            // After a reset, the bytes received before it count.
        }
        return String(buffer: received)
    }

    /// Opens one connection while `body` runs.
    func connected<Result: Sendable>(
        _ body:
            @Sendable (
                NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>
            ) async throws -> Result
    ) async throws -> Result {
        let parts = address.split(separator: ":")
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: String(parts[0]), port: Int(parts[1]) ?? 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in try await body(inbound, outbound) }
    }
}

extension Client.Reply {
    /// Parses the head; the body is the rest.
    init(_ text: String) {
        guard let blank = text.firstRange(of: "\r\n\r\n") else { return }
        let lines = text[..<blank.lowerBound].split(separator: "\r\n")
        status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].drop { $0 == " " }.description
        }
        body = String(text[blank.upperBound...])
    }
}
