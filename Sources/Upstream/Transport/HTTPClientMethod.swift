/// The methods that providers' interfaces use.
package enum HTTPClientMethod: String, Sendable, Hashable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    /// Reads may be sent again; writes are sent once, whatever becomes of them.
    package var isRead: Bool {
        switch self {
        case .get: true
        case .post, .put, .patch, .delete: false
        }
    }
}
