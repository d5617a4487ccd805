import GraphQL
import TestSupport
import Testing

@Suite("The responses to the operations of real screens")
struct GoldenAnswerTests {
    /// Eleven o'clock of a Friday in New York: the market is open, and its prices stay what they are.
    private static let time = "2026-11-20T16:00:00Z"

    @Test(
        "equal the recorded ones while the sandbox's clock is stopped; `make golden` records them"
    )
    func answers() async throws {
        // First what users make, so that there is something of it to be told.
        let all = OperationDocument.recorded
        let documents =
            OperationDocument.mutations + all.filter(\.isQuery) + all.filter(\.isSubscription)
            + OperationDocument.changes
        try await withServer(environment: [
            "PORTICO_SANDBOX_TIME": Self.time, "PORTICO_SANDBOX_HOURS": "exchange",
        ]) { server in
            var made: [String: String] = [:]
            for document in documents {
                if document.name == OperationDocument.changes.first?.name {
                    // The changes apply to the one order that is open then.
                    try await Self.cancelOrders(server)
                    try await placeOpenOrder { try #require(await server.ask($0).json) }
                }
                let answers = try await Self.answers(to: document, server)
                if document.isMutation {
                    for id in try Self.ids(madeIn: answers) where made[id] == nil {
                        made[id] = "(made by \(document.name))"
                    }
                }
                let named = answers.map { answer in
                    made.reduce(answer) { $0.replacing($1.key, with: $1.value) }
                        // The broker's event of a cancellation may come before the response.
                        .replacing("\"state\":\"CANCELED\"", with: "\"state\":\"PENDING_CANCEL\"")
                        // The list of an item, which has another id in each run.
                        .replacing(/@[0-9a-f]{32}"/, with: "@(made anew)\"")
                        // A cursor of orders contains the ids of the last ones; `b3JkZXJz` is "orders" in Base64.
                        .replacing(/"b3JkZXJz[^"]*"/, with: "\"(a cursor of orders)\"")
                }
                // Brokers answer in any order.
                let list = "[\(named.sorted().joined(separator: ","))]"
                try GoldenAnswer(to: document.name).compare(document.isSubscription ? list : named[0])
            }
        }
    }

    private static func cancelOrders(_ server: RunningServer) async throws {
        let answer = try #require(
            try await server.ask("{ orders(open: true) { nodes { id provider } } }").json)
        for order in answer["data"]?["orders"]?["nodes"]?.elements ?? [] where order["provider"] == "alpaca" {
            let id = try #require(order["id"]?.string)
            let canceled = try await server.ask("mutation { cancelOrder(id: \"\(id)\") { order { id } } }")
            #expect(canceled.failures.isEmpty, "\(canceled.body)")
        }
    }

    /// The answer to a document; of a subscription those with which it begins.
    private static func answers(
        to document: OperationDocument, _ server: RunningServer
    ) async throws -> [String] {
        let variables = try await document.variables { try #require(await server.ask($0).json) }
        let json = String(decoding: InputValue.object(variables).json, as: UTF8.self)
        let body = "\(RawRequest.query(document.text).dropLast()),\"variables\":\(json)}"
        if document.isSubscription {
            let count = try await document.countOfFirstEvents { try #require(await server.ask($0).json) }
            return try await server.events(count, of: body)
        }
        let answer = try await server.send(
            RawRequest.post(body, fields: ["Authorization: Bearer \(RunningServer.sandboxToken)"]))
        #expect(answer.status == 200)
        return [answer.body]
    }

    /// The ids of what a mutation made, which are others each time.
    private static func ids(madeIn answers: [String]) throws -> [String] {
        try answers.flatMap { answer in
            let payloads = try JSONValue(parsing: answer)["data"]?.members?.values ?? [:].values
            return payloads.flatMap { payload in
                payload.members?.values.flatMap { object in
                    ([object] + (object["legs"]?.elements ?? [])).compactMap { $0["id"]?.string }
                } ?? []
            }
        }
    }

    @Test("are recorded in lines, without values that each run generates")
    func form() {
        let answer = GoldenAnswer(to: "watchlist-charts")
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
