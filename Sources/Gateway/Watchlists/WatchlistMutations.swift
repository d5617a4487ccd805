import Brokerage
import Coordination
import GraphQL
import PorticoCore
import Storage
import Upstream

extension Mutation {
    /// The mutations of watchlists.
    @FieldsBuilder<Mutation> static var watchlists: [Field<Mutation>] {
        Field(
            "createWatchlist", InputArguments<CreateWatchlistInput>.self,
            once: { arguments, scope in try WatchlistService(scope).createWatchlist(arguments.input) })
        Field(
            "renameWatchlist", RenameWatchlistArguments.self,
            once: { arguments, scope in
                try WatchlistService(scope).renameWatchlist(id: arguments.id, to: arguments.name)
            })
        Field(
            "deleteWatchlist", IDArguments.self,
            once: { arguments, scope in try WatchlistService(scope).deleteWatchlist(id: arguments.id) })
        Field(
            "addToWatchlist", WatchlistSymbolsArguments.self,
            once: { arguments, scope in
                try WatchlistService(scope).changeWatchlist(id: arguments.id, .add(arguments.symbols))
            })
        Field(
            "removeFromWatchlist", WatchlistSymbolsArguments.self,
            once: { arguments, scope in
                try WatchlistService(scope).changeWatchlist(id: arguments.id, .remove(arguments.symbols))
            })
        Field(
            "moveInWatchlist", MoveInWatchlistArguments.self,
            once: { arguments, scope in
                try WatchlistService(scope).changeWatchlist(
                    id: arguments.id, .move(arguments.symbol, to: arguments.position))
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

extension WatchlistService {
    /// Creates a watchlist in Portico.
    func createWatchlist(_ input: CreateWatchlistInput) throws -> MaybeAsync<WatchlistPayload?> {
        let owner = try scope.owner()
        return .async { [self] in
            try await check(input.symbols, at: "input.symbols")
            return try payload(
                await store.create(
                    named: input.name.text, of: input.symbols, for: owner), at: .create)
        }
    }

    func renameWatchlist(id: String, to name: WatchlistName) throws -> MaybeAsync<WatchlistPayload?> {
        let owner = try scope.owner()
        switch try origin(ofWatchlist: id) {
        case .portico(let own):
            return .async { [self] in
                try payload(
                    await store.rename(own, to: name.text, for: owner),
                    at: .change(id))
            }
        case .broker(let connection, let list):
            return .async { [self] in
                try await change(list, of: connection, by: "name") {
                    .success((name: name.text, symbols: $0.items.map(\.symbol)))
                }
            }
        case nil: throw FieldError.noWatchlist(id)
        }
    }

    /// Changes the items of a watchlist.
    func changeWatchlist(id: String, _ edit: WatchlistEdit) throws -> MaybeAsync<WatchlistPayload?> {
        let owner = try scope.owner()
        guard let source = try origin(ofWatchlist: id) else { throw FieldError.noWatchlist(id) }
        return .async { [self] in
            switch edit {
            case .add(let symbols): try await check(symbols, at: edit.argument)
            case .remove, .move: break
            }
            switch source {
            case .portico(let own):
                return try payload(
                    await store.change(own, edit, for: owner), at: .change(id))
            case .broker(let connection, let list):
                return try await change(list, of: connection, by: edit.argument) { list in
                    edit.applied(to: list.items.map(\.symbol)).map { (name: list.name, symbols: $0) }
                }
            }
        }
    }

    func deleteWatchlist(id: String) throws -> MaybeAsync<DeletePayload?> {
        let owner = try scope.owner()
        switch try origin(ofWatchlist: id) {
        case .portico(let own):
            return .async { [self] in
                guard try await store.delete(own, for: owner) else {
                    throw FieldError.noWatchlist(id)
                }
                return DeletePayload(deletedID: id)
            }
        case .broker(let connection, let list):
            return .async { [self] in
                try await write(list, of: connection, by: "id") {
                    [call = scope.call] editor, _ throws(ProviderFailure) in
                    try await editor.deleteWatchlist(list, in: call)
                }
                return DeletePayload(deletedID: id)
            }
        case nil: throw FieldError.noWatchlist(id)
        }
    }

    /// Checks that there is an instrument for each symbol.
    ///
    /// - Throws: `FieldError` that names the argument: NOT_FOUND for a symbol that no provider knows; the
    ///   provider's failure
    ///   if that could not be determined.
    private func check(_ symbols: [Symbol], at path: String) async throws {
        let limit = WatchlistStore.maximumSymbols
        guard symbols.count <= limit else {
            throw FieldError.argument(
                path, "It has \(symbols.count) symbols; a list may have \(limit) at most.")
        }
        for (index, result) in try await InstrumentService(scope).instruments(for: symbols).value()
            .enumerated()
        {
            do {
                _ = try result.get()
            } catch let error as FieldError {
                throw error.of(argument: "\(path)[\(index)]")
            }
        }
    }

    private func payload(_ outcome: WatchlistStore.Outcome, at place: FieldError.Place) throws(FieldError)
        -> WatchlistPayload
    {
        switch outcome {
        case .success(let list): return WatchlistPayload(watchlist: Watchlist(list))
        case .failure(let refusal): throw FieldError(refusal, at: place)
        }
    }
}

// MARK: - Lists that a broker keeps

extension WatchlistService {
    /// Reads a list from the broker, applies `edit`, and writes it; `argument` names the change in errors.
    private func change(
        _ id: String, of connection: BrokerConnection, by argument: String,
        _ edit:
            @escaping @Sendable (BrokerWatchlist) -> Result<
                (name: String, symbols: [Symbol]), WatchlistError
            >
    ) async throws -> WatchlistPayload {
        let place = FieldError.Place.change(connection.globalID(ofWatchlist: id))
        let list = try await write(id, of: connection, by: argument) {
            [call = scope.call] (editor, list) async throws(ProviderFailure) -> Result<
                BrokerWatchlist, WatchlistError
            > in
            switch edit(list) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let new):
                // A replacement would delete an item that could not be read.
                guard list.unreadable.isEmpty else {
                    throw ProviderFailure(connection.provider, .invalidResponse(nil))
                }
                if new.name == list.name, new.symbols == list.items.map(\.symbol) { return .success(list) }
                return .success(
                    try await editor.replaceWatchlist(
                        id, name: new.name, symbols: new.symbols, in: call))
            }
        }
        switch list {
        case .success(let list): return WatchlistPayload(watchlist: Watchlist(list, of: connection))
        case .failure(let refusal): throw FieldError(refusal, at: place)
        }
    }

    /// Longer than a read and a write of a list.
    private static let writeTime = Duration.seconds(60)

    /// Changes a list at its broker, once, after all earlier changes through the same connection, also those by other
    /// processes.
    ///
    /// Values that were read before are invalidated after success and failure: the broker may have made the
    /// change although its response was lost.
    ///
    /// - Parameters:
    ///   - id: The broker's own id, in any form.
    ///   - connection: The connection of the list.
    ///   - argument: The argument that an error names if the broker refuses the change.
    ///   - body: Called with the current list at the broker, after the check that it belongs to the user.
    /// - Returns: The result of `body`.
    /// - Throws: `FieldError`: NOT_FOUND if the user does not have the list; then nothing was changed.
    private func write<Value: Sendable>(
        _ id: String, of connection: BrokerConnection, by argument: String,
        _ body:
            @escaping @Sendable (any WatchlistEditing, BrokerWatchlist) async throws(ProviderFailure) -> Value
    ) async throws -> Value {
        guard let editor = connection.watchlistEditor else {
            throw FieldError(
                .unsupported,
                "Watchlists at \(connection.provider.name.text) cannot be changed through Portico. Use a list of `createWatchlist`.",
                provider: connection.provider)
        }
        let key = "\(connection.owner.text) \(connection.id)"
        let leases = scope.services.userData.leases
        let task = scope.services.writeQueue.enqueue(key) { [call = scope.call, reads = caches.watchlists] in
            defer { reads.invalidate(privateTo: connection.owner, at: connection.provider) }
            let value = try await leases.exclusively(
                "watchlist/\(connection.id)", for: Self.writeTime, before: call.deadline
            ) {
                let list: BrokerWatchlist
                do throws(ProviderFailure) {
                    list = try await editor.watchlist(id, in: call)
                } catch {
                    throw error.cause == .notFound
                        ? FieldError.noWatchlist(connection.globalID(ofWatchlist: id)) : FieldError(error)
                }
                do throws(ProviderFailure) {
                    return try await body(editor, list)
                } catch {
                    throw FieldError(refusedWatchlist: error, by: argument)
                }
            }
            guard let value else {
                throw FieldError(.conflict, "Another change of this list has not ended. Try again.")
            }
            return value
        }
        return try await task.value
    }
}

extension FieldError {
    static func noWatchlist(_ id: String) -> FieldError {
        FieldError(.notFound, "There is no watchlist \"\(id.beginning(80))\".")
    }

    /// The intended change of a watchlist.
    fileprivate enum Place {
        case create
        case change(_ id: String)
    }

    /// The error for clients if a list was not created or changed.
    fileprivate init(_ refusal: WatchlistError, at place: Place) {
        switch (refusal, place) {
        case (.notFound, .create): self = .noWatchlist("")
        case (.notFound, .change(let id)): self = .noWatchlist(id)
        case (.tooManyLists(let limit), _):
            self = .argument(
                "input", "There are \(limit) watchlists, which is as many as one may have; delete one first.")
        case (.tooManySymbols(let count, let limit), .create):
            self = .argument(
                "input.symbols", "The list would have \(count) symbols; it may have \(limit) at most.")
        case (.tooManySymbols(let count, let limit), .change):
            self = .argument("symbols", "The list would have \(count) symbols; it may have \(limit) at most.")
        case (.notInList, _): self = .argument("symbol", code: .notFound, "It is not in the list.")
        case (.positionOutOfRange(let count), _):
            self = .argument(
                "to",
                "There is no such place: the list has \(count) entries, and their places are 0 to \(count - 1)."
            )
        }
    }

    /// The error for clients if a broker did not change a list.
    fileprivate init(refusedWatchlist failure: ProviderFailure, by argument: String) {
        guard failure.cause == .unsupported else {
            self.init(failure)
            return
        }
        self = .argument(
            argument,
            """
            \(failure.provider.name.text) refused the change: another of its lists may have the name, or it does not \
            have one of the symbols.
            """, provider: failure.provider)
    }
}

extension WatchlistEdit {
    /// The argument that names the change.
    fileprivate var argument: String {
        switch self {
        case .add, .remove: "symbols"
        case .move: "symbol"
        }
    }
}
