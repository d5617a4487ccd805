import GraphQL
import Logging
import Storage

extension ErrorPresenter {
    /// Tells the log of each error that clients are not to read.
    ///
    /// Such an error may say anything, secrets included: only its type is logged, and of the store what it says itself,
    /// which names files and no more.
    init(telling logger: Logger) {
        self.init { error, path in
            let place = path.map { segment in
                switch segment {
                case .key(let key): key
                case .index(let index): String(index)
                }
            }
            let cause = (error as? StorageError)?.description ?? String(reflecting: type(of: error))
            logger.error(
                "A field failed", metadata: ["path": "\(place.joined(separator: "."))", "error": "\(cause)"])
            return ["code": .string("INTERNAL_SERVER_ERROR")]
        }
    }
}
