/// Writes the payloads of one response after the first.
///
/// All payloads together have at most the bytes that a response may have. Above the limit, the response ends with a
/// last payload: in the current format each announced part is completed with the error; the older format has an entry
/// with the error in place of the part that did not fit.
///
/// It has one reader. The loads of the parts are cancelled when the publisher is released.
///
/// The file is longer than 350 lines, because all methods change the state of one response.
final class IncrementalPublisher {
    private let plan: OperationPlan
    private let execution: Execution
    private let loads: DeferredLoads
    private let format: IncrementalFormat
    private var graph = IncrementalGraph()
    private var payload: IncrementalPayload
    private var nextID = 0
    /// The announced parts that have not ended; only in the current format.
    private var openIDs: Set<Int> = []
    private var isEnded = false
    /// True if the response has become too large: it ends with the next payload.
    private var isOverLimit = false
    /// The error that the response is too large, as a JSON list.
    private lazy var tooLargeErrors = ResponseWriter.bytes(expecting: 256) { $0.write([tooLarge]) }

    init(_ plan: OperationPlan, _ execution: Execution, _ loads: DeferredLoads, _ format: IncrementalFormat) {
        (self.plan, self.execution, self.loads, self.format) = (plan, execution, loads, format)
        payload = IncrementalPayload(limit: plan.settings.responseBytes)
    }

    deinit {
        loads.cancel()
    }

    /// Returns the first payload with the announcements of the deferred parts; unchanged if there are none, and an
    /// error if it is too large with them.
    func first(_ response: GraphQLResponse, _ increments: [Increment]) -> GraphQLResponse {
        // The response is an error, because it is too large without the announcements.
        guard response.outcome != .requestError else {
            isEnded = true
            return response
        }
        payload.hold(response.body.count)
        announce(graph.add(increments, below: []))
        if isOverLimit || !graph.hasNext {
            isEnded = true
            return isOverLimit ? GraphQLResponse(requestErrors: [tooLarge]) : response
        }
        return payload.takeFirst(response)
    }

    /// True if no payload follows.
    var hasEnded: Bool { isEnded }

    /// Returns the next payload as soon as a deferred part is available; nil after the last one, and if the
    /// task is cancelled.
    func next(isolation actor: isolated (any Actor)? = #isolation) async -> GraphQLResponse? {
        while !isEnded {
            let endedCount = loads.endedCount
            if Task.isCancelled || loads.isCancelled { break }
            if let payload = nextAvailable() { return payload }
            await loads.waitForEnd(after: endedCount)
        }
        isEnded = true
        return nil
    }

    /// Returns a payload with all deferred parts that are available; nil if there are none.
    func nextAvailable() -> GraphQLResponse? {
        if isEnded { return nil }
        writeLoadedParts()
        if isOverLimit { completeOpenParts() }
        guard isOverLimit || !payload.isEmpty || !graph.hasNext else { return nil }
        isEnded = isOverLimit || !graph.hasNext
        return payload.take(isLast: isEnded)
    }
}

// MARK: - Writing parts

extension IncrementalPublisher {
    private func writeLoadedParts() {
        while !isOverLimit {
            let loaded = graph.takeLoaded()
            if loaded.isEmpty { return }
            for increment in loaded where !isOverLimit {
                switch increment {
                case .part(let part): write(part)
                case .stream(let stream): write(stream)
                }
            }
        }
    }

    private func write(_ part: DeferredPart) {
        let recorder = IncrementRecorder(scope: part.scope, includesAvailable: false, format: format)
        var isWritten = false
        var failures: [FieldFailure] = []
        let data = bytes(in: part.slots, recorder) { writer in
            isWritten = part.write(to: &writer)
            failures = writer.failures
        }
        guard let data else {
            return exceedLimit(at: part.fragments.first { $0.state == .pending } ?? part.fragments.first)
        }
        guard isWritten else { return fail(part, with: failures) }
        let written = WrittenPart(part, data: data, failures: failures)
        payload.hold(data.count)
        graph.complete(written)
        announce(graph.add(recorder.increments, below: part.fragments))
        var fragments = part.fragments
        var next = 0
        while next < fragments.count, !isOverLimit {
            let fragment = fragments[next]
            next += 1
            guard let (parts, announced) = graph.end(fragment) else { continue }
            announce(announced)
            // One of them may be complete, because its parts have been written with another fragment.
            for case .fragment(let inner) in announced { fragments.append(inner) }
            for part in parts { deliver(part, of: fragment) }
            if format == .pendingAndCompleted { complete(fragment.id) }
        }
    }

