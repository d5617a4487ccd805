import Foundation
import GraphQL

/// A folder with the documents of a front end: all files ending in `.graphql`, in folders within it too.
struct OperationsFolder {
    let path: String
    /// The documents' paths, in alphabetical order.
    let files: [String]

    /// - Throws: `UsageError` where there is no such folder, or no document in it.
    init(path: String) throws {
        self.path = path
        let root = URL(filePath: path, directoryHint: .isDirectory)
        guard let entries = try? FileManager.default.subpathsOfDirectory(atPath: root.path) else {
            throw UsageError("\(path) is no folder, or cannot be read.")
        }
        files = entries.filter { $0.hasSuffix(".graphql") }.sorted().map { entry in
            path.hasSuffix("/") ? path + entry : "\(path)/\(entry)"
        }
        if files.isEmpty { throw UsageError("\(path) has no file that ends in .graphql.") }
    }

    /// Their texts, named by their paths.
    ///
    /// - Throws: `UsageError` where one cannot be read.
    var documents: [SourceText] {
        get throws { try files.map { try InputFile(path: $0).source } }
    }

    /// The example variables of a document: the file of its name that ends in `.json`; nil where there is none.
    static func variables(of document: String) throws -> InputFile? {
        let path = document.dropLast(".graphql".count) + ".json"
        return FileManager.default.fileExists(atPath: String(path)) ? try InputFile(path: String(path)) : nil
    }
}
