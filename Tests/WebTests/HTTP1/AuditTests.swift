import TestSupport
import Testing

@Suite("The audit of GraphQL over HTTP")
struct AuditTests {
    @Test("is passed", arguments: Audit.all)
    func isPassed(_ audit: Audit) async throws {
        try await withServer(SmallSchema.service()) { server in
            let response = try await server.ask(audit.request.bytes)
            for expectation in audit.expectations {
                switch expectation {
                case .status(let range): #expect(range.contains(response.status))
                case .type(let type): #expect(response["content-type"]?.hasPrefix(type) == true)
                case .errors(let areThere): #expect((response.json?["errors"] != nil) == areThere)
                case .noData:
                    #expect(response.json != nil)
                    #expect(response.json?["data"] == nil)
                }
            }
        }
    }

    @Test("is the whole one")
    func isWhole() {
        #expect(Audit.all.count == 60)
        #expect(Set(Audit.all.map(\.id)).count == 60)
    }
}
