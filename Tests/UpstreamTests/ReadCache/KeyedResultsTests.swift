import Brokerage
import Testing
import Upstream

@Suite("A batch")
struct KeyedResultsTests {
    private typealias Numbers = KeyedResults<String, Int>
    private let failure = ProviderFailure(.saxo, .unavailable)

    @Test("tells what was got from what failed and from what is not known")
    func results() {
        var batch = Numbers()
        batch.add(.success(1), for: "one")
        batch.add(.success(nil), for: "none")
        batch.add(.failure(ProviderFailure(.saxo, .notFound)), for: "unknown")
        batch.add(.failure(failure), for: "broken")
        #expect(batch.found == ["one": 1])
        #expect(batch.failures == ["broken": failure])
        batch["broken"] = 2
        #expect(batch.failures.isEmpty)
    }

    @Test("is put together from parts, of which one that failed fails for what it was asked for")
    func parts() {
        var batch = Numbers(["a": 1])
        batch.merge(.success(Numbers(["b": 2], failures: ["c": failure])), for: ["b", "c", "d"])
        batch.merge(.failure(ProviderFailure(.saxo, .timedOut)), for: ["e"])
        #expect(batch.found == ["a": 1, "b": 2])
        #expect(batch.failures == ["c": failure, "e": ProviderFailure(.saxo, .timedOut)])
        let lengths = batch.keyed { $0 == "b" ? nil : $0.count * 10 + Int($0.utf8.first ?? 0) }
        #expect(lengths.found.count == 1)
        #expect(lengths.failures.count == 2)
    }
}
