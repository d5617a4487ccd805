extension GraphQLError {
    /// What a response says of a text that is no document.
    public init(_ error: SyntaxError) {
        self.init(error.message, locations: [error.location])
    }
}
