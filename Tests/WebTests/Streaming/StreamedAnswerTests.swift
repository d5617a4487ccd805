import GraphQL
import NIOCore
import Synchronization
import TestSupport
import Testing
import Web

@Suite("Subscriptions over an answer of HTTP")
struct StreamedAnswerTests {
    private func post(_ query: String, accept: String, fields: String = "") -> String {
        let body = #"{"query":"\#(query)"}"#
        return "POST /graphql HTTP/1.1\r\nHost: a\r\nAccept: \(accept)\r\nContent-Type: application/json\r\n"
            + fields + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
    }

    /// The rules of GraphQL over Server-Sent Events, in distinct connections mode.
    @Test(
        "are events, which end with one that says so",
        arguments: [
            (
                "subscription { count(to: 2) }",
                "event: next\ndata: {\"data\":{\"count\":1}}\n\nevent: next\ndata: {\"data\":{\"count\":2}}\n\n"
            ),
            ("{ hello }", "event: next\ndata: {\"data\":{\"hello\":\"world\"}}\n\n"),
            ("mutation { act }", "event: next\ndata: {\"data\":{\"act\":\"done\"}}\n\n"),
        ])
    func events(query: String, expected: String) async throws {
        try await withServer(LiveService.make()) { server in
            let response = try await server.ask(post(query, accept: "text/event-stream"))
            #expect(response.status == 200)
            #expect(response["content-type"] == "text/event-stream; charset=utf-8")
            #expect(response["cache-control"] == "no-store")
            #expect(response.body == ":\n\n" + expected + "event: complete\ndata:\n\n")
        }
    }

