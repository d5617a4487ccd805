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

    /// The manifest of the operations in some documents, each of which has a name.
    ///
    /// An operation has an entry for each different text: that of the file, that of urql's clients, and that of Apollo's
    /// clients. The latter add `__typename`. Apollo's is the last, because its clients use the last entry with a name.
    ///
    /// - Throws: The errors of documents that cannot be parsed, or of operations without a name.
    package init(of documents: [DocumentFiles.Document]) throws {
        let set = try DocumentSet(documents)
        let sources = Dictionary(documents.map { ($0.file.name, $0.file) }) { first, _ in first }
        func report(_ message: String, at places: [SourcePlace]) -> DiagnosticReport {
            let source = sources[places.first?.file ?? ""] ?? SourceText("", name: "the documents")
            return DiagnosticReport(
                source: source, errors: [GraphQLError(message, locations: places.map(\.location))])
        }
        var reports = set.findings.map { report($0.message, at: $0.places) }
        var operations: [Operation] = []
        do throws(GraphQLErrors) {
            for document in try set.sentDocuments() {
                guard let name = document.name else {
                    reports.append(
                        report("Name the operation: clients find it by its name.", at: [document.place]))
                    continue
                }
                var bodies = [document.asWritten, document.printedForUrql].compactMap(\.self)
                bodies.removeAll { $0 == document.printed }
                for body in bodies + [document.printed] {
                    operations.append(
                        Operation(id: DocumentHash(of: body), name: name, type: document.type, body: body))
                }
            }
        } catch {
            reports += error.errors.map { report($0.message, at: []) }
        }
        if reports.isEmpty, operations.isEmpty { reports = [report("There is no operation.", at: [])] }
        if !reports.isEmpty { throw DiagnosticReports(reports: reports) }
        self.operations = operations
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
