import Foundation
import TestSupport

/// Idle WebSockets after `connection_init`: the memory of the server for each.
struct IdleSockets {
    private let sizes: Sizes

    init(_ sizes: Sizes) {
        self.sizes = sizes
    }

    func run(_ command: [String]) async throws {
        let environment = ["PORTICO_MAXIMUM_CONNECTIONS": "\(sizes.sockets + 100)"]
        try await PorticoProcess.with(command, environment) { portico in
            let before = try portico.residentBytes()
            let clients = WebSocketClients(port: portico.port)
            try await clients.open(sizes.sockets)
            try await Task.sleep(for: .seconds(sizes.idleSeconds))
            let after = try portico.residentBytes()
            let open = clients.openCount
            guard open == sizes.sockets else {
                throw BenchmarkError("Of \(sizes.sockets) idle sockets only \(open) are still open.")
            }
            print(
                "\(open) idle WebSockets, after \(sizes.idleSeconds) s: from \(before >> 20) MB, "
                    + "\((after - before) / open) bytes each")
            Report.print("\(after >> 20) MB", target: "under 200 MB", isReached: after < 200 << 20)
            try await clients.close()
        }
    }
}
