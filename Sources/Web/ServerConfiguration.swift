/// Where a server listens, and its bounds.
package struct ServerConfiguration: Sendable, Hashable {
    /// A name or an address; `0.0.0.0` and `::` are every one of the machine.
    package var host: String
    /// 0 to 65,535; 0 takes a free one.
    package var port: Int
    package var limits: ServerLimits

    package init(host: String = "127.0.0.1", port: Int = 8080, limits: ServerLimits = ServerLimits()) {
        self.host = host
        self.port = port
        self.limits = limits
    }
}

/// A server that could not begin to listen.
package struct ServerStartFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: Int
    /// What the system said.
    package let reason: String

    package var description: String {
        "Cannot listen on \(host) port \(port): \(reason). Free it, or choose another; port 0 takes a free one."
    }
}
