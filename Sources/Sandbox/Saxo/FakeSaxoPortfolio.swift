import Brokerage
import NIOHTTP1

/// Saxo's portfolio service: client, accounts, balances, net positions and open orders (fact sheet, "Portfolio").
struct FakeSaxoPortfolio: Sendable {
    let host: FakeSaxoHost

    var routes: [SandboxRoute] {
        [
            host.get("/port/v1/clients/me") { .json(Self.client($0.client)) },
            host.get("/port/v1/accounts/me") { visit in
                .json(
                    try FakeSaxoPage(visit).document(visit.client.accounts) {
                        Self.account($0, of: visit.client)
                    }
                )
            },
            host.get("/port/v1/balances") { visit in
                try visit.requireClientKey()
                return try balance(visit)
            },
            host.get("/port/v1/balances/me", balance),
            host.get("/port/v1/netpositions") { visit in
                try visit.requireClientKey()
                return try netPositions(visit)
            },
            host.get("/port/v1/netpositions/me", netPositions),
            host.get("/port/v1/orders") { visit in
                try visit.requireClientKey()
                return try orders(visit)
            },
            host.get("/port/v1/orders/me", orders),
        ]
    }

    private static let assetTypes: JSONDocument = .array(
        FakeSaxoInstrument.AssetType.allCases.filter(\.isTradable).map { .string($0.rawValue) })

    private static func client(_ client: FakeSaxoClient) -> JSONDocument {
        [
            "ClientId": .string(client.id),
            "ClientKey": .string(client.key),
            "DefaultAccountId": .string(client.accounts.first?.id ?? ""),
            "DefaultAccountKey": .string(client.accounts.first?.key ?? ""),
            "DefaultCurrency": .string(client.currency),
            "CurrencyDecimals": JSONDocument(integerLiteral: FakeSaxoRates.decimals(of: client.currency)),
            "Name": .string(client.name),
            "LegalAssetTypes": assetTypes,
            "LegalAssetTypesAreIndicative": false,
            "IsMarginTradingAllowed": true,
            "IsVariationMarginEligible": false,
            "PositionNettingMode": "EndOfDay",
            "PositionNettingMethod": "FIFO",
            "PositionNettingProfile": "FifoEndOfDay",
            "SupportsAccountValueProtectionLimit": true,
            "AllowedTradingSessions": "Regular",
            "ReduceExposureOnly": false,
            "ForceOpenDefaultValue": false,
            "MarginCalculationMethod": "Default",
        ]
    }

    private static func account(_ account: FakeSaxoAccount, of client: FakeSaxoClient) -> JSONDocument {
        [
            "AccountId": .string(account.id),
            "AccountKey": .string(account.key),
            "AccountGroupKey": .string(client.accounts.first?.key ?? ""),
            "AccountType": "Normal",
            "Active": true,
            "ClientId": .string(client.id),
            "ClientKey": .string(client.key),
            "CreationDate": FakeSaxoFormat.time(account.opened),
            "Currency": .string(account.currency),
            "CurrencyDecimals": JSONDocument(integerLiteral: FakeSaxoRates.decimals(of: account.currency)),
            "IsTrialAccount": true,
            "LegalAssetTypes": assetTypes,
            "Sharing": ["NoSharing"],
        ]
    }

    /// One account in its own currency, or all of them in the client's.
    private func book(_ visit: FakeSaxoHost.AuthenticatedRequest) throws -> FakeSaxoBook {
        let account = try visit.account()
        return try FakeSaxoBook(
            account.map { [$0] } ?? visit.client.accounts,
            in: account?.currency ?? visit.client.currency, visit.activity, at: visit.view)
    }

    private func balance(_ visit: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        .json(try FakeSaxoBalance(book(visit), visit.settings).document(visit.format))
    }

    private func netPositions(_ visit: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let book = try book(visit)
        var positions = book.positions
        if let uic = try visit.integer("Uic", in: 0...Int.max) {
            let assetType = try visit.assetType()
            positions = positions.filter { $0.listing.uic == uic && $0.listing.assetType == assetType }
        }
        if positions.isEmpty, visit.settings.emptyPortfolioHasNoContent {
            return SandboxResponse(status: .noContent)
        }
        let account = try visit.account()
        let groups = visit.fieldGroups(["NetPositionBase", "NetPositionView"])
        return .json(
            try FakeSaxoPage(visit, countsByDefault: true).document(positions) { position in
                try FakeSaxoNetPosition(position, of: visit, account, in: book).document(groups)
            })
    }

    private func orders(_ visit: FakeSaxoHost.AuthenticatedRequest) throws -> SandboxResponse {
        let account = try visit.account()
        let id = visit.request[query: "OrderId"]
        let orders = visit.activity.orders.filter { order in
            (account.map { $0.key == order.accountKey } ?? true) && (id ?? order.id) == order.id
        }
        let groups = visit.fieldGroups([])
        return .json(
            try FakeSaxoPage(visit, countsByDefault: true).document(orders) { order in
                try FakeSaxoOpenOrder(order, of: visit).document(groups)
            })
    }
}
