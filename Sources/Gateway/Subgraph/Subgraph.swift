/// A specification by which a gateway composes Portico's schema with the schemas of other services.
///
/// The directives are added to the text: an extension cannot add directives to fields, and the directives of an extension
/// apply to its own fields only.
package enum Subgraph: String, CaseIterable, Sendable {
    /// Apollo Federation 2.
    case federation
    /// The draft of the GraphQL Composite Schemas specification.
    case compositeSchemas = "composite-schemas"

    /// The schema for composition: the public schema with the directives of the specification.
    package func sourceText(of contract: String) -> String {
        switch self {
        case .federation: Self.text(of: contract, Self.tags) + Self.federationLink
        case .compositeSchemas: Self.text(of: contract, Self.lookups) + Self.compositeDefinitions
        }
    }

    /// The schema that is executed: that for composition, with all definitions that it needs.
    package func executableText(of contract: String) -> String {
        switch self {
        case .federation: sourceText(of: contract) + Self.federationDefinitions
        case .compositeSchemas: sourceText(of: contract)
        }
    }

    /// The text with the directives of types, and with directives behind certain texts of fields.
    private static func text(of contract: String, _ fields: KeyValuePairs<String, String>) -> String {
        let typed = contract.replacing(/\ntype (\w+)[^{]*/) { type in
            type.output.0 + (directives[String(type.output.1)].map { "\($0) " } ?? "")
        }
        return fields.reduce(typed) { text, field in
            text.replacing(field.key, with: "\(field.key) \(field.value)")
        }
    }

    /// The directives of types by their names.
    private static let directives =
        Dictionary(uniqueKeysWithValues: EntityType.allCases.map { ($0.rawValue, $0.keyDirectives) })
        // A service may use the connection type of its own library, which has the same page information.
        .merging(["PageInfo": "@shareable"]) { key, _ in key }

    /// The names of groups of fields that a company may want to hide from some of its clients.
    private static let tags: KeyValuePairs = [
        "@requires(scope: READ)": "@tag(name: \"portico-read\")",
        "@requires(scope: WRITE)": "@tag(name: \"portico-write\")",
        "@requires(scope: TRADE)": "@tag(name: \"portico-trade\")",
        ": SessionPayload": "@tag(name: \"portico-sign-in\")",
        ": SignInRequest": "@tag(name: \"portico-sign-in\")",
    ]

    /// The fields that find Portico's own ids only, so they are lookups, and no fields for clients.
    private static let lookups: KeyValuePairs = [
        "): Node": "@lookup @internal", "): [Node]": "@internal",
    ]

    private static let federationLink = """

        extend schema
          @link(
            url: "https://specs.apollo.dev/federation/v2.3"
            import: ["@key", "@shareable", "@tag"]
          )

        \"""Exactly one field is set. Apollo's composition does not know this directive.\"""
        directive @oneOf on INPUT_OBJECT

        """

    /// The definitions that composition adds to a subgraph itself.
    private static let federationDefinitions = """

        \"""The type of an object as `__typename`, and the fields of one of its keys.\"""
        scalar _Any

        \"""The fields of a key, separated by spaces.\"""
        scalar federation__FieldSet

        \"""The name of an element of a specification.\"""
        scalar link__Import

        \"""The purpose of a specification for a gateway.\"""
        enum link__Purpose {
          \"""It is needed for access control.\"""
          SECURITY

          \"""It is needed for execution.\"""
          EXECUTION
        }

        \"""An object to which other services add fields.\"""
        union _Entity = \(EntityType.allCases.map(\.rawValue).joined(separator: " | "))

        \"""The service as a gateway sees it.\"""
        type _Service {
          \"""The schema for composition. FORBIDDEN in production; `portico schema print` prints it.\"""
          sdl: String!
        }

        extend type Query {
          \"""The service as a gateway sees it.\"""
          _service: _Service!

          \"""
          The objects that representations identify, in their order; null for an object for which `node` returns null, and
          with an error for a representation that is invalid.
          \"""
          _entities(
            \"""At most \(Representation.maximumCount).\"""
            representations: [_Any!]!
          ): [_Entity]! @cacheControl(maxAge: 0, scope: PRIVATE) @listSize(slicingArguments: ["representations"])
        }

        \"""Uses elements of a specification.\"""
        directive @link(
          \"""The URL of the specification with its version.\"""
          url: String!

          \"""The prefix of elements that are not imported.\"""
          as: String

          \"""The purpose of the specification.\"""
          for: link__Purpose

          \"""The elements that are used without the prefix.\"""
          import: [link__Import]
        ) repeatable on SCHEMA

        \"""The fields that identify an object in all services.\"""
        directive @key(
          \"""The names of the fields.\"""
          fields: federation__FieldSet!

          \"""Whether `_entities` finds an object by the fields.\"""
          resolvable: Boolean = true
        ) repeatable on INTERFACE | OBJECT

        \"""Other services may define the fields, too.\"""
        directive @shareable repeatable on FIELD_DEFINITION | OBJECT

        \"""A name by which contracts include or exclude elements.\"""
        directive @tag(
          \"""The name.\"""
          name: String!
        ) repeatable on ARGUMENT_DEFINITION | ENUM | ENUM_VALUE | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | INPUT_OBJECT | INTERFACE | OBJECT | SCALAR | SCHEMA | UNION

        """

    private static let compositeDefinitions = """

        extend type Query {
          \"""The instrument with the symbol; null if there is none.\"""
          instrumentBySymbol(
            \"""A symbol of Portico: AAPL, BRK.B, TSCO:XLON, EUR/DKK, BTC/USD, ^SPX.\"""
            symbol: String!
          ): Instrument @lookup @internal @cacheControl(maxAge: 86400)

          \"""The latest price of one instrument from one provider.\"""
          quoteBySource(
            \"""A symbol of Portico.\"""
            symbol: String!

            \"""The provider.\"""
            source: ProviderName!
          ): Quote @lookup @internal @cacheControl(maxAge: 1)
        }

        \"""The fields of a key, separated by spaces.\"""
        scalar FieldSelectionSet

        \"""The fields that identify an object in all services.\"""
        directive @key(
          \"""The names of the fields.\"""
          fields: FieldSelectionSet!
        ) repeatable on INTERFACE | OBJECT

        \"""The field finds an object by the fields of a key, which are its arguments.\"""
        directive @lookup on FIELD_DEFINITION

        \"""The composed schema does not have the field.\"""
        directive @internal on FIELD_DEFINITION | OBJECT

        \"""Other services may define the fields, too.\"""
        directive @shareable repeatable on FIELD_DEFINITION | OBJECT

        """
}
