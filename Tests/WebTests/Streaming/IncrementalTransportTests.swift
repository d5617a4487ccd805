import Foundation
import GraphQL
import Synchronization
import TestSupport
import Testing
import Web

/// The payloads of an operation with a slow deferred field, over each protocol.
///
/// The deferred value becomes available only after the client has received the first payload, so a server that
/// waits for it before the first payload fails.
@Suite("Incremental delivery over HTTP and WebSocket")
struct IncrementalTransportTests {
    private static let document = "{ box { name ... @defer(label: \"part\") { slow } } }"
    private static let first =
        #"{"hasNext":true,"pending":[{"id":"0","path":["box"],"label":"part"}],"data":{"box":{"name":"n"}}}"#
    private static let last =
        #"{"hasNext":false,"incremental":[{"data":{"slow":1},"id":"0"}],"completed":[{"id":"0"}]}"#
    private static let olderFirst = #"{"hasNext":true,"data":{"box":{"name":"n"}}}"#
    private static let olderLast =
        #"{"hasNext":false,"incremental":[{"data":{"slow":1},"path":["box"],"label":"part"}]}"#

    private func post(_ document: String = document, accept: String) -> String {
        RawRequest.post(RawRequest.query(document), fields: ["Accept: \(accept)"])
    }

    /// A format: the Accept field that requests it, the Content-Type of the response, and the body as its first
    /// part, which ends with its delimiter, and the rest.
    struct Format: CustomTestStringConvertible, Sendable {
        let accept: String
        let contentType: String
        let start: String
        let rest: String
        var testDescription: String { accept }
    }

    private static let head = "\r\ncontent-type: application/json\r\n\r\n"
    private static let formats = [
        Format(
            accept: "multipart/mixed;incrementalSpec=v0.2,application/json",
            contentType: "multipart/mixed; boundary=\"-\"; incrementalSpec=v0.2",
            start: "\r\n---" + head + first + "\r\n---", rest: head + last + "\r\n-----\r\n"),
        // The Accept field of Apollo Client.
        Format(
            accept:
                "multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9",
            contentType: "multipart/mixed; boundary=\"-\"; deferSpec=20220824",
            start: "\r\n---" + head + olderFirst + "\r\n---", rest: head + olderLast + "\r\n-----\r\n"),
        Format(
            accept: "text/event-stream", contentType: "text/event-stream; charset=utf-8",
            start: ":\n\nevent: next\ndata: " + first + "\n\n",
            rest: "event: next\ndata: " + last + "\n\nevent: complete\ndata:\n\n"),
        Format(
            accept: "text/event-stream;deferSpec=20220824", contentType: "text/event-stream; charset=utf-8",
            start: ":\n\nevent: next\ndata: " + olderFirst + "\n\n",
            rest: "event: next\ndata: " + olderLast + "\n\nevent: complete\ndata:\n\n"),
    ]

    @Test("sends the first payload before the slow value is available", arguments: formats)
    func firstPayload(format: Format) async throws {
        let source = SlowBoxSource()
        try await withServer(source.service()) { server in
            let client = try server.client()
            defer { client.close() }
            try await client.send(post(accept: format.accept))
            var fields: [String: String] = [:]
            #expect(try await client.line() == "HTTP/1.1 200 OK")
            while let line = Optional(try await client.line()), !line.isEmpty {
                let parts = line.split(separator: ": ", maxSplits: 1)
                fields[parts[0].lowercased()] = String(parts.last ?? "")
            }
            #expect(fields["content-type"] == format.contentType)
            #expect(fields["cache-control"] == "no-store")
            #expect(fields["transfer-encoding"] == "chunked")
            var chunks = RawChunkReader(client: client)
            var received = ""
            while received.utf8.count < format.start.utf8.count {
                received += try #require(try await chunks.next())
            }
            #expect(received == format.start)
            source.open()
            received = ""
            while let chunk = try await chunks.next() { received += chunk }
            #expect(received == format.rest)
        }
    }

    @Test(
        "is one complete response for a client that requests no format",
        arguments: [
            "application/json", "application/graphql-response+json", "*/*",
            "multipart/mixed, application/json",
            "multipart/mixed;subscriptionSpec=1.0, application/json",
            "multipart/mixed;incrementalSpec=v0.3, application/json",
            "multipart/mixed;incrementalSpec=v0.2;q=0, application/json",
        ])
    func complete(accept: String) async throws {
        let source = SlowBoxSource()
        source.open()
        try await withServer(source.service()) { server in
            let response = try await server.ask(post(accept: accept))
            #expect(response.status == 200)
            #expect(response.body == #"{"data":{"box":{"name":"n","slow":1}}}"#)
        }
    }

