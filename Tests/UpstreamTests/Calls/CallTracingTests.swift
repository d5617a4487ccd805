import Brokerage
import InMemoryTracing
import Testing
import Tracing
import Upstream

@Suite("The span of a call")
struct CallTracingTests {
    private static func context(_ tracer: InMemoryTracer, in span: InMemorySpan) -> CallContext {
        CallContext(deadline: .now + .seconds(60), tracing: CallTracing(tracer, in: span.context))
    }

    @Test("is a child of the operation's span, is propagated to the provider, and has the outcome")
    func span() async throws {
        try await HTTPClientTests.with { request in
            request.number < 3 ? .status(503) : .status(request.number == 3 ? 200 : 404, body: [1])
        } _: { server, transport in
            let tracer = InMemoryTracer()
            let operation = tracer.startSpan("query Home")
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: ProviderHTTPClientTests.policy())
            let request = try HTTPClientTests.request(server)
            let context = Self.context(tracer, in: operation)
            _ = try await caller.call("account", request, in: context, read: ProviderHTTPClientTests.text)
            _ = await ProviderHTTPClientTests.failure {
                try await caller.call("order", request, in: context, read: ProviderHTTPClientTests.text)
            }
            let spans = tracer.finishedSpans
            #expect(spans.map(\.operationName) == ["alpaca account", "alpaca order"])
            #expect(spans.allSatisfy { $0.kind == .client })
            #expect(spans.allSatisfy { $0.parentSpanID == operation.spanID })
            #expect(
                spans.map { $0.attributes.get("http.response.status_code") } == [.int64(200), .int64(404)])
            #expect(spans.map { $0.attributes.get("portico.attempts") } == [.int64(3), .int64(1)])
            #expect(spans.map { $0.status?.code } == [nil, .error])
            // Each attempt is of the one call.
            let told = server.requests.map { request in
                request.head.split(separator: "\r\n").filter { $0.hasPrefix("in-memory-span-id: ") }
            }
            #expect(
                told
                    == [spans[0], spans[0], spans[0], spans[1]].map { ["in-memory-span-id: \($0.spanID)"] })
        }
    }

    @Test("is shared by operations that share the call")
    func shared() async throws {
        let tracer = InMemoryTracer()
        let operation = tracer.startSpan("query Home")
        let reads = ReadCacheTests.reads()
        try await HTTPClientTests.with { _ in
            .status(200, body: Array("1".utf8))
        } _: { server, transport in
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: ProviderHTTPClientTests.policy())
            let request = try HTTPClientTests.request(server)
            _ = try await reads.read(
                ReadCacheTests.aapl, in: ReadCacheTests.scope, for: Self.context(tracer, in: operation)
            ) {
                context throws(ProviderFailure) in
                try await caller.call("quotes", request, in: context) { response throws(JSONError) in
                    response.body.count
                }
            }
            #expect(tracer.finishedSpans.map(\.parentSpanID) == [operation.spanID])
        }
    }
}
