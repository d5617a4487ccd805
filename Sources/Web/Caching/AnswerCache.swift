import GraphQL
import NIOCore

/// Whole answers of public operations, reused within their age.
///
/// Only those without errors are kept, and each for one audience: sessions for which public values are the same.
struct AnswerCache: Sendable {
    private let answers: BoundedStore<Key, Kept>

    /// What an answer depends on.
    struct Key: Hashable, Sendable {
        fileprivate let audience: [String]
        fileprivate let document: String
        fileprivate let operationName: String?
        fileprivate let variables: InputObject

        /// Nil where the answer must not be shared: private, without an age, or with anything beside the data.
        init?(_ request: GraphQL.Request, _ policy: CachePolicy, audience: [String]?) {
            guard let audience, policy.maxAge > 0, !policy.isPrivate, request.extensions.fields.isEmpty
            else { return nil }
            self.audience = audience
            document = request.document
            operationName = request.operationName
            variables = request.variables
        }
    }

    private struct Kept: Sendable {
        let response: GraphQL.Response
        let since: NIODeadline
        let maximumAge: Int
    }

    init(bytes: Int) {
        answers = BoundedStore(capacity: bytes)
    }

    /// An answer and its age in seconds, where there is one that is young enough.
    func answer(for key: Key, now: NIODeadline) -> (response: GraphQL.Response, age: Int)? {
        guard let kept = answers[key] else { return nil }
        let age = Int((now - kept.since).nanoseconds / 1_000_000_000)
        guard age < kept.maximumAge else { return nil }
        return (kept.response, age)
    }

    /// Keeps an answer, unless something of it is missing.
    func keep(_ response: GraphQL.Response, as key: Key, _ policy: CachePolicy, now: NIODeadline) {
        guard response.outcome == .complete, policy.maxAge > 0 else { return }
        let kept = Kept(response: response, since: now, maximumAge: policy.maxAge)
        answers.keep(kept, as: key, weight: response.body.count + key.document.utf8.count + 256)
    }
}
