import Contract
import Foundation
import GraphQL
import Web

extension DocumentPolicy {
    /// Trusts the documents of a folder, those of a manifest, or where neither is named the ones that this Portico was
    /// built with.
    init(_ settings: SettingsLoader) throws {
        let documents: [String]
        if let path = try settings.text(.documents) {
            do {
                documents = try DocumentPolicy.documents(at: path)
            } catch let error as UsageError {
                throw UsageError("\(settings.name(of: .documents)): \(error.message)")
            }
        } else {
            documents = try DocumentPolicy.documents(
                ofManifest: Contract.operationsManifest, at: "operations.json")
        }
        self.init(trusting: documents, runsOnlyTrusted: try settings.flag(.documentsOnly) ?? false)
    }

    private static func documents(at path: String) throws -> [String] {
        let values = try? URL(filePath: path).resourceValues(forKeys: [.isDirectoryKey])
        guard let isFolder = values?.isDirectory else {
            throw UsageError("\"\(path)\" is neither a folder nor a file.")
        }
        guard isFolder else { return try documents(ofManifest: InputFile(path: path).bytes, at: path) }
        return try OperationsFolder(path: path).documents.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private static func documents(ofManifest json: [UInt8], at path: String) throws -> [String] {
        do throws(OperationManifest.Fault) {
            return try OperationManifest(json: json).operations.map(\.body)
        } catch {
            throw UsageError("\(path) \(error)")
        }
    }
}
