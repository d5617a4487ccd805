import GraphQL
import Tracing

// The JSON form of OpenTelemetry's protocol (OTLP 1.x, "JSON Protobuf Encoding"): ids in hexadecimal digits, integers of 64
// bits as strings, enums as numbers.

extension FinishedSpan {
    /// An `ExportTraceServiceRequest` with these spans.
    static func request(_ spans: [FinishedSpan], of resource: [String: String]) -> [UInt8] {
        let attributes = resource.sorted { $0.key < $1.key }.map { key, value in
            InputValue.attribute(key, ["stringValue": .string(value)])
        }
        let scope = InputValue.object([
            "scope": .object(["name": .string("portico")]), "spans": .list(spans.map(\.json)),
        ])
        let resourceSpans = InputValue.object([
            "resource": .object(["attributes": .list(attributes)]), "scopeSpans": .list([scope]),
        ])
        return InputValue.object(["resourceSpans": .list([resourceSpans])]).json
    }

    private var json: InputValue {
        var span: InputObject = [
            "traceId": .string(trace.traceID.description), "spanId": .string(trace.spanID.sixteenDigits),
        ]
        if let state = trace.state { span["traceState"] = .string(state.text) }
        if let parentID { span["parentSpanId"] = .string(parentID.sixteenDigits) }
        span["name"] = .string(name)
        span["kind"] = .int(kind.number)
        span["startTimeUnixNano"] = .string("\(start)")
        span["endTimeUnixNano"] = .string("\(end)")
        var values: [(String, InputObject)] = []
        // They are no sequence.
        // swift-format-ignore: ReplaceForEachWithForLoop
        attributes.forEach { key, value in
            if let value = value.json { values.append((key, value)) }
        }
        span["attributes"] = .list(values.sorted { $0.0 < $1.0 }.map(InputValue.attribute))
        if let status { span["status"] = .object(["code": .int(status.code.number)]) }
        return .object(span)
    }
}

extension InputValue {
    fileprivate static func attribute(_ key: String, _ value: InputObject) -> InputValue {
        .object(["key": .string(key), "value": .object(value)])
    }
}

extension SpanAttribute {
    /// Nil for lists, which nothing here sets.
    fileprivate var json: InputObject? {
        switch self {
        case .int32(let number): ["intValue": .string("\(number)")]
        case .int64(let number): ["intValue": .string("\(number)")]
        case .double(let number) where number.isFinite: ["doubleValue": .number("\(number)")]
        case .bool(let flag): ["boolValue": .boolean(flag)]
        case .string(let text): ["stringValue": .string(text)]
        case .stringConvertible(let value): ["stringValue": .string(value.description)]
        // The type asks not to be switched over exhaustively.
        default: nil
        }
    }
}

extension SpanKind {
    fileprivate var number: Int {
        switch self {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}

extension SpanStatus.Code {
    fileprivate var number: Int {
        switch self {
        case .ok: 1
        case .error: 2
        }
    }
}