    @Test("is one complete response if no directive is active")
    func inactive() async throws {
        let source = SlowBoxSource()
        source.open()
        try await withServer(source.service()) { server in
            let response = try await server.ask(
                post("{ box { ... @defer(if: false) { slow } } }", accept: Self.formats[0].accept))
            #expect(response.body.contains(#"{"data":{"box":{"slow":1}}}"#))
            #expect(!response.body.contains("hasNext"))
        }
    }

    @Test("is for a trusted document only if the document has an active directive", arguments: formats)
    func trustedDocuments(format: Format) async throws {
        let source = SlowBoxSource()
        var service = try source.service()
        let plain = "{ box { name slow } }"
        service.documents = DocumentPolicy(trusting: [plain, Self.document], runsOnlyTrusted: true)
        func request(_ members: String) -> String {
            RawRequest.post("{\(members)}", fields: ["Accept: \(format.accept)"])
        }
        func id(of text: String) -> String { #""documentId":"\#(DocumentHash(of: text))""# }
        try await withServer(service) { server in
            let client = try server.client()
            defer { client.close() }
            try await client.send(request(id(of: Self.document)))
            var received = ""
            while !received.contains(#""hasNext":true"#) { received += try await client.take(1) }
            source.open()
            let complete = try await server.ask(request(id(of: plain))).body
            #expect(complete.contains(#"{"data":{"box":{"name":"n","slow":1}}}"#), "\(complete)")
            #expect(!complete.contains("hasNext"))
            let other = try await server.ask(request(#""query":"{ box { ... @defer { slow } } }""#))
            #expect(other.body.contains("DOCUMENT_NOT_TRUSTED"), "\(other.body)")
        }
    }

    @Test("reports a request error as one payload without data", arguments: formats)
    func requestErrors(format: Format) async throws {
        try await withServer(SlowBoxSource().service()) { server in
            let document = "{ box { ... @defer(label: 1) { slow } } }"
            let response = try await server.ask(post(document, accept: format.accept))
            #expect(response.body.contains(#""errors":[{"message":"#))
            #expect(response.body.contains("label"))
            #expect(!response.body.contains(#""data""#))
            #expect(!response.body.contains("hasNext"))
        }
    }

    @Test("is `next` messages over WebSocket, in the format that the request's extensions name")
    func socket() async throws {
        for (extensions, first, last) in [
            ("", Self.first, Self.last),
            (#","extensions":{"deferSpec":"20220824"}"#, Self.olderFirst, Self.olderLast),
            (#","extensions":{"incrementalSpec":"v0.2"}"#, Self.first, Self.last),
        ] {
            let source = SlowBoxSource()
            try await withServer(source.service()) { server in
                let socket = try await SocketClient.begin(server)
                let query = RawRequest.query(Self.document).dropLast()
                try await socket.say(#"{"id":"1","type":"subscribe","payload":\#(query)\#(extensions)}}"#)
                #expect(try await socket.next().text == #"{"id":"1","type":"next","payload":\#(first)}"#)
                source.open()
                #expect(try await socket.next().text == #"{"id":"1","type":"next","payload":\#(last)}"#)
                #expect(try await socket.next().text == #"{"id":"1","type":"complete"}"#)
            }
        }
    }

    /// A document whose deferred part does not fit, and its payloads in both formats.
    private static let longDocument =
        "{ box { name ... @defer(label: \"part\") { "
        + ["a", "b", "c"].map { "\(String(repeating: $0, count: 250)): slow" }.joined(separator: " ")
        + " } } }"
    private static let tooLarge =
        #"{"message":"The response has more than 700 bytes, which is the limit. Select fewer fields, or request "#
        + #"fewer items.","extensions":{"code":"RESPONSE_TOO_LARGE","limit":700}}"#
    private static let tooLargeLast =
        #"{"hasNext":false,"completed":[{"id":"0","errors":[\#(tooLarge)]}]}"#
    private static let tooLargeOlderLast =
        #"{"hasNext":false,"incremental":[{"data":null,"errors":[\#(tooLarge)],"path":["box"],"label":"part"}]}"#

    private static func limitedService(_ source: SlowBoxSource) throws -> TestGraphQLService {
        var options = ExecutionOptions()
        options.limits.responseBytes = 700
        return try source.service(schema: SlowBoxSource.schema(options: options))
    }

    @Test("ends with RESPONSE_TOO_LARGE in the form of the format", arguments: formats)
    func tooLarge(format: Format) async throws {
        let source = SlowBoxSource()
        try await withServer(Self.limitedService(source)) { server in
            let client = try server.client()
            defer { client.close() }
            try await client.send(post(Self.longDocument, accept: format.accept))
            #expect(try await client.line() == "HTTP/1.1 200 OK")
            while try await !client.line().isEmpty {}
            var chunks = RawChunkReader(client: client)
            var received = ""
            while !received.contains(#""hasNext":true"#) { received += try #require(try await chunks.next()) }
            source.open()
            while let chunk = try await chunks.next() { received += chunk }
            let expected = format.rest.replacing(Self.last, with: Self.tooLargeLast)
                .replacing(Self.olderLast, with: Self.tooLargeOlderLast)
            #expect(received.hasSuffix(expected), "\(received)")
        }
    }

    @Test("ends with RESPONSE_TOO_LARGE over WebSocket, before `complete`")
    func tooLargeOverSocket() async throws {
        for (extensions, last) in [
            ("", Self.tooLargeLast), (#","extensions":{"deferSpec":"20220824"}"#, Self.tooLargeOlderLast),
        ] {
            let source = SlowBoxSource()
            try await withServer(Self.limitedService(source)) { server in
                let socket = try await SocketClient.begin(server)
                let query = RawRequest.query(Self.longDocument).dropLast()
                try await socket.say(#"{"id":"1","type":"subscribe","payload":\#(query)\#(extensions)}}"#)
                #expect(try await socket.next().text.contains(#""hasNext":true"#))
                source.open()
                #expect(try await socket.next().text == #"{"id":"1","type":"next","payload":\#(last)}"#)
                #expect(try await socket.next().text == #"{"id":"1","type":"complete"}"#)
            }
        }
    }

    @Test("reports the upstream calls of a part with its payload, in milliseconds from the operation's start")
    func upstreamReport() async throws {
        let log = ResponseLog()
        let source = SlowBoxSource(onValue: log.recordCall)
        try await withServer(source.service(log)) { server in
            let client = try server.client()
            defer { client.close() }
            try await client.send(
                RawRequest.post(
                    RawRequest.query(Self.document),
                    fields: ["Accept: text/event-stream", "Portico-Upstream: true"]))
            while try await !client.line().isEmpty {}
            var chunks = RawChunkReader(client: client)
            var received = ""
            while !received.contains("hasNext") { received += try #require(try await chunks.next()) }
            source.open()
            while let chunk = try await chunks.next() { received += chunk }
            let reports = try received.split(separator: "\n").filter { $0.hasPrefix("data: {") }
                .map { try JSONValue(parsing: String($0.dropFirst(6)))["extensions"]?["portico"] }
            let calls = reports.map { $0?["upstream"]?.elements ?? [] }
            #expect(calls.map(\.count) == [0, 1])
            // A time since the first payload would be 0.
            #expect(calls.last?.first?["startMs"] == .number(Decimal(15) / 10))
            let ends = reports.compactMap { $0?["durationMs"]?.number }
            #expect(ends.count == reports.count)
            #expect(ends == ends.sorted())
        }
    }

    @Test("cancels the deferred load when the client closes its connection")
    func disconnection() async throws {
        let source = SlowBoxSource()
        try await withServer(source.service()) { server in
            let client = try server.client()
            try await client.send(post(accept: Self.formats[0].accept))
            var received = ""
            while !received.hasSuffix("\r\n---\r\n") || !received.contains("hasNext") {
                received += try await client.take(1)
            }
            client.close()
            await source.cancelled()
        }
    }

    @Test("cancels the deferred load when the client completes the operation over WebSocket")
    func completion() async throws {
        let source = SlowBoxSource()
        try await withServer(source.service()) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.subscribe("1", Self.document)
            #expect(try await socket.next().text.contains("hasNext"))
            try await socket.say(#"{"id":"1","type":"complete"}"#)
            await source.cancelled()
        }
    }
}

/// The chunks of a response with `Transfer-Encoding: chunked`, as they arrive.
private struct RawChunkReader {
    let client: RawClient

    /// Returns the next chunk; nil at the end of the body.
    mutating func next() async throws -> String? {
        let size = try #require(Int(try await client.line(), radix: 16))
        let chunk = try await client.take(size)
        _ = try await client.line()
        return size == 0 ? nil : chunk
    }
}

/// The upstream log of a response, for the load of its slow field.
private final class ResponseLog: Sendable {
    // A lock, because the load runs in a task of its own.
    private let log = Mutex<UpstreamLog?>(nil)

    func use(_ responseLog: UpstreamLog?) { log.withLock { $0 = responseLog } }

    /// Records a call that began 1.5 ms after the operation.
    func recordCall() {
        guard let log = log.withLock({ $0 }) else { return }
        log.record(
            UpstreamCall(
                provider: "alpaca", call: "slow", outcome: .fetched, start: log.start + .microseconds(1_500)))
    }
}

extension SlowBoxSource {
    fileprivate func service(
        _ log: ResponseLog = ResponseLog(), schema: ExecutableSchema<SlowBoxSource>? = nil
    ) throws -> TestGraphQLService {
        let schema = try schema ?? SlowBoxSource.schema()
        var service = TestGraphQLService(
            respond: { request, context in
                schema.respond(to: request, context: self, allowing: context.allowedOperations)
            })
        service.subscribe = { request, context in
            log.use(context.upstreamLog)
            return await schema.subscribe(to: request, context: self, in: context.incrementalFormat)
        }
        service.prepare = schema.prepare
        return service
    }
}
