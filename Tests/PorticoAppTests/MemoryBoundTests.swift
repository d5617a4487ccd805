import Alpaca
import AlphaVantage
import Coordination
import Foundation
import Gateway
import GraphQL
import Polygon
import Sandbox
import Saxo
import Storage
import TestSupport
import Testing
import Web
import Yahoo

@Suite("The memory of the server with default limits")
struct MemoryBoundTests {
    /// The limit in bytes; the caches together may take half of it.
    private static let bound = 300 << 20

    /// The resident memory of a program in bytes.
    private static func memory(of program: Program) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(program.processID)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        let kibibytes = try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return kibibytes << 10
    }

    /// The body of a request in JSON; the texts need no escapes.
    private static func body(_ query: String, variables: String = "{}", beside others: String = "") -> String
    {
        #"{"query":"\#(query)","variables":\#(variables)\#(others)}"#
    }

    /// The longest allowed part of a request, with room for the rest.
    private static let long = 900_000

    /// Data that a server stores, as large as the limits allow.
    struct Feed: CustomTestStringConvertible, Sendable {
        let title: String
        let count: Int
        let request: @Sendable (Int) -> String

        var testDescription: String { title }
    }

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static let feeds = [
        Feed(title: "responses, with variables that the operation does not declare", count: 200) { number in
            body(
                #"{ instrument(symbol: \"AAPL\") { name } }"#,
                variables: #"{"undeclared":"\#(number)\#(text(667_000))"}"#)
        },
        Feed(title: "documents with long comments", count: 350) { number in
            body("{ __typename } # \(number)\(text(long))")
        },
        Feed(title: "documents with as many fields as are allowed", count: 400) { number in
            let fields = String(repeating: "name symbol ", count: 85)
            let roots = (0..<10).map { #"a\#($0): instrument(symbol: \"AAPL\") { \#(fields)}"# }
            return body("query Q\(number) { \(roots.joined(separator: " ")) }")
        },
        Feed(title: "plans for all values of conditions", count: 480) { number in
            let fields = ["name", "symbol", "currency", "exchange"].enumerated()
                .map { "\($1) @include(if: $v\($0))" }.joined(separator: " ")
            let roots = (0..<28).map { #"r\#($0): instrument(symbol: \"AAPL\") { ...F }"# }.joined(
                separator: " ")
            let variables = (0..<4).map { "$v\($0): Boolean!" }.joined(separator: " ")
            let values = (0..<4).map { #""v\#($0)":\#(number >> $0 & 1 == 1)"# }.joined(separator: ",")
            return body(
                "query P(\(variables)) { \(roots) } fragment F on Instrument { \(fields) } # \(number / 16)",
                variables: "{\(values)}")
        },
        Feed(title: "reads of unknown things", count: 3_000) { number in
            body(
                "query($t: String!) { search(text: $t, first: 5) { matchScore } }",
                variables: #"{"t":"\#(number)\#(text(90))"}"#)
        },
        Feed(title: "sign-in attempts", count: 100) { number in
            // A grapheme with as many combining marks as the body has room for.
            let name = "\(number)e" + String(repeating: "\u{301}", count: long / 2)
            return body(
                "mutation($n: String!) { signIn(input: { username: $n, password: \\\"wrong\\\" }) { token } }",
                variables: #"{"n":"\#(name)"}"#)
        },
        Feed(title: "names of operations", count: 100) { number in
            body("{ __typename }", beside: #","operationName":"\#(number)\#(text(long))""#)
        },
    ]

    @Test("stays below 300 MB, whatever anonymous clients send to its caches")
    func caches() async throws {
        try await withServer(longestLife: .seconds(900)) { server in
            for feed in Self.feeds {
                for number in 0..<feed.count {
                    let answer = try await server.send(RawRequest.post(feed.request(number)), patience: 120)
                    try #require(answer.status < 500, "\(feed.title): \(answer.body.prefix(200))")
                }
                let memory = try Self.memory(of: server.program)
                #expect(memory < Self.bound, "\(feed.title): \(memory >> 20) MB")
            }
        }
    }

    /// An operation within all limits of documents; its response would have 385 MB.
    private static let charts = (0..<6).map { number in
        let symbols = Array(repeating: #"\"AAPL\""#, count: 50).joined(separator: ",")
        return "c\(number): charts(symbols: [\(symbols)], interval: ONE_MINUTE, last: 10000) "
            + "{ candles { time date open high low close volume complete } }"
    }.joined(separator: " ")

    @Test("stays below 300 MB, and refuses responses that are too large")
    func responses() async throws {
        try await withServer(longestLife: .seconds(900)) { server in
            for _ in 0..<3 {
                let answer = try await server.send(
                    RawRequest.post(Self.body("{ \(Self.charts) }")), patience: 300)
                #expect(answer.status == 200)
                #expect(
                    answer.body.contains(#""code":"RESPONSE_TOO_LARGE","limit":8388608"#),
                    "\(answer.body.prefix(300))")
            }
            let memory = try Self.memory(of: server.program)
            #expect(memory < Self.bound, "\(memory >> 20) MB")
        }
    }

    @Test("grows by less than 48 MB with 200 streams that follow 200 symbols each")
    func followedPrices() async throws {
        try await withServer(longestLife: .seconds(900)) { server in
            let known = FakeInstrument.all.map(\.symbol)
            let symbols = (known + (0..<200).map { "X\($0)" }).prefix(200).map { #"\"\#($0)\""# }
            let document = "subscription { quotes(symbols: [\(symbols.joined(separator: ","))]) { price } }"
            var clients: [RawClient] = []
            defer { for client in clients { client.close() } }
            func follow() async throws {
                let client = try RawClient(port: server.port, patience: 120)
                clients.append(client)
                try await client.send(
                    RawRequest.post(Self.body(document), fields: ["Accept: text/event-stream"]))
                while try await !client.line().hasPrefix("data:") {}
            }
            for _ in 0..<10 { try await follow() }
            let before = try Self.memory(of: server.program)
            for _ in 0..<200 { try await follow() }
            let growth = try Self.memory(of: server.program) - before
            #expect(growth < 48 << 20, "\(growth >> 10) KB")
        }
    }

    /// The memory of users' own values is not among them, because a client without a broker's credential cannot fill it.
    @Test("has limits with a sum of at most 245 MB, in addition to the process without clients")
    func sum() throws {
        let limits = ServerLimits()
        let bounds = [
            "reads": ReadCaches.weightLimit, "activities": ActivityCache.weightLimit,
            "Alpaca's assets": AlpacaAssetCache.weightLimit,
            "Alpaca's assets, while they are read": AlpacaAssetCache.responseLimit,
            "Alpaca's plans": AlpacaPlanCache.weightLimit,
            "Alpaca's calendar": AlpacaClient.calendarLimit,
            "Alpaca's corporate actions": AlpacaClient.actionsLimit,
            "Alpha Vantage's listings": AlphaVantageClient.weightLimit,
            "Polygon's details": PolygonClient.weightLimit,
            "Yahoo's corporate actions": YahooClient.actionsLimit,
            "Saxo's instruments": SaxoInstrumentCache.weightLimit,
            "documents": ExecutionOptions().documentCacheBytes,
            "persisted documents": DocumentPolicy().persistedBytes,
            "answers": limits.responseCache, "streams": limits.streamMemory,
            "bodies of requests": limits.requestMemory,
            "responses": limits.responseMemory,
            "hashes of passwords": PasswordHasher.width * PasswordCost.standard.memory,
            "values that wait for the persistent cache": SQLitePersistentCache.Limits().waitingBytes,
        ]
        let sum = bounds.values.reduce(0, +)
        #expect(sum <= 245 << 20, "\(sum >> 20) MB: \(bounds)")
    }

    @Test("stays below 300 MB, however long the documents of running subscriptions are")
    func subscriptions() async throws {
        try await withServer(longestLife: .seconds(900)) { server in
            var clients: [RawClient] = []
            defer { for client in clients { client.close() } }
            var refused = 0
            for number in 0..<250 {
                let client = try RawClient(port: server.port, patience: 120)
                clients.append(client)
                let document =
                    #"subscription { quotes(symbols: [\"AAPL\"]) { price } } # \#(number)\#(Self.text(Self.long))"#
                try await client.send(
                    RawRequest.post(Self.body(document), fields: ["Accept: text/event-stream"]))
                var line = ""
                while !line.hasPrefix("data:") { line = try await client.line() }
                if line.contains("OVERLOADED") { refused += 1 }
            }
            #expect(refused > 0)
            let memory = try Self.memory(of: server.program)
            #expect(memory < Self.bound, "\(memory >> 20) MB")
        }
    }
}
