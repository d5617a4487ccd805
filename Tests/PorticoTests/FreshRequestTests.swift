import Sandbox
import TestSupport
import Testing

@Suite("A request with Cache-Control: no-cache")
struct FreshRequestTests {
    private static let query =
        #"{ chart(symbol: "KO", interval: ONE_DAY, last: 5) { fetchedAt columns { close } } }"#

    @Test(
        "is answered anew, and its answer serves those after it; other directives change nothing",
        arguments: [
            ("no-cache", true), ("max-age=60, No-Cache", true), ("no-store", false), ("max-age=60", false),
        ])
    func fresh(directives: String, isNew: Bool) async throws {
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                let first = try await server.ask(Self.query, token: nil)
                #expect(first.failures.isEmpty, "\(first.body)")
                let calls = sandbox.calls.total
                let second = try await server.send(
                    RawRequest.post(
                        RawRequest.query(Self.query), fields: ["Cache-Control: \(directives)"]))
                #expect(second.failures.isEmpty, "\(second.body)")
                #expect((sandbox.calls.total == calls) == !isNew)
                #expect((second.body == first.body) == !isNew)
                let all = sandbox.calls.total
                let third = try await server.ask(Self.query, token: nil)
                #expect(third.body == second.body)
                #expect(sandbox.calls.total == all)
            }
        }
    }
}
