import Brokerage
import GraphQL
import Storage
import Upstream

/// A user, as their own session sees them.
struct Viewer: Sendable {
    let user: User
    /// The session by which they see themselves.
    let session: SessionDetails
}

extension Viewer: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<Viewer>("Viewer") {
        Field("id") { NodeID(.user, $0.user.id.text).text }
        Field("username", \.user.username)
        Field("createdAt", \.user.createdAt)
        Field("session", \.session)
        Field(
            "sessions",
            load: { viewers, scope in
                .ready(
                    viewers.map {
                        .success(ViewerService(scope).sessions(of: $0.user.id, current: $0.session))
                    })
            })
        Field(
            "connections",
            load: { viewers, scope in
                .ready(viewers.map { .success(scope.services.links(of: $0.user.id)) })
            })
    }
}
