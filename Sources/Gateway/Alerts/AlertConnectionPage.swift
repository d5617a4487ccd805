import GraphQL
import Storage

/// An object of a list that is ordered by numbers.
protocol NumberedItem: ConnectionNode where Cursor == NumberedCursor<Self>, Details == Void {
    /// The name of the list in cursors.
    static var listName: String { get }
    var number: Int64 { get }
}

extension AlertObject: NumberedItem {
    static var listName: String { "alerts" }
    static let connectionType = ConnectionPage<AlertObject>.type("AlertConnection")
    static let edgeType = ConnectionEdge<AlertObject>.type("AlertEdge")
    var number: Int64 { alert.number }
}

extension AlertFiringObject: NumberedItem {
    static var listName: String { "firings" }
    static let connectionType = ConnectionPage<AlertFiringObject>.type("AlertFiringConnection")
    static let edgeType = ConnectionEdge<AlertFiringObject>.type("AlertFiringEdge")
    var number: Int64 { firing.number }
}

/// A place in a list that is ordered by numbers.
struct NumberedCursor<Item: NumberedItem>: PageCursor {
    let number: Int64

    init(_ number: Int64) {
        self.number = number
    }

    init?(plain: String) {
        let parts = plain.split(separator: " ")
        guard parts.count == 2, parts[0] == Item.listName, let number = Int64(parts[1]) else { return nil }
        self.init(number)
    }

    var plain: String { "\(Item.listName) \(number)" }
}

extension ConnectionEdge where Node: NumberedItem {
    init(_ node: Node) {
        self.init(node: node, place: NumberedCursor(node.number))
    }
}

extension AlertService {
    /// A page of the user's alerts.
    func alerts(_ arguments: PageArguments) throws -> MaybeAsync<ConnectionPage<AlertObject>?> {
        let owner = try scope.owner()
        let start = try arguments.start(NumberedCursor<AlertObject>.self, atMost: 200)?.number
        return .async { [self] in
            let alerts = try await store.alerts(
                of: owner, after: start, limit: arguments.first + 1)
            return ConnectionPage(
                alerts.lazy.map { ConnectionEdge(AlertObject($0)) }, first: arguments.first,
                hasPrevious: start != nil)
        }
    }

    /// A page of the history of the user, or of one alert by its id in the store.
    func alertFirings(
        of alert: String? = nil, _ arguments: PageArguments
    ) throws -> MaybeAsync<ConnectionPage<AlertFiringObject>?> {
        let owner = try scope.owner()
        let start = try arguments.start(NumberedCursor<AlertFiringObject>.self, atMost: 200)?.number
        return .async { [self] in
            let firings = try await store.firings(
                of: owner, alert: alert, before: start, limit: arguments.first + 1)
            return ConnectionPage(
                firings.lazy.map { ConnectionEdge(AlertFiringObject($0)) }, first: arguments.first,
                hasPrevious: start != nil)
        }
    }
}
