/// A parameter with its variants: `ticker`, `ticker.gte`, `ticker.gt`, `ticker.lte`, `ticker.lt`.
struct FakePolygonRange: Sendable {
    private let equal: String?
    private let bounds: [(holds: @Sendable (String, String) -> Bool, bound: String)]

    init(of name: String, _ visit: FakePolygonHost.AuthenticatedRequest) {
        equal = visit[name].flatMap { $0.isEmpty ? nil : $0 }
        let comparisons: [(String, @Sendable (String, String) -> Bool)] = [
            ("gte", { $0 >= $1 }), ("gt", { $0 > $1 }), ("lte", { $0 <= $1 }), ("lt", { $0 < $1 }),
        ]
        bounds = comparisons.compactMap { suffix, holds in
            visit["\(name).\(suffix)"].map { (holds, $0) }
        }
    }

    /// Whether nothing is asked for.
    var isEverything: Bool { equal == nil && bounds.isEmpty }

    func contains(_ value: String) -> Bool {
        (equal ?? value) == value && bounds.allSatisfy { $0.holds(value, $0.bound) }
    }
}
