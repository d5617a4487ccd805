import FuzzSupport
import GraphQL

/// Type system documents, built into schemas.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSchema(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let document = try? unsafe parse(SourceText(bytes: fuzzInput(start, count))) else { return 0 }
    do throws(GraphQLErrors) {
        let schema = try Schema.build(document)
        checkPrinted(schema)
        introspect(schema)
    } catch {
        claim(!error.errors.isEmpty, "A refused schema without an error")
        _ = error.description
    }
    return 0
}

/// Checks that a printed schema builds the same schema.
private func checkPrinted(_ schema: Schema) {
    let printed = schema.print()
    guard !printed.isEmpty else { return }
    do throws(GraphQLErrors) {
        let again = try Schema.build(printed).print()
        claim(printed == again, "Printing is no fixed point:\n\(printed)\nbecomes\n\(again)")
    } catch {
        claim(false, "What was printed is no schema: \(error)\n\(printed)")
    }
}

/// Checks that a schema with queries can be introspected.
private func introspect(_ schema: Schema) {
    guard schema.queryType != nil else { return }
    let request = GraphQLRequest(
        """
        { __schema { description types { ...T } directives { name locations args { ...V } } } }
        fragment T on __Type {
          kind name specifiedByURL isOneOf
          fields { name args { ...V } type { ...R } } interfaces { ...R } possibleTypes { ...R }
          inputFields { ...V } enumValues { name deprecationReason }
        }
        fragment V on __InputValue { name type { ...R } defaultValue }
        fragment R on __Type { kind name ofType { kind name ofType { kind name } } }
        """)
    let response = DynamicSchema(schema).execute(request)
    claim(
        response.outcome == .complete,
        "Introspection fails: \(String(decoding: response.body.prefix(2_000), as: UTF8.self))")
}
