/// What a client asks for (GraphQL over HTTP, "Request parameters").
public struct GraphQLRequest: Sendable {
    /// The text of the document; empty where the client only names it.
    public var document: String
    /// The name of a document that the server has, whose text it puts into `document` before it runs the request
    /// (GraphQL over HTTP, appendix "Persisted Documents").
    public var documentID: String?
    /// Which of the document's operations is meant; nil where it has only one.
    public var operationName: String?
    /// The values of the operation's variables, as they came.
    public var variables: InputObject
    /// What the client asks for beside the answer: `{"cost": true}` asks for what the operation cost.
    public var extensions: InputObject

    /// A request for one operation of a document, neither of which is checked yet.
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

/// The request that the current task answers, by the name under which logs know it.
///
/// So that an error which hides what went wrong can say where it is written.
package enum CurrentRequest {
    /// Nil outside of any request, and in work that several requests share.
    @TaskLocal package static var id: (any CustomStringConvertible & Sendable)?
}
