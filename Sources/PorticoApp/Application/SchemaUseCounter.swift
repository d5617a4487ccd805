import Brokerage
import GraphQL
import GraphQLTools
import Logging
import ServiceLifecycle
import Storage
import Synchronization
import Web

/// Counts the schema elements that clients use, and stores the counts once a minute and at a graceful shutdown.
///
/// A request increments one count, that of its operation and client. The elements of an operation are collected once for
/// each prepared document.
final class SchemaUseCounter: Sendable {
    fileprivate struct Key: Hashable {
        let operation: ObjectIdentifier
        /// Empty for a client that does not identify itself.
        let client: String
    }

    fileprivate struct Entry {
        /// Held, so that no other operation gets its identifier.
        let operation: OperationUse
        var count = 0
        /// Counts of the elements in the values of variables, by their numbers.
        var ofVariables: [UInt32: Int] = [:]
    }

    /// The counts since they were last stored.
    fileprivate struct State {
        var entries: [Key: Entry] = [:]
        /// The number of counts that will be stored.
        var size = 0
        var uncounted = 0
    }

    /// The counts in memory at a time, and so the rows that a transaction changes.
    fileprivate static let maximumSize = 50_000
    private static let interval = Duration.seconds(60)

    private let elements: SchemaElements
    private let store: SchemaUseStore
    private let logger: Logger
    // Held for the increment of a count; all event loops count here.
    private let state = Mutex(State())

    init(of schema: Schema, storingIn store: SchemaUseStore, logger: Logger) {
        elements = SchemaElements(of: schema)
        self.store = store
        self.logger = logger
    }

    /// Counts an operation; one that cannot be executed is not counted.
    func count(_ request: PreparedRequest, by application: ClientApplication?) {
        guard let use = request.use(of: elements) else { return }
        let key = Key(operation: ObjectIdentifier(use.operation), client: application?.name ?? "")
        state.withLock { state in
            guard let index = state.entries.index(forKey: key) ?? state.add(use.operation, key) else {
                state.uncounted += 1
                return
            }
            state.entries.values[index].count += 1
            for number in use.ofVariables {
                let isNew = state.entries.values[index].ofVariables[number] == nil
                guard !isNew || state.size < SchemaUseCounter.maximumSize else { continue }
                if isNew { state.size += 1 }
                state.entries.values[index].ofVariables[number, default: 0] += 1
            }
        }
    }

    /// Stores the counts since the last call.
    ///
    /// Counts that cannot be stored become operations that were not counted.
    func flush() async {
        let state = state.withLock { state in
            defer { state = State() }
            return state
        }
        guard !state.entries.isEmpty || state.uncounted > 0 else { return }
        var counts: [SchemaUseStore.Key: [String: Int]] = [:]
        for (key, entry) in state.entries {
            let key = SchemaUseStore.Key(client: key.client, operation: entry.operation.name ?? "")
            for number in entry.operation.elements {
                counts[key, default: [:]][coordinate(number), default: 0] += entry.count
            }
            // An element in the document is counted with it.
            for (number, count) in entry.ofVariables where !entry.operation.elements.contains(number) {
                counts[key, default: [:]][coordinate(number), default: 0] += count
            }
        }
        do throws(StorageError) {
            try await store.add(counts, uncounted: state.uncounted, now: .now)
        } catch {
            logger.warning("The uses of the schema in the last minute cannot be stored. \(error)")
            let lost = state.entries.values.reduce(state.uncounted) { $0 + $1.count }
            self.state.withLock { $0.uncounted += lost }
        }
    }

    /// Returns all counts, including those that were not stored yet.
    func usage() async throws(StorageError) -> RecordedUsage {
        await flush()
        return RecordedUsage(try await store.contents())
    }

    private func coordinate(_ number: UInt32) -> String { elements.coordinates[Int(number)].description }
}

extension SchemaUseCounter.State {
    /// Adds an entry without a count; nil if there is no room for its elements.
    fileprivate mutating func add(
        _ operation: OperationUse, _ key: SchemaUseCounter.Key
    ) -> Dictionary<SchemaUseCounter.Key, SchemaUseCounter.Entry>.Index? {
        // Also an operation without elements has a size.
        let size = size + operation.elements.count + 1
        guard size <= SchemaUseCounter.maximumSize else { return nil }
        self.size = size
        entries[key] = SchemaUseCounter.Entry(operation: operation)
        return entries.index(forKey: key)
    }
}

extension SchemaUseCounter: Service {
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while (try? await Task.sleep(for: SchemaUseCounter.interval)) != nil { await flush() }
        }
        await flush()
    }
}

extension RecordedUsage {
    init(_ contents: SchemaUseStore.Contents) {
        self.init(
            since: contents.since.map { "\($0)" }, uncounted: contents.uncounted,
            uses: contents.uses.map { use in
                Use(
                    client: use.client.isEmpty ? nil : use.client,
                    operation: use.operation.isEmpty ? nil : use.operation, coordinate: use.coordinate,
                    count: use.count, last: "\(use.last)")
            })
    }
}
