import GraphQL
import TestSupport
import Testing

@Suite("The answers to the operations of real screens")
struct GoldenAnswerTests {
    /// Eleven o'clock of a Friday in New York: the market is open, and its prices stay what they are.
    private static let time = "2026-11-20T16:00:00Z"

    @Test(
        "are those that were recorded, whole, while the sandbox's time stands still; `make golden` records them"
    )
    func answers() async throws {
        // First what users make, so that there is something of it to be told.
        let documents = OperationDocument.all.filter(\.isMutation) + OperationDocument.all.filter(\.isQuery)
        try await withServer(environment: ["PORTICO_SANDBOX_TIME": Self.time]) { server in
            let first = try await server.ask("{ account { id } }").json
            let account = try #require(first?["data"]?["account"]?["id"]?.string)
            var made: [String: String] = [:]
            for document in documents {
                let variables = InputValue.object(try document.variables(with: account)).json
                let query = RawRequest.query(document.text).dropLast()
                let body = "\(query),\"variables\":\(String(decoding: variables, as: UTF8.self))}"
                let answer = try await server.send(
                    RawRequest.post(body, fields: ["Authorization: Bearer \(RunningServer.sandboxToken)"]))
                #expect(answer.status == 200)
                if document.isMutation {
                    for id in Self.ids(madeIn: answer) { made[id] = "(made by \(document.name))" }
                }
                let named = made.reduce(answer.body) { $0.replacing($1.key, with: $1.value) }
                try GoldenAnswer(to: document.name).compare(named)
            }
        }
    }

    /// The ids of what a mutation made, which are others each time.
    private static func ids(madeIn answer: RawResponse) -> [String] {
        let payloads = answer.json?["data"]?.members?.values ?? [:].values
        return payloads.flatMap { payload in
            payload.members?.values.compactMap { $0["id"]?.string } ?? []
        }
    }

    @Test("are told in lines, what each run makes anew left out")
    func form() {
        let answer = GoldenAnswer(to: "stocktracker-home")
        #expect(
            answer.lines(
                of: #"{"data":{"resetsAt":"x1","of":[1,"a,]",null],"b":[{"remaining":7},{"c":{}}],"d":[]}}"#)
                    == """
                    {
                      "data": {
                        "resetsAt": "(made anew)",
                        "of": [1, "a,]", null],
                        "b": [
                          {
                            "remaining": "(made anew)"
                          },
                          {
                            "c": {}
                          }
                        ],
                        "d": []
                      }
                    }

                    """)
    }
}
