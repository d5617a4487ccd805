import GraphQL
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing
import Tracing
import Web

@Suite("Spans")
struct SpanExporterTests {
    /// Runs an exporter around a test, and stops it as a server stops.
    private static func withExporter(
        _ limits: SpanExporter.Limits, _ send: @escaping SpanExporter.Send,
        _ test: (SpanExporter) async throws -> Void
    ) async throws {
        let exporter = SpanExporter(of: ["service.name": "test"], limits: limits, logger: .silent, send: send)
        let group = ServiceGroup(services: [exporter], logger: .silent)
        let running = Task { try await group.run() }
        do {
            try await test(exporter)
        } catch {
            running.cancel()
            throw error
        }
        await group.triggerGracefulShutdown()
        try await running.value
    }

    /// Limits with which only a full batch or the end sends spans.
    private static func limits(batch: Int) -> SpanExporter.Limits {
        var limits = SpanExporter.Limits()
        limits.batch = batch
        limits.interval = .seconds(3_600)
        return limits
    }

    private static func count(_ name: String, of exporter: SpanExporter) -> Double? {
        exporter.families.first { $0.name == name }?.samples.first?.value
    }

    @Test("of requests reach the collector as children of the client's span, with the outcome")
    func requests() async throws {
        let collector = Collector()
        try await withServer(routes: ["/v1/traces": collector]) { server in
            try await Self.withExporter(Self.limits(batch: 1), Collector.send(to: server)) { exporter in
                var service = TestService.make()
                service.tracer = RequestTracer(exporting: exporter)
                service.prepare = { PreparedRequest(unprepared: $0, operationType: .query) }
                let respond = service.respond
                let tracer = service.tracer
                service.respond = { request, context in
                    // The trace header of an upstream call.
                    let span = context.trace.flatMap {
                        tracer?.startSpan("alpaca quotes", context: $0, ofKind: .client)
                    }
                    span?.attributes["portico.attempts"] = 2
                    span?.setStatus(SpanStatus(code: .error))
                    span?.end()
                    return respond(request, context)
                }
                try await withServer(service) { traced in
                    let answer = try await traced.ask(
                        RawRequest.post(
                            #"{"operationName":"Home","query":"{ name }"}"#,
                            fields: [
                                "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                "tracestate: a=1",
                            ]))
                    #expect(answer.status == 200)
                    let (resource, called) = try await collector.next()
                    let (_, asked) = try await collector.next()
                    #expect(
                        resource?["attributes"]?[0]
                            == .object(["key": "service.name", "value": .object(["stringValue": "test"])]))
                    let (call, request) = (try #require(called.first), try #require(asked.first))
                    #expect(request["traceId"] == "0af7651916cd43dd8448eb211c80319c")
                    #expect(request["parentSpanId"] == "b7ad6b7169203331")
                    #expect(request["traceState"] == "a=1")
                    #expect(request["name"] == "query Home")
                    #expect(request["kind"] == 2)
                    #expect(request["status"] == nil)
                    let attributes = request["attributes"]?.elements ?? []
                    for (key, value) in [
                        ("graphql.operation.name", "Home"), ("graphql.operation.type", "query"),
                        ("portico.outcome", "complete"), ("portico.request_id", answer["x-request-id"] ?? ""),
                    ] {
                        #expect(
                            attributes.contains(
                                .object([
                                    "key": .string(key), "value": .object(["stringValue": .string(value)]),
                                ])))
                    }
                    #expect(call["traceId"] == request["traceId"])
                    #expect(call["parentSpanId"] == request["spanId"])
                    #expect(call["kind"] == 3)
                    #expect(call["status"]?["code"] == 2)
                    #expect(
                        call["attributes"]?.elements == [
                            .object(["key": "portico.attempts", "value": .object(["intValue": "2"])])
                        ])
                    let times = [request, call].map { span in
                        ["startTimeUnixNano", "endTimeUnixNano"].map {
                            span[$0]?.string.flatMap { UInt64($0) } ?? 0
                        }
                    }
                    #expect(times[0][0] > 1_700_000_000_000_000_000)
                    #expect(times[0][0] <= times[1][0])
                    #expect(times[1][0] <= times[1][1])
                    #expect(times[1][1] <= times[0][1])
                }
            }
        }
    }

    @Test("of operations on a socket and of streams last as long as these, as children of the client's span")
    func following() async throws {
        let collector = Collector()
        try await withServer(routes: ["/v1/traces": collector]) { server in
            try await Self.withExporter(Self.limits(batch: 1), Collector.send(to: server)) { exporter in
                var service = try LiveService.make()
                service.tracer = RequestTracer(exporting: exporter)
                let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
                try await withServer(service) { traced in
                    let socket = try await SocketClient.open(
                        traced, SocketClient.handshake(fields: "traceparent: \(trace)\r\n"))
                    try await socket.say(#"{"type":"connection_init"}"#)
                    _ = try await socket.next()
                    try await socket.subscribe("a", "subscription { endless }")
                    #expect(try await socket.next().text.contains("endless"))
                    try await socket.say(#"{"id":"a","type":"complete"}"#)
                    try await Self.expect(try await collector.next().spans, "subscription", "complete")
                    try await socket.subscribe("b", "subscription Parts { partly }")
                    try await Self.expect(try await collector.next().spans, "subscription Parts", "partial")
                    _ = try await traced.ask(
                        RawRequest.post(
                            RawRequest.query("{ nothing }"),
                            fields: ["Accept: text/event-stream", "traceparent: \(trace)"]))
                    try await Self.expect(try await collector.next().spans, "request", "refused")
                }
            }
        }
    }

    private static func expect(_ spans: [JSONValue], _ name: String, _ outcome: String) async throws {
        let span = try #require(spans.first)
        #expect(spans.count == 1)
        #expect(span["name"]?.string == name)
        #expect(span["parentSpanId"] == "b7ad6b7169203331")
        let told = span["attributes"]?.elements?.first { $0["key"] == "portico.outcome" }
        #expect(told?["value"]?["stringValue"]?.string == outcome)
    }

    @Test("of a failing request have the type of the error without its text")
    func failure() async throws {
        let collector = Collector()
        try await withServer(routes: ["/v1/traces": collector]) { server in
            try await Self.withExporter(Self.limits(batch: 1), Collector.send(to: server)) { exporter in
                var service = TestService.make()
                service.tracer = RequestTracer(exporting: exporter)
                try await withServer(service) { traced in
                    _ = try await traced.ask(RawRequest.post(RawRequest.query("{ broken }")))
                    let span = try #require(try await collector.next().spans.first)
                    #expect(span["parentSpanId"] == nil)
                    #expect(span["status"]?["code"] == 2)
                    let types = span["attributes"]?.elements?.filter { $0["key"] == "error.type" }
                    #expect(types?.first?["value"]?["stringValue"]?.string?.hasSuffix("Broken") == true)
                    #expect(!"\(span)".contains("token=abc"))
                }
            }
        }
    }

    @Test("of a trace that its sender does not record are not recorded")
    func unsampled() async throws {
        try await Self.withExporter(Self.limits(batch: 1), { _ in }) { exporter in
            let tracer = RequestTracer(exporting: exporter)
            var context = ServiceContext.topLevel
            context.trace = TraceContext.root(isSampled: false)
            #expect(!tracer.startSpan("a", context: context).isRecording)
            #expect(tracer.startSpan("a", context: .topLevel).isRecording)
        }
    }

    @Test("that remain when the server stops are sent before it ends")
    func stopping() async throws {
        let collector = Collector()
        try await withServer(routes: ["/v1/traces": collector]) { server in
            try await Self.withExporter(Self.limits(batch: 10), Collector.send(to: server)) { exporter in
                for _ in 0..<3 { RequestTracer(exporting: exporter).startSpan("a", context: .topLevel).end() }
            }
            #expect(try await collector.next().spans.count == 3)
        }
    }

    @Test("that the collector rejects are dropped and counted, and later ones are sent")
    func failing() async throws {
        let isDown = Mutex(true)
        let tried = AsyncStream.makeStream(of: Void.self)
        let send: SpanExporter.Send = { _ in
            defer { tried.continuation.yield() }
            if isDown.withLock({ $0 }) { throw Collector.NotTaken() }
        }
        try await Self.withExporter(Self.limits(batch: 2), send) { exporter in
            var tries = tried.stream.makeAsyncIterator()
            let tracer = RequestTracer(exporting: exporter)
            for _ in 0..<2 { tracer.startSpan("a", context: .topLevel).end() }
            await tries.next()
            try await waitUntil { Self.count("portico_spans_dropped_total", of: exporter) == 2 }
            #expect(Self.count("portico_spans_exported_total", of: exporter) == 0)
            isDown.withLock { $0 = false }
            for _ in 0..<2 { tracer.startSpan("a", context: .topLevel).end() }
            await tries.next()
            try await waitUntil { Self.count("portico_spans_exported_total", of: exporter) == 2 }
            #expect(Self.count("portico_spans_dropped_total", of: exporter) == 2)
        }
    }

    @Test("above the limit are dropped and counted")
    func bound() {
        var limits = Self.limits(batch: 10)
        limits.waiting = 2
        let exporter = SpanExporter(of: [:], limits: limits, logger: .silent) { _ in }
        let tracer = RequestTracer(exporting: exporter)
        for _ in 0..<5 { tracer.startSpan("a", context: .topLevel).end() }
        #expect(Self.count("portico_spans_dropped_total", of: exporter) == 3)
    }

    @Test("end once")
    func once() {
        var limits = SpanExporter.Limits()
        limits.waiting = 1
        let exporter = SpanExporter(of: [:], limits: limits, logger: .silent) { _ in }
        let span = RequestTracer(exporting: exporter).startSpan("a", context: .topLevel)
        span.end()
        // A second span does not fit into the buffer.
        span.end()
        #expect(!span.isRecording)
        #expect(Self.count("portico_spans_dropped_total", of: exporter) == 0)
    }
}
