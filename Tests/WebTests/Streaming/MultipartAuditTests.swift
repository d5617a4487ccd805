import NIOCore
import TestSupport
import Testing
import Web

/// The rules of Apollo's "Multipart HTTP protocol for GraphQL subscriptions", version 1.0, and the
/// requirements of its clients.
@Suite("The audit of multipart subscriptions")
struct MultipartAuditTests {
    private static let accept = "Accept: multipart/mixed;subscriptionSpec=1.0, application/json"
    private static let delimiter = "\r\n--graphql"

    private func post(_ document: String, accept: String = accept) -> String {
        RawRequest.post(RawRequest.query(document), fields: [accept])
    }

    /// The parts of a complete body, parsed as by Apollo's clients: each up to the next delimiter.
    private func parts(_ body: String) throws -> [JSONValue] {
        var rest = body[...]
        var parts: [JSONValue] = []
        let start = try #require(rest.firstRange(of: Self.delimiter))
        #expect(start.lowerBound == rest.startIndex, "nothing stands in front")
        rest = rest[start.upperBound...]
        while !rest.hasPrefix("--") {
            let end = try #require(rest.firstRange(of: Self.delimiter), "\(rest)")
            let part = rest[..<end.lowerBound]
            let head = try #require(part.firstRange(of: "\r\n\r\n"))
            #expect(part[..<head.lowerBound] == "\r\ncontent-type: application/json")
            parts.append(try JSONValue(parsing: String(part[head.upperBound...]).utf8))
            rest = rest[end.upperBound...]
        }
        #expect(rest == "--\r\n")
        return parts
    }

    @Test("MULTI-1: a subscription is a heartbeat and a part for each event, wrapped in `payload`")
    func parts() async throws {
        try await withServer(LiveService.make()) { server in
            let response = try await server.ask(post("subscription { count(to: 2) }"))
            #expect(response.status == 200)
            #expect(
                response["content-type"] == "multipart/mixed; boundary=\"graphql\"; subscriptionSpec=1.0")
            #expect(response["cache-control"] == "no-store")
            #expect(response["transfer-encoding"] == "chunked")
            let expected = ["{}"] + (1...2).map { #"{"payload":{"data":{"count":\#($0)}}}"# }
            #expect(try parts(response.body) == expected.map { try JSONValue(parsing: $0.utf8) })
        }
    }

    @Test("MULTI-2: an event is whole when it has come, and does not wait for the next one")
    func atOnce() async throws {
        try await withServer(LiveService.make()) { server in
            let client = try server.client()
            defer { client.close() }
            try await client.send(post("subscription { endless }"))
            var received = ""
            while !received.hasSuffix("{\"payload\":{\"data\":{\"endless\":1}}}" + Self.delimiter) {
                received += try await client.take(1)
            }
        }
    }

    @Test("MULTI-3: heartbeats are parts with an empty object")
    func heartbeats() async throws {
        var limits = ServerLimits.patient
        limits.heartbeat = .milliseconds(20)
        try await withServer(LiveService.make(), limits: limits) { server in
            let client = try server.client()
            defer { client.close() }
            try await client.send(post("subscription { endless }"))
            let heartbeat = "\r\ncontent-type: application/json\r\n\r\n{}" + Self.delimiter
            var received = ""
            while received.ranges(of: heartbeat).count < 3 { received += try await client.take(1) }
        }
    }

    /// A faulty request, and the expected message.
    @Test(
        "MULTI-4: what is wrong with an operation or a field is part of a payload, where clients look for it",
        arguments: [
            ("subscription { nothing }", "Cannot query field"), ("subscription {", "Syntax Error"),
            ("subscription { partly }", ""),
        ])
    func errors(document: String, message: String) async throws {
        try await withServer(LiveService.make()) { server in
            let response = try await server.ask(
                post(document, accept: "Accept: multipart/mixed;subscriptionSpec=1.0"))
            #expect(response.status == 200)
            let parts = try parts(response.body)
            #expect(parts.first == .object([:]))
            let error = try #require(parts[1]["payload"]?["errors"]?[0]?["message"]?.string)
            #expect(message.isEmpty || error.contains(message))
            #expect(parts.allSatisfy { $0["errors"] == nil }, "nothing was wrong with the transport")
        }
    }

    @Test(
        "MULTI-5: clients say that they take it in several ways",
        arguments: [
            "multipart/mixed;boundary=\"graphql\";subscriptionSpec=\"1.0\",application/json",
            "multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json",
            "multipart/mixed; subscriptionSpec=1.0; q=0.8, application/graphql-response+json",
            "multipart/mixed;deferSpec=20220824;subscriptionSpec=1.0, application/json",
        ])
    func accepting(accept: String) async throws {
        try await withServer(LiveService.make()) { server in
            let response = try await server.ask(
                post("subscription { count(to: 1) }", accept: "Accept: \(accept)"))
            #expect(response["content-type"]?.hasPrefix("multipart/mixed") == true)
            #expect(try parts(response.body).count == 2)
            // A query of the same client has one response.
            let query = try await server.ask(post("{ hello }", accept: "Accept: \(accept)"))
            #expect(query["content-type"]?.hasPrefix("application/") == true)
            #expect(query.json?["data"]?["hello"] == "world")
        }
    }

    @Test(
        "MULTI-6: what is wrong with the request has a status, and is no stream",
        arguments: [
            ("{ \"not", "", 400), ("{}", "", 400),
            (#"{"query":"subscription { endless }"}"#, "Authorization: Basic YTpi", 401),
        ])
    func refusals(body: String, field: String, status: Int) async throws {
        try await withServer(LiveService.make()) { server in
            let fields = [Self.accept] + (field.isEmpty ? [] : [field])
            let response = try await server.ask(RawRequest.post(body, fields: fields))
            #expect(response.status == status)
            #expect(response["content-type"]?.hasPrefix("application/") == true)
            #expect(response.message != nil)
        }
    }
}
