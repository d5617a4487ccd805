import GraphQL
import Logging
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Web

@Suite("Metrics")
struct MetricsTests {
    @Test("count responses and operations, and report the open connections")
    func counting() async throws {
        var service = TestService.make()
        service.metrics = {
            [
                MetricFamily(
                    "portico_quota_left", .gauge, "Calls left, by provider.",
                    [MetricFamily.Sample(0.5, labels: [MetricFamily.Label("provider", "a \"b\"\\\n")])])
            ]
        }
        try await withServer(service) { server in
            let client = try server.client()
            for body in [RawRequest.query("{ hello }"), #"{"operationName":"A","query":"{ name }"}"#, "{"] {
                _ = try await client.asking(RawRequest.post(body))
            }
            _ = try await client.asking(RawRequest.get("/made/up/by/a/client"))
            let answer = try await client.asking(RawRequest.get("/metrics"))
            #expect(answer.status == 200)
            #expect(answer["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = Set(answer.body.split(separator: "\n").map(String.init))
            let expected = [
                "# TYPE portico_http_requests_total counter",
                #"portico_http_requests_total{path="/graphql",method="POST",status="200"} 2"#,
                #"portico_http_requests_total{path="/graphql",method="POST",status="400"} 1"#,
                #"portico_http_requests_total{path="(none)",method="GET",status="404"} 1"#,
                #"portico_graphql_operations_total{operation="(anonymous)",outcome="complete"} 1"#,
                #"portico_graphql_operations_total{operation="A",outcome="complete"} 1"#,
                #"portico_graphql_operation_duration_seconds_bucket{operation="A",le="+Inf"} 1"#,
                #"portico_graphql_operation_duration_seconds_count{operation="A"} 1"#,
                "portico_http_connections 1", "portico_http_requests_in_flight 0",
                #"portico_quota_left{provider="a \"b\"\\\n"} 0.5"#,
            ]
            #expect(lines.contains { $0.hasPrefix("portico_event_loop_lag_seconds{loop=\"0\"} ") })
            for line in expected { #expect(lines.contains(line), "\(line)") }
        }
    }

    /// The metrics of operations in `/metrics`.
    private static func counts(_ server: TestServer) async throws -> Set<String> {
        let text = try await server.ask(RawRequest.get("/metrics")).body
        return Set(text.split(separator: "\n").filter { $0.hasPrefix("portico_graphql_op") }.map(String.init))
    }

    @Test("count each operation of an array")
    func batch() async throws {
        var limits = ServerLimits.patient
        limits.batch = 3
        try await withServer(limits: limits) { server in
            let requests = [
                #"{"operationName":"A","query":"{ name }"}"#, #"{"query":"{"}"#, #"{"query":"{ hello }"}"#,
            ]
            _ = try await server.ask(RawRequest.post("[\(requests.joined(separator: ","))]"))
            let lines = try await Self.counts(server)
            for line in [
                #"portico_graphql_operations_total{operation="A",outcome="complete"} 1"#,
                #"portico_graphql_operations_total{operation="(anonymous)",outcome="refused"} 1"#,
                #"portico_graphql_operations_total{operation="(anonymous)",outcome="complete"} 1"#,
                #"portico_graphql_operation_duration_seconds_count{operation="A"} 1"#,
            ] { #expect(lines.contains(line), "\(line)") }
        }
    }

    @Test("count an operation without a name in its request by the name in its document")
    func nameInDocument() async throws {
        var limits = ServerLimits.patient
        limits.batch = 3
        try await withServer(LiveService.make(), limits: limits) { server in
            func post(_ document: String, accept: String = "*/*") async throws {
                _ = try await server.ask(
                    RawRequest.post(RawRequest.query(document), fields: ["Accept: \(accept)"]))
            }
            try await post("query Posted { hello }")
            try await post("subscription Streamed { count(to: 1) }", accept: "text/event-stream")
            _ = try await server.ask(
                RawRequest.post("[\(RawRequest.query("mutation InArray { act }"))]"))
            _ = try await server.ask(RawRequest.get("/graphql?query=query%20Got%20%7B%20hello%20%7D"))
            try await post("{ hello }")
            let lines = try await Self.counts(server)
            for name in ["Posted", "Streamed", "InArray", "Got", "(anonymous)"] {
                let count = #"portico_graphql_operations_total{operation="\#(name)",outcome="complete"} 1"#
                #expect(lines.contains(count), "\(count)")
            }
            // The number of names stays bounded.
            for number in 0..<250 { try await post("query N\(number) { hello }") }
            let names = Set(
                try await Self.counts(server).compactMap { $0.firstMatch(of: /operation="([^"]*)"/)?.1 })
            #expect(names.contains("(other)") && names.count <= 201)
        }
    }

    @Test("count operations of streams and sockets by their first response, also those that continue")
    func following() async throws {
        try await withServer(LiveService.make()) { server in
            let streamed = #"{"operationName":"S","query":"subscription S { count(to: 2) }"}"#
            _ = try await server.ask(RawRequest.post(streamed, fields: ["Accept: text/event-stream"]))
            let socket = try await SocketClient.begin(server)
            for (id, query, name) in [
                ("a", "subscription E { endless }", "E"), ("b", "subscription P { partly }", "P"),
                ("c", "query R { nothing }", "R"),
            ] {
                let payload = #"{"query":"\#(query)","operationName":"\#(name)"}"#
                try await socket.say(#"{"id":"\#(id)","type":"subscribe","payload":\#(payload)}"#)
                #expect(try await socket.next().text.contains(#""id":"\#(id)""#))
                // The second response of `partly`, and the message that it is complete.
                if id == "b" { for _ in 0..<2 { _ = try await socket.next() } }
            }
            let lines = try await Self.counts(server)
            for (name, outcome) in [("S", "complete"), ("E", "complete"), ("P", "partial"), ("R", "refused")]
            {
                let count = #"portico_graphql_operations_total{operation="\#(name)",outcome="\#(outcome)"} 1"#
                #expect(lines.contains(count), "\(count)")
                let times = #"portico_graphql_operation_duration_seconds_count{operation="\#(name)"} 1"#
                #expect(lines.contains(times), "\(times)")
            }
        }
    }

    @Test("separate the own time of operations from the time of upstream calls")
    func times() {
        let metrics = Metrics()
        var facts = OperationSummary(name: "A", document: [], outcome: .complete)
        let start = ContinuousClock.now
        let call = UpstreamCall(
            provider: "A", call: "a", outcome: .fetched, start: start, duration: .milliseconds(40))
        facts.upstream = UpstreamUsage(of: [call], from: start, until: start + .milliseconds(60))
        metrics.record(path: "/graphql", method: "POST", status: 200, facts, took: .milliseconds(60))
        let sums = [
            "": 0.06, "_own": 0.02, "_upstream": 0.04,
        ]
        for (part, seconds) in sums {
            let family = metrics.families.first {
                $0.name == "portico_graphql_operation\(part)_duration_seconds"
            }
            let sum = family?.samples.first { $0.suffix == "_sum" }
            #expect(abs((sum?.value ?? 0) - seconds) < 1e-9, "\(part)")
            #expect(sum?.labels == [MetricFamily.Label("operation", "A")])
        }
    }

    @Test("count calls to providers by outcome, and measure sent ones")
    func calls() {
        let metrics = UpstreamMetrics()
        let start = ContinuousClock.now
        for (outcome, attempts) in [
            (UpstreamCall.Outcome.fetched, 1), (.cached, 0), (.cached, 0), (.failed, 0),
        ] {
            metrics.record(
                UpstreamCall(
                    provider: "saxo", call: "quotes", outcome: outcome, start: start,
                    duration: .milliseconds(20),
                    attempts: attempts))
        }
        let lines = Set(metrics.families.map(\.text).joined().split(separator: "\n").map(String.init))
        let expected = [
            #"portico_upstream_calls_total{provider="saxo",outcome="fetched"} 1"#,
            #"portico_upstream_calls_total{provider="saxo",outcome="cached"} 2"#,
            #"portico_upstream_calls_total{provider="saxo",outcome="failed"} 1"#,
            #"portico_upstream_call_duration_seconds_bucket{provider="saxo",le="0.01"} 0"#,
            #"portico_upstream_call_duration_seconds_bucket{provider="saxo",le="0.025"} 1"#,
            #"portico_upstream_call_duration_seconds_count{provider="saxo"} 1"#,
        ]
        for line in expected { #expect(lines.contains(line), "\(line)") }
    }

    @Test("are served to nobody, to this machine, or to all, as set")
    func audience() async throws {
        var configuration = ServerConfiguration(host: "127.0.0.1", port: 0)
        let foreign = RawRequest.get("/metrics", fields: ["X-Forwarded-For: 10.0.0.1"])
        for (audience, status) in [(MetricsAudience.nobody, 404), (.thisMachine, 404), (.everyone, 200)] {
            configuration.metricsAudience = audience
            try await withServer(configuration) { server in
                let answer = try await server.ask(foreign)
                #expect(answer.status == status)
            }
        }
    }

    @Test("limit the number of operation names")
    func names() {
        let metrics = Metrics()
        for number in 0..<1_000 {
            let facts = OperationSummary(name: "Operation\(number)", document: [], outcome: .complete)
            metrics.record(path: "/graphql", method: "POST", status: 200, facts, took: .milliseconds(1))
        }
        let operations =
            metrics.families.first { $0.name == "portico_graphql_operations_total" }?.samples ?? []
        #expect(operations.count == 201)
        #expect(operations.contains { $0.labels.first?.value == "(other)" && $0.value == 800 })
    }

    @Test("limit the number of names of client applications")
    func applications() {
        let metrics = Metrics()
        for number in 0..<1_000 {
            let summary = OperationSummary(
                name: "A", document: [], outcome: .complete,
                application: ClientApplication(name: "client", version: "\(number)"))
            metrics.record(path: "/graphql", method: "POST", status: 200, summary, took: .milliseconds(1))
        }
        let samples =
            metrics.families.first { $0.name == "portico_graphql_client_operations_total" }?.samples ?? []
        #expect(samples.count == 201)
        #expect(samples.contains { $0.labels.first?.value == "(other)" && $0.value == 800 })
    }

    @Test("have cumulative histogram buckets")
    func histogram() {
        var histogram = Histogram()
        for duration in [TimeAmount.microseconds(500), .milliseconds(3), .milliseconds(4), .hours(1)] {
            histogram.record(duration)
        }
        let samples = histogram.samples(labels: [])
        let buckets = samples.filter { $0.suffix == "_bucket" }.map(\.value)
        #expect(buckets == [1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4])
        #expect(samples.first { $0.suffix == "_count" }?.value == 4)
        #expect(abs((samples.first { $0.suffix == "_sum" }?.value ?? 0) - 3600.0075) < 1e-9)
    }
}

@Suite("A log in JSON")
struct JSONLogTests {
    @Test("has one entry a line, for any content")
    func line() throws {
        let collected = LineBox()
        var logger = Logger(label: "portico.web") { label in
            JSONLogHandler(label: label) { collected.append($0) }
        }
        logger[metadataKey: "requestID"] = "1"
        logger.warning(
            "two\nlines \"quoted\"",
            metadata: [
                "list": ["a", "b"], "level": "made up", "bytes": .stringConvertible(26),
                "isNew": .stringConvertible(true), "text": "26",
            ])
        let line = try #require(collected.all.first)
        #expect(!line.contains("\n"))
        let entry = try JSONValue(parsing: line)
        #expect(entry["level"] == "warning")
        #expect(entry["logger"] == "portico.web")
        #expect(entry["message"] == "two\nlines \"quoted\"")
        #expect(entry["requestID"] == "1")
        #expect(entry["list"]?.elements == ["a", "b"])
        #expect(line.contains(#""bytes":26"#) && line.contains(#""isNew":true"#), "\(line)")
        #expect(entry["text"] == "26")
        #expect(entry["time"]?.string?.hasSuffix("Z") == true)
    }

    @Test("has times in the form of RFC 3339")
    func time() {
        #expect(Timestamp.text(secondsSince1970: 784_111_777, milliseconds: 7) == "1994-11-06T08:49:37.007Z")
    }
}

private final class LineBox: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }
}
