/// An error as a response carries it (specification, section 7.1.2).
public struct GraphQLError: Error, Hashable, Sendable {
    /// For people: what is wrong, where, and what would be right.
    public var message: String
    /// The places in the document, first cause first; empty where none can be named.
    public var locations: [SourceLocation]
    /// Where in the response the error belongs; nil for errors of the request as a whole.
    public var path: [PathSegment]?
    /// What is said for code: at least `code` where there is one.
    public var extensions: InputObject

    /// An error of a request where there is no `path`, of a field where there is.
    public init(
        _ message: String, locations: [SourceLocation] = [], path: [PathSegment]? = nil,
        extensions: InputObject = InputObject()
    ) {
        self.message = message
        self.locations = locations
        self.path = path
        self.extensions = extensions
    }
}

/// One step from the response's root to a value in it.
public enum PathSegment: Hashable, Sendable {
    /// A response key.
    case key(String)
    /// A position in a list, from 0.
    case index(Int)
}
