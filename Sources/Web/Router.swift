package import GraphQL
package import NIOCore
import NIOHTTP1

/// Knows what stands at which path, and what it takes.
package struct Router: Sendable {
    private let graphQL: GraphQLRoute
    private let health: HealthRoute
    private let schema: SchemaRoute

    package init<Session>(_ service: GraphQLService<Session>, limits: ServerLimits) {
        graphQL = GraphQLRoute(
            responder: service.responder,
            jsonLimits: JSONLimits(depth: limits.jsonDepth, bytes: max(limits.body, limits.uri)))
        health = HealthRoute(readiness: service.readiness)
        schema = SchemaRoute(service.schemaText)
    }

    /// What a request goes to once its body is there.
    package enum Destination: Sendable {
        case graphQL(GraphQLRoute.Admission)
        case liveness
        case readiness
        case schema
    }

    /// Decides by its head alone whether a request is taken, so that a body that nobody wants is not read.
    package func admit(_ head: RequestHead, id: RequestID) -> Result<Destination, Refusal> {
        switch String(head.target.path) {
        case "/graphql": graphQL.admit(head, id: id).map { .graphQL($0) }
        case "/health/live": Router.admit(head, to: .liveness, id: id)
        case "/health/ready": Router.admit(head, to: .readiness, id: id)
        case "/schema.graphql": Router.admit(head, to: .schema, id: id)
        default: .failure(Refusal(.unknownPath(String(head.target.path)), id: id))
        }
    }

    /// Answers a request that was admitted; a server that is draining says that it is stopping.
    package func answer(
        _ destination: Destination, body: ByteBuffer, id: RequestID, isStopping: Bool
    ) -> Loading<HTTPResponse> {
        switch destination {
        case .graphQL(let admission): graphQL.answer(admission, body: body, id: id)
        case .liveness: .ready(health.liveness)
        case .readiness: .ready(health.readiness(isStopping: isStopping))
        case .schema: .ready(schema.response)
        }
    }

    private static func admit(
        _ head: RequestHead, to destination: Destination, id: RequestID
    ) -> Result<Destination, Refusal> {
        guard head.method == .GET || head.method == .HEAD else {
            return .failure(Refusal(.methodNotAllowed(head.method, allowed: [.GET, .HEAD]), id: id))
        }
        return .success(destination)
    }
}

/// A request that is not taken, with what it is answered.
package struct Refusal: Error {
    package let response: HTTPResponse

    init(_ problem: HTTPProblem, as type: ResponseMediaType = .json, id: RequestID) {
        response = problem.response(as: type, id: id)
    }
}
