import GraphQL
import GraphQLTools
import Synchronization
import Web

/// The session of all requests to a mock.
final class MockSession: GraphQLSession {
    private let mock: MockSchema
    private let scenario: MockScenario
    private let interval: Duration
    /// The number of calls of each operation of the scenario; requests of several connections count together.
    private let calls = Mutex<[Int: Int]>([:])

    init(_ mock: MockSchema, _ scenario: MockScenario, interval: Duration) {
        self.mock = mock
        self.scenario = scenario
        self.interval = interval
    }

    func execute(_ request: PreparedRequest, in context: RequestContext) -> MaybeAsync<GraphQLResponse> {
        guard let request = request.unprepared else { return .ready(MockSession.failure) }
        let scripted = response(to: request)
        guard let scripted, scripted.latency > .zero else {
            return .ready(respond(to: request, scripted, context.allowedOperations))
        }
        return .async { [self] in
            try await Task.sleep(for: scripted.latency)
            return respond(to: request, scripted, context.allowedOperations)
        }
    }

    func subscribe(
        _ request: PreparedRequest, in context: RequestContext
    ) async -> Result<ResponseStream, SubscriptionError> {
        guard let request = request.unprepared else {
            return .failure(SubscriptionError(MockSession.failure))
        }
        let scripted = response(to: request)
        try? await Task.sleep(for: scripted?.latency ?? .zero)
        let first = respond(to: request, scripted, context.allowedOperations)
        guard let type = mock.operation(of: request)?.type, scripted?.errors.isEmpty ?? true else {
            return .failure(SubscriptionError(first))
        }
        let (responses, continuation) = AsyncStream.makeStream(
            of: GraphQLResponse.self, bufferingPolicy: .bufferingNewest(1_000))
        guard type == .subscription else {
            continuation.yield(first)
            continuation.finish()
            return .success(ResponseStream(responses))
        }
        let task = Task { [self] in
            if let events = scripted?.events {
                for event in events {
                    try await Task.sleep(for: event.latency)
                    continuation.yield(respond(to: request, event, context.allowedOperations))
                }
                continuation.finish()
            } else {
                continuation.yield(first)
                for event in 1... {
                    try await Task.sleep(for: interval)
                    continuation.yield(mock.respond(to: request, event: event, data: scripted?.data))
                }
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return .success(ResponseStream(responses))
    }

    /// Takes the next response of the scenario; nil if it has none for the request.
    private func response(to request: GraphQLRequest) -> MockScenario.Response? {
        guard !scenario.operations.isEmpty, let operation = mock.operation(of: request),
            let index = scenario.index(of: request, named: operation.name)
        else { return nil }
        let responses = scenario.operations[index].responses
        let call = calls.withLock { calls in
            defer { calls[index, default: 0] &+= 1 }
            return calls[index, default: 0]
        }
        return responses[min(call, responses.count - 1)]
    }

    private func respond(
        to request: GraphQLRequest, _ scripted: MockScenario.Response?, _ allowed: Set<OperationType>
    ) -> GraphQLResponse {
        if let errors = scripted?.errors, !errors.isEmpty { return GraphQLResponse(requestErrors: errors) }
        return mock.respond(to: request, allowing: allowed, data: scripted?.data)
    }

    private static let failure = GraphQLResponse(requestErrors: [
        GraphQLError("Internal server error", extensions: ["code": .string("INTERNAL_SERVER_ERROR")])
    ])
}
