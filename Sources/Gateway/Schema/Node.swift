import Brokerage
import GraphQL

/// `Node` of the schema: an object of any type that has an id.
enum Node: Sendable {
    case account(ConnectedAccount)
    case activity(ConnectedActivity)
    case alert(AlertObject)
    case alertFiring(AlertFiringObject)
    case article(Article)
    case chart(Chart)
    case connection(ProviderConnection)
    case fundamentals(MergedFundamentals)
    case goal(GoalObject)
    case goalsProgress(GoalsProgress)
    case instrument(Instrument)
    case marketClock(MarketClock)
    case order(ConnectedOrder)
    case portfolio(Portfolio)
    case position(ConnectedPosition)
    case providerStatus(ProviderStatus)
    case quote(Quote)
    case session(SessionDetails)
    case user(Viewer)
    case watchlist(Watchlist)
    case watchlistItem(WatchlistItem)
    case webhook(WebhookObject)
}

extension Node: GraphQLAbstract {
    static let graphQL = AbstractType<Node>("Node") {
        PossibleType(ConnectedAccount.self) { if case .account(let account) = $0 { account } else { nil } }
        PossibleType(ConnectedActivity.self) {
            if case .activity(let activity) = $0 { activity } else { nil }
        }
        PossibleType(AlertObject.self) { if case .alert(let alert) = $0 { alert } else { nil } }
        PossibleType(AlertFiringObject.self) {
            if case .alertFiring(let firing) = $0 { firing } else { nil }
        }
        PossibleType(Article.self) { if case .article(let article) = $0 { article } else { nil } }
        PossibleType(Chart.self) { if case .chart(let chart) = $0 { chart } else { nil } }
        PossibleType(ProviderConnection.self) {
            if case .connection(let connection) = $0 { connection } else { nil }
        }
        PossibleType(MergedFundamentals.self) {
            if case .fundamentals(let fundamentals) = $0 { fundamentals } else { nil }
        }
        PossibleType(GoalObject.self) { if case .goal(let goal) = $0 { goal } else { nil } }
        PossibleType(GoalsProgress.self) {
            if case .goalsProgress(let progress) = $0 { progress } else { nil }
        }
        PossibleType(Instrument.self) { if case .instrument(let instrument) = $0 { instrument } else { nil } }
        PossibleType(MarketClock.self) { if case .marketClock(let clock) = $0 { clock } else { nil } }
        PossibleType(ConnectedOrder.self) { if case .order(let order) = $0 { order } else { nil } }
        PossibleType(Portfolio.self) { if case .portfolio(let portfolio) = $0 { portfolio } else { nil } }
        PossibleType(ConnectedPosition.self) {
            if case .position(let position) = $0 { position } else { nil }
        }
        PossibleType(ProviderStatus.self) { if case .providerStatus(let status) = $0 { status } else { nil } }
        PossibleType(Quote.self) { if case .quote(let quote) = $0 { quote } else { nil } }
        PossibleType(SessionDetails.self) { if case .session(let session) = $0 { session } else { nil } }
        PossibleType(Viewer.self) { if case .user(let viewer) = $0 { viewer } else { nil } }
        PossibleType(Watchlist.self) { if case .watchlist(let watchlist) = $0 { watchlist } else { nil } }
        PossibleType(WatchlistItem.self) { if case .watchlistItem(let item) = $0 { item } else { nil } }
        PossibleType(WebhookObject.self) { if case .webhook(let webhook) = $0 { webhook } else { nil } }
    }
}

extension Symbol {
    /// Nil for a text that is not the canonical form of a symbol.
    init?(canonical text: String) {
        guard let symbol = Symbol(typed: text), symbol.text == text else { return nil }
        self = symbol
    }
}