    @Test(
        "report what is wrong with an operation as an event, since a client would take a status for a lost connection"
    )
    func faults() async throws {
        try await withServer(LiveService.make()) { server in
            let response = try await server.ask(
                post("subscription { nothing }", accept: "text/event-stream"))
            #expect(response.status == 200)
            #expect(
                response.body.contains("event: next\ndata: {\"errors\":[{\"message\":\"Cannot query field"))
            #expect(response.body.hasSuffix("event: complete\ndata:\n\n"))
        }
    }

    @Test("are also started by GET")
    func get() async throws {
        try await withServer(LiveService.make()) { server in
            func get(_ query: String) -> String {
                "GET /graphql?query=\(query) HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n"
            }
            let response = try await server.ask(get("subscription%7Bcount(to:1)%7D"))
            #expect(response.body.contains("data: {\"data\":{\"count\":1}}"))
            let refused = try await server.ask(get("mutation%7Bact%7D"))
            #expect(refused.status == 405)
            #expect(refused["allow"] == "POST")
        }
    }

    @Test("are parts of a multipart body for clients that accept it")
    func multipart() async throws {
        try await withServer(LiveService.make()) { server in
            let response = try await server.ask(
                post(
                    "subscription { count(to: 1) }",
                    accept: "multipart/mixed;boundary=\"graphql\";subscriptionSpec=1.0,application/json"))
            #expect(response.status == 200)
            #expect(
                response["content-type"] == "multipart/mixed; boundary=\"graphql\"; subscriptionSpec=1.0")
            let head = "\r\n--graphql\r\ncontent-type: application/json\r\n\r\n"
            #expect(
                response.body == head + "{}" + head + "{\"payload\":{\"data\":{\"count\":1}}}"
                    + "\r\n--graphql--\r\n")
        }
    }

    /// The Accept fields of clients that support several formats.
    @Test(
        "are streamed, and queries of the same client are not",
        arguments: [
            ("{ hello }", "application/graphql-response+json; charset=utf-8"),
            ("subscription { count(to: 1) }", "text/event-stream; charset=utf-8"),
        ])
    func negotiation(query: String, type: String) async throws {
        let accept =
            "application/graphql-response+json, application/graphql+json, application/json, "
            + "text/event-stream, multipart/mixed"
        try await withServer(LiveService.make()) { server in
            let response = try await server.ask(post(query, accept: accept))
            #expect(response["content-type"] == type)
        }
    }

    @Test(
        "have the format that the client accepts",
        arguments: [
            ("text/event-stream", StreamFormat.eventStream), ("TEXT/Event-Stream;q=0.5", .eventStream),
            ("text/event-stream;q=0", nil), ("*/*", nil), (nil, nil), ("multipart/mixed", nil),
            ("multipart/mixed;deferSpec=20220824, application/json", nil),
            ("multipart/mixed; subscriptionSpec=\"1.0\"", .multipart),
            ("multipart/mixed;subscriptionSpec=1.0, text/event-stream", .eventStream),
        ])
    func forms(accept: String?, form: StreamFormat?) {
        #expect(ContentNegotiation.streamFormat(accept: accept) == form)
    }

    @Test("send heartbeats")
    func heartbeat() async throws {
        var limits = ServerLimits.patient
        limits.heartbeat = .milliseconds(20)
        try await withServer(LiveService.make(), limits: limits) { server in
            let client = try server.client()
            try await client.send(post("subscription { endless }", accept: "text/event-stream"))
            // Two keep-alive messages after the first value, with any chunk boundaries.
            var received = ""
            while received.split(separator: ":\n\n", omittingEmptySubsequences: false).count < 4 {
                received += try await client.take(1)
            }
            #expect(received.contains("data: {\"data\":{\"endless\":1}}"))
            client.close()
        }
    }

    /// Each format sends UNAUTHENTICATED and ends: server-sent events do not send `complete`.
    @Test(
        "send UNAUTHENTICATED and end when their token ends, also without events",
        arguments: [
            ("text/event-stream", "event: next\ndata: {\"errors\":[", "]}\n\n"),
            (
                "multipart/mixed;subscriptionSpec=1.0",
                "content-type: application/json\r\n\r\n" + #"{"payload":null,"errors":["#,
                "]}\r\n--graphql--\r\n"
            ),
        ])
    func ending(accept: String, start: String, end: String) async throws {
        let token = Event<Void>()
        try await withServer(LiveService.make(endingTokens: token)) { server in
            let client = try server.client()
            // Without chunk boundaries between its parts.
            try await client.send(
                post("subscription { endless }", accept: accept).replacing("HTTP/1.1", with: "HTTP/1.0"))
            var received = ""
            while !received.contains(#"{"endless":1}"#) { received += try await client.take(1) }
            token.happen()
            let rest = try await client.rest()
            let error =
                #"{"message":"The session has ended: sign in again.","extensions":{"code":"UNAUTHENTICATED""#
            #expect(rest.contains(start + error), "\(rest)")
            #expect(rest.hasSuffix(end), "\(rest)")
            #expect(!rest.contains("complete"))
        }
    }

    @Test("send the response of the mutation that has ended their token")
    func endedByItself() async throws {
        try await withServer(LiveService.make(endingTokens: Event())) { server in
            let response = try await server.ask(post("mutation { renew }", accept: "text/event-stream"))
            #expect(
                response.body == ":\n\nevent: next\ndata: {\"data\":{\"renew\":\"another token\"}}\n\n"
                    + "event: complete\ndata:\n\n")
        }
    }

    @Test("do not start if their token has ended since their request was received")
    func endedBefore() async throws {
        // The token ends after the first check.
        let looked = Mutex(false)
        let begun = Event<Void>()
        var service = try LiveService.make()
        service.isValid = { _ in
            looked.withLock { looked in
                defer { looked = true }
                return !looked
            }
        }
        service.subscribe = { [subscribe = service.subscribe] request, context in
            begun.happen()
            return await subscribe(request, context)
        }
        try await withServer(service) { server in
            let response = try await server.ask(
                RawRequest.post(
                    RawRequest.query("mutation { act }"),
                    fields: ["Accept: text/event-stream", "Authorization: Bearer good"]))
            #expect(response.body.contains(#""code":"UNAUTHENTICATED""#), "\(response.body)")
            #expect(!response.body.contains("complete"), "\(response.body)")
            #expect(!begun.hasHappened)
        }
    }

    @Test(
        "finish a mutation when the server drains, and end a subscription without `complete`"
    )
    func draining() async throws {
        let (started, gate) = (Event<Void>(), Event<Void>())
        let service = try LiveService.make(mutationStarted: started, waitingFor: gate)
        try await withServer(service) { server in
            let mutation = try server.client()
            try await mutation.send(post("mutation { act }", accept: "text/event-stream"))
            await started.wait()
            let subscription = try server.client()
            try await subscription.send(post("subscription { endless }", accept: "text/event-stream"))
            _ = try await subscription.response(toHead: true)
            server.stop()
            #expect(try await !subscription.rest().contains("complete"))
            gate.happen()
            let answer = try await mutation.response()
            #expect(
                answer.body.hasSuffix("data: {\"data\":{\"act\":\"done\"}}\n\nevent: complete\ndata:\n\n"))
        }
    }

    @Test(
        "have OVERLOADED in place of a response for which there is no memory",
        arguments: [
            ("query { hello }", "The responses"),
            ("mutation { act }", "The mutation was run, but the responses"),
            ("subscription { endless }", "The responses"),
        ], ["text/event-stream", "multipart/mixed;subscriptionSpec=1.0"])
    func responseMemory(_ operation: (query: String, reason: String), accept: String) async throws {
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
        limits.responseMemory = 64 << 10
        try await withServer(service, limits: limits) { server in
            let answer = try await server.ask(post(operation.query, accept: accept))
            #expect(answer.body.contains(#""errors":[{"message":"\#(operation.reason)"#), "\(answer.body)")
            #expect(answer.body.contains(#""code":"OVERLOADED""#), "\(answer.body)")
            if accept == "text/event-stream" {
                // Without the message a client starts its subscription again.
                let isComplete = answer.body.hasSuffix("event: complete\ndata:\n\n")
                #expect(isComplete == !operation.query.hasPrefix("subscription"), "\(answer.body)")
            } else {
                #expect(answer.body.hasSuffix("--graphql--\r\n"), "\(answer.body)")
            }
        }
    }

    @Test("use the token of the Authorization field")
    func token() async throws {
        try await withServer(LiveService.make()) { server in
            let mine = try await server.ask(
                post(
                    "subscription { whose }", accept: "text/event-stream",
                    fields: "Authorization: Bearer good\r\n"))
            #expect(mine.body.contains("somebody"))
            let refused = try await server.ask(
                post(
                    "subscription { whose }", accept: "text/event-stream",
                    fields: "Authorization: Bearer bad\r\n"))
            #expect(refused.status == 200)
            #expect(refused.body.contains(#""whose":"refused""#))
        }
    }
}
