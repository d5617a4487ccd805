import PorticoApp
import TestSupport
import Testing
import portico

@Suite("Docker/compose.yaml")
struct ComposeTests {
    /// Those that run Portico.
    private func services() throws -> [String: JSONValue] {
        let all = try ContainerFiles.yaml("Docker/compose.yaml")["services"]?.members
        return try #require(all).filter { $0.value["image"]?.string?.hasPrefix("portico") == true }
    }

    private func runtime() throws -> DockerfileReader.Stage {
        try #require(try ContainerFiles.dockerfile().stages.last)
    }

    @Test("starts one service by default, with the sandbox")
    func standard() async throws {
        let services = try services()
        let standard = services.filter { $0.value["profiles"] == nil }
        #expect(standard.keys.sorted() == ["portico"])
        let given = try #require(standard["portico"]?["environment"]?.members).compactMapValues(\.string)
        let environment = try runtime().environment.merging(given) { _, own in own }
        let settings = try ServeSettings(
            SettingsLoader.load(environment: environment), sandbox: SandboxService.self)
        guard case .sandbox = settings.market else {
            Issue.record("The service does not use the sandbox.")
            return
        }
    }

    @Test("builds the Dockerfile, and runs it on a read-only root file system")
    func hardening() throws {
        let stage = try runtime()
        let (port, volume) = (try #require(stage.text("EXPOSE")), try #require(stage.text("VOLUME")))
        let volumes = try ContainerFiles.yaml("Docker/compose.yaml")["volumes"]?.members ?? [:]
        let check = try #require(stage.text("HEALTHCHECK")?.split(separator: "CMD ").last)
        let words = try #require(try JSONValue(parsing: String(check)).elements)
        var hostPorts: [String] = []
        for (name, service) in try services() {
            #expect(service["build"]?["dockerfile"] == "Docker/Dockerfile", "\(name)")
            #expect(service["build"]?["context"] == "..", "\(name)")
            #expect(service["read_only"] == "true", "\(name)")
            #expect(service["cap_drop"]?.elements == ["ALL"], "\(name)")
            #expect(service["healthcheck"]?["test"]?.elements == ["CMD"] + words, "\(name)")
            let ports = service["ports"]?.elements?.compactMap(\.string) ?? []
            #expect(ports.allSatisfy { $0.hasPrefix("127.0.0.1:") && $0.hasSuffix(":\(port)") }, "\(name)")
            hostPorts += ports.compactMap { $0.split(separator: ":").dropFirst().first.map(String.init) }
            let mounts = service["volumes"]?.elements?.compactMap(\.string) ?? []
            // Replicas store data in a database only.
            let environment = service["environment"]?.members ?? [:]
            if environment["PORTICO_DATABASE_URL_FILE"] != nil {
                #expect(mounts.isEmpty && environment["PORTICO_DATA"] == "", "\(name)")
                #expect(environment["PORTICO_REDIS_URL_FILE"] != nil, "\(name)")
                continue
            }
            #expect(mounts.count == 1, "\(name)")
            let mount = mounts.first?.split(separator: ":").map(String.init) ?? []
            #expect(mount.last == volume, "\(name)")
            #expect(volumes[mount.first ?? ""] != nil, "\(name)")
        }
        #expect(Set(hostPorts).count == hostPorts.count, "two services on one port")
    }

    @Test("sets variables that Portico has, and secrets as files only")
    func secrets() throws {
        let defined = try ContainerFiles.yaml("Docker/compose.yaml")["secrets"]?.members ?? [:]
        for (name, service) in try services() {
            let environment = service["environment"]?.members?.compactMapValues(\.string) ?? [:]
            let given = Set(service["secrets"]?.elements?.compactMap(\.string) ?? [])
            #expect(Set(environment.keys).isSubset(of: ContainerFiles.variables), "\(name)")
            #expect(ContainerFiles.secretVariables.isDisjoint(with: environment.keys), "\(name)")
            let files = environment.filter { ContainerFiles.isSecretFile($0.key) }.values
            #expect(Set(files) == Set(given.map { "/run/secrets/\($0)" }), "\(name)")
            for secret in given {
                #expect(defined[secret]?["file"]?.string == "./secrets/\(secret)", "\(name)")
            }
        }
    }
}
