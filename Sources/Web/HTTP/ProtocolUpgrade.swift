package import NIOCore

/// Takes a connection over for another protocol, after the `101` that says so.
package struct ProtocolUpgrade: Sendable {
    let takeOver: @Sendable (any Channel) throws -> Void

    /// - Parameter takeOver: called on the connection's event loop, once the response is written: adds the handlers
    ///   of the new protocol to the end of the pipeline, synchronously, and throws where it cannot. All handlers of
    ///   HTTP leave then. What the client has already sent behind its request reaches the new handlers as
    ///   `ByteBuffer`s, before anything that comes later. They are told of a draining server by a `DrainEvent`, and
    ///   must close the channel in good order then; it is closed for them when the bound for draining is over. The
    ///   connection goes on counting among those of the server.
    package init(_ takeOver: @escaping @Sendable (any Channel) throws -> Void) {
        self.takeOver = takeOver
    }
}
