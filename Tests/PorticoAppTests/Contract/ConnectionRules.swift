import TestSupport

/// What holds of every page of a connection (GraphQL Cursor Connections), as far as the answer shows it.
enum ConnectionRules {
    /// What breaks them; nothing in an object that is no page.
    static func violations(in value: JSONValue) -> [String] {
        var violations: [String] = []
        let (edges, nodes) = (value["edges"]?.elements, value["nodes"]?.elements)
        if let edges, let nodes, edges.count != nodes.count {
            violations.append("\(edges.count) edges, but \(nodes.count) nodes")
        }
        let cursors = edges?.compactMap { $0["cursor"]?.string } ?? []
        if Set(cursors).count != cursors.count { violations.append("a cursor comes twice") }
        guard let page = value["pageInfo"] else { return violations }
        let end = page["endCursor"]?.string
        if page["hasNextPage"] == .bool(true), page["endCursor"] != nil, end == nil {
            violations.append("there is a next page, but no endCursor to ask for it with")
        }
        if let last = cursors.last, page["endCursor"] != nil, end != last {
            violations.append("endCursor is not the last edge's")
        }
        if edges?.isEmpty == true, end != nil { violations.append("an endCursor of no edge") }
        return violations
    }
}
