/// An error that may be shown to clients.
///
/// All other errors are masked: what a client sees of them is a fixed text.
public protocol ClientVisibleError: Error {
    /// What went wrong, for people.
    var message: String { get }
    /// What is said for code, `code` first.
    var extensions: InputObject { get }
}

extension ClientVisibleError {
    /// Empty, for errors that have no code.
    public var extensions: InputObject { InputObject() }
}

extension LeafError: ClientVisibleError {}

/// Makes of what resolvers throw what clients see (specification, section 7.1.2).
public struct ErrorFormatter: Sendable {
    private let maskedExtensions: @Sendable (any Error, [PathSegment]) -> InputObject

    /// - Parameter maskedExtensions: is told of each error that is masked, so that it can be logged, and says what
    ///   goes into its `extensions`: a code, and an id under which it was logged.
    public init(
        maskedExtensions: @escaping @Sendable (any Error, [PathSegment]) -> InputObject = { _, _ in
            ["code": .string("INTERNAL_SERVER_ERROR")]
        }
    ) {
        self.maskedExtensions = maskedExtensions
    }

    /// What clients see of an error; one of the response as a whole, whose path is empty, is shown without a path.
    func present(_ error: any Error, path: [PathSegment], locations: [SourceLocation]) -> GraphQLError {
        var presented = presented(error, at: path, locations)
        if path.isEmpty { presented.path = nil }
        return presented
    }

    private func presented(
        _ error: any Error, at path: [PathSegment], _ locations: [SourceLocation]
    ) -> GraphQLError {
        if var known = error as? GraphQLError {
            known.path = path
            if known.locations.isEmpty { known.locations = locations }
            return known
        }
        if let known = error as? any ClientVisibleError {
            return GraphQLError(known.message, locations: locations, path: path, extensions: known.extensions)
        }
        return GraphQLError(
            "Internal server error", locations: locations, path: path,
            extensions: maskedExtensions(error, path))
    }
}
