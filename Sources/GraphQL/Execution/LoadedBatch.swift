/// The result of a load for all parents of a layer.
@usableFromInline
enum LoadedValues<Value: Sendable>: Sendable {
    /// A value for each parent, in their order.
    case values([Value])
    /// A value or an error for each parent, in their order.
    case results([Result<Value, any Error>])
    /// One value that all parents share, as the only element.
    case shared([Value])
    /// One error for all parents.
    case failure(any Error)

    /// Rejects results whose number differs from that of the parents, because they cannot be assigned to
    /// parents.
    @inlinable
    mutating func check(parents: Int) {
        let resultCount =
            switch self {
            case .values(let values): values.count
            case .results(let results): results.count
            case .shared, .failure: parents
            }
        if resultCount != parents {
            self = .failure(ResultCountMismatch(parents: parents, results: resultCount))
        }
    }
}

/// The error that a resolver did not return one result for each parent.
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
final class LoadedBatch<Value: GraphQLOutput>: Sendable {
    @usableFromInline
    let values: LoadedValues<Value>
    /// The first row of the children in their own layer, by the parent's row.
    ///
    /// Empty if no load is below.
    @usableFromInline
    let starts: [Int]

    @inlinable
    init(_ values: LoadedValues<Value>, starts: [Int]) {
        self.values = values
        self.starts = starts
    }

    /// Writes the value of a row; null or false if it failed.
    @inlinable
    func write(row: Int, _ selection: Value.Selection, to writer: inout ResponseWriter) -> Bool {
        var childRow = starts.isEmpty ? 0 : starts[row]
        switch values {
        case .values(let values):
            return LoadedBatch.write(values, at: row, selection, row: &childRow, to: &writer)
        case .shared(let value):
            return LoadedBatch.write(value, at: 0, selection, row: &childRow, to: &writer)
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

    /// Writes one of several values in place.
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

extension LoadedBatch {
    /// Creates the column of loaded values, with the contained objects as the next layer.
    @inlinable
    static func layer(_ values: LoadedValues<Value>, parents: Int) -> (
        column: LoadedBatch, nodes: [Value.Node]
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
        return (LoadedBatch(values, starts: starts), nodes)
    }
}
