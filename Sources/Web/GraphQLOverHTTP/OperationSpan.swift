import GraphQL
import Tracing

/// The span of an operation, from its request to its last response.
struct OperationSpan: Sendable {
    private let span: RequestSpan

    /// Starts the span.
    init(_ tracer: RequestTracer, in context: ServiceContext, _ type: OperationType?, named name: String?) {
        let name = name?.shortened(toBytes: 100)
        let nameParts = [type?.rawValue ?? "request", name].compactMap(\.self)
        span = tracer.startSpan(nameParts.joined(separator: " "), context: context, ofKind: .server)
        span.updateAttributes { attributes in
            attributes["graphql.operation.type"] = type?.rawValue
            attributes["graphql.operation.name"] = name
            attributes["url.path"] = "/graphql"
        }
    }

    /// The trace context for the upstream calls of the operation.
    var context: ServiceContext { span.context }

    /// Returns the same response, and ends the span with it.
    func ending(
        with response: MaybeAsync<GraphQLResponse>, of id: RequestID, log: UpstreamLog
    ) -> MaybeAsync<GraphQLResponse> {
        switch response {
        case .ready(let response):
            end(response.outcome, of: id, upstreamCalls: log.use(until: .now).calls)
            return .ready(response)
        case .async(let fetch):
            return .async {
                do {
                    let response = try await fetch()
                    end(response.outcome, of: id, upstreamCalls: log.use(until: .now).calls)
                    return response
                } catch {
                    span.recordError(error)
                    span.end()
                    throw error
                }
            }
        }
    }

    /// Ends the span; the outcome is nil if the operation was cancelled before its first response.
    func end(_ outcome: GraphQLResponse.Outcome?, of id: RequestID, upstreamCalls calls: Int) {
        span.updateAttributes { attributes in
            attributes["portico.request_id"] = id.description
            attributes["portico.outcome"] = outcome?.label
            attributes["portico.upstream_calls"] = calls
        }
        span.end()
    }
}

extension RequestTracer {
    /// The trace context that the client has sent, or a new one if it has sent none.
    ///
    /// - Returns: Nil if the request is not traced.
    func context(of fields: RequestHeaders) -> ServiceContext? {
        guard beginsTraces || fields.traceparent != nil else { return nil }
        var context = ServiceContext.topLevel
        extract(fields, into: &context, using: FieldExtractor())
        return beginsTraces || context.trace != nil ? context : nil
    }
}

/// Reads the header fields of the trace context.
private struct FieldExtractor: Extractor {
    func extract(key: String, from fields: RequestHeaders) -> String? {
        switch key {
        case "traceparent": fields.traceparent
        case "tracestate": fields.tracestate
        default: nil
        }
    }
}
