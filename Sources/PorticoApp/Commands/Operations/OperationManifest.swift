import Foundation
package import GraphQL
package import GraphQLTools
import PorticoCore
package import Web

/// The operations of a front end by the ids that it sends in place of their documents, in the form that Apollo's clients
/// read and write: `{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id", "name", "type",
/// "body"}]}`.
///
/// An id is the SHA-256 of the body, byte for byte, in hexadecimal digits.
package struct OperationManifest: Hashable {
    /// In the order of the file.
    package let operations: [Operation]

    package struct Operation: Hashable {
        package let id: DocumentHash
        package let name: String
        package let type: OperationType
        /// The document as it was written.
        package let body: String
    }

    private static let format = "apollo-persisted-query-manifest"

    /// The manifest of some documents, each operation of which has a name.
    ///
    /// - Throws: The faults of those that cannot be read, or have an operation without a name, or none.
    package init(of documents: [SourceText]) throws(DiagnosticReports) {
        var operations: [Operation] = []
        var reports: [DiagnosticReport] = []
        for source in documents {
            do throws(GraphQLErrors) {
                operations += try OperationManifest.operations(of: source)
            } catch {
                reports.append(DiagnosticReport(source: source, errors: error.errors))
            }
        }
        if !reports.isEmpty { throw DiagnosticReports(reports: reports) }
        self.operations = operations
    }

    private static func operations(of source: SourceText) throws(GraphQLErrors) -> [Operation] {
        let document = try Document.read(source)
        let body = String(decoding: source.bytes, as: UTF8.self)
        let id = DocumentHash(of: body)
        var operations: [Operation] = []
        for case .operation(let operation) in document.definitions {
            guard let name = operation.name else {
                let place = source.location(of: operation.span)
                throw GraphQLErrors([
                    GraphQLError("Name the operation: clients find it by its name.", locations: [place])
                ])
            }
            operations.append(
                Operation(id: id, name: document.text(name), type: operation.type, body: body))
        }
        guard !operations.isEmpty else {
            throw GraphQLErrors([GraphQLError("The document has no operation.")])
        }
        return operations
    }
}

// MARK: - As JSON

extension OperationManifest {
    /// One line for each operation, so that a difference shows the changed operation.
    package var text: String {
        let lines = operations.map { String(decoding: $0.json.json, as: UTF8.self) }
        return #"{"format":"\#(OperationManifest.format)","version":1,"operations":["#
            + "\n\(lines.joined(separator: ",\n"))\n]}\n"
    }

    /// Reads a manifest.
    ///
    /// - Throws: ``Fault``.
    package init(json bytes: [UInt8]) throws(Fault) {
        let value: InputValue
        do {
            value = try InputValue(json: bytes)
        } catch {
            throw Fault(description: "is not JSON: \(error.message)")
        }
        guard case .object(let manifest) = value, manifest["format"] == .string(OperationManifest.format),
            manifest["version"] == .int(1), case .list(let entries)? = manifest["operations"]
        else {
            throw Fault(
                description:
                    "is not a manifest, which has the form {\"format\": \"\(OperationManifest.format)\", "
                    + "\"version\": 1, \"operations\": […]}.")
        }
        var operations: [Operation] = []
        for (position, entry) in entries.enumerated() {
            operations.append(try Operation(entry, at: position))
        }
        self.operations = operations
    }

    /// Why a manifest cannot be used; to be put behind the name of its file.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        package let description: String
    }
}

extension OperationManifest.Operation {
    fileprivate var json: InputValue {
        .object([
            "id": .string(id.description), "name": .string(name), "type": .string(type.rawValue),
            "body": .string(body),
        ])
    }

    fileprivate init(_ entry: InputValue, at position: Int) throws(OperationManifest.Fault) {
        guard case .object(let fields) = entry, case .string(let id)? = fields["id"],
            case .string(let name)? = fields["name"], case .string(let type)? = fields["type"],
            case .string(let body)? = fields["body"], let type = OperationType(rawValue: type)
        else {
            throw OperationManifest.Fault(
                description: "has no {\"id\", \"name\", \"type\", \"body\"} at operations[\(position)].")
        }
        let hash = DocumentHash(of: body)
        guard DocumentHash(id) == hash else {
            throw OperationManifest.Fault(
                description: "has the operation \"\(name)\" with an id other than the SHA-256 of its body, "
                    + "\(hash).")
        }
        self.init(id: hash, name: name, type: type, body: body)
    }
}

/// A folder with the documents of a front end: all files ending in `.graphql`, in folders within it too.
struct OperationsFolder {
    let path: String
    /// The documents' paths, in alphabetical order.
    let files: [String]

    /// - Throws: `UsageError` if the directory is missing, or contains no document.
    init(path: String) throws {
        self.path = path
        let root = URL(filePath: path, directoryHint: .isDirectory)
        guard let entries = try? FileManager.default.subpathsOfDirectory(atPath: root.path) else {
            throw UsageError("\(path) is not a directory, or cannot be read.")
        }
        files = entries.filter { $0.hasSuffix(".graphql") }.sorted().map { entry in
            path.hasSuffix("/") ? path + entry : "\(path)/\(entry)"
        }
        if files.isEmpty { throw UsageError("\(path) has no file that ends in .graphql.") }
    }

    /// The documents, named by their paths.
    ///
    /// - Throws: `UsageError` if one cannot be read.
    var documents: [SourceText] {
        get throws { try files.map { try InputFile(path: $0).source } }
    }

    /// The example variables of a document: the file with its name and the extension `.json`; nil if there
    /// is none.
    static func variables(of document: String) throws -> InputFile? {
        let path = document.dropLast(".graphql".count) + ".json"
        return FileManager.default.fileExists(atPath: String(path)) ? try InputFile(path: String(path)) : nil
    }
}
