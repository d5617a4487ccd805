import Foundation
import PorticoApp
import TestSupport
import Testing

@Suite("Docker/monitoring")
struct MonitoringTests {
    private func service(_ name: String) throws -> JSONValue {
        try #require(try ContainerFiles.yaml("Docker/compose.yaml")["services"]?[name])
    }

    /// Every string in a value, however deep.
    private func strings(in value: JSONValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let items): items.flatMap(strings)
        case .object(let members): members.values.flatMap(strings)
        case .null, .bool, .number: []
        }
    }

    @Test("starts with a separate profile, with existing files")
    func files() throws {
        for name in ["prometheus", "dashboard"] {
            let service = try service(name)
            #expect(service["profiles"]?.elements == ["monitoring"])
            for mount in service["volumes"]?.elements?.compactMap(\.string) ?? [] where mount.hasPrefix("./")
            {
                let path = mount.dropFirst(2).prefix { $0 != ":" }
                let file = ContainerFiles.repository.appending(path: "Docker/\(path)")
                #expect(FileManager.default.fileExists(atPath: file.path), "\(mount)")
                #expect(mount.hasSuffix(":ro"), "\(mount)")
            }
        }
    }

    @Test("queries Portico at its port, from a machine that may read the metrics")
    func target() async throws {
        let scrape = try #require(
            try ContainerFiles.yaml("Docker/monitoring/prometheus.yaml")["scrape_configs"]?[0])
        let port = try #require(try ContainerFiles.dockerfile().stages.last?.text("EXPOSE"))
        #expect(scrape["static_configs"]?[0]?["targets"]?.elements == [.string("127.0.0.1:\(port)")])
        #expect(try service("prometheus")["network_mode"] == "service:portico")
        let source = try ContainerFiles.yaml("Docker/monitoring/datasource.yaml")["datasources"]?[0]
        #expect(source?["url"] == "http://portico:9090")
        let path = try #require(scrape["metrics_path"]?.string)
        let answer = try await withServer { server in try await server.get(path) }
        #expect(answer.status == 200)
    }

    @Test("has metrics of the process with the names of Prometheus's client libraries, and of the build")
    func process() async throws {
        let text = try await withServer { server in try await server.get("/metrics").body }
        for name in [
            "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
            "process_max_fds",
            "process_start_time_seconds",
        ] {
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + " ") }, "\(name)")
            let value = try #require(line.split(separator: " ").last.flatMap { Double($0) })
            #expect(value > 0, "\(line)")
        }
        let version =
            try await Program.run(["--version"]).output.split(whereSeparator: \.isWhitespace).last ?? ""
        #expect(text.contains("portico_build_info{version=\"\(version)\"} 1"))
    }

    @Test("shows metrics that Portico has, and has alerts for such metrics only")
    func dashboard() async throws {
        let dashboard = JSONValue.array([
            try JSONValue(parsing: ContainerFiles.text("Docker/monitoring/portico.json")),
            .string(try ContainerFiles.text("Docker/monitoring/alerts.yaml")),
        ])
        let drawn = Set(
            strings(in: dashboard).flatMap { text in
                text.matches(of: /portico_[a-z_]+/).map { String($0.0) }
            })
        #expect(drawn.count > 5)
        let told = try await withServer { server in
            _ = try await server.ask("query Asked { __typename }")
            return try await server.get("/metrics").body
        }
        // A server without PostgreSQL and Redis does not have their metrics.
        let documented = try ContainerFiles.text("docs/deployment.md") + ContainerFiles.text("docs/redis.md")
        for name in drawn {
            let isOptional = name.contains(/^portico_(database|redis|replicas|leases)/)
            #expect((isOptional ? documented : told).contains(name), "\(name)")
        }
    }
}
