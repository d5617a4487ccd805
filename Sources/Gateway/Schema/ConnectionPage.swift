import Foundation
import GraphQL

/// An object of lists that clients read page by page.
///
/// The types of the schema for a page and an edge are stored constants, which a generic type cannot have.
protocol ConnectionNode: GraphQLObject where Context == RequestScope {
    associatedtype Cursor: PageCursor
    /// The values of a page besides its objects.
    associatedtype Details: Sendable = Void
    static var connectionType: ObjectType<ConnectionPage<Self>> { get }
    static var edgeType: ObjectType<ConnectionEdge<Self>> { get }
}

/// A page of a list (Relay, "Connection").
struct ConnectionPage<Node: ConnectionNode>: Sendable {
    let edges: [ConnectionEdge<Node>]
    let hasNext: Bool
    let hasPrevious: Bool
    let details: Node.Details

    /// - Parameters:
    ///   - rest: The list from the page on; one object behind the page is sufficient.
    ///   - first: The length of the page.
    ///   - hasPrevious: Whether objects come before the page.
    ///   - details: The values of the page besides its objects.
    init(
        _ rest: some Collection<ConnectionEdge<Node>>, first: Int, hasPrevious: Bool, details: Node.Details
    ) {
        edges = Array(rest.prefix(first))
        hasNext = rest.count > first
        self.hasPrevious = hasPrevious
        self.details = details
    }
}

extension ConnectionPage where Node.Details == Void {
    init(_ rest: some Collection<ConnectionEdge<Node>>, first: Int, hasPrevious: Bool) {
        self.init(rest, first: first, hasPrevious: hasPrevious, details: ())
    }
}

extension ConnectionPage: GraphQLObject {
    static var graphQL: ObjectType<ConnectionPage> { Node.connectionType }

    /// The type of the schema with a name; `fields` are those of its details.
    static func type(
        _ name: String, @FieldsBuilder<ConnectionPage> details fields: () -> [Field<ConnectionPage>] = { [] }
    ) -> ObjectType<ConnectionPage> {
        ObjectType(name) {
            Field("edges", \.edges)
            Field("nodes") { $0.edges.map(\.node) }
            Field("pageInfo") { $0.pageInfo }
            fields()
        }
    }

    /// The same for a list that has a null with an error for each object that could not be read, behind the last page:
    /// its place in the order is unknown.
    static func type(
        _ name: String, failures: @escaping @Sendable (Node.Details) -> [FieldError],
        @FieldsBuilder<ConnectionPage> details fields: () -> [Field<ConnectionPage>] = { [] }
    ) -> ObjectType<ConnectionPage> {
        @Sendable func withFailures<Item>(_ items: [Item], _ page: ConnectionPage) -> BatchResults<Item> {
            items.map { .success($0) } + (page.hasNext ? [] : failures(page.details).map { .failure($0) })
        }
        return ObjectType(name) {
            Field("edges") { withFailures($0.edges, $0) }
            Field("nodes") { withFailures($0.edges.map(\.node), $0) }
            Field("pageInfo") { $0.pageInfo }
            fields()
        }
    }

    var pageInfo: PageInfo {
        PageInfo(
            hasNextPage: hasNext, hasPreviousPage: hasPrevious, startCursor: edges.first?.cursor,
            endCursor: edges.last?.cursor)
    }
}

/// An object of a list, and its place (Relay, "Edge").
struct ConnectionEdge<Node: ConnectionNode>: Sendable {
    let node: Node
    let place: Node.Cursor

    var cursor: String { place.text }
}

extension ConnectionEdge: GraphQLObject {
    static var graphQL: ObjectType<ConnectionEdge> { Node.edgeType }

    static func type(_ name: String) -> ObjectType<ConnectionEdge> {
        ObjectType(name) {
            Field("cursor") { $0.cursor }
            Field("node", \.node)
        }
    }
}

/// The position of a page in its list (Relay, "PageInfo").
struct PageInfo: GraphQLObject {
    let hasNextPage: Bool
    let hasPreviousPage: Bool
    let startCursor: String?
    let endCursor: String?

    static let graphQL = ObjectType<PageInfo>("PageInfo") {
        Field("hasNextPage", \.hasNextPage)
        Field("hasPreviousPage", \.hasPreviousPage)
        Field("startCursor", \.startCursor)
        Field("endCursor", \.endCursor)
    }
}

/// A place in a list, which clients get as an opaque text: Base64 of ``plain``.
protocol PageCursor: Sendable {
    /// The longest text of a client, in bytes.
    static var maximumLength: Int { get }
    /// The text without Base64.
    var plain: String { get }
    /// Nil for a text that no page of the list has given.
    init?(plain: String)
}

extension PageCursor {
    static var maximumLength: Int { CursorText.maximumBytes }

    var text: String { Data(plain.utf8).base64EncodedString() }

    /// - Throws: `FieldError` for a text that no page of the list has given.
    init(_ text: String) throws(FieldError) {
        guard text.utf8.count <= Self.maximumLength, let data = Data(base64Encoded: text),
            let plain = String(data: data, encoding: .utf8), !plain.utf8.contains(0),
            let cursor = Self(plain: plain)
        else {
            throw .noCursor(text)
        }
        self = cursor
    }
}

/// A cursor that names its list, because several lists have cursors of its type.
protocol ListCursor: PageCursor {
    /// The list; nil in the text of an earlier version, which names none and is accepted for each.
    var list: String? { get }
}

extension ListCursor {
    /// - Throws: `FieldError` for a cursor of another list.
    func check(isOf list: String) throws(FieldError) {
        guard self.list == nil || self.list == list else { throw .noCursor(text) }
    }
}

extension FieldError {
    /// No page of the list has given this text as a cursor.
    static func noCursor(_ text: String) -> FieldError {
        .argument(
            "after",
            "\"\(text.beginning(40))\" is not a cursor of this list. Use the `endCursor` of the page before as `after`."
        )
    }
}
