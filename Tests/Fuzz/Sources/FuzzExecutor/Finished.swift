import Dispatch
import GraphQL
import Synchronization

/// Waits for a response on the fuzzer's thread, outside of a task.
func finished(_ loading: MaybeAsync<GraphQLResponse>) -> GraphQLResponse {
    switch loading {
    case .ready(let response):
        return response
    case .async(let fetch):
        let result = Box()
        let done = DispatchSemaphore(value: 0)
        Task {
            let response = await Result { try await fetch() }
            result.value.withLock { $0 = response }
            done.signal()
        }
        done.wait()
        switch result.value.withLock({ $0 }) {
        case .success(let response)?: return response
        case .failure(let error)?: fatalError("A response is never an error, but: \(error)")
        case nil: fatalError("No response")
        }
    }
}

private final class Box: Sendable {
    let value = Mutex<Result<GraphQLResponse, any Error>?>(nil)
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
