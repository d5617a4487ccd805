import Testing
import Web

@Suite("Content negotiation")
struct ContentNegotiationTests {
    /// An Accept field, and the format of the response.
    struct Case: Sendable, CustomTestStringConvertible {
        let accept: String?
        let type: ResponseMediaType?

        var testDescription: String { accept ?? "no field" }

        init(_ accept: String?, _ type: ResponseMediaType?) {
            self.accept = accept
            self.type = type
        }
    }

    @Test("selects the type with the highest quality", arguments: cases)
    func chooses(_ one: Case) {
        #expect(ContentNegotiation.responseType(accept: one.accept) == one.type)
    }

    static let cases = [
        Case(nil, .json), Case("", .json), Case("*/*", .json), Case("application/*", .json),
        Case("application/json", .json), Case("Application/JSON; charset=UTF-8", .json),
        Case("application/json;charset=\"utf-8\"", .json),
        Case("application/graphql-response+json", .graphQLResponse),
        Case("application/graphql-response+json; charset=utf-8", .graphQLResponse),
        Case("application/graphql-response+json, application/json", .graphQLResponse),
        Case("application/json, application/graphql-response+json", .graphQLResponse),
        Case("application/json, application/graphql-response+json;q=0.9", .json),
        Case("application/json;q=0.5, application/graphql-response+json;q=0.501", .graphQLResponse),
        Case("application/graphql-response+json, */*", .graphQLResponse),
        Case("application/graphql-response+json;q=0.1, */*", .json),
        Case("text/html, */*;q=0.8", .json),
        Case("application/json;q=0, */*", .graphQLResponse),
        Case("application/json;q=0", nil), Case("*/*;q=0", nil), Case("text/html", nil), Case("text/*", nil),
        Case("application/json; charset=latin1", nil), Case("json", nil), Case("application/json;q=2", nil),
        Case("application/json;q=1.001", nil), Case("application/json;q=0.1234", nil),
    ]
}
