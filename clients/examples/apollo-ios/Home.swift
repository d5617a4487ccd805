import Apollo
import Foundation
import PorticoAPI
import SwiftUI

/// The positions of the user with live prices.
@MainActor @Observable
final class Home {
    private(set) var positions: [IOSHomeQuery.Data.Position] = []
    private(set) var message: String?
    private let client: ApolloClient
    private var watcher: GraphQLQueryWatcher<IOSHomeQuery>?
    private var prices: (any Cancellable)?

    init(client: ApolloClient) {
        self.client = client
    }

    func start() {
        // The watcher is called again when an event changes a quote in the cache. The id of a quote contains its source: an
        // event of another source than a row's changes another object, and `refresh` updates the row.
        watcher = client.watch(query: IOSHomeQuery()) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let response):
                positions = response.data?.positions?.compactMap { $0 } ?? []
                message = response.errors?.first?.message
                follow(positions.map(\.symbol))
            case .failure(let error): message = error.localizedDescription
            }
        }
    }

    func refresh() {
        watcher?.refetch()
    }

    private func follow(_ symbols: [String]) {
        guard prices == nil, !symbols.isEmpty else { return }
        prices = client.subscribe(subscription: IOSPricesSubscription(symbols: symbols)) { _ in }
    }
}

struct HomeView: View {
    let home: Home

    var body: some View {
        List(home.positions, id: \.id) { position in
            LabeledContent(position.symbol) {
                Text(position.quote?.price.map { "\($0.value)" } ?? "–")
                if position.quote?.stale == true { Text("old value").foregroundStyle(.orange) }
            }
        }
        .task {
            home.start()
            while (try? await Task.sleep(for: .seconds(5))) != nil { home.refresh() }
        }
    }
}