    private func fail(_ part: DeferredPart, with failures: [FieldFailure]) {
        payload.hasErrors = true
        graph.fail(part)
        for fragment in part.fragments where graph.fail(fragment) {
            switch format {
            case .pendingAndCompleted: complete(fragment.id, with: failures.suffix(1))
            case .labelAndPath:
                addIncremental(orEndAt: fragment) { writer in
                    writer.write(json: "\"data\":null")
                    write(failures[...], to: &writer)
                    write(fragment.path, fragment.label, to: &writer)
                }
            }
        }
    }

    private func deliver(_ written: WrittenPart, of fragment: DeferredFragment) {
        let data = written.data
        payload.release(data.count)
        if !written.failures.isEmpty { payload.hasErrors = true }
        addIncremental(orEndAt: fragment) { writer in
            writer.write(json: "\"data\":")
            writer.write(json: data.span)
            write(written.failures[...], to: &writer)
            switch format {
            case .labelAndPath: write(fragment.path, fragment.label, to: &writer)
            case .pendingAndCompleted:
                // The announced fragment whose object is nearest, so that the path below it is short.
                let nearest = written.part.fragments.filter { $0.state == .pending }
                    .max { $0.path.count < $1.path.count }
                let best = nearest.flatMap { $0.path.count > fragment.path.count ? $0 : nil } ?? fragment
                write(best.id, subPath: written.part.path.dropFirst(best.path.count), to: &writer)
            }
        }
    }

    private func write(_ stream: StreamedPart) {
        var row = stream.firstRow
        var items: [[UInt8]] = []
        var failures: [FieldFailure] = []
        var increments: [Increment] = []
        for item in 0..<stream.count {
            let recorder = IncrementRecorder(includesAvailable: false, format: format)
            var isWritten = false
            var own: [FieldFailure] = []
            let data = bytes(in: stream.slots, recorder) { writer in
                writer.path.enter(stream.path)
                writer.path.enter()
                writer.path.set(index: stream.initialCount + item)
                isWritten = stream.write(item, &row, &writer)
                own = writer.failures
            }
            guard let data, isWritten else {
                deliver(items, failures, of: stream)
                if data == nil { return exceedLimit(at: item, of: stream) }
                end(stream, failingAt: item, with: own)
                return announce(graph.add(increments, below: []))
            }
            increments += recorder.increments
            switch format {
            case .pendingAndCompleted:
                // With its comma.
                payload.hold(data.count + 1)
                items.append(data)
                failures += own
            case .labelAndPath:
                deliver(item, data, own, of: stream)
                if isOverLimit { return }
            }
        }
        deliver(items, failures, of: stream)
        if isOverLimit { return }
        graph.endStream()
        if format == .pendingAndCompleted { complete(stream.id) }
        announce(graph.add(increments, below: []))
    }

    /// Delivers items in the current format.
    private func deliver(_ items: [[UInt8]], _ failures: [FieldFailure], of stream: StreamedPart) {
        if items.isEmpty { return }
        payload.release(items.reduce(0) { $0 + $1.count + 1 })
        if !failures.isEmpty { payload.hasErrors = true }
        let isAdded = payload.add(to: .incremental) { writer in
            writer.write(items, as: "\"items\":[", then: "]")
            write(failures[...], to: &writer)
            write(stream.id, subPath: [], to: &writer)
        }
        if !isAdded { exceedLimit(at: 0, of: stream) }
    }

    /// Delivers an item in the older format, in which each has an entry.
    private func deliver(_ item: Int, _ data: [UInt8], _ failures: [FieldFailure], of stream: StreamedPart) {
        if !failures.isEmpty { payload.hasErrors = true }
        let isAdded = payload.add(to: .incremental) { writer in
            writer.write([data], as: "\"items\":[", then: "]")
            write(failures[...], to: &writer)
            write(stream.path(of: item), stream.label, to: &writer)
        }
        if !isAdded { exceedLimit(at: item, of: stream) }
    }

    /// Ends a stream of which an item failed.
    private func end(_ stream: StreamedPart, failingAt item: Int, with failures: [FieldFailure]) {
        graph.endStream()
        payload.hasErrors = true
        switch format {
        case .pendingAndCompleted: complete(stream.id, with: failures.suffix(1))
        case .labelAndPath:
            let isAdded = payload.add(to: .incremental) { writer in
                writer.write(json: "\"items\":null")
                write(failures[...], to: &writer)
                write(stream.path(of: item), stream.label, to: &writer)
            }
            if !isAdded { exceedLimit(at: item, of: stream) }
        }
    }

    /// Runs a write pass; returns nil if the response would be too large.
    private func bytes(
        in slots: LoadSlots, _ recorder: IncrementRecorder, _ write: (inout ResponseWriter) -> Void
    ) -> [UInt8]? {
        var isTooLarge = false
        let bytes = ResponseWriter.bytes(expecting: 512, limit: payload.limit, slots: slots) { writer in
            writer.increments = recorder
            write(&writer)
            isTooLarge = writer.isOverLimit
        }
        return isTooLarge ? nil : bytes
    }
}

