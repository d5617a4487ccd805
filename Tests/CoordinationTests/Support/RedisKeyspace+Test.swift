import Coordination
import Cryptography
import Foundation

extension RedisKeyspace {
    /// The keys of one test.
    static func ofTest() -> RedisKeyspace { RedisKeyspace(SymmetricKey(), environment: UUID().uuidString) }
}
