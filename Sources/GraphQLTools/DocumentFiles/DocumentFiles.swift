import Foundation
package import GraphQL
import PorticoCore

/// The files of a repository that contain operations and fragments: `.graphql`, `.gql` and source code.
package struct DocumentFiles {
    /// The paths, in alphabetical order.
    package let paths: [String]

    /// Folders that contain no documents of the repository itself.
    private static let skippedFolders: Set<String> = ["node_modules", "__generated__", "Pods"]

    /// Searches folders, files and patterns.
    ///
    /// Files in folders with a name that begins with a dot, and in `node_modules`, `Pods` and `__generated__`, are found
    /// only if a pattern names the folder.
    ///
    /// - Throws: `UsageError` if an argument names no file.
    package init(_ arguments: [String]) throws {
        var found: Set<String> = []
        for argument in arguments where !argument.hasPrefix("!") {
            let paths = try DocumentFiles.paths(of: argument)
            if paths.isEmpty { throw UsageError(DocumentFiles.emptyMessage(argument)) }
            found.formUnion(paths)
        }
        for argument in arguments where argument.hasPrefix("!") {
            let pattern = GlobPattern(String(argument.dropFirst()))
            found = found.filter { !pattern.matches($0) }
        }
        paths = found.sorted()
    }

    /// Searches the documents of a config file.
    ///
    /// - Throws: `UsageError` if a path or pattern names no file.
    package init(_ config: GraphQLConfig) throws {
        try self.init(
            config.documents.map { pattern in
                let isExcluding = pattern.hasPrefix("!")
                var path = isExcluding ? String(pattern.dropFirst()) : pattern
                if path.hasPrefix("./") { path = String(path.dropFirst(2)) }
                if config.folder != ".", !path.hasPrefix("/") { path = "\(config.folder)/\(path)" }
                return isExcluding ? "!\(path)" : path
            })
    }

    private static func paths(of argument: String) throws -> [String] {
        if let attributes = try? FileManager.default.attributesOfItem(
            atPath: URL(filePath: argument).resolvingSymlinksInPath().path)
        {
            guard attributes[.type] as? FileAttributeType != .typeRegular else { return [argument] }
            return try files(below: argument, including: []).filter(hasDocuments)
        }
        guard GlobPattern.isPattern(argument) else {
            throw UsageError("\(argument) does not exist, or cannot be read.")
        }
        let pattern = GlobPattern(argument)
        let named = Set(argument.split(separator: "/").map(String.init))
        let root = pattern.root.isEmpty ? "." : pattern.root
        return try files(below: root, including: named).filter(pattern.matches)
    }

    private static func emptyMessage(_ argument: String) -> String {
        GlobPattern.isPattern(argument)
            ? "No file matches \(argument)."
            : "\(argument) has no file with operations: \(extensions.joined(separator: ", "))."
    }

    private static let extensions = [
        ".graphql", ".gql", ".ts", ".tsx", ".js", ".jsx", ".vue", ".svelte", ".swift", ".kt",
    ]

    private static func hasDocuments(_ path: String) -> Bool {
        isGraphQL(path) || EmbeddedDocuments.Language(fileName: path) != nil
    }

    static func isGraphQL(_ path: String) -> Bool { path.hasSuffix(".graphql") || path.hasSuffix(".gql") }

    /// The files below a folder; symbolic links to folders are not followed, because they may form a cycle.
    ///
    /// Hidden and skipped folders are searched only if `named` contains their names.
    private static func files(below folder: String, including named: Set<String>) throws -> [String] {
        let prefix = folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
        guard
            let enumerator = FileManager.default.enumerator(
                at: URL(filePath: folder, directoryHint: .isDirectory),
                includingPropertiesForKeys: [.isRegularFileKey])
        else { throw UsageError("\(folder) is not a directory, or cannot be read.") }
        let base = URL(filePath: folder, directoryHint: .isDirectory).standardizedFileURL.path
        var paths: [String] = []
        for case let url as URL in enumerator {
            let name = url.lastPathComponent
            if !named.contains(name), skippedFolders.contains(name) || name.hasPrefix(".") {
                enumerator.skipDescendants()
                continue
            }
            if (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile != true { continue }
            let path = url.standardizedFileURL.path
            guard path.hasPrefix(base) else { continue }
            paths.append(prefix + path.dropFirst(base.count).drop { $0 == "/" })
        }
        return paths
    }
}

extension DocumentFiles {
    /// A text of GraphQL in a file.
    package struct Document {
        /// The text, in which positions are those of the file.
        package let text: SourceText
        /// The whole file, for excerpts in messages.
        package let file: SourceText
        /// True for a literal of source code.
        let isEmbedded: Bool

        package init(text: SourceText, file: SourceText, isEmbedded: Bool) {
            self.text = text
            self.file = file
            self.isEmbedded = isEmbedded
        }

        /// True if the text has only spaces and interpolations: a literal that joins other documents.
        var isBlank: Bool { text.bytes.allSatisfy { $0 <= 0x20 } }
    }

    /// Reads the texts of all files: each `.graphql` file, and each literal of source code.
    ///
    /// - Throws: `UsageError` if a file cannot be read.
    package func documents() throws -> [Document] {
        try paths.flatMap { path -> [Document] in
            let file = try InputFile(path: path).source
            guard let language = EmbeddedDocuments.Language(fileName: path) else {
                return [Document(text: file, file: file, isEmbedded: false)]
            }
            return EmbeddedDocuments.documents(in: file.bytes, language: language).map { bytes in
                Document(text: SourceText(bytes: bytes, name: path), file: file, isEmbedded: true)
            }
        }
    }

    /// Reads the `.graphql` files, each of which is a complete document.
    ///
    /// - Throws: `UsageError` if a file cannot be read.
    package func completeTexts() throws -> [SourceText] {
        try paths.filter(DocumentFiles.isGraphQL).map { try InputFile(path: $0).source }
    }

    /// The example variables of a document: the file with its name and the extension `.json`; nil if there is none.
    ///
    /// - Throws: `UsageError` if it cannot be read.
    package static func exampleVariables(of path: String) throws -> InputFile? {
        guard let dot = path.lastIndex(of: "."), isGraphQL(path) else { return nil }
        let example = path[..<dot] + ".json"
        return FileManager.default.fileExists(atPath: String(example))
            ? try InputFile(path: String(example)) : nil
    }
}
