import GraphQL
import Synchronization
import TestSupport
import Testing
import Web

/// GraphQL over Server-Sent Events, "Single connection mode".
@Suite("An event stream of several operations")
struct SingleConnectionTests {
    private static let header = "X-GraphQL-Event-Stream-Token"

    private func reserve(_ server: TestServer, fields: [String] = []) async throws -> String {
        let response = try await server.ask(RawRequest.get("/graphql", method: "PUT", fields: fields))
        #expect(response.status == 201)
        #expect(response["content-type"] == "text/plain; charset=utf-8")
        #expect(response["cache-control"] == "no-store")
        return response.body
    }

    private func open(
        _ token: String, _ server: TestServer, fields: [String] = []
    ) async throws -> RawClient {
        let client = try server.client()
        let accepted = ["\(Self.header): \(token)", "Accept: text/event-stream"]
        try await client.send(RawRequest.get("/graphql", fields: accepted + fields))
        let head = try await client.response(toHead: true)
        #expect(head.status == 200)
        #expect(head["content-type"] == "text/event-stream; charset=utf-8")
        return client
    }

    private func start(
        _ query: String, id: String?, on token: String, fields: [String] = []
    ) -> String {
        let extensions = id.map { #","extensions":{"operationId":"\#($0)"}"# } ?? ""
        return RawRequest.post(
            #"{"query":"\#(query)"\#(extensions)}"#, fields: ["\(Self.header): \(token)"] + fields)
    }

    /// The lines of a stream up to one that meets a condition, without those of the chunked coding.
    private func lines(of client: RawClient, until isLast: (String) -> Bool) async throws -> [String] {
        var lines: [String] = []
        while true {
            let line = try await client.line()
            if line.hasPrefix("event:") || line.hasPrefix("data:") { lines.append(line) }
            if isLast(line) { return lines }
        }
    }

    @Test(
        "is reserved for any accepted format, because its token is a text",
        arguments: ["text/plain", "text/event-stream", "text/html;q=0.5"])
    func reservationFormat(_ accept: String) async throws {
        try await withServer(LiveService.make()) { server in
            let token = try await reserve(server, fields: ["Accept: \(accept)"])
            #expect(!token.isEmpty)
        }
    }

    @Test("has the responses of operations with their ids, also of one that starts before the stream is open")
    func operations() async throws {
        try await withServer(LiveService.make()) { server in
            let token = try await reserve(server)
            #expect(try await server.ask(start("{ hello }", id: "early", on: token)).status == 202)
            let client = try await open(token, server)
            let early = try await lines(of: client) { $0.contains("event: complete") }
            #expect(
                early.prefix(2) == [
                    "event: next", #"data: {"id":"early","payload":{"data":{"hello":"world"}}}"#,
                ])
            #expect(try await client.line() == #"data: {"id":"early"}"#)
            let started = try await server.ask(start("subscription { count(to: 2) }", id: "a", on: token))
            #expect(started.status == 202)
            #expect(started.body == "")
            let events = try await lines(of: client) { $0 == #"data: {"id":"a"}"# }
            #expect(
                events == [
                    "event: next", #"data: {"id":"a","payload":{"data":{"count":1}}}"#,
                    "event: next", #"data: {"id":"a","payload":{"data":{"count":2}}}"#,
                    "event: complete", #"data: {"id":"a"}"#,
                ])
            // The id is free again.
            #expect(try await server.ask(start("mutation { act }", id: "a", on: token)).status == 202)
            #expect(
                try await lines(of: client) { $0 == #"data: {"id":"a"}"# }.contains { $0.contains("done") })
        }
    }

    @Test("stops an operation, and the stream continues")
    func stop() async throws {
        try await withServer(LiveService.make()) { server in
            let token = try await reserve(server)
            let client = try await open(token, server)
            #expect(try await server.ask(start("subscription { endless }", id: "e", on: token)).status == 202)
            _ = try await lines(of: client) { $0.contains(#""id":"e""#) }
            let stopped = try await server.ask(
                RawRequest.get(
                    "/graphql?operationId=e", method: "DELETE", fields: ["\(Self.header): \(token)"]))
            #expect(stopped.status == 200)
            // The id is free, so the operation has ended.
            #expect(try await server.ask(start("{ hello }", id: "e", on: token)).status == 202)
            _ = try await lines(of: client) { $0.contains("world") }
        }
    }

    /// A response of 288 KiB counts with 224 KiB.
    ///
    /// A quarter of the memory is reserved for mutations.
    @Test(
        "sends the reason and `complete` if there is no memory for a response",
        arguments: [
            ("{ hello }", 256 << 10, "The responses that wait for their clients"),
            ("mutation { act }", 64 << 10, "The mutation was run, but the responses"),
            ("mutation { act }", 256 << 10, nil),
        ] as [(String, Int, String?)])
    func responseMemory(query: String, memory: Int, reason: String?) async throws {
        let schema = try LiveService.schema()
        let long = schema.prepare(
            GraphQLRequest(
                "query Long($text: String!) { echo(text: $text) }",
                variables: ["text": .string(String(repeating: "x", count: 288 << 10))]))
        var service = LiveService.make(schema)
        service.subscribe = { _, context in
            await schema.subscribe(to: long, context: LiveContext(context.sessionName))
        }
        var limits = ServerLimits.patient
        limits.responseMemory = memory
        try await withServer(service, limits: limits) { server in
            let token = try await reserve(server)
            let client = try await open(token, server)
            #expect(try await server.ask(start(query, id: "a", on: token)).status == 202)
            let events = try await lines(of: client) { $0 == #"data: {"id":"a"}"# }
            try #require(events.count == 4)
            #expect(events[0] == "event: next")
            if let reason {
                let error = #"data: {"id":"a","payload":{"errors":[{"message":"\#(reason)"#
                #expect(events[1].hasPrefix(error), "\(events[1])")
                #expect(events[1].contains(#""code":"OVERLOADED""#), "\(events[1])")
            } else {
                #expect(events[1].hasPrefix(#"data: {"id":"a","payload":{"data":{"echo":"xxx"#))
            }
            #expect(events[2] == "event: complete")
        }
    }

    @Test("finishes a mutation when the server drains, and ends a subscription without `complete`")
    func draining() async throws {
        let (started, gate) = (Event<Void>(), Event<Void>())
        let service = try LiveService.make(mutationStarted: started, waitingFor: gate)
        try await withServer(service) { server in
            let token = try await reserve(server)
            let client = try await open(token, server)
            #expect(try await server.ask(start("subscription { endless }", id: "s", on: token)).status == 202)
            _ = try await lines(of: client) { $0.contains(#""endless":1"#) }
            #expect(try await server.ask(start("mutation { act }", id: "m", on: token)).status == 202)
            await started.wait()
            server.stop()
            // The stream writes one when the server stops; the interval of others is longer than the test.
            _ = try await lines(of: client) { $0 == ":" }
            gate.happen()
            let rest = try await client.rest()
            #expect(rest.contains(#"{"id":"m","payload":{"data":{"act":"done"}}}"#), "\(rest)")
            #expect(rest.contains("event: complete\ndata: {\"id\":\"m\"}"), "\(rest)")
            #expect(!rest.contains(#"{"id":"s"}"#), "\(rest)")
        }
    }

    @Test("sends no response of a stopped mutation, whose id another operation can have")
    func stoppedMutation() async throws {
        let (started, gate, finished) = (Event<Void>(), Event<Void>(), Event<Void>())
        var service = try LiveService.make()
        service.subscribe = { [subscribe = service.subscribe] request, context in
            guard request.operationType == .mutation else { return await subscribe(request, context) }
            started.happen()
            await gate.wait()
            defer { finished.happen() }
            return await subscribe(request, context)
        }
        try await withServer(service) { server in
            let token = try await reserve(server)
            let client = try await open(token, server)
            #expect(try await server.ask(start("mutation { act }", id: "a", on: token)).status == 202)
            await started.wait()
            let stopping = RawRequest.get(
                "/graphql?operationId=a", method: "DELETE", fields: ["\(Self.header): \(token)"])
            #expect(try await server.ask(stopping).status == 200)
            #expect(try await server.ask(start("subscription { endless }", id: "a", on: token)).status == 202)
            _ = try await lines(of: client) { $0.contains(#""endless":1"#) }
            gate.happen()
            await finished.wait()
            #expect(try await server.ask(start("{ hello }", id: "b", on: token)).status == 202)
            let events = try await lines(of: client) { $0 == #"data: {"id":"b"}"# }
            #expect(!events.contains { $0.contains("done") || $0.contains(#""id":"a""#) }, "\(events)")
        }
    }

    @Test(
        "ends a subscription with its token, also without events; the stream and the other operations continue"
    )
    func endedToken() async throws {
        let (ended, isQueryRunning) = (Event<Void>(), Event<Void>())
        let observers = Mutex(0)
        var service = try LiveService.make(endingTokens: ended)
        service.subscribe = { [subscribe = service.subscribe] request, context in
            if request.operationType == .query { isQueryRunning.happen() }
            return await subscribe(request, context)
        }
        service.onEnd = { [onEnd = service.onEnd] name, observer in
            observers.withLock { $0 += 1 }
            let stop = onEnd(name, observer)
            return {
                observers.withLock { $0 -= 1 }
                stop?()
            }
        }
        try await withServer(service) { server in
            let token = try await reserve(server)
            let client = try await open(token, server)
            #expect(try await server.ask(start("subscription { endless }", id: "a", on: token)).status == 202)
            #expect(try await server.ask(start("{ never }", id: "b", on: token)).status == 202)
            _ = try await lines(of: client) { $0.contains(#""endless":1"#) }
            await isQueryRunning.wait()
            let running = "\nportico_http_streams 3\n"
            #expect(try await server.ask(RawRequest.get("/metrics")).body.contains(running))
            #expect(observers.withLock(\.self) == 1)
            ended.happen()
            let events = try await lines(of: client) { $0 == #"data: {"id":"a"}"# }
            try #require(events.count == 4)
            #expect(events[0] == "event: next")
            let error =
                #"{"message":"The session has ended: sign in again.","extensions":{"code":"UNAUTHENTICATED""#
            #expect(events[1].hasPrefix(#"data: {"id":"a","payload":{"errors":["# + error), "\(events[1])")
            #expect(events[2] == "event: complete")
            let rest = "\nportico_http_streams 2\n"
            try await waitUntil { try await server.ask(RawRequest.get("/metrics")).body.contains(rest) }
            #expect(observers.withLock(\.self) == 0)
        }
    }

    @Test("sends the response of the mutation that has ended its token, and `complete`")
    func endedByItself() async throws {
        try await withServer(LiveService.make(endingTokens: Event())) { server in
            let token = try await reserve(server)
            let client = try await open(token, server)
            #expect(try await server.ask(start("mutation { renew }", id: "a", on: token)).status == 202)
            let events = try await lines(of: client) { $0 == #"data: {"id":"a"}"# }
            #expect(
                events == [
                    "event: next", #"data: {"id":"a","payload":{"data":{"renew":"another token"}}}"#,
                    "event: complete", #"data: {"id":"a"}"#,
                ])
        }
    }

    @Test("ends its operations with its connection, and its token is not valid afterwards")
    func end() async throws {
        try await withServer(LiveService.make()) { server in
            let token = try await reserve(server)
            let client = try await open(token, server)
            #expect(try await server.ask(start("subscription { endless }", id: "e", on: token)).status == 202)
            client.close()
            var status = 202
            var number = 0
            while status == 202 {
                number += 1
                status = try await server.ask(start("{ hello }", id: "late\(number)", on: token)).status
            }
            #expect(status == 404)
        }
    }

    /// The statuses of the requests about a stream: to open it, to start an operation and to stop one.
    private func statuses(
        of token: String, _ server: TestServer, fields: [String]
    ) async throws -> [Int] {
        let stream = ["\(Self.header): \(token)", "Accept: text/event-stream"] + fields
        let requests = [
            RawRequest.get("/graphql", fields: stream),
            start("{ hello }", id: "other", on: token, fields: fields),
            RawRequest.get("/graphql?operationId=other", method: "DELETE", fields: stream),
        ]
        var statuses: [Int] = []
        for request in requests { statuses.append(try await server.ask(request, toHead: true).status) }
        return statuses
    }

    private static let notFound = [404, 404, 404]

    @Test("is found only by the guest who reserved it, although limits count guests by address")
    func guests() async throws {
        let hasSignedOut = Mutex(false)
        var service = try LiveService.make()
        service.session = { token in
            switch token {
            case nil: .success("anonymous")
            case "a" where hasSignedOut.withLock(\.self): .failure(.invalidToken("The session has ended."))
            case let guest?: .success(guest)
            }
        }
        service.principal = { ["a", "b"].contains($0) ? $0 : nil }
        let (a, b) = (["Authorization: Bearer a"], ["Authorization: Bearer b"])
        try await withServer(service) { server in
            let token = try await reserve(server, fields: a)
            for fields in [[], b] {
                #expect(try await statuses(of: token, server, fields: fields) == Self.notFound, "\(fields)")
                let url = "/graphql?token=\(token)"
                let request = RawRequest.get(url, fields: ["Accept: text/event-stream"] + fields)
                #expect(try await server.ask(request, toHead: true).status == 404, "\(fields)")
            }
            let client = try await open(token, server, fields: a)
            defer { client.close() }
            // The stream is open already.
            #expect(try await statuses(of: token, server, fields: a) == [409, 202, 200])
            hasSignedOut.withLock { $0 = true }
            for fields in [[], a, b] {
                #expect(try await statuses(of: token, server, fields: fields) == Self.notFound, "\(fields)")
            }
        }
    }

    @Test("that was reserved without a session is found by clients without a session only")
    func anonymous() async throws {
        var service = try LiveService.make()
        service.principal = { $0 == "somebody" ? $0 : nil }
        try await withServer(service) { server in
            let token = try await reserve(server)
            let session = ["Authorization: Bearer good"]
            #expect(try await statuses(of: token, server, fields: session) == Self.notFound)
            let client = try await open(token, server)
            defer { client.close() }
            #expect(try await statuses(of: token, server, fields: []) == [409, 202, 200])
        }
    }

    @Test("rejects a request with the reason")
    func rejections() async throws {
        try await withServer(LiveService.make()) { server in
            let token = try await reserve(server)
            let client = try await open(token, server)
            defer { client.close() }
            #expect(try await server.ask(start("subscription { endless }", id: "e", on: token)).status == 202)
            let stream = ["\(Self.header): \(token)", "Accept: text/event-stream"]
            let unknown = ["\(Self.header): none", "Accept: text/event-stream"]
            let cases: [(request: String, status: Int, code: String)] = [
                (start("{ hello }", id: "e", on: token), 409, "CONFLICT"),
                (start("{ hello }", id: nil, on: token), 400, "BAD_REQUEST"),
                (start("{ hello }", id: "x", on: "none"), 404, "NOT_FOUND"),
                (RawRequest.get("/graphql", fields: stream), 409, "CONFLICT"),
                (RawRequest.get("/graphql", fields: unknown), 404, "NOT_FOUND"),
                (RawRequest.get("/graphql", fields: ["\(Self.header): \(token)"]), 406, "NOT_ACCEPTABLE"),
                (RawRequest.get("/graphql", method: "DELETE", fields: stream), 400, "BAD_REQUEST"),
                (RawRequest.get("/graphql?operationId=e", method: "DELETE"), 404, "NOT_FOUND"),
                (RawRequest.get("/graphql", method: "PATCH"), 405, "METHOD_NOT_ALLOWED"),
            ]
            for (request, status, code) in cases {
                let response = try await server.ask(request)
                #expect(response.status == status, "\(request)")
                #expect(response.body.contains("\"code\":\"\(code)\""), "\(request): \(response.body)")
            }
            let invalid = try await server.ask(start("{ nothing }", id: "x", on: token))
            #expect(invalid.status == 400)
            #expect(invalid.body.contains("Cannot query field"))
        }
    }

    @Test("opens by the URL, for EventSource of browsers; another text in the parameter is no token")
    func url() async throws {
        try await withServer(LiveService.make()) { server in
            let token = try await reserve(server)
            let client = try server.client()
            try await client.send(
                RawRequest.get("/graphql?token=\(token)", fields: ["Accept: text/event-stream"]))
            #expect(try await client.response(toHead: true).status == 200)
            let other = try await server.ask(
                RawRequest.get("/graphql?token=secret", fields: ["Accept: text/event-stream"]))
            #expect(other.status == 400)
            #expect(other.body.contains("looks like a token"))
        }
    }
}
