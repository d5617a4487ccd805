/// An error that clients may see.
///
/// All other errors are masked: clients see only a fixed text.
public protocol ClientVisibleError: Error {
    /// The message for people.
    var message: String { get }
    /// The machine-readable data of the error, `code` first.
    var extensions: InputObject { get }
}

extension ClientVisibleError {
    /// Empty by default, for errors without a code.
    public var extensions: InputObject { InputObject() }
}

extension ResultCoercionError: ClientVisibleError {}

/// Converts errors of resolvers to response errors (specification, section 7.1.2).
public struct ErrorFormatter: Sendable {
    private let maskedExtensions: @Sendable (any Error, [PathSegment]) -> InputObject
    private let converting: @Sendable (any Error) -> (any ClientVisibleError)?

    /// Creates a formatter.
    ///
    /// - Parameters:
    ///   - maskedExtensions: Called with each masked error, so that it can be logged. Returns its `extensions`: a code, and
    ///     the id in the log.
    ///   - converting: Returns the error that clients get in place of an error that is not for clients; nil to mask it.
    public init(
        maskedExtensions: @escaping @Sendable (any Error, [PathSegment]) -> InputObject = { _, _ in
            ["code": .string("INTERNAL_SERVER_ERROR")]
        },
        converting: @escaping @Sendable (any Error) -> (any ClientVisibleError)? = { _ in nil }
    ) {
        self.maskedExtensions = maskedExtensions
        self.converting = converting
    }

    /// Returns the response error for an error; an empty path denotes the whole response and is omitted.
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
        if let known = error as? any ClientVisibleError ?? converting(error) {
            return GraphQLError(known.message, locations: locations, path: path, extensions: known.extensions)
        }
        return GraphQLError(
            "Internal server error", locations: locations, path: path,
            extensions: maskedExtensions(error, path))
    }
}
