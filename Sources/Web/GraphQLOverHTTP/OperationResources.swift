import GraphQL
import Logging

/// What the operations of all transports use: sessions, documents, limits and records.
///
/// A class, because requests, sockets and streams hold a reference to it: all references in a struct would be copied.
package final class OperationResources: Sendable {
    let authentication: RequestAuthentication
    let documents: DocumentResolver
    /// See `GraphQLService.prepare`.
    let prepareDocument: @Sendable (GraphQLRequest) -> PreparedRequest
    let recorder: OperationRecorder
    let load: ServerResources
    let limits: ServerLimits
    /// Of the body or the URL of a request.
    let jsonLimits: JSONLimits

    var tracer: RequestTracer? { authentication.tracer }

    init(
        _ service: GraphQLService, _ configuration: ServerConfiguration, _ load: ServerResources,
        _ logger: Logger
    ) {
        authentication = RequestAuthentication(
            session: service.session, quota: load.quota, tracer: service.tracer,
            allowsUpstreamReports: configuration.allowsUpstreamReports)
        documents = DocumentResolver(service.documents)
        prepareDocument = service.prepare
        recorder = OperationRecorder(
            metrics: load.metrics, logger: logger, level: configuration.responseLogLevel,
            countUse: service.countUse)
        self.load = load
        limits = configuration.limits
        jsonLimits = JSONLimits(
            depth: limits.jsonDepth, bytes: max(limits.body, limits.uri), values: limits.jsonValues)
    }

    /// Finds the document of a request, and parses, validates and plans it.
    ///
    /// - Throws: `.document`.
    func prepare(_ request: GraphQLRequest) throws(HTTPError) -> PreparedRequest {
        prepareDocument(try documents.resolve(request))
    }

    /// Starts the span of an operation; nil if its request is not traced.
    func span(of request: PreparedRequest, in context: RequestContext) -> OperationSpan? {
        guard let tracer, let trace = context.trace else { return nil }
        return OperationSpan(tracer, in: trace, request.operationType, named: request.operationName)
    }
}
