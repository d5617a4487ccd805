import Foundation
import PorticoApp
import PorticoCore
import TestSupport
import Testing

/// The variables that Kubernetes sets in a container for the Services of its namespace.
@Suite("Variables of Kubernetes Services")
struct ServiceLinkTests {
    /// The variables of a Service with the ports 80 (http) and 9090 (metrics).
    private static func variables(ofService name: String, at address: String = "10.0.0.11") -> [String:
        String]
    {
        var variables = [
            "\(name)_SERVICE_HOST": address, "\(name)_SERVICE_PORT": "80",
            "\(name)_SERVICE_PORT_HTTP": "80", "\(name)_SERVICE_PORT_METRICS": "9090",
        ]
        let host = address.contains(":") ? "[\(address)]" : address
        variables["\(name)_PORT"] = "tcp://\(host):80"
        for port in ["80", "9090"] {
            variables["\(name)_PORT_\(port)_TCP"] = "tcp://\(host):\(port)"
            variables["\(name)_PORT_\(port)_TCP_PROTO"] = "tcp"
            variables["\(name)_PORT_\(port)_TCP_PORT"] = port
            variables["\(name)_PORT_\(port)_TCP_ADDR"] = address
        }
        return variables
    }

    @Test("The server starts with them, and one line of the log names them")
    func start() async throws {
        let links = Self.variables(ofService: "PORTICO").merging(
            Self.variables(ofService: "PORTICO_REDIS", at: "fd00::1f")
        ) { $1 }
        let (health, log) = try await withFolder { folder in
            try await ProcessLimiter.take {
                let environment = links.merging(["PORTICO_DATA": folder.path]) { $1 }
                let program = try Program(["serve", "--sandbox", "--port", "0"], environment: environment)
                let port = try await program.port()
                let health = try Program(["health", "--port", "\(port)"], environment: links)
                let status = await health.exitStatus
                program.stop()
                #expect(await program.exitStatus == 0)
                return (status, await program.errors.whole())
            }
        }
        #expect(health == 0)
        let messages = log.split(separator: "\n").filter {
            $0.contains("Ignored variables that Kubernetes sets for Services")
        }
        #expect(messages.count == 1, "\(log)")
        let message = try #require(messages.first)
        for name in links.keys { #expect(message.contains(name), "\(name)") }
        #expect(message.contains("enableServiceLinks: false"))
    }

    @Test("They set nothing, and a flag still has an effect")
    func values() async throws {
        let links = Self.variables(ofService: "PORTICO")
        let values = try SettingsLoader.load(environment: links)
        #expect(try HTTPServerSettings(values).port == 8_080)
        #expect(values.ignoredVariables == links.keys.sorted())
        let changed = try SettingsLoader.load(flags: ["port": "8181"], environment: links)
        #expect(try HTTPServerSettings(changed).port == 8_181)
    }

    @Test(
        "A variable without the form of Kubernetes is an error as before",
        arguments: [
            ("PORTICO_SERVICE_HOST", "portico.example.com"), ("PORTICO_SERVICE_PORT", "http"),
            ("PORTICO_SERVICE_PORT_HTTP", "99999"), ("PORTICO_PORTS", "tcp://10.0.0.11:80"),
            ("PORTICO_PORT_80", "tcp://10.0.0.11:80"), ("PORTICO_PORT_80_TCP_PROTO", "udp"),
            ("PORTICO_PORT_80_TCP_ADDR", ""), ("PORTICO_REDIS_PORT", "6379"),
        ])
    func otherForm(name: String, value: String) async throws {
        let error = #expect(throws: UsageError.self) {
            try SettingsLoader.load(environment: [name: value])
        }
        #expect(error.map { "\($0)" }?.contains("\(name), which is not a variable of Portico") == true)
    }

    @Test(
        "A port without the form of Kubernetes is an error as before",
        arguments: ["tcp", "tcp://", "tcp://10.0.0.11", "tcp://10.0.0.11:99999", "http://10.0.0.11:80"])
    func port(value: String) async throws {
        let values = try SettingsLoader.load(environment: ["PORTICO_PORT": value])
        #expect(values.ignoredVariables.isEmpty)
        #expect(throws: UsageError.self) { try HTTPServerSettings(values) }
    }
}
