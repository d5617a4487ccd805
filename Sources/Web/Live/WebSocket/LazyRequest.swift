import GraphQL
import Synchronization

/// A request that is prepared when its operation starts.
///
/// Until then, its size counts against the memory for requests. Afterwards, the text and the undeclared variables
/// are not retained: a subscription can run for days.
final class LazyRequest: Sendable {
    private enum State {
        case waiting(GraphQL.GraphQLRequest, MemoryBudget.Reservation?)
        case prepared(PreparedRequest)
    }

    private let prepare: @Sendable (GraphQL.GraphQLRequest) -> PreparedRequest
    // One task prepares it; the lock makes the change of the state safe for the compiler.
    private let state: Mutex<State>

    /// - Parameters:
    ///   - request: The request.
    ///   - reservation: The memory for it, released when it is prepared.
    ///   - prepare: Parses and validates it.
    init(
        _ request: GraphQL.GraphQLRequest, holding reservation: MemoryBudget.Reservation?,
        prepare: @escaping @Sendable (GraphQL.GraphQLRequest) -> PreparedRequest
    ) {
        self.prepare = prepare
        state = Mutex(.waiting(request, reservation))
    }

    /// The prepared request; prepared with the first call.
    var prepared: PreparedRequest {
        state.withLock { state in
            switch state {
            case .prepared(let request): return request
            case .waiting(let request, _):
                let request = prepare(request)
                state = .prepared(request)
                return request
            }
        }
    }
}

extension GraphQL.GraphQLRequest {
    /// The approximate size in memory, in bytes.
    var weight: Int {
        document.utf8.count + InputValue.object(variables).weight + InputValue.object(extensions).weight
    }
}
