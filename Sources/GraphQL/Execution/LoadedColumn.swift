/// What a resolver answered for all parents of a layer.
@usableFromInline
enum LoadedValues<Value: Sendable>: Sendable {
    /// A value for each parent, in their order.
    case values([Value])
    /// A value or an error for each parent, in their order.
    case results([Result<Value, any Error>])
    /// One value, alone in its list, that all parents share.
    case shared([Value])
    /// Nothing but an error, for all of them.
    case failure(any Error)

    /// Answers that are not one for each parent are no answers at all: nobody could say whose is whose.
    @inlinable
    mutating func check(parents: Int) {
        let answers =
            switch self {
            case .values(let values): values.count
            case .results(let results): results.count
            case .shared, .failure: parents
            }
        if answers != parents { self = .failure(ResultCountMismatch(parents: parents, results: answers)) }
    }
}

/// A resolver did not answer once for each parent.
@usableFromInline
struct ResultCountMismatch: Error {
    let parents: Int
    let results: Int

    @usableFromInline
    init(parents: Int, results: Int) {
        self.parents = parents
        self.results = results
    }
}

/// The values of one loaded field for all its parents, by the parent's row.
@usableFromInline
final class LoadedColumn<Value: GraphQLOutput>: Sendable {
    @usableFromInline
    let values: LoadedValues<Value>
    /// By the parent's row: the first row of its children in their own layer.
    ///
    /// Empty where no load lies below.
    @usableFromInline
    let starts: [Int]

    @inlinable
    init(_ values: LoadedValues<Value>, starts: [Int]) {
        self.values = values
        self.starts = starts
    }

    /// Writes the value of a row; null or false where it failed.
    @inlinable
    func write(row: Int, _ selection: Value.Selection, to writer: inout ResponseWriter) -> Bool {
        var childRow = starts.isEmpty ? 0 : starts[row]
        switch values {
        case .values(let values):
            return LoadedColumn.write(values, at: row, selection, row: &childRow, to: &writer)
        case .shared(let value):
            return LoadedColumn.write(value, at: 0, selection, row: &childRow, to: &writer)
        case .results(let results):
            switch results[row] {
            case .success(let value):
                return Value.write(copy: value, selection, row: &childRow, to: &writer)
            case .failure(let error):
                writer.fail(error)
            }
        case .failure(let error):
            writer.fail(error)
        }
        guard Value.acceptsNull else { return false }
        writer.writeNull()
        return true
    }

    /// Writes one of some values from where it lies.
    @inlinable
    @inline(__always)
    static func write(
        _ values: [Value], at position: Int, _ selection: Value.Selection, row: inout Int,
        to writer: inout ResponseWriter
    ) -> Bool {
        unsafe values.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return false }
            return unsafe Value.write(base + position, selection, row: &row, to: &writer)
        }
    }
}

extension LoadedColumn {
    /// The column for loaded values, with the objects among them side by side: the next layer.
    @inlinable
    static func layer(_ values: LoadedValues<Value>, parents: Int) -> (
        column: LoadedColumn, nodes: [Value.Node]
    ) {
        var nodes: [Value.Node] = []
        var starts: [Int] = []
        starts.reserveCapacity(parents)
        switch values {
        case .values(let values):
            for value in values {
                starts.append(nodes.count)
                Value.collect(value, into: &nodes)
            }
        case .results(let results):
            for result in results {
                starts.append(nodes.count)
                if case .success(let value) = result { Value.collect(value, into: &nodes) }
            }
        case .shared(let value):
            starts = Array(repeating: 0, count: parents)
            if let value = value.first { Value.collect(value, into: &nodes) }
        case .failure:
            starts = Array(repeating: 0, count: parents)
        }
        return (LoadedColumn(values, starts: starts), nodes)
    }
}
