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

struct PageArguments: GraphQLArguments {
    let first: Int
    let after: String?

    init(_ arguments: ArgumentReader) throws {
        first = try arguments["first"]
        after = try (arguments["after"] as CursorText?)?.text
    }

    var news: NewsArguments { NewsArguments(symbols: nil, first: first, after: after, provider: nil) }
}

struct NewsArguments: GraphQLArguments {
    let symbols: [Symbol]?
    let first: Int
    let after: String?
    let provider: ProviderID?

    init(_ arguments: ArgumentReader) throws {
        symbols = try (arguments["symbols"] as BoundedList<Symbol>?)?.elements
        first = try arguments["first"]
        after = try (arguments["after"] as CursorText?)?.text
        provider = try arguments["provider"]
    }

    init(symbols: [Symbol]?, first: Int, after: String?, provider: ProviderID?) {
        self.symbols = symbols
        self.first = first
        self.after = after
        self.provider = provider
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