// MARK: - The limit of the bytes

extension IncrementalPublisher {
    private var tooLarge: GraphQLError {
        GraphQLError(tooLargeResponseTo: plan.operation.type, limit: plan.settings.responseBytes)
    }

    /// Returns the entry that completes an announced part of a response that is too large.
    private func tooLargeCompletion(of id: Int) -> [UInt8] {
        Array("{\"id\":\"\(id)\",\"errors\":".utf8) + tooLargeErrors + [UInt8(ascii: "}")]
    }

    /// Adds an entry with the data of a fragment, or ends the response.
    private func addIncremental(
        orEndAt fragment: DeferredFragment, _ write: (inout ResponseWriter) -> Void
    ) {
        if isOverLimit { return }
        if !payload.add(to: .incremental, write) { exceedLimit(at: fragment) }
    }

    private func exceedLimit(at fragment: DeferredFragment?) {
        exceedLimit("\"data\":null,\"errors\":", at: fragment?.path ?? [], fragment?.label)
    }

    private func exceedLimit(at item: Int, of stream: StreamedPart) {
        exceedLimit("\"items\":null,\"errors\":", at: stream.path(of: item), stream.label)
    }

    /// Ends the response, because the next entry does not fit.
    private func exceedLimit(_ start: StaticString, at path: [Int], _ label: String?) {
        if isOverLimit { return }
        isOverLimit = true
        payload.hasErrors = true
        guard format == .labelAndPath else { return }
        let errors = tooLargeErrors
        let entry = ResponseWriter.bytes(expecting: 512) { writer in
            writer.write(json: "{")
            writer.write(json: start)
            writer.write(json: errors.span)
            write(path, label, to: &writer)
            writer.write(json: "}")
        }
        payload.append(entry, to: .incremental)
    }

    /// Completes all announced parts with the error that the response is too large.
    private func completeOpenParts() {
        for id in openIDs.sorted() { payload.append(tooLargeCompletion(of: id), to: .completed) }
        openIDs = []
    }

    /// Completes an announced part, for which the bytes of another completion are held.
    private func complete(_ id: Int?, with failures: ArraySlice<FieldFailure> = []) {
        guard let id, !isOverLimit else { return }
        let held = tooLargeCompletion(of: id).count + 1
        payload.release(held)
        let isAdded = payload.add(to: .completed) { writer in
            writer.write(json: "\"id\":")
            writer.write(String(id))
            write(failures, to: &writer)
        }
        if isAdded {
            openIDs.remove(id)
        } else {
            payload.hold(held)
            exceedLimit(at: nil)
        }
    }
}

// MARK: - Entries

extension IncrementalPublisher {
    /// Adds the announcements of fragments and streams to the payload.
    private func announce(_ nodes: [IncrementalGraph.Node]) {
        for node in nodes where !isOverLimit {
            let id = nextID
            nextID += 1
            let (path, label): ([Int], String?)
            switch node {
            case .fragment(let fragment):
                fragment.id = id
                (path, label) = (fragment.path, fragment.label)
            case .stream(let stream):
                stream.id = id
                (path, label) = (stream.path, stream.label)
            }
            guard format == .pendingAndCompleted else { continue }
            let held = tooLargeCompletion(of: id).count + 1
            payload.hold(held)
            let isAdded = payload.add(to: .pending) { writer in
                writer.write(json: "\"id\":")
                writer.write(String(id))
                write(path, label, to: &writer)
            }
            if isAdded { openIDs.insert(id) } else { exceedLimit(at: nil) }
        }
    }

    private func write(_ path: [Int], _ label: String?, to writer: inout ResponseWriter) {
        writer.write(json: ",\"path\":")
        writer.write(plan.path(path))
        guard let label, format == .pendingAndCompleted || !label.isEmpty else { return }
        writer.write(json: ",\"label\":")
        writer.write(label)
    }

    private func write(_ id: Int?, subPath: ArraySlice<Int>, to writer: inout ResponseWriter) {
        writer.write(json: ",\"id\":")
        writer.write(String(id ?? 0))
        guard !subPath.isEmpty else { return }
        writer.write(json: ",\"subPath\":")
        writer.write(plan.path(Array(subPath)))
    }

    /// Writes the errors of an entry, one at a time, because all together take more memory than their text.
    private func write(_ failures: ArraySlice<FieldFailure>, to writer: inout ResponseWriter) {
        guard let first = failures.first else { return }
        writer.write(json: ",\"errors\":[")
        writer.write(plan.error(first))
        for failure in failures.dropFirst() where !writer.isOverLimit {
            writer.write(json: ",")
            writer.write(plan.error(failure))
        }
        writer.write(json: "]")
    }
}
