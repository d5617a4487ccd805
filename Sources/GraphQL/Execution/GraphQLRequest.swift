/// A GraphQL request (GraphQL over HTTP, "Request parameters").
public struct GraphQLRequest: Sendable {
    /// The text of the document; empty if the client sent only its identifier.
    public var document: String
    /// The identifier of a persisted document, whose text the server stores in `document` before it runs the
    /// request (GraphQL over HTTP, appendix "Persisted Documents").
    public var documentID: String?
    /// The name of the document's operation to run; nil if it has only one.
    public var operationName: String?
    /// The values of the operation's variables, as received.
    public var variables: InputObject
    /// Additional parameters: `{"cost": true}` requests the cost of the operation.
    public var extensions: InputObject

    /// Creates a request for one operation of a document; neither is validated yet.
    public init(
        _ document: String, operationName: String? = nil, variables: InputObject = InputObject(),
        extensions: InputObject = InputObject()
    ) {
        self.document = document
        self.operationName = operationName
        self.variables = variables
        self.extensions = extensions
    }
}

/// The request of the current task, by its identifier in logs.
///
/// Masked errors contain this identifier, so that the log entry can be found.
package enum CurrentRequest {
    /// The identifier; nil outside of requests, and in work that several requests share.
    @TaskLocal package static var id: (any CustomStringConvertible & Sendable)?
}
