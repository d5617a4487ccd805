package import GraphQL

/// The places of the definitions in the text of a schema, for reports about its elements.
package struct SchemaPlaces {
    private let locations: [SchemaCoordinate: SourceLocation]

    /// - Parameter source: The text; without places if it is no schema.
    package init(_ source: SourceText) {
        let document = try? Document.read(source)
        let elements = document?.schemaDefinitions ?? []
        let found = source.locations(of: elements.map(\.name.span))
        // The definition precedes its extensions only by custom; an element itself is defined once.
        locations = Dictionary(
            zip(elements, found).map { ($0.coordinate, $1) }, uniquingKeysWith: { first, _ in first })
    }

    /// The place of an element; if the schema does not have it, of the element that contained it, or else of the first line.
    package func location(of element: SchemaCoordinate) -> SourceLocation {
        if let location = locations[element] { return location }
        switch element {
        case .type, .directive: return SourceLocation(line: 1, column: 1)
        case .member(let type, _): return location(of: .type(type))
        case .argument(let type, let field, _): return location(of: .member(type: type, name: field))
        case .directiveArgument(let directive, _): return location(of: .directive(directive))
        }
    }
}
