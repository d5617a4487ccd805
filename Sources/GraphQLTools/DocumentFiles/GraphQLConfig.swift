import Foundation
import PorticoCore
import Yams

/// A project of a `graphql.config` file in YAML or JSON: its schema and the paths of its documents.
///
/// Source: https://the-guild.dev/graphql/config/docs/user/usage
package struct GraphQLConfig {
    private let path: String
    /// The files or addresses of the schema.
    private let schemas: [String]
    /// The patterns of the documents, relative to `folder`; one that begins with `!` excludes paths.
    let documents: [String]
    /// The folder of the file.
    let folder: String

    /// Returns the schema, with its path relative to the working directory; nil if the file names none.
    ///
    /// - Throws: `UsageError` if the file names several schemas.
    package func schemaPath() throws -> String? {
        guard schemas.count < 2 else {
            throw UsageError(
                "\(path) names \(schemas.count) schemas. Set --schema to a file that contains all of them.")
        }
        guard let schema = schemas.first, !schema.contains("://"), !schema.hasPrefix("/"), folder != "."
        else {
            return schemas.first
        }
        return "\(folder)/\(schema)"
    }

    /// The file names that are read without `--config`, in the order of their preference.
    static let fileNames = [
        ".graphqlrc.yml", ".graphqlrc.yaml", ".graphqlrc.json", ".graphqlrc", "graphql.config.yml",
        "graphql.config.yaml", "graphql.config.json",
    ]

    /// Returns the path of the config file of a folder; nil if there is none.
    package static func path(in folder: String) -> String? {
        fileNames.lazy.map { folder == "." ? $0 : "\(folder)/\($0)" }
            .first { FileManager.default.fileExists(atPath: $0) }
    }

    /// Reads a project of a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - project: The name of the project; nil for the only one, or the one with the name `default`.
    /// - Throws: `UsageError` if the file cannot be read, or has no such project, or no documents.
    package init(path: String, project: String?) throws {
        let text = String(decoding: try InputFile(path: path).bytes, as: UTF8.self)
        let root: Any?
        do {
            // JSON is also YAML.
            root = try Yams.load(yaml: text)
        } catch {
            throw UsageError("\(path) is not YAML or JSON: \(error)")
        }
        guard let root = root as? [String: Any] else {
            throw UsageError("\(path) is not an object with \"schema\" and \"documents\".")
        }
        let section = try GraphQLConfig.section(of: root, project, path)
        self.path = path
        schemas = GraphQLConfig.strings(section["schema"]).map(GraphQLConfig.expandingVariables)
        let included = GraphQLConfig.strings(section["documents"]) + GraphQLConfig.strings(section["include"])
        let excluded = GraphQLConfig.strings(section["exclude"]).map { "!\($0)" }
        documents = included + excluded
        guard !included.isEmpty else {
            throw UsageError("\(path) has no \"documents\", the paths of the files with operations.")
        }
        folder = URL(filePath: path).deletingLastPathComponent().relativePath
    }

    private static func section(of root: [String: Any], _ project: String?, _ path: String) throws -> [String:
        Any]
    {
        guard let projects = root["projects"] as? [String: Any] else {
            guard project == nil else {
                throw UsageError("\(path) has no \"projects\"; leave --project out.")
            }
            return root
        }
        let names = projects.keys.sorted()
        let name = project ?? (names.count == 1 ? names[0] : "default")
        guard let section = projects[name] as? [String: Any] else {
            throw UsageError(
                "\(path) has no project \"\(name)\". Set --project to one of: \(names.joined(separator: ", "))."
            )
        }
        return section
    }

    /// The texts of a value: one, a list, or the keys of objects in a list, as for an address with headers.
    private static func strings(_ value: Any?) -> [String] {
        switch value {
        case let text as String: [text]
        case let list as [Any]: list.flatMap(strings)
        case let object as [String: Any]: object.keys.sorted()
        default: []
        }
    }

    /// Replaces `${NAME}` and `${NAME:default}` by variables of the environment.
    private static func expandingVariables(_ text: String) -> String {
        text.replacing(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\}/) { match in
            ProcessInfo.processInfo.environment[String(match.1)]
                ?? match.2.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "\"'")) } ?? ""
        }
    }
}
