import Foundation
import GraphQL
import Storage

/// A page of alerts, or of firings, which have numbers in the order of the list.
struct NumberedPage<Item: NumberedItem>: Sendable {
    let edges: [Edge]
    let hasNext: Bool
    let hasPrevious: Bool

    /// An item and its place in the list.
    struct Edge: Sendable {
        let node: Item

        var cursor: String { NumberedCursor(Item.self, node.number).text }
    }

    /// - Parameters:
    ///   - items: The items of the page, and one more if there are more.
    ///   - first: The length of the page.
    ///   - isFirst: Whether the list begins with the page.
    init(_ items: [Item], first: Int, isFirst: Bool) {
        edges = items.prefix(first).map { Edge(node: $0) }
        hasNext = items.count > first
        hasPrevious = !isFirst
    }

    fileprivate var pageInfo: PageInfo {
        PageInfo(
            hasNextPage: hasNext, hasPreviousPage: hasPrevious, startCursor: edges.first?.cursor,
            endCursor: edges.last?.cursor)
    }
}

/// An object of a list that is ordered by numbers.
protocol NumberedItem: GraphQLObject where Context == GatewayContext {
    /// The name of the list in cursors.
    static var listName: String { get }
    /// The types of the schema for a page and an edge, as stored constants, which a generic type cannot have.
    static var page: ObjectType<NumberedPage<Self>> { get }
    static var edge: ObjectType<NumberedPage<Self>.Edge> { get }
    var number: Int64 { get }
}

extension AlertObject: NumberedItem {
    static var listName: String { "alerts" }
    static let page = NumberedPage<AlertObject>.objectType("AlertConnection")
    static let edge = NumberedPage<AlertObject>.Edge.objectType("AlertEdge")
    var number: Int64 { alert.number }
}

extension AlertFiringObject: NumberedItem {
    static var listName: String { "firings" }
    static let page = NumberedPage<AlertFiringObject>.objectType("AlertFiringConnection")
    static let edge = NumberedPage<AlertFiringObject>.Edge.objectType("AlertFiringEdge")
    var number: Int64 { firing.number }
}

extension NumberedPage: GraphQLObject {
    typealias Context = GatewayContext

    static var graphQL: ObjectType<NumberedPage> { Item.page }

    fileprivate static func objectType(_ name: String) -> ObjectType<NumberedPage> {
        ObjectType<NumberedPage>(name) {
            Field("edges", \.edges)
            Field("nodes") { $0.edges.map(\.node) }
            Field("pageInfo") { $0.pageInfo }
        }
    }
}

extension NumberedPage.Edge: GraphQLObject {
    typealias Context = GatewayContext

    static var graphQL: ObjectType<NumberedPage.Edge> { Item.edge }

    fileprivate static func objectType(_ name: String) -> ObjectType<NumberedPage.Edge> {
        ObjectType<NumberedPage.Edge>(name) {
            Field("cursor") { $0.cursor }
            Field("node", \.node)
        }
    }
}

/// A place in a list that is ordered by numbers; clients get it as an opaque text.
struct NumberedCursor: Hashable, Sendable {
    private let list: String
    let number: Int64

    init<Item: NumberedItem>(_ item: Item.Type, _ number: Int64) {
        (list, self.number) = (Item.listName, number)
    }

    /// - Throws: `FieldError` for a text that no page of this list has given.
    init<Item: NumberedItem>(_ item: Item.Type, _ text: String) throws(FieldError) {
        let parts = Data(base64Encoded: text).flatMap { String(data: $0, encoding: .utf8) }?.split(
            separator: " ")
        guard let parts, parts.count == 2, parts[0] == Item.listName, let number = Int64(parts[1]) else {
            throw .argument(
                "after",
                "\"\(text.beginning(40))\" is not a cursor. Use the `endCursor` of the page before as `after`."
            )
        }
        self.init(item, number)
    }

    var text: String { Data("\(list) \(number)".utf8).base64EncodedString() }
}

extension PageArguments {
    /// The length of a page and the number after which it begins; nil for the begin of the list.
    fileprivate func checked<Item: NumberedItem>(_ item: Item.Type) throws(FieldError) -> Int64? {
        try FieldError.check(first, of: "first", in: 1...200)
        guard let after else { return nil }
        return try NumberedCursor(item, after).number
    }
}

extension GatewayContext {
    /// A page of the user's alerts.
    func alerts(_ arguments: PageArguments) throws -> MaybeAsync<NumberedPage<AlertObject>?> {
        let owner = try owner()
        let start = try arguments.checked(AlertObject.self)
        return .async { [self] in
            let alerts = try await services.userData.alerts.alerts(
                of: owner, after: start, limit: arguments.first + 1)
            return NumberedPage(
                alerts.map(AlertObject.init), first: arguments.first, isFirst: start == nil)
        }
    }

    /// A page of the history of the user, or of one alert by its id in the store.
    func alertFirings(
        of alert: String? = nil, _ arguments: PageArguments
    ) throws -> MaybeAsync<NumberedPage<AlertFiringObject>?> {
        let owner = try owner()
        let start = try arguments.checked(AlertFiringObject.self)
        return .async { [self] in
            let firings = try await services.userData.alerts.firings(
                of: owner, alert: alert, before: start, limit: arguments.first + 1)
            return NumberedPage(
                firings.map(AlertFiringObject.init), first: arguments.first, isFirst: start == nil)
        }
    }
}
