import Glibc

/// A listener without accepts, whose queue is full.
///
/// The kernel drops each further attempt to connect.
struct FullListener {
    let port: UInt16
    private let descriptors: [Int32]

    init() throws {
        let listener = try TestServer.boundSocket()
        guard listen(listener, 0) == 0 else { throw TestServer.Failure(errno: errno) }
        port = try TestServer.port(of: listener)
        // A queue of length 0 has a place for one.
        descriptors = [listener, try TestServer.connectedSocket(port: port)]
    }

    func close() {
        for descriptor in descriptors { Glibc.close(descriptor) }
    }
}
