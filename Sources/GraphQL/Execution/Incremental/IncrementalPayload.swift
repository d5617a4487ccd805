/// The entries of the next payload of a response, and the bytes that the rest of the response may have.
///
/// An entry that would exceed them is not added. An announced part is counted with the entry that ends it if the response
/// becomes too large, so that there is room to end each.
struct IncrementalPayload {
    private var pending: [[UInt8]] = []
    private var incremental: [[UInt8]] = []
    private var completed: [[UInt8]] = []
    /// True if an entry has errors.
    var hasErrors = false
    private var remainingBytes: Int

    /// The lists of a payload.
    enum List {
        case pending, incremental, completed
    }

    /// The bytes of a payload without its entries.
    private static let emptyBytes =
        #"{"hasNext":false,"pending":[],"incremental":[],"completed":[]}"#.utf8.count

    /// Creates the first payload.
    ///
    /// - Parameter limit: The bytes that the response may have.
    init(limit: Int) {
        remainingBytes = limit - IncrementalPayload.emptyBytes
    }

    /// True if the payload has no data and ends no part.
    var isEmpty: Bool { incremental.isEmpty && completed.isEmpty }

    /// The maximum number of bytes of the next entry.
    var limit: Int { max(0, remainingBytes) }

    /// Counts bytes that are written later, or that belong to the first payload.
    mutating func hold(_ bytes: Int) { remainingBytes -= bytes }

    /// Adds bytes that were held: they are not written, or are counted with an entry.
    mutating func release(_ bytes: Int) { remainingBytes += bytes }

    /// Adds an object to a list.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - write: Writes the members of the object.
    /// - Returns: False if the response would be too large; nothing is then added.
    mutating func add(to list: List, _ write: (inout ResponseWriter) -> Void) -> Bool {
        var isTooLarge = false
        let entry = ResponseWriter.bytes(expecting: 256, limit: limit) { writer in
            writer.write(json: "{")
            write(&writer)
            // With the comma before the entry.
            writer.write(json: "},")
            isTooLarge = writer.isOverLimit
        }
        if isTooLarge { return false }
        remainingBytes -= entry.count
        append(entry.dropLast(), to: list)
        return true
    }

    /// Adds an entry whose bytes are held.
    mutating func append(_ entry: some Collection<UInt8>, to list: List) {
        switch list {
        case .pending: pending.append(Array(entry))
        case .incremental: incremental.append(Array(entry))
        case .completed: completed.append(Array(entry))
        }
    }

    /// Returns the first payload: the members of a response, after the announcements; empties the lists.
    mutating func takeFirst(_ response: GraphQLResponse) -> GraphQLResponse {
        let body = ResponseWriter.bytes(expecting: response.body.count + 64 * pending.count) { writer in
            writer.write(json: "{\"hasNext\":true,")
            writer.write(pending, as: "\"pending\":[", then: "],")
            writer.write(json: response.body.span.extracting(droppingFirst: min(1, response.body.count)))
        }
        self = IncrementalPayload(limit: remainingBytes)
        return GraphQLResponse(
            body: body, outcome: response.outcome, hasExtensions: response.hasExtensions)
    }

    /// Returns a later payload, and empties the lists.
    mutating func take(isLast: Bool) -> GraphQLResponse {
        let body = ResponseWriter.bytes(expecting: 1_024) { writer in
            writer.write(json: "{\"hasNext\":")
            writer.write(!isLast)
            writer.write(pending, as: ",\"pending\":[", then: "]")
            writer.write(incremental, as: ",\"incremental\":[", then: "]")
            writer.write(completed, as: ",\"completed\":[", then: "]")
            writer.write(json: "}")
        }
        let outcome: GraphQLResponse.Outcome = hasErrors ? .partial : .complete
        self = IncrementalPayload(limit: remainingBytes)
        return GraphQLResponse(body: body, outcome: outcome)
    }
}

extension ResponseWriter {
    /// Writes JSON texts as a list; writes nothing if there are none.
    mutating func write(_ texts: [[UInt8]], as start: StaticString, then end: StaticString) {
        if texts.isEmpty { return }
        write(json: start)
        for (position, text) in texts.enumerated() {
            if position > 0 { write(json: ",") }
            write(json: text.span)
        }
        write(json: end)
    }
}
