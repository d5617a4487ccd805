import GraphQL
import Logging
import Synchronization
import TestSupport
import Testing
import Web

@Suite("The log")
struct LogTests {
    @Test("has each request, without tokens, queries and variables")
    func secrets() async throws {
        let lines = LogLines()
        var logger = Logger(label: "test") { _ in lines }
        logger.logLevel = .trace
        let id = try await withServer(logger: logger) { server in
            let client = try server.client()
            try await client.send(
                RawRequest.post(RawRequest.query("{ hello }"), fields: ["Authorization: Bearer good"]))
            let id = try await client.response()["x-request-id"]
            let requests = [
                RawRequest.post(#"{"query":"query Echo","variables":{"password":"hunter2"}}"#),
                RawRequest.post(RawRequest.query("{ broken }")),
                RawRequest.post("{}", fields: ["Authorization: Bearer stolen-token"]),
                RawRequest.get("/graphql?query=%7B+hello+%7D&token=stolen-token"),
                RawRequest.get("/graphql?query=%7B+hello+%7D&variables=%7B%22a%22:%22hunter2%22%7D"),
            ]
            for request in requests {
                try await client.send(request)
                _ = try await client.response()
            }
            return try #require(id)
        }
        let text = lines.text
        let hash = DocumentHash(of: "{ hello }")
        #expect(text.contains("debug Answered bytes=26 document=\(hash) method=POST microseconds="))
        #expect(text.contains(" outcome=complete path=/graphql requestID=\(id) status=200 upstreamCalls=0 "))
        #expect(text.contains("error Request failed error=Broken"))
        for secret in ["good", "stolen-token", "hunter2", "token=abc", "hello", "Echo"] {
            #expect(!text.contains(secret))
        }
    }

    @Test("has a line for each response at the level info if it is set, with the operation's name")
    func answers() async throws {
        let lines = LogLines()
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0)
        configuration.logsResponses = true
        try await withServer(configuration, logger: Logger(label: "test") { _ in lines }) { server in
            _ = try await server.ask(RawRequest.post(#"{"operationName":"A","query":"{ name }"}"#))
            _ = try await server.ask(RawRequest.get("/nothing"))
        }
        #expect(lines.text.contains("info Answered bytes=21 document="))
        #expect(lines.text.contains(" operation=A outcome=complete path=/graphql "))
        #expect(lines.text.contains(" path=/nothing "))
    }

    @Test(
        "has a line for each operation of a socket, of a stream and of an array, with the name in its document"
    )
    func operations() async throws {
        let lines = LogLines()
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0, limits: .patient)
        configuration.logsResponses = true
        configuration.limits.batch = 2
        let logger = Logger(label: "test") { _ in lines }
        let ids = try await withServer(configuration, LiveService.make(), logger: logger) { server in
            let socket = try await SocketClient.begin(server)
            try await socket.say(
                #"{"id":"a","type":"subscribe","payload":{"query":"query A { hello }"}}"#)
            #expect(try await socket.next().text.contains("world"))
            let stream = #"{"query":"subscription B { count(to: 2) }"}"#
            let streamed = try await server.ask(
                RawRequest.post(stream, fields: ["Accept: text/event-stream"]))
            let array = #"[{"query":"query C { hello }","operationName":"C"},{"query":"{ nothing }"}]"#
            let batch = try await server.ask(RawRequest.post(array))
            return [streamed, batch].map { $0["x-request-id"] ?? "" }
        }
        for (document, name, id) in [
            ("query A { hello }", "A", ""), ("subscription B { count(to: 2) }", "B", ids[0]),
            ("query C { hello }", "C", ids[1]),
        ] {
            let hash = DocumentHash(of: document)
            let start = "info Operation executed document=\(hash) microseconds="
            let line = lines.text.split(separator: "\n").filter { $0.hasPrefix(start) }
            #expect(line.count == 1, "\(document)")
            #expect(line.first?.contains(" operation=\(name) outcome=complete requestID=\(id)") == true)
        }
        #expect(lines.text.contains(" outcome=refused requestID=\(ids[1]) "))
        for secret in ["hello", "nothing", "count"] { #expect(!lines.text.contains(secret)) }
    }

    @Test("has at most 100 bytes of an operation name, whatever a client sends")
    func longName() async throws {
        let lines = LogLines()
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0)
        configuration.logsResponses = true
        let logger = Logger(label: "test") { _ in lines }
        // One character.
        let name = "a" + String(repeating: "\u{301}", count: 100_000)
        try await withServer(configuration, LiveService.make(), logger: logger) { server in
            let body = #"{"query":"query A { hello }","operationName":"\#(name)"}"#
            let response = try await server.ask(RawRequest.post(body))
            #expect(response.message?.utf8.starts(with: "Unknown operation named \"a\u{301}".utf8) == true)
            #expect(response.body.utf8.count < 1_000)
        }
        #expect(lines.text.contains("… outcome=refused "))
        #expect(lines.text.utf8.count < 2_000)
    }

    @Test("has the id of the response, also for later responses")
    func requestIDs() async throws {
        var service = TestService.make()
        service.respond = { _, _ in
            .async {
                let id = CurrentRequest.id?.description ?? "none"
                return GraphQLResponse(
                    body: Array(#"{"data":{"id":"\#(id)"}}"#.utf8), outcome: .complete)
            }
        }
        try await withServer(service) { server in
            let answer = try await server.ask(RawRequest.post(RawRequest.query("{ id }")))
            #expect(answer.body == #"{"data":{"id":"\#(answer["x-request-id"] ?? "")"}}"#)
        }
    }

    @Test("has no requests at the level info by default")
    func silence() async throws {
        let lines = LogLines()
        let logger = Logger(label: "test") { _ in lines }
        try await withServer(logger: logger) { server in
            _ = try await server.ask(RawRequest.post(RawRequest.query("{ hello }")))
            _ = try await server.ask(RawRequest.get("/nothing"))
        }
        #expect(lines.text == "")
    }
}

/// Stores log lines.
final class LogLines: LogHandler {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }

    private let level = Mutex(Logger.Level.info)

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let metadata = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
        lines.withLock {
            $0.append((["\(event.level)", "\(event.message)"] + metadata).joined(separator: " "))
        }
    }
}
