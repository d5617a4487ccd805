import GraphQL
import Logging
import Storage

extension ErrorFormatter {
    /// Tells the log of each error that clients are not to read.
    ///
    /// Such an error may say anything, secrets included: only its type is logged, and of the store what it says itself,
    /// which names files and no more. The log and the client are told the request's id, so that one leads to the other.
    init(logger: Logger) {
        self.init { error, path in
            let place = path.map { segment in
                switch segment {
                case .key(let key): key
                case .index(let index): String(index)
                }
            }
            let cause = (error as? StorageError)?.description ?? String(reflecting: type(of: error))
            var metadata: Logger.Metadata = [
                "path": "\(place.joined(separator: "."))", "error": "\(cause)",
            ]
            var extensions: InputObject = ["code": .string("INTERNAL_SERVER_ERROR")]
            if let id = CurrentRequest.id?.description {
                metadata["requestID"] = "\(id)"
                extensions["requestId"] = .string(id)
            }
            logger.error("A field failed", metadata: metadata)
            return extensions
        }
    }
}
