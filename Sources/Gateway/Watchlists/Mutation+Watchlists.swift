import Brokerage
import GraphQL
import Storage

extension Mutation {
    /// What changes watchlists.
    @FieldsBuilder<Mutation> static var watchlists: [Field<Mutation>] {
        Field(
            "createWatchlist", InputArguments<CreateWatchlistInput>.self,
            once: { arguments, context in try context.createWatchlist(arguments.input) })
        Field(
            "renameWatchlist", RenameWatchlistArguments.self,
            once: { arguments, context in
                try context.renameWatchlist(id: arguments.id, to: arguments.name)
            })
        Field(
            "deleteWatchlist", IDArguments.self,
            once: { arguments, context in try context.deleteWatchlist(id: arguments.id) })
        Field(
            "addToWatchlist", WatchlistSymbolsArguments.self,
            once: { arguments, context in
                try context.changeWatchlist(id: arguments.id, .add(arguments.symbols))
            })
        Field(
            "removeFromWatchlist", WatchlistSymbolsArguments.self,
            once: { arguments, context in
                try context.changeWatchlist(id: arguments.id, .remove(arguments.symbols))
            })
        Field(
            "moveInWatchlist", MoveInWatchlistArguments.self,
            once: { arguments, context in
                try context.changeWatchlist(id: arguments.id, .move(arguments.symbol, to: arguments.position))
            })
    }
}

struct WatchlistName: StoredText {
    static var lengths: ClosedRange<Int> { 1...64 }
    let text: String
}

struct CreateWatchlistInput: Sendable {
    let name: WatchlistName
    let symbols: [Symbol]
}

extension CreateWatchlistInput: GraphQLInputObject {
    static var sample: CreateWatchlistInput {
        CreateWatchlistInput(name: .sample, symbols: [])
    }

    init(_ fields: ArgumentReader) throws {
        name = try fields["name"]
        symbols = try (fields["symbols"] as BoundedList<Symbol>).elements
    }
}

struct RenameWatchlistArguments: GraphQLArguments {
    let id: String
    let name: WatchlistName

    init(_ arguments: ArgumentReader) throws {
        id = try (arguments["id"] as IDText).text
        name = try arguments["name"]
    }
}

struct WatchlistSymbolsArguments: GraphQLArguments {
    let id: String
    let symbols: [Symbol]

    init(_ arguments: ArgumentReader) throws {
        id = try (arguments["id"] as IDText).text
        symbols = try (arguments["symbols"] as BoundedList<Symbol>).elements
    }
}

struct MoveInWatchlistArguments: GraphQLArguments {
    let id: String
    let symbol: Symbol
    let position: Int

    init(_ arguments: ArgumentReader) throws {
        id = try (arguments["id"] as IDText).text
        symbol = try arguments["symbol"]
        position = try arguments["to"]
    }
}
