import GraphQL
import NIOCore

/// One execution of an operation with one response, with its span and the log of its upstream calls.
struct OperationExecution: Sendable {
    let request: PreparedRequest
    let context: RequestContext
    private let recorder: OperationRecorder
    private let log = UpstreamLog()
    private let span: OperationSpan?

    init(_ request: PreparedRequest, in context: RequestContext, _ resources: OperationResources) {
        (self.request, self.context, recorder) = (request, context, resources.recorder)
        span = resources.span(of: request, in: context)
    }

    /// Executes the operation; its response ends the span.
    func start() -> MaybeAsync<GraphQLResponse> {
        var response = context.session.execute(request, in: context.executing(in: span, log: log))
        if let span { response = span.ending(with: response, of: context.requestID, log: log) }
        guard context.reportsUpstream else { return response }
        return response.map { $0.adding(extensions: log.report(until: .now)) }
    }

    /// Ends the span of an operation that is executed again with another session.
    func discard() { span?.end(nil, of: context.requestID, upstreamCalls: 0) }

    /// The response with the id of the request if the kind of operation is not allowed, as in other request errors.
    func identified(_ response: GraphQLResponse) -> GraphQLResponse {
        guard response.outcome == .notAllowed, let type = request.operationType else { return response }
        return GraphQLResponse(
            notAllowing: type, extensions: ["requestId": .string(context.requestID.description)])
    }

    /// Counts the use of the schema.
    func recordUse(_ response: GraphQLResponse) {
        recorder.recordUse(of: request, response.outcome, by: context.application)
    }

    /// Counts and logs an operation without an HTTP response of its own, with the time since `start`, and returns its response.
    func recorded(_ response: GraphQLResponse, since start: NIODeadline) -> GraphQLResponse {
        let response = identified(response)
        recordUse(response)
        var summary = OperationSummary(request, response.outcome, from: context.application)
        summary.upstream = usage
        recorder.record(summary, of: context.requestID, took: .now() - start)
        return response
    }

    /// The upstream calls up to now.
    var usage: UpstreamUsage { log.use(until: .now) }

    /// Whether a value of the response has expired.
    var servesStale: Bool { log.servesStale }
}
