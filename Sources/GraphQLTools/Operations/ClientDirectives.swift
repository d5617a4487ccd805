import GraphQL

/// The directives that clients remove from an operation before they send it.
///
/// Sources: https://relay.dev/docs/api-reference/graphql-and-directives/,
/// https://www.apollographql.com/docs/react/data/directives,
/// https://www.apollographql.com/docs/ios/custom-directives, and those of Apollo Kotlin and urql.
enum ClientDirectives {
    /// Their definitions.
    ///
    /// Directives with the same name in several clients have the arguments of all of them.
    static let definitions = """
        directive @client(always: Boolean) on FIELD | FRAGMENT_DEFINITION | FRAGMENT_SPREAD | INLINE_FRAGMENT
        directive @connection(key: String!, filter: [String!], filters: [String!], handler: String, \
        dynamicKey_UNSTABLE: String, prefetchable_pagination: Boolean) on FIELD
        directive @stream_connection(key: String!, filters: [String!], handler: String, label: String, \
        initial_count: Int, if: Boolean, use_customized_batch: Boolean, dynamicKey_UNSTABLE: String) on FIELD
        directive @export(as: String!) on FIELD
        directive @nonreactive on FRAGMENT_SPREAD
        directive @unmask(mode: String) on FRAGMENT_SPREAD
        directive @_unmask on FRAGMENT_SPREAD | FRAGMENT_DEFINITION
        directive @rest(type: String, path: String, method: String, endpoint: String, bodyKey: String) on FIELD
        directive @import(module: String!) on QUERY | MUTATION | SUBSCRIPTION | FRAGMENT_DEFINITION
        directive @apollo_client_ios_localCacheMutation on QUERY | MUTATION | SUBSCRIPTION | FRAGMENT_DEFINITION
        directive @nonnull on FIELD
        directive @optional(if: Boolean = true) on VARIABLE_DEFINITION
        directive @ignoreErrors on QUERY | MUTATION | SUBSCRIPTION
        directive @targetName(name: String!) on FIELD
        directive @populate on FIELD
        directive @_required on FIELD
        directive @_optional on FIELD
        directive @refetchable(queryName: String!, directives: [String!], preferFetchable: Boolean) \
        on FRAGMENT_DEFINITION
        directive @relay(plural: Boolean, mask: Boolean) on FRAGMENT_DEFINITION | FRAGMENT_SPREAD
        directive @inline on FRAGMENT_DEFINITION
        directive @no_inline(raw_response_type: Boolean) on FRAGMENT_DEFINITION
        directive @raw_response_type on QUERY | MUTATION | SUBSCRIPTION
        directive @relay_test_operation on QUERY | MUTATION | SUBSCRIPTION
        directive @preloadable on QUERY
        directive @required(action: RelayRequiredAction!) on FIELD
        directive @catch(to: RelayCatchTo = RESULT) on FIELD | FRAGMENT_DEFINITION | QUERY | MUTATION | SUBSCRIPTION
        directive @throwOnFieldError on FRAGMENT_DEFINITION | QUERY | MUTATION | SUBSCRIPTION
        directive @alias(as: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
        directive @dangerously_unaliased_fixme on FRAGMENT_SPREAD
        directive @waterfall on FIELD
        directive @match(key: String) on FIELD
        directive @module(name: String!) on FRAGMENT_SPREAD
        directive @updatable on QUERY | FRAGMENT_DEFINITION
        directive @assignable on FRAGMENT_DEFINITION
        directive @deleteRecord on FIELD
        directive @deleteEdge(connections: [ID!]!) on FIELD
        directive @appendEdge(connections: [ID!]!) on FIELD
        directive @prependEdge(connections: [ID!]!) on FIELD
        directive @appendNode(connections: [ID!]!, edgeTypeName: String!) on FIELD
        directive @prependNode(connections: [ID!]!, edgeTypeName: String!) on FIELD
        enum RelayRequiredAction { NONE LOG THROW }
        enum RelayCatchTo { NULL RESULT }
        """

    /// The names of all of them.
    static let names: Set<String> = {
        let document = try? Document.read(SourceText(definitions))
        let defined = document?.definitions.compactMap { definition -> String? in
            guard case .directive(let directive) = definition else { return nil }
            return document?.text(directive.name)
        }
        return ofFragmentArguments.union(defined ?? [])
    }()

    /// Directives of fragments with arguments, whose arguments depend on the fragment; `DocumentCombiner` removes them.
    static let ofFragmentArguments: Set<String> = [
        "argumentDefinitions", "arguments", "uncheckedArguments_DEPRECATED",
    ]

    /// Returns a schema's text with the definitions that it lacks.
    static func adding(to schema: Document) throws(GraphQLErrors) -> SourceText {
        let defined = Set(schema.definitions.compactMap { schema.name(of: $0) })
        let added = try Document.read(SourceText(definitions))
        var text = schema.source.bytes
        for definition in added.definitions {
            guard let name = added.name(of: definition), !defined.contains(name) else { continue }
            text += Array("\n".utf8) + Array(added.source.text(definition.span).utf8)
        }
        return SourceText(bytes: text, name: schema.source.name)
    }
}

extension Document {
    /// The name of a type, or that of a directive with its at sign.
    fileprivate func name(of definition: Definition) -> String? {
        switch definition {
        case .type(let type): text(type.name)
        case .directive(let directive): "@" + text(directive.name)
        case .schema, .operation, .fragment: nil
        }
    }
}
