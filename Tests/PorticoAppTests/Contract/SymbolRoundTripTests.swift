import Brokerage
import Contract
import GraphQL
import Sandbox
import TestSupport
import Testing

@Suite("Every symbol of a response")
struct SymbolRoundTripTests {
    /// A symbol, and the provider that returned it; nil if another one may have it only.
    private struct Found: Hashable {
        let symbol: String
        let provider: String?
    }

    private static let texts = [
        "a", "b", "c", "euro", "us", "index", "500", "fund", "bit", "nasdaq", "dow", "apple", "tesco",
    ]

    @Test("can be sent back in every argument that accepts symbols, and finds its instrument at its provider")
    func everywhere() async throws {
        try await withTestGateway(settings: settingsWithoutLimits) { configuration in
            configuration.saxo.requestsPerMinute = 1_000_000
            configuration.polygon.requestsPerMinute = 1_000_000
            configuration.yahoo.requestsPerMinute = nil
            configuration.alphaVantage.requestsPerDay = nil
            configuration.alphaVantage.burstInterval = nil
        } _: { gateway in
            var gateway = PacedGateway(gateway: gateway)
            let schema = try Schema.build(Contract.schemaText)
            let found = try await Self.symbols(of: &gateway)
            let symbols = Set(found.map(\.symbol)).sorted()
            // Shares, classes, pairs, coins, indices, London, and what only Saxo has.
            for known in [
                "AAPL", "BRK.B", "EUR/DKK", "BTC/USD", "^SPX", "TSCO:XLON", "AAPL:XNAS:CfdOnStock",
                "NDX.I:CfdOnIndex",
            ] {
                #expect(symbols.contains(known), "\(symbols)")
            }
            for entry in found where entry.provider != nil {
                let answer = try await gateway.ask(
                    "{ instrument(symbol: \"\(entry.symbol)\", provider: \"\(entry.provider ?? "")\") { symbol } }"
                )
                #expect(
                    answer["data"]?["instrument"]?["symbol"]?.string == entry.symbol,
                    "\(entry): \(answer.message ?? "")")
            }
            try await Self.checkRoots(symbols, &gateway, schema)
            try await Self.checkNested(symbols, &gateway, schema)
        }
    }

    // MARK: Arguments

    private static let names: Set = ["symbol", "symbols", "benchmark"]

    /// Sends the symbols to each argument and input field of the roots.
    private static func checkRoots(
        _ symbols: [String], _ gateway: inout PacedGateway, _ schema: Schema
    ) async throws {
        var count = 0
        for (operation, root) in [
            (HostileInput.Operation.query, schema.queryType), (.mutation, schema.mutationType),
            (.subscription, schema.subscriptionType),
        ] {
            let fields = schema[try #require(root)].fields
            for input in fields.flatMap({ HostileInput.all(of: $0, in: operation, schema) })
            where names.contains(input.path.last?.name ?? "") {
                count += 1
                let isList = input.type.wrapping.item != nil
                let values: [InputValue] =
                    isList
                    ? stride(from: 0, to: symbols.count, by: 50).map { start in
                        .list(symbols[start..<min(start + 50, symbols.count)].map { .string($0) })
                    } : symbols.map { .string($0) }
                for value in values {
                    let query = """
                        \(operation)(\(input.variable(schema, wholeList: isList))) {
                          it: \(input.selection(schema, wholeList: isList)) }
                        """
                    let answer =
                        if operation == .subscription {
                            try await gateway.first(of: query, variables: ["v": value])
                        } else {
                            try await gateway.ask(query, variables: ["v": value])
                        }
                    expectAccepted(answer, by: "\(input.field.name)(\(input.name(wholeList: isList)))", value)
                }
            }
        }
        #expect(count > 15)
    }

    /// Sends the symbols to the arguments of other types' fields, all of which are in this table.
    private static func checkNested(
        _ symbols: [String], _ gateway: inout PacedGateway, _ schema: Schema
    ) async throws {
        let queries = [
            "Account.positions": "account { positions(symbols: $list) { symbol } }",
            "Account.orders": "account { orders(symbols: $list, first: 1) { nodes { symbol } } }",
            "Account.activities": "account { activities(symbol: $one, first: 1) { nodes { symbol } } }",
            "Account.closedPositions":
                "account(provider: \"saxo\") { closedPositions(symbols: $list) { nodes { symbol } } }",
            "Account.performance": "account { performance(benchmark: $one) { unclassified } }",
            "Position.performance":
                "positions(symbols: [\"AAPL\"]) { performance(benchmark: $one) { unclassified } }",
            "Portfolio.performance": "portfolio { performance(benchmark: $one) { unclassified } }",
            "Holding.performance":
                "portfolio { holdings(first: 1) { nodes { performance(benchmark: $one) { unclassified } } } }",
        ]
        let roots = [schema.queryType, schema.mutationType, schema.subscriptionType]
        let coordinates = schema.types.filter { !roots.contains($0.id) }.flatMap { type in
            type.fields.filter { $0.arguments.contains { names.contains($0.name) } }
                .map { "\(type.name).\($0.name)" }
        }
        #expect(Set(coordinates) == Set(queries.keys), "A field with a symbol is not in the table.")
        for (coordinate, query) in queries.sorted(by: { $0.key < $1.key }) {
            let isList = query.contains("$list")
            // A symbol of each form, as a benchmark needs calls.
            let some = ["AAPL", "BRK.B", "EUR/DKK", "BTC/USD", "^SPX", "TSCO:XLON", "NDX.I:CfdOnIndex"]
            let values: [InputValue] =
                isList
                ? [.list(symbols.prefix(50).map { .string($0) })] : some.map { .string($0) }
            for value in values {
                let (name, type) = isList ? ("list", "[String!]") : ("one", "String")
                let answer = try await gateway.ask(
                    "query($\(name): \(type)) { \(query) }", variables: [name: value])
                expectAccepted(answer, by: coordinate, value)
            }
        }
    }

    private static func expectAccepted(_ answer: JSONValue, by place: String, _ value: InputValue) {
        for error in answer["errors"]?.elements ?? [] {
            let argument = error["extensions"]?["argument"]?.string ?? ""
            let names = argument.split { !$0.isLetter }
            let isRefused =
                error["path"] == nil
                || error["extensions"]?["code"] == "BAD_USER_INPUT"
                    && names.contains { Self.names.contains(String($0)) }
            #expect(!isRefused, "\(place): \(value): \(error["message"]?.string ?? "")")
        }
    }

    // MARK: Symbols

    /// The symbols of searches at each provider, and of all that the user has.
    private static func symbols(of gateway: inout PacedGateway) async throws -> Set<Found> {
        var found: Set<Found> = []
        for provider in ProviderID.allCases.map(\.name.text) {
            for text in texts {
                let answer = try await gateway.ask(
                    "{ search(text: \"\(text)\", first: 50, provider: \"\(provider)\") { instrument { symbol } } }"
                )
                #expect(answer.failures.isEmpty, "\(provider) \(text): \(answer)")
                for symbol in answer["data"].map(members(named: "symbol")) ?? [] {
                    found.insert(Found(symbol: symbol, provider: provider))
                }
            }
        }
        let owned = try await gateway.ask(
            """
            { positions { symbol provider } orders(first: 100) { nodes { symbol } }
              watchlists { items { symbol } } activities(first: 500) { nodes { symbol } }
              news(first: 100) { nodes { symbols } }
              account(provider: "saxo") { closedPositions { nodes { symbol } } } }
            """)
        #expect(owned.failures.isEmpty, "\(owned.failures)")
        for name in ["symbol", "symbols"] {
            for symbol in owned["data"].map(members(named: name)) ?? [] {
                found.insert(Found(symbol: symbol, provider: nil))
            }
        }
        for position in owned["data"]?["positions"]?.elements ?? [] {
            guard let symbol = position["symbol"]?.string else { continue }
            found.insert(Found(symbol: symbol, provider: position["provider"]?.string))
        }
        return found
    }

    /// The texts of all members with a name, at any depth.
    private static func members(named name: String) -> (JSONValue) -> [String] {
        { value in
            switch value {
            case .object(let fields):
                fields.flatMap { key, value in
                    key == name
                        ? [value.string].compactMap(\.self) + (value.elements ?? []).compactMap(\.string)
                        : members(named: name)(value)
                }
            case .array(let elements): elements.flatMap(members(named: name))
            case .null, .bool, .number, .string: []
            }
        }
    }
}

/// A gateway whose clock advances a minute after some operations, so that they stay below the limits of providers.
private struct PacedGateway {
    let gateway: TestGateway
    private var count = 0

    init(gateway: TestGateway) {
        self.gateway = gateway
    }

    mutating func ask(_ query: String, variables: InputObject = InputObject()) async throws -> JSONValue {
        pace()
        return try await gateway.ask(query, variables: variables)
    }

    /// The first response of a subscription.
    mutating func first(of query: String, variables: InputObject) async throws -> JSONValue {
        pace()
        var responses = try await gateway.follow(query, variables: variables)
        return try #require(try await responses.next())
    }

    private mutating func pace() {
        count += 1
        if count.isMultiple(of: 10) { gateway.clock.advance(by: .seconds(60)) }
    }
}
