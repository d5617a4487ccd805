package import ServiceLifecycle

/// The services of a process, each with the names of those that it needs.
///
/// A service starts after those that it needs, and stops before them. Services that do not need each other start in the order
/// in which they were added.
package struct ServiceGraph {
    private struct Entry {
        let needs: [String]
        /// Nil if the settings do not have the service.
        let configuration: ServiceGroupConfiguration.ServiceConfiguration?
    }

    private var entries: [String: Entry] = [:]
    /// In the order in which they were added.
    private var names: [String] = []

    package init() {}

    /// Adds a service.
    ///
    /// - Parameters:
    ///   - name: Its name, also in logs.
    ///   - service: The service; nil if the settings do not have it. Those that need it start without it.
    ///   - needs: The names of the services that it needs; they can be added later.
    ///   - endsProcess: Whether all other services stop after it has ended. The process ends with an error if another
    ///     service ends by itself.
    package mutating func add(
        _ name: String, _ service: (any Service)?, needs: [String] = [], endsProcess: Bool = false
    ) {
        names.append(name)
        entries[name] = Entry(
            needs: needs,
            configuration: service.map {
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: $0,
                    successTerminationBehavior: endsProcess ? .gracefullyShutdownGroup : .cancelGroup,
                    serviceName: name)
            })
    }

    /// The services in the order in which they start.
    ///
    /// - Throws: `ServiceGraphError` if no order is possible.
    package func ordered() throws(ServiceGraphError) -> [ServiceGroupConfiguration.ServiceConfiguration] {
        var order: [String] = []
        for name in names { try append(name, to: &order, neededBy: []) }
        return order.compactMap { entries[$0]?.configuration }
    }

    /// Appends a service after those that it needs.
    private func append(
        _ name: String, to order: inout [String], neededBy path: [String]
    ) throws(ServiceGraphError) {
        if order.contains(name) { return }
        guard let entry = entries[name] else { throw .unknown(name, neededBy: path.last ?? "") }
        if let start = path.firstIndex(of: name) { throw .cycle(path[start...] + [name]) }
        for need in entry.needs { try append(need, to: &order, neededBy: path + [name]) }
        order.append(name)
    }
}

/// The reason why services have no order.
package enum ServiceGraphError: Error, Hashable, CustomStringConvertible {
    /// A service needs one that was not added.
    case unknown(String, neededBy: String)
    /// Each service of the list needs the next one; the last one is the first one.
    case cycle([String])

    package var description: String {
        switch self {
        case .unknown(let name, let other): "The service \(other) needs \(name), which is not a service."
        case .cycle(let names): "Services need each other: \(names.joined(separator: " needs "))."
        }
    }
}
