import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing
import portico

@Suite("portico providers verify")
struct ProviderVerificationTests {
    /// The members that the sandbox sends and Portico does not read.
    private static let knownMembers = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/PorticoApp/Commands/Providers/Verify/known-members.json")

    /// A sandbox without limits, and the settings with the keys of its demo user.
    private func withKeys(_ test: (Sandbox, [String: String]) async throws -> Void) async throws {
        try await withSandbox { configuration in
            configuration.hours = .always
            configuration.alphaVantage.requestsPerDay = nil
            configuration.alphaVantage.burstInterval = nil
            configuration.polygon.requestsPerMinute = 1_000
        } _: { sandbox in
            var environment = SandboxService(sandbox).environment
            environment["PORTICO_POLYGON_PER_MINUTE"] = "1000"
            environment["PORTICO_ALPHA_VANTAGE_PER_MINUTE"] = "1000"
            environment["PORTICO_ALPHA_VANTAGE_PER_DAY"] = "1000"
            try await test(sandbox, environment)
        }
    }

    private func verify(
        _ arguments: [String], _ environment: [String: String]
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await Program.run(["providers", "verify"] + arguments, environment: environment)
    }

    @Test("reads everything of the sandbox without a difference")
    func clean() async throws {
        try await withKeys { _, environment in
            if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil {
                // The second time there are orders in the lists.
                _ = try await verify(["--orders"], environment)
                let all = try await verify(["--format", "json", "--all", "--orders"], environment)
                try Self.record(JSONValue(parsing: all.output))
                return
            }
            // The second time with the orders of the first one.
            let first = try await verify(["--orders"], environment)
            #expect(first.status == 0, "\(first.output) \(first.errors)")
            let run = try await verify(["--format", "json"], environment)
            #expect(run.status == 0, "\(run.output) \(run.errors)")
            let report = try JSONValue(parsing: run.output)
            #expect(report["clean"] == .bool(true))
            let providers = try #require(report["providers"]?.elements)
            #expect(
                providers.map { $0["provider"]?.string }
                    == ["alpaca", "saxo", "alpha-vantage", "polygon", "yahoo"])
            for provider in providers {
                #expect(provider["configured"] == .bool(true))
                let operations = provider["operations"]?.elements ?? []
                #expect(operations.count >= 4, "\(provider)")
                for operation in operations {
                    #expect(operation["differences"]?.elements?.isEmpty == true, "\(operation)")
                }
            }
        }
    }

    /// Writes the table of known members.
    private static func record(_ report: JSONValue) throws {
        var table: [String: [String: [String: Set<String>]]] = [:]
        for provider in report["providers"]?.elements ?? [] {
            for operation in provider["operations"]?.elements ?? [] {
                for difference in operation["differences"]?.elements ?? [] {
                    guard let id = provider["provider"]?.string, let name = operation["name"]?.string,
                        let member = difference["path"]?.string?.split(separator: ".").last,
                        let detail = difference["detail"]?.string
                    else { continue }
                    let isUnread = detail == "unread" || detail.hasPrefix("Portico does not know the member")
                    let isAbsent = detail == "absent" || detail.hasPrefix("no object has the member")
                    guard isUnread || isAbsent else { continue }
                    table[id, default: [:]][name, default: [:]][isUnread ? "unread" : "absent", default: []]
                        .insert(String(member))
                }
            }
        }
        let sorted = table.mapValues { $0.mapValues { $0.mapValues { $0.sorted() } } }
        var data = try JSONSerialization.data(withJSONObject: sorted, options: [.sortedKeys, .prettyPrinted])
        data.append(UInt8(ascii: "\n"))
        try data.write(to: knownMembers)
    }

    /// A difference of the sandbox, and its line in the report.
    struct Deviation: CustomTestStringConvertible {
        let provider: ProviderID
        let endpoint: String
        let effect: BodyDeviation
        let member: String
        let line: String

        var testDescription: String { "\(effect.rawValue) \(member) of \(endpoint)" }

        static let all = [
            Deviation(
                provider: .alpaca, endpoint: "GET /v2/account", effect: .absentMember, member: "equity",
                line:
                    "missing equity: an object does not have the member, without which Portico cannot read it"
            ),
            Deviation(
                provider: .alpaca, endpoint: "GET /v2/account", effect: .absentMember, member: "buying_power",
                line: "missing buying_power: no object has the member, which Portico reads"),
            Deviation(
                provider: .alpaca, endpoint: "GET /v2/positions", effect: .otherType, member: "qty",
                line: "different [].qty: expected a decimal, found an object"),
            Deviation(
                provider: .alpaca, endpoint: "GET /v2/account/activities", effect: .unknownName,
                member: "activity_type",
                line: "unknown [].activity_type: Portico does not know the name"),
            Deviation(
                provider: .saxo, endpoint: "GET /port/v1/balances", effect: .extraMember, member: "Currency",
                line: "unknown sandbox_deviation: Portico does not know the member; it is a string"),
            Deviation(
                provider: .saxo, endpoint: "GET /port/v1/netpositions", effect: .unknownName,
                member: "CalculationReliability",
                line: "unknown Data[].NetPositionView.CalculationReliability: Portico does not know the name"),
            Deviation(
                provider: .polygon, endpoint: "GET /v3/reference/tickers/{ticker}", effect: .absentMember,
                member: "name", line: "missing results.name: no object has the member, which Portico reads"),
            Deviation(
                provider: .yahoo, endpoint: "GET /v7/finance/quote", effect: .unknownName,
                member: "quoteType",
                line: "unknown quoteResponse.result[].quoteType: Portico does not know the name"),
        ]
    }

    @Test("reports a difference by its path, and no value", arguments: Deviation.all)
    func deviations(_ deviation: Deviation) async throws {
        try await withKeys { sandbox, environment in
            #expect(
                sandbox.faults.add(
                    Fault(
                        .deviation(deviation.effect, member: deviation.member), provider: deviation.provider,
                        endpoint: deviation.endpoint)))
            let run = try await verify(
                ["--provider", deviation.provider.name.text.lowercased()], environment)
            #expect(run.status == 1, "\(run.errors)")
            let lines = run.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(lines.contains(deviation.line), "\(run.output)")
            #expect(lines.last == "There are differences.")
            #expect(!run.output.contains(BodyDeviation.addedName))
            let user = SandboxUser.demo
            for secret in [user.alpaca.keyID, user.alpaca.secretKey, user.saxo?.credentials.accessToken] {
                if let secret { #expect(!(run.output + run.errors).contains(secret)) }
            }
        }
    }

    @Test("reports lists without elements, whose members cannot differ")
    func empty() async throws {
        try await withKeys { sandbox, environment in
            // Without an order, the fault has nothing to change.
            #expect(
                sandbox.faults.add(
                    Fault(
                        .deviation(.unknownName, member: "status"), provider: .alpaca,
                        endpoint: "GET /v2/orders")))
            let run = try await verify(["--provider", "alpaca"], environment)
            #expect(run.status == 0, "\(run.output) \(run.errors)")
            let line = "empty response: the list has no elements, so that there was nothing to compare"
            let orders = try #require(run.output.split(separator: "  read orders, calls: ").last)
            #expect(orders.split(separator: "\n").dropFirst().first == "    \(line)", "\(run.output)")
            let conclusion = try #require(run.output.split(separator: "\n").last)
            #expect(conclusion.hasPrefix("No differences, but "), "\(run.output)")
            #expect(conclusion.hasSuffix(" empty: there was nothing to compare."), "\(run.output)")
            let report = try JSONValue(
                parsing: try await verify(["--provider", "alpaca", "--format", "json"], environment).output)
            let operations = report["providers"]?[0]?["operations"]?.elements ?? []
            func empty(_ name: String) -> [String?]? {
                operations.first { $0["name"]?.string == name }?["empty"]?.elements?.map(\.string)
            }
            #expect(empty("orders") == [""])
            #expect(empty("positions") == [])
        }
    }

    @Test("reports a provider without a key as not configured, and without any key what to set")
    func configuration() async throws {
        try await withKeys { _, environment in
            let alpaca = environment.filter {
                $0.key.hasPrefix("PORTICO_ALPACA_") && !$0.key.contains("CLIENT")
            }
            let run = try await verify([], alpaca)
            #expect(run.status == 0, "\(run.output) \(run.errors)")
            #expect(run.output.hasPrefix("alpaca (paper)\n  read account, calls: "), "\(run.output)")
            for name in ["saxo", "alpha-vantage", "polygon", "yahoo"] {
                #expect(run.output.contains("\n\(name): not configured\n"))
            }
        }
        let none = try await verify([], [:])
        #expect(none.status == 2)
        #expect(
            none.errors.contains("No provider is configured. Set PORTICO_ALPACA_KEY_ID and "),
            "\(none.errors)")
        let unknown = try await verify(["--provider", "nobody"], [:])
        #expect(unknown.status == 2)
        #expect(
            unknown.errors.contains("--provider nobody is not a provider. The providers are: alpaca, saxo, "))
        let symbol = try await verify(["--symbol", "not a symbol"], [:])
        #expect(symbol.status == 2)
        #expect(symbol.errors.contains("--symbol not a symbol is not a symbol. Write it like AAPL"))
    }

    @Test("with --orders places, lists, replaces and cancels an order", arguments: ["alpaca", "saxo"])
    func orders(provider: String) async throws {
        try await withKeys { sandbox, environment in
            let run = try await verify(["--provider", provider, "--orders", "--format", "json"], environment)
            let report = try JSONValue(parsing: run.output)
            let steps = try #require(report["providers"]?[0]?["order"]?.elements)
            #expect(
                steps.map { $0["step"]?.string } == ["place", "list", "replace", "cancel"], "\(run.output)")
            #expect(steps.allSatisfy { $0["problem"] == .null }, "\(steps)")
            #expect(run.status == 0, "\(run.output) \(run.errors)")
        }
    }

    @Test(
        "with --orders refuses a live account before any call",
        arguments: [
            ["PORTICO_ALPACA_ENVIRONMENT": "live"],
            // The URL is that of the live environment, whatever the setting is.
            ["PORTICO_ALPACA_BASE_URL": "https://api.alpaca.markets"],
        ])
    func live(_ settings: [String: String]) async throws {
        try await withKeys { sandbox, environment in
            let alpaca = environment.filter {
                $0.key.hasPrefix("PORTICO_ALPACA_") && !$0.key.contains("CLIENT")
            }
            let run = try await verify(["--orders"], alpaca.merging(settings) { $1 })
            #expect(run.status == 2)
            #expect(
                run.errors.contains("--orders is refused, because the account of alpaca is live"),
                "\(run.errors)")
            #expect(sandbox.calls.all(of: .alpaca).isEmpty)
        }
    }
}
