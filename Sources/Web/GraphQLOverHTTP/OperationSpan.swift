import GraphQL
import Tracing

/// The span of an operation, from its request to its answer, or to the end of its answers.
struct OperationSpan: Sendable {
    private let span: RequestSpan

    /// Begins with the operation.
    init(_ tracer: RequestTracer, in context: ServiceContext, _ type: OperationType?, named name: String?) {
        let name = name.map { String($0.prefix(100)) }
        let words = [type?.rawValue ?? "request", name].compactMap(\.self)
        span = tracer.startSpan(words.joined(separator: " "), context: context, ofKind: .server)
        span.updateAttributes { attributes in
            attributes["graphql.operation.type"] = type?.rawValue
            attributes["graphql.operation.name"] = name
            attributes["url.path"] = "/graphql"
        }
    }

    /// In which calls are made because of it.
    var context: ServiceContext { span.context }

    /// The same answer; the span ends with it.
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

    /// Ends with the operation; the outcome is nil where its reader has given it up before there was one.
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
    /// Where a client says that it stands, which begins a trace where it says nothing.
    ///
    /// - Returns: nil where nothing is traced.
    func context(of fields: RequestHeaders) -> ServiceContext? {
        guard beginsTraces || fields.traceparent != nil else { return nil }
        var context = ServiceContext.topLevel
        extract(fields, into: &context, using: FieldExtractor())
        return beginsTraces || context.trace != nil ? context : nil
    }
}

/// Reads the fields of a request that tracing knows.
private struct FieldExtractor: Extractor {
    func extract(key: String, from fields: RequestHeaders) -> String? {
        switch key {
        case "traceparent": fields.traceparent
        case "tracestate": fields.tracestate
        default: nil
        }
    }
}
