import Brokerage
import ProviderFile
import ProviderTestSupport
import Testing
import Upstream

@Suite("Several providers of a file")
struct SeparationTests {
    private static let text = """
        version: 1
        shared:
          - &symbols [{ kind: LISTING, text: "{ticker}" }]
          - &quotas [{ name: minute, calls: 3, seconds: 60 }]
          - &quotes { path: "/{symbol}", fields: { price: p } }
        providers:
          - { name: one, url: "https://api.example.com", symbols: *symbols, quotas: *quotas, quotes: *quotes }
          - { name: two, url: "https://api.example.com", symbols: *symbols, quotas: *quotas, quotes: *quotes }
        """

    /// Runs `body` with the clients of both, over one ledger and one monitor, as a server has them.
    private func withBoth(
        answering answer: @escaping @Sendable (CannedServer.Request, Int) -> CannedServer.Reply,
        quotas: [QuotaWindow]? = nil,
        _ body: (_ one: any QuoteSource, _ two: any QuoteSource) async throws -> Void
    ) async throws {
        let file = try ProviderFile(Self.text, file: "p.yaml")
        try await CannedServer.run(answering: answer) { server, transport in
            let channels = ProviderChannelFactory(
                client: transport, ledger: QuotaLedger(clock: .system),
                monitor: ProviderMonitor(clock: .system),
                clock: .system, retry: .once)
            let clients = try file.providers.map { provider in
                try FileProviderClient(
                    provider, base: ProviderBaseURL(#require(HTTPURL(server.url + "/" + provider.name.text))),
                    key: nil, quotas: quotas, over: channels.channel(for: QuotaAccount(provider.id)))
            }
            try await body(#require(clients[0].market.quotes), #require(clients[1].market.quotes))
        }
    }

    private func cause(
        of source: any QuoteSource, _ symbols: [Symbol]
    ) async -> ProviderFailure.Cause? {
        do throws(ProviderFailure) {
            _ = try await source.quotes(for: symbols, in: .patient)
            return nil
        } catch {
            return error.cause
        }
    }

    @Test("have a quota each")
    func quotas() async throws {
        try await withBoth { _, _ in
            .text(#"{"p": 1}"#)
        } _: { one, two in
            let symbols = [try symbol("AAPL")]
            for _ in 1...3 { #expect(await cause(of: one, symbols) == nil) }
            guard case .quotaExhausted? = await cause(of: one, symbols) else {
                Issue.record("the quota of the first is not used up")
                return
            }
            #expect(await cause(of: two, symbols) == nil)
        }
    }

    @Test("have a circuit breaker each, also at the same host")
    func breakers() async throws {
        try await withBoth(
            answering: { request, _ in
                request.target.hasPrefix("/one/") ? .text("", status: 500) : .text(#"{"p": 1}"#)
            }, quotas: []
        ) { one, two in
            let symbols = [try symbol("AAPL")]
            var isOpen = false
            for _ in 1...100 where !isOpen {
                if case .circuitOpen? = await cause(of: one, symbols) { isOpen = true }
            }
            #expect(isOpen)
            #expect(await cause(of: two, symbols) == nil)
        }
    }

    @Test("have scopes of caches, accounts of quotas and stored names that differ")
    func keys() throws {
        let ids = try ProviderFile(Self.text, file: "p.yaml").providers.map(\.id) + ProviderID.allCases
        #expect(Set(ids.map { CacheScope.shared($0) }).count == ids.count)
        #expect(Set(ids.map { QuotaAccount($0) }).count == ids.count)
        #expect(Set(ids.map(\.storedText)).count == ids.count)
        for id in ids { #expect(ProviderID(stored: id.storedText) == id) }
    }

    @Test(
        "have names of 1 to 15 small letters, digits and hyphens",
        arguments: [
            ("a", true), ("abcdefgh", true), ("abcdefghi", true), ("abcdefghijklmno", true), ("x-1", true),
            ("", false), ("abcdefghijklmnop", false), ("1a", false), ("-a", false), ("A", false),
            ("OTHER", false),
            ("a b", false), ("a:b", false), ("é", false),
        ])
    func names(_ text: String, _ isName: Bool) {
        #expect(ProviderName(text)?.text == (isName ? text : nil))
        #expect(ProviderID(stored: text)?.storedText == (isName ? text : nil))
    }
}
