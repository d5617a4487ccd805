import Brokerage
import ProviderTestSupport
import Synchronization
import TestSupport
import Testing
import Upstream

import enum Sandbox.FakeSaxoDisclaimer
import struct Sandbox.FakeSaxoSettings

@testable import Saxo

@Suite("A list of Saxo with an unusual row", .timeLimit(.minutes(20)))
struct RowTests {
    /// A list of the sandbox: what is read of it is compared for each variant of one of its rows.
    struct List: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The path of the sandbox, with a query.
        let source: String
        /// The path that the client calls, if it is another one.
        var path: String?
        /// The member that has the rows.
        var member = "Data"
        /// The member by which the rows before and after differ from the varied one, and its values.
        let identity: [String]
        var identities: (JSONValue, JSONValue) = ("91", "92")
        /// Members without which a row cannot be told from others, so that the list is not read at all.
        var strict: Set<String> = []
        /// What is read of the rows before and after, and the errors of the others.
        let read: @Sendable (SaxoClient) async throws -> (others: [String], failures: [String])
    }

    private static let account = "uQ7xN3c-5m1Y8aFz2LQw4A=="

    private static let lists = [
        List(
            testDescription: "open orders",
            source: "/port/v1/orders/me?Status=All&FieldGroups=DisplayAndFormat",
            identity: ["OrderId"]
        ) { saxo in
            let page = try await saxo.orders(OrderQuery(isOpen: true, limit: 10), in: .patient)
            return (
                page.orders.filter { ["91", "92"].contains($0.id) }.map {
                    "\($0.id) \($0.symbol) \($0.quantity?.description ?? "") \($0.limitPrice?.description ?? "")"
                }.sorted(), page.unreadable
            )
        },
        List(
            testDescription: "positions",
            source: "/port/v1/netpositions/me?FieldGroups=NetPositionBase,NetPositionView,DisplayAndFormat",
            path: "/port/v1/netpositions",
            identity: ["NetPositionBase", "Amount"], identities: (91, 92)
        ) { saxo in
            let list = try await saxo.positions(of: account, in: .patient)
            return (
                list.positions.filter { [91, 92].contains($0.quantity) }.map {
                    "\($0.symbol) \($0.quantity) \($0.marketValue?.description ?? "")"
                }.sorted(), list.unreadable
            )
        },
        List(
            testDescription: "accounts", source: "/port/v1/accounts/me", identity: ["AccountKey"],
            strict: ["AccountKey"]
        ) { saxo in
            let accounts = try await saxo.knownAccounts(in: .patient)
            return (
                accounts.filter { ["91", "92"].contains($0.id) }.map {
                    "\($0.id) \($0.number) \($0.currency)"
                }, []
            )
        },
        List(
            testDescription: "bookings",
            source: "/cs/v1/reports/bookings/\(clientKey)?FromDate=2026-01-01&ToDate=2026-11-19",
            identity: ["BkAmountId"]
        ) { saxo in
            let page = try await saxo.activities(of: account, ActivityQuery(), in: .patient)
            return (
                page.activities.filter { ["booking-91", "booking-92"].contains($0.id) }.map {
                    "\($0.id) \($0.kind) \($0.amount?.description ?? "")"
                }.sorted(), page.unreadable
            )
        },
        List(
            testDescription: "trades",
            source: "/cs/v1/reports/trades/\(clientKey)?FromDate=2021-01-01&ToDate=2026-11-19",
            identity: ["TradeId"]
        ) { saxo in
            let page = try await saxo.activities(of: account, ActivityQuery(), in: .patient)
            return (
                page.activities.filter { ["trade-91", "trade-92"].contains($0.id) }.map {
                    "\($0.id) \($0.kind) \($0.quantity?.description ?? "")"
                }.sorted(), page.unreadable
            )
        },
        List(
            testDescription: "search results", source: "/ref/v1/instruments?Keywords=apple",
            identity: ["Identifier"], identities: (91, 92)
        ) { saxo in
            let hits = try await saxo.search("apple", limit: 10, in: .patient)
            return (
                hits.filter { ["91", "92"].contains($0.instrument.listing?.key ?? "") }.map {
                    "\($0.instrument.symbol) \($0.instrument.name ?? "")"
                }, hits.unreadable
            )
        },
        List(
            testDescription: "details of instruments", source: "/ref/v1/instruments/details?Uics=211",
            identity: ["Uic"], identities: (91, 92)
        ) { saxo in
            let symbols = try ["UIC=91:Stock", "UIC=92:Stock", "UIC=211:Stock"].map(symbol)
            let found = try await saxo.instruments(symbols, in: .patient)
            return (
                symbols.prefix(2).map { "\($0) \(found[$0]?.name ?? "")" },
                found.failures.values.map(\.description)
            )
        },
        List(
            testDescription: "prices",
            source:
                "/trade/v1/infoprices/list?Uics=211&AssetType=Stock&FieldGroups=\(SaxoClient.priceFieldGroups)",
            identity: ["Uic"], identities: (91, 92)
        ) { saxo in
            let symbols = try ["UIC=91:Stock", "UIC=92:Stock", "UIC=211:Stock"].map(symbol)
            let found = try await saxo.quotes(for: symbols, in: .patient)
            return (
                symbols.prefix(2).map { "\($0) \(found[$0]?.price?.description ?? "")" },
                found.failures.values.map(\.description)
            )
        },
        List(
            testDescription: "candles",
            source:
                "/chart/v3/charts?AssetType=Stock&Uic=211&Horizon=1440&Count=1&FieldGroups=Data,DisplayAndFormat",
            identity: ["Time"], identities: ("2026-11-16T14:30:00Z", "2026-11-21T14:30:00Z")
        ) { saxo in
            let apple = try symbol("UIC=211:Stock")
            let charts = try await saxo.charts(
                of: [apple], ChartWindow(interval: .oneDay, last: 5), in: .patient)
            guard let series = charts[apple] else {
                throw charts.failures[apple] ?? ProviderFailure(.saxo, .notFound)
            }
            let others = series.times.indices.filter { index in
                [1_794_787_200, 1_795_219_200].contains(series.times[index])
            }
            return (
                others.map { "\(series.times[$0]) \(series[$0].prices.close)" },
                series.unreadable
            )
        },
        List(
            testDescription: "disclaimers", source: "/dm/v2/disclaimers?DisclaimerTokens=DM-typed-2025",
            identity: ["DisclaimerToken"]
        ) { saxo in
            let references = ["91", "92", "DM-typed-2025"].compactMap {
                OrderDisclaimer.Reference(context: "c", token: $0)
            }
            let found = try await saxo.disclaimers(references, in: .patient)
            return (
                references.prefix(2).map { "\($0.token) \(found[$0]?.title ?? "")" },
                found.failures.values.map(\.description)
            )
        },
        List(
            testDescription: "watchlists", source: "/ref/v1/watchlists/4711002", member: "Instruments",
            identity: ["Description"]
        ) { saxo in
            let lists = try await saxo.watchlists(in: .patient)
            let list = try #require(lists.first)
            return (
                list.items.filter { ["91", "92"].contains($0.name) }.map { "\($0.symbol) \($0.name ?? "")" },
                list.unreadable
            )
        },
        List(
            testDescription: "log of orders",
            source: "/cs/v1/audit/orderactivities?EntryType=Last&FieldGroups=DisplayAndFormat",
            identity: ["OrderId"]
        ) { saxo in
            let page = try await saxo.orders(OrderQuery(isOpen: false, limit: 10), in: .patient)
            return (
                page.orders.filter { ["91", "92"].contains($0.id) }.map {
                    "\($0.id) \($0.state) \($0.quantity?.description ?? "")"
                }.sorted(), page.unreadable
            )
        },
    ]

    private static let clientKey = "b2Zf%7C0kq9bXc2-7hTTa1Vg%3D%3D"

    /// The first row of a list of the sandbox.
    private static func row(of list: List, in fixture: RunningSandbox) async throws -> JSONValue {
        if list.testDescription == "log of orders" {
            let ticket = OrderTicket(
                clientOrderID: "portico-1", accountID: account, symbol: try symbol("AAPL"), side: .buy,
                size: .quantity(1), price: .market)
            _ = try await fixture.client().place(ticket, in: .patient)
        }
        let page = try await fixture.document(list.source)
        return try #require(page[list.member]?[0], "\(page.serialized)")
    }

    /// The answers to the calls beside that of the list, by path.
    private static func answers(in fixture: RunningSandbox) async throws -> [String: String] {
        var answers: [String: String] = [:]
        for path in ["/port/v1/clients/me", "/port/v1/accounts/me", "/ref/v1/instruments/details/211/Stock"] {
            answers[path] = try await fixture.document(path).serialized
        }
        answers["/ref/v1/watchlists"] = #"{"Data":[{"WatchlistId":"4711002","Name":"one"}]}"#
        let details = try await fixture.document("/ref/v1/instruments/details/211/Stock")
        let uics: [JSONValue] = [91, 92, 211]
        let items = uics.map { details.setting(["Uic"], to: $0).serialized }
        answers["/ref/v1/instruments/details"] = #"{"Data":[\#(items.joined(separator: ","))]}"#
        for report in ["bookings", "trades"] {
            answers["/cs/v1/reports/\(report)/b2Zf|0kq9bXc2-7hTTa1Vg=="] = #"{"Data":[]}"#
        }
        return answers
    }

    /// The number of variants of a row of each list.
    private static let counts = [319, 451, 131, 236, 278, 103, 280, 399, 76, 60, 82, 298]

    @Test(
        "has the other rows with their values, and an error that names the member and no value",
        arguments: zip(lists, counts))
    func rows(list: List, count: Int) async throws {
        try await RunningSandbox.run { settings in
            // Orders of the log are not rejected for disclaimers.
            if list.testDescription == "disclaimers" { settings.disclaimers = [.typed] }
            settings.ordersPerSecond = nil
        } _: { fixture in
            let row = try await Self.row(of: list, in: fixture)
            let answers = try await Self.answers(in: fixture)
            let (one, other) = (
                row.setting(list.identity, to: list.identities.0).serialized,
                row.setting(list.identity, to: list.identities.1).serialized
            )
            let variants = RowVariant.all(of: row)
            #expect(variants.count == count)
            let current = Mutex(row.serialized)
            let path = (list.path ?? String(list.source.prefix { $0 != "?" }))
                .replacing("%7C", with: "|").replacing("%3D", with: "=")
            try await CannedServer.run(answering: { request, _ in
                let asked = request.path.replacing("%7C", with: "|").replacing("%3D", with: "=")
                if asked == path {
                    let varied = current.withLock(\.self)
                    return .text(#"{"\#(list.member)":[\#(one),\#(varied),\#(other)]}"#)
                }
                return answers[asked].map { .text($0) } ?? .text("", status: 404)
            }) { server, transport in
                let expected = try await list.read(client(at: server.url, over: transport)).others
                #expect(expected.count == 2, "\(expected)")
                for variant in variants {
                    current.withLock { $0 = variant.text }
                    try await check(variant, of: list, expected) {
                        try await list.read(client(at: server.url, over: transport))
                    }
                }
            }
        }
    }

    private func check(
        _ variant: RowVariant, of list: List, _ expected: [String],
        _ read: () async throws -> (others: [String], failures: [String])
    ) async throws {
        let name = "\(variant.member) \(variant.change)"
        do {
            let result = try await read()
            #expect(result.others == expected, "\(name)")
            for failure in result.failures {
                #expect(failure.contains(variant.member.prefix { $0 != "." }), "\(name): \(failure)")
                #expect(
                    !failure.contains("private value") && !failure.contains("UNHEARD_OF"),
                    "\(name): \(failure)")
            }
        } catch let error as ProviderFailure {
            #expect(list.strict.contains(variant.member), "\(name): \(error)")
            #expect(!"\(error)".contains("private value"), "\(name)")
        }
    }
}

extension JSONValue {
    /// The document with the value at a path of names.
    fileprivate func setting(_ path: [String], to value: JSONValue) -> JSONValue {
        guard let name = path.first, var members else { return value }
        members[name] = members[name]?.setting(Array(path.dropFirst()), to: value) ?? value
        return .object(members)
    }
}
