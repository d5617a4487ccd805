import GraphQL
import Logging
import ServiceLifecycle
import Web
import Workload

/// The benchmark's workload behind the front door, for harnesses that measure over sockets: it listens on
/// 127.0.0.1 at `$PORT` and prints its address.
@main
struct BenchServer {
    static func main() async throws {
    }
}
