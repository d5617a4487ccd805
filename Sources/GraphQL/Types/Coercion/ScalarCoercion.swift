/// How input for a custom scalar is read (specification, section 3.5.5).
public struct ScalarCoercion: Sendable {
    /// Takes a value as given, in a literal or a variable, and answers what resolvers see.
    ///
    /// It is never given null. The message of an error that it throws is shown to clients.
    public let read: @Sendable (InputValue) throws(GraphQLError) -> InputValue

    /// A coercion that calls `read` with each value that is not null.
    public init(_ read: @escaping @Sendable (InputValue) throws(GraphQLError) -> InputValue) {
        self.read = read
    }
}
