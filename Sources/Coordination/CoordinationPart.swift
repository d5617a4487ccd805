package import Storage

/// A part of what processes share: its regular work, and what operators see of it.
package protocol CoordinationPart: Sendable {
    /// The states of the servers that only this part uses, for `/health/ready`.
    var states: [PartState] { get }
    var metrics: [PartMetric] { get }

    /// Reports what this process holds, and reads what others have changed; it is called every few seconds
    /// (``LeaseTimes/renewal``).
    func refresh() async throws(StorageError)

    /// Deletes what ended long ago; it is called each minute.
    func deleteOld() async throws(StorageError)
}

/// Parts of one process have no such work.
extension CoordinationPart {
    package var states: [PartState] { [] }
    package var metrics: [PartMetric] { [] }
    package func refresh() async throws(StorageError) {}
    package func deleteOld() async throws(StorageError) {}
}

/// The state of a server behind a part.
package struct PartState: Hashable, Sendable {
    package let name: String
    /// Nil before the first response.
    package let isUp: Bool?
    /// For people; no secrets.
    package let detail: String?
}

/// A figure of a part.
package struct PartMetric: Hashable, Sendable {
    package let name: String
    package let isCounter: Bool
    /// One sentence.
    package let help: String
    package let value: Int

    static func gauge(_ name: String, _ help: String, _ value: Int) -> PartMetric {
        PartMetric(name: "portico_" + name, isCounter: false, help: help, value: value)
    }

    static func counter(_ name: String, _ help: String, _ value: Int) -> PartMetric {
        PartMetric(name: "portico_" + name, isCounter: true, help: help, value: value)
    }
}
