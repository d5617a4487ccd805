import Sandbox
import TestSupport
import Testing

@Suite("Traces")
struct TracingTests {
    @Test("of a request and of its calls reach the collector before the server stops")
    func exported() async throws {
        try await withCollector { collector, url in
            try await withSandbox { sandbox in
                try await withServer(before: Upstream(sandbox), ["--otlp", url]) { server in
                    let query = #"query Name { instrument(symbol: \"KO\") { name } }"#
                    let body = #"{"operationName":"Name","query":"\#(query)"}"#
                    let field = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
                    let answer = try await server.send(RawRequest.post(body, fields: [field]))
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                }
                let spans = try collector.spans
                let request = try #require(spans.first { $0["kind"] == 2 })
                #expect(request["name"] == "query Name")
                #expect(request["parentSpanId"] == "b7ad6b7169203331")
                let calls = spans.filter { $0["kind"] == 3 }
                #expect(calls.count == sandbox.calls.total)
                #expect(spans.count == calls.count + 1)
                #expect(calls.allSatisfy { $0["parentSpanId"] == request["spanId"] })
                #expect(spans.allSatisfy { $0["traceId"] == "0af7651916cd43dd8448eb211c80319c" })
                #expect(calls.allSatisfy { $0["name"]?.string?.hasPrefix("alpaca ") == true })
            }
        }
    }

    @Test("are lost if the collector is down, and the server reports how many")
    func down() async throws {
        // Nobody listens on port 1.
        try await withServer(environment: ["PORTICO_OTLP": "http://127.0.0.1:1"]) { server in
            #expect(try await server.ask("{ __typename }").status == 200)
            try await waitUntil {
                try await server.get("/metrics").body.contains("\nportico_spans_dropped_total 1\n")
            }
            #expect(try await server.get("/metrics").body.contains("\nportico_spans_exported_total 0\n"))
        }
    }
}
