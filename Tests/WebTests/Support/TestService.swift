import GraphQL
import Synchronization
import TestSupport
import Web

/// A small service whose responses contain the request.
enum TestService {
    /// The service; `{ slow }` waits for `later`.
    static func make(
        readiness: Readiness = Readiness(), later: @escaping @Sendable () async throws -> Void = {}
    ) -> TestGraphQLService {
        TestGraphQLService(
            schemaText: "type Query { hello: String }\n", readiness: { readiness },
            respond: { request, context in
                guard let request = request.unprepared else {
                    return .ready(GraphQLResponse(requestErrors: [GraphQLError("It was prepared.")]))
                }
                return answer(request, context, later)
            })
    }

    /// The service whose field `slow` signals `started` when it begins, and ends after `gate`.
    static func gated() -> (TestGraphQLService, started: Event<Void>, gate: Event<Void>) {
        let (started, gate) = (Event<Void>(), Event<Void>())
        let service = make(later: {
            started.happen()
            await gate.wait()
        })
        return (service, started, gate)
    }

    private static func answer(
        _ request: GraphQLRequest, _ context: RequestContext,
        _ later: @escaping @Sendable () async throws -> Void
    ) -> MaybeAsync<GraphQLResponse> {
        switch request.document {
        case "{ hello }": .ready(complete("hello", "world"))
        case "{ session }": .ready(complete("session", context.sessionName))
        case "{ id }": .ready(complete("id", context.requestID.description))
        case "{ allowed }":
            .ready(
                complete("allowed", context.allowedOperations.map(\.rawValue).sorted().joined(separator: " "))
            )
        case "mutation { act }":
            context.allowedOperations.contains(.mutation)
                ? .ready(complete("act", "done")) : .ready(GraphQLResponse(notAllowing: .mutation))
        case "{ name }": .ready(complete("name", request.operationName ?? "none"))
        case "query Echo":
            .ready(
                GraphQLResponse(body: InputValue.object(request.variables).json, outcome: .complete))
        case "{ partial }":
            .ready(
                GraphQLResponse(
                    body: Array(#"{"data":null,"errors":[{"message":"no"}]}"#.utf8), outcome: .partial))
        case "{ big }": .ready(complete("big", String(repeating: "x", count: 4 << 20)))
        case "{ long }": .ready(complete("long", String(repeating: "x", count: 50_000)))
        case "{ slow }":
            .async {
                try await later()
                return complete("slow", "done")
            }
        case "{ broken }": .async { throw Broken(secret: "token=abc") }
        default:
            .ready(GraphQLResponse(requestErrors: [GraphQLError("Syntax Error: Unexpected Name.")]))
        }
    }

    private struct Broken: Error { let secret: String }

    private static func complete(_ name: String, _ value: String) -> GraphQLResponse {
        GraphQLResponse(body: Array(#"{"data":{"\#(name)":"\#(value)"}}"#.utf8), outcome: .complete)
    }
}

/// Waits until the task is cancelled, and reports it.
func waitForCancellation(telling cancelled: Event<Void>) async throws {
    await withTaskCancellationHandler {
        await cancelled.wait()
    } onCancel: {
        cancelled.happen()
    }
    throw CancellationError()
}
