import Brokerage
import GraphQL
import Upstream

// Arguments that several fields take.

struct IDArguments: GraphQLArguments {
    let id: String

    init(_ arguments: ArgumentReader) throws {
        id = try (arguments["id"] as IDText).text
    }
}

struct IDsArguments: GraphQLArguments {
    let ids: [Result<String, FieldError>]

    init(_ arguments: ArgumentReader) throws {
        ids = try (arguments["ids"] as ItemwiseList<IDText>).entries(of: "ids").map { $0.map(\.text) }
    }
}

/// The one argument of mutations that take more than two values.
struct InputArguments<Value: GraphQLInputObject>: GraphQLArguments {
    let input: Value

    init(_ arguments: ArgumentReader) throws {
        input = try arguments["input"]
    }
}

/// The id of an object, and its changes.
struct ChangeArguments<Value: GraphQLInputObject>: GraphQLArguments {
    let id: String
    let input: Value

    init(_ arguments: ArgumentReader) throws {
        id = try (arguments["id"] as IDText).text
        input = try arguments["input"]
    }
}

struct ProviderArguments: GraphQLArguments {
    let provider: ProviderID?

    init(_ arguments: ArgumentReader) throws {
        provider = try arguments["provider"]
    }
}

struct SymbolsArguments: GraphQLArguments {
    let symbols: [Symbol]?

    init(_ arguments: ArgumentReader) throws {
        symbols = try (arguments["symbols"] as BoundedList<Symbol>?)?.elements
    }
}

/// The length of a page of a list, and the cursor after which it begins.
struct PageArguments: GraphQLArguments {
    let first: Int
    private let after: String?

    init(first: Int, after: String?) { (self.first, self.after) = (first, after) }

    init(_ arguments: ArgumentReader) throws {
        first = try arguments["first"]
        after = try (arguments["after"] as CursorText?)?.text
    }

    /// Checks the arguments.
    ///
    /// - Parameters:
    ///   - list: The type of the cursors.
    ///   - maximum: The longest page.
    /// - Returns: The place after which the page begins; nil for the beginning.
    /// - Throws: `FieldError` for a length out of range, and a text that is not a cursor of the list.
    func start<Cursor: PageCursor>(
        _ list: Cursor.Type = Cursor.self, atMost maximum: Int
    ) throws(FieldError) -> Cursor? {
        try FieldError.check(first, of: "first", in: 1...maximum)
        guard let after else { return nil }
        return try Cursor(after)
    }

    var news: NewsArguments { NewsArguments(symbols: nil, page: self, provider: nil) }
}

struct NewsArguments: GraphQLArguments {
    let symbols: [Symbol]?
    let page: PageArguments
    let provider: ProviderID?

    init(_ arguments: ArgumentReader) throws {
        symbols = try (arguments["symbols"] as BoundedList<Symbol>?)?.elements
        page = try PageArguments(arguments)
        provider = try arguments["provider"]
    }

    init(symbols: [Symbol]?, page: PageArguments, provider: ProviderID?) {
        (self.symbols, self.page, self.provider) = (symbols, page, provider)
    }
}

struct SearchArguments: GraphQLArguments {
    let text: String
    let first: Int
    let provider: ProviderID?

    init(_ arguments: ArgumentReader) throws {
        text = try (arguments["text"] as SearchText).text
        first = try arguments["first"]
        provider = try arguments["provider"]
    }
}
