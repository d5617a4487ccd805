import Testing
import Tracing
import Web

@Suite("A trace context")
struct TraceContextTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private struct Fields: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into fields: inout [String: String]) {
            fields[key] = value
        }

        func extract(key: String, from fields: [String: String]) -> String? { fields[key] }
    }

    @Test("is continued, with the entries of tracing systems")
    func parent() throws {
        let tracer = RequestTracer()
        var context = ServiceContext.topLevel
        tracer.extract(
            ["traceparent": Self.parent, "tracestate": "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"],
            into: &context,
            using: Fields())
        let trace = try #require(context.trace)
        #expect(trace.traceID.description == "0af7651916cd43dd8448eb211c80319c")
        #expect(trace.spanID == 0xB7AD_6B71_6920_3331)
        #expect(trace.isSampled)
        let span = tracer.startSpan("call", context: context, ofKind: .client)
        let below = try #require(span.context.trace)
        #expect(below.spanID != trace.spanID)
        var sent: [String: String] = [:]
        tracer.inject(span.context, into: &sent, using: Fields())
        #expect(
            sent == [
                "traceparent": "00-0af7651916cd43dd8448eb211c80319c-\(below.spanID.sixteenDigits)-01",
                "tracestate": "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7",
            ])
        // Without an exporter no span is recorded, even if the client requests it.
        #expect(!span.isRecording)
    }

    @Test(
        "in another form is ignored",
        arguments: [
            "", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, "
                + "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ])
    func malformed(_ field: String) {
        #expect(TraceContext(traceparent: field, tracestate: nil) == nil)
    }

    @Test("of a later version may have more fields")
    func later() {
        let trace = TraceContext(
            traceparent: "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-more", tracestate: nil)
        #expect(trace?.isSampled == false)
        #expect(trace?.spanID == 0xB7AD_6B71_6920_3331)
    }

    static let states: [(String, String?)] = [
        ("a=1", "a=1"), (" a=1 , b=2\t", "a=1,b=2"), ("a=1,,b=2", "a=1,b=2"), ("t@v=x y!", "t@v=x y!"),
        ("0a/b*c_d-e=1", "0a/b*c_d-e=1"), ("", nil), (",", nil), ("a", nil), ("a=", nil), ("=1", nil),
        ("A=1", nil), ("a=1=2", nil), ("a=é", nil), ("a=1,a=2", nil), ("-a=1", nil), ("a b=1", nil),
        ((0..<33).map { "a\($0)=1" }.joined(separator: ","), nil),
        (
            (0..<32).map { "a\($0)=1" }.joined(separator: ","),
            (0..<32).map { "a\($0)=1" }.joined(separator: ",")
        ),
        ("a=" + String(repeating: "x", count: 256), "a=" + String(repeating: "x", count: 256)),
        ("a=" + String(repeating: "x", count: 257), nil),
        ("a=" + String(repeating: "x", count: 250) + ",b=" + String(repeating: "x", count: 258), nil),
    ]

    @Test("without a valid tracestate is continued without it", arguments: states)
    func state(_ field: String, _ expected: String?) throws {
        let trace = try #require(TraceContext(traceparent: Self.parent, tracestate: field))
        #expect(trace.state?.text == expected)
    }

    @Test("has a new id for each request and each span")
    func distinct() {
        let roots = (0..<1_000).map { _ in TraceContext.root(isSampled: false) }
        #expect(Set(roots.map(\.traceID)).count == 1_000)
        #expect(Set(roots.map(\.child.spanID)).count == 1_000)
        #expect(zip(roots, roots.map(\.child)).allSatisfy { $0.traceID == $1.traceID })
    }
}
