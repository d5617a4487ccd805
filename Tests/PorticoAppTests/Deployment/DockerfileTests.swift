import Foundation
import PorticoApp
import TestSupport
import Testing
import portico

@Suite("Docker/Dockerfile")
struct DockerfileTests {
    private func runtime() throws -> DockerfileReader.Stage {
        let stage = try #require(try ContainerFiles.dockerfile().stages.last)
        #expect(stage.name == "runtime")
        return stage
    }

    @Test("builds, tests and runs in separate stages")
    func stages() throws {
        let stages = try ContainerFiles.dockerfile().stages
        #expect(stages.map(\.name) == ["build", "test", "explorer", "system", "sbom", "runtime"])
        // The explorer lies where the executable looks for it: in `share` beside its `bin`.
        #expect(
            stages.last?.all("COPY").map(\.text) == [
                "--from=build /out/portico /usr/local/bin/portico",
                "--from=explorer /out/explorer /usr/local/share/portico/explorer",
                "--from=sbom /sbom.cdx.json /usr/local/share/portico/sbom.cdx.json",
                "LICENSE /usr/local/share/portico/LICENSE",
            ])
        #expect(stages.first?.all("RUN").contains { $0.text.contains("/out/portico") } == true)
    }

    @Test(
        "sets what Portico reads: it listens on the exposed port, and stores its data in the volume"
    )
    func settings() async throws {
        let stage = try runtime()
        let environment = stage.environment
        #expect(Set(environment.keys).isSubset(of: ContainerFiles.variables))
        let reader = try SettingsLoader.load(
            environment: environment.merging(["PORTICO_SANDBOX": "true"]) { own, _ in own }
        )
        let settings = try ServeSettings(reader, sandbox: SandboxService.self)
        #expect(settings.httpServer.host == "0.0.0.0")
        #expect("\(settings.httpServer.port)" == stage.text("EXPOSE"))
        #expect(settings.data == stage.text("VOLUME"))
        #expect(settings.data == stage.text("WORKDIR"))
    }

    @Test("runs the executable with existing commands, as a user other than root")
    func commands() async throws {
        let stage = try runtime()
        let entry = try #require(stage.all("ENTRYPOINT").first?.words)
        #expect(entry == ["/usr/local/bin/portico"])
        let command = try #require(stage.all("CMD").first?.words)
        #expect(try await ContainerFiles.isCommand(command, named: "serve"))
        let check = try #require(stage.text("HEALTHCHECK")?.split(separator: "CMD ").last)
        let words = try #require(try JSONValue(parsing: String(check)).elements?.compactMap(\.string))
        #expect(words.first == entry.first)
        #expect(try await ContainerFiles.isCommand(Array(words.dropFirst()), named: "health"))
        #expect(stage.text("STOPSIGNAL") == "SIGTERM")

        let user = try #require(stage.text("USER"))
        let ids = user.split(separator: ":").compactMap { Int($0) }
        #expect(ids.count == 2 && ids.allSatisfy { $0 > 0 })
        let system = try #require(try ContainerFiles.dockerfile().stages.first { $0.name == "system" })
        let setUp = system.all("RUN").map(\.text).joined()
        #expect(setUp.contains("--gid \(ids[1]) portico") && setUp.contains("--uid \(ids[0]) "))
    }

    @Test("names the base images of Docker/base-images, which can have digests")
    func baseImages() throws {
        let dockerfile = try ContainerFiles.text("Docker/Dockerfile")
        let images = try ContainerFiles.text("Docker/base-images").split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
        #expect(images.count == 2)
        for image in images {
            let tag = image.split(separator: "@").first ?? image
            #expect(dockerfile.contains("\nARG \(tag)\n"), "\(image)")
        }
    }

    @Test("copies every directory that has a target of the package, and no secret")
    func context() throws {
        let ignored = IgnoreFile(try ContainerFiles.text(".dockerignore"))
        let package = try ContainerFiles.text("Package.swift")
        let folders = package.matches(of: /at: "([^"]+)"/).map { String($0.1) }
        #expect(folders.count > 10)
        for folder in folders { #expect(!ignored.ignores(folder), "\(folder)") }
        for file in [
            "Package.swift", "Makefile", "Scripts/setup.sh", "Docker/compose.yaml", "Tests/Golden/types",
            "Scripts/explorer.sh", "Explorer/index.html", "Docker/base-images", "LICENSE",
        ] {
            #expect(!ignored.ignores(file), "\(file), which the tests read")
        }
        for file in ["Docker/secrets/master_key", ".git", "data/portico.db", ".build", "Tests/Fuzz/.build"] {
            #expect(ignored.ignores(file), "\(file)")
        }
    }
}
