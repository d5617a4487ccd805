import GraphQL
import Synchronization
import Testing
import Web

@Suite("A lazily prepared request")
struct LazyRequestTests {
    @Test("counts against the memory for requests until then, and is prepared once")
    func reservation() {
        let request = GraphQLRequest("{ __typename } #" + String(repeating: "x", count: 10_000))
        let budget = MemoryBudget(limit: 100_000, clientLimit: 50_000)
        var reservation: MemoryBudget.Reservation?
        #expect(budget.reserve(request.weight, for: nil, uncounted: 0, in: &reservation))
        let preparations = Mutex(0)
        let lazy = LazyRequest(request, holding: reservation) { request in
            preparations.withLock { $0 += 1 }
            return PreparedRequest(unprepared: request, operationType: .query, cachePolicy: nil)
        }
        reservation = nil
        #expect(budget.bytes >= 10_000)
        #expect(lazy.prepared.operationType == .query)
        #expect(budget.bytes == 0)
        #expect(lazy.prepared.operationType == .query)
        #expect(preparations.withLock { $0 } == 1)
    }
}
