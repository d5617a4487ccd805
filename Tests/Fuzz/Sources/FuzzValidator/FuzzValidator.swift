import FuzzSupport
import GraphQL

/// All validation rules, on arbitrary documents.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzValidator(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let document = try? unsafe parse(SourceText(bytes: fuzzInput(start, count))) else { return 0 }
    let telling = errors(in: document, ValidationOptions())
    let silent = errors(in: document, ValidationOptions(maximumErrors: 3, suggests: false))
    claim(telling.isEmpty == silent.isEmpty, "Whether a document is valid depends on the wording of errors.")
    claim(silent.count <= 4, "\(silent.count) errors, where 3 and a last one are allowed")
    claim(telling.allSatisfy { !$0.message.isEmpty }, "An error without a message")
    return 0
}

private func errors(in document: Document, _ options: ValidationOptions) -> [GraphQLError] {
    do throws(GraphQLErrors) {
        _ = try validate(document, against: FuzzSchema.schema, options: options)
        return []
    } catch {
        claim(!error.errors.isEmpty, "An invalid document without an error")
        return error.errors
    }
}
