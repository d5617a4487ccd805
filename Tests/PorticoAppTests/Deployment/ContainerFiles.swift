import Foundation
import PorticoApp
import PorticoCore
import TestSupport

/// The files by which Portico is put into containers, as they lie beside the tests.
enum ContainerFiles {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL

    static func text(_ path: String) throws -> String {
        try String(contentsOf: repository.appending(path: path), encoding: .utf8)
    }

    static func dockerfile() throws -> DockerfileReader {
        DockerfileReader(try text("Docker/Dockerfile"))
    }

    static func yaml(_ path: String) throws -> JSONValue {
        try YAMLReader.value(of: text(path))
    }

    /// The values in a file with lines `NAME=value`, of which Kustomize makes a ConfigMap.
    static func settings(_ path: String) throws -> [String: String] {
        let lines = try text(path).split(separator: "\n").filter { !$0.hasPrefix("#") }
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), String(parts.last ?? ""))
            })
    }

    /// The resources of the Kubernetes base, by kind; the first of each.
    static func manifests() throws -> [String: JSONValue] {
        let base = "Docker/kubernetes/base"
        let names = try yaml("\(base)/kustomization.yaml")["resources"]?.elements?.compactMap(\.string) ?? []
        let values = try names.map { try yaml("\(base)/\($0)") }
        return Dictionary(
            values.map { ($0["kind"]?.string ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether words are a command of the executable, and which it says it is.
    static func isCommand(_ words: [String], named name: String) async throws -> Bool {
        let run = try await Program.run(words + ["--help"])
        return run.status == 0 && run.output.contains("USAGE: portico \(name)")
    }

    /// The variables that Portico knows.
    static let variables = Set(Settings.all.map(\.variable))

    /// The setting of a variable that names a file with a secret.
    static func isSecretFile(_ variable: String) -> Bool {
        variable.hasSuffix("_FILE") && variables.contains(variable)
    }

    /// Variables whose value is a secret itself, which stand in no file.
    static let secretVariables = Set(
        variables.filter { variables.contains($0 + "_FILE") })
}
