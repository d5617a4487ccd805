import PorticoApp
import TestSupport
import Testing

@Suite("Docker/kubernetes")
struct KubernetesTests {
    private func pod() throws -> JSONValue {
        try #require(try ContainerFiles.manifests()["Deployment"]?["spec"]?["template"]?["spec"])
    }

    private func container() throws -> JSONValue {
        let containers = try #require(try pod()["containers"]?.elements)
        #expect(containers.count == 1)
        return try #require(containers.first)
    }

    private func runtime() throws -> DockerfileReader.Stage {
        try #require(try ContainerFiles.dockerfile().stages.last)
    }

    /// The values of the ConfigMap, which are the container's environment.
    private func settingValues() throws -> [String: String] {
        let base = "Docker/kubernetes/base"
        let generator = try ContainerFiles.yaml("\(base)/kustomization.yaml")["configMapGenerator"]?[0]
        let source = try container()["envFrom"]?[0]?["configMapRef"]
        #expect(source?["name"] == generator?["name"])
        return try ContainerFiles.settings("\(base)/settings.env")
    }

    /// The settings of a component.
    private func settings(of component: String) throws -> [String: String] {
        try ContainerFiles.settings("Docker/kubernetes/components/\(component)/settings.env")
    }

    private func probes() throws -> [JSONValue] {
        let container = try container()
        return try ["startupProbe", "livenessProbe", "readinessProbe"].map { name in
            try #require(container[name]?["httpGet"], "\(name)")
        }
    }

    @Test("runs an existing command, on the image's port, as the image's user, with one replica")
    func identity() async throws {
        let (container, stage) = (try container(), try runtime())
        let arguments = container["args"]?.elements?.compactMap(\.string) ?? []
        #expect(!arguments.isEmpty)
        #expect(try await ContainerFiles.isCommand(arguments, named: "serve"))
        #expect(container["ports"]?[0]?["containerPort"]?.string == stage.text("EXPOSE"))
        let security = try #require(try pod()["securityContext"])
        let user = "\(security["runAsUser"]?.string ?? ""):\(security["runAsGroup"]?.string ?? "")"
        #expect(user == stage.text("USER"))
        #expect(security["fsGroup"] == security["runAsGroup"])
        #expect(container["securityContext"]?["readOnlyRootFilesystem"] == "true")
        #expect(container["securityContext"]?["allowPrivilegeEscalation"] == "false")
        let deployment = try #require(try ContainerFiles.manifests()["Deployment"]?["spec"])
        #expect(deployment["replicas"] == "1", "SQLite has one writer")
        #expect(deployment["strategy"]?["type"] == "Recreate")
    }

    @Test("the overlays and the GitHub Action name the image of this version")
    func version() async throws {
        let output = try await Program.run(["--version"]).output
        let version = try #require(output.split(whereSeparator: \.isWhitespace).last.map(String.init))
        for overlay in ["single", "production", "replicas"] {
            let file = try ContainerFiles.yaml("Docker/kubernetes/overlays/\(overlay)/kustomization.yaml")
            #expect(file["images"]?[0]?["newTag"]?.string == version, "\(overlay)")
        }
        #expect(try ContainerFiles.text("action.yml").contains("default: \"\(version)\""))
    }

    @Test("probes use the admin port, and each port of the container has a service of its own")
    func ports() throws {
        let ports = try #require(try container()["ports"]?.elements)
        #expect(ports.map { $0["name"] } == ["http", "admin"])
        let adminPort = try settingValues()["PORTICO_ADMIN_PORT"]
        #expect(ports.last?["containerPort"]?.string == adminPort)
        for probe in try probes() { #expect(probe["port"] == "admin") }
        let labels = try ContainerFiles.manifests()["Deployment"]?["spec"]?["template"]?["metadata"]?[
            "labels"]
        for (file, port) in [("service", "http"), ("admin-service", "admin")] {
            let service = try ContainerFiles.yaml("Docker/kubernetes/base/\(file).yaml")["spec"]
            #expect(service?["ports"]?.elements?.map { $0["targetPort"]?.string } == [port])
            #expect(service?["selector"] == labels)
        }
    }

    @Test("probes request paths to which a running Portico responds")
    func paths() async throws {
        let paths = Set(try probes().compactMap { $0["path"]?.string })
        try await withServer { server in
            for path in paths {
                let answer = try await server.get(path)
                #expect(answer.status == 200, "\(path)")
            }
        }
    }

    @Test("sets variables that Portico has, and secrets as mounted files")
    func settings() throws {
        let (container, pod) = (try container(), try pod())
        let mounts = container["volumeMounts"]?.elements ?? []
        let secrets = mounts.filter { $0["name"] == "secrets" }.compactMap { $0["mountPath"]?.string }
        let folder = try #require(secrets.first)
        for entry in container["env"]?.elements ?? [] {
            let name = try #require(entry["name"]?.string)
            #expect(ContainerFiles.isSecretFile(name), "\(name)")
            #expect(entry["value"]?.string?.hasPrefix(folder + "/") == true, "\(name)")
        }
        let components = ["production", "ingress", "ingress-nginx", "gateway", "postgres", "replicas"]
        let names = try components.flatMap { try settings(of: $0).keys } + settingValues().keys
        for name in names {
            #expect(ContainerFiles.variables.contains(name), "\(name)")
            #expect(!ContainerFiles.secretVariables.contains(name), "\(name)")
        }
        let volumes = pod["volumes"]?.elements ?? []
        #expect(Set(mounts.map { $0["name"] }) == Set(volumes.map { $0["name"] }))
    }

    @Test("the overlay of replicas has no data directory, and the URLs of its servers in files")
    func replicas() throws {
        let folder = "Docker/kubernetes"
        let used = try ContainerFiles.yaml("\(folder)/overlays/replicas/kustomization.yaml")["components"]?
            .elements?
            .compactMap { $0.string?.split(separator: "/").last.map(String.init) }
        #expect(used == ["production", "ingress-nginx", "postgres", "redis", "replicas"])
        #expect(try settings(of: "postgres")["PORTICO_DATA"] == "")
        #expect(try settings(of: "ingress-nginx")["PORTICO_TRUSTED_PROXIES"] == "1")
        let specs = try ["postgres", "redis", "replicas"].map { component in
            try ContainerFiles.yaml("\(folder)/components/\(component)/deployment.yaml")["spec"]
        }
        #expect(specs[2]?["replicas"] == "3")
        #expect(specs[0]?["strategy"]?["type"] == "RollingUpdate")
        let variables = specs.flatMap { spec in
            let container = spec?["template"]?["spec"]?["containers"]?[0]
            return container?["env"]?.elements?.compactMap { $0["name"]?.string } ?? []
        }
        #expect(variables == ["PORTICO_DATABASE_URL_FILE", "PORTICO_REDIS_URL_FILE"])
        for name in variables { #expect(ContainerFiles.isSecretFile(name), "\(name)") }
    }

    @Test("stores the data in a claim, mounted at the image's volume")
    func storage() throws {
        let (container, pod) = (try container(), try pod())
        let mount = container["volumeMounts"]?.elements?.first { $0["name"] == "data" }
        let kept = try runtime().text("VOLUME")
        #expect(mount?["mountPath"]?.string == kept)
        let volume = pod["volumes"]?.elements?.first { $0["name"] == "data" }
        let claim = try ContainerFiles.manifests()["PersistentVolumeClaim"]?["metadata"]?["name"]
        #expect(claim != nil)
        #expect(volume?["persistentVolumeClaim"]?["claimName"] == claim)
    }
}
