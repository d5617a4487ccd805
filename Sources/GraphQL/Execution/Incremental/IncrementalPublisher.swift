/// Writes the payloads of one response after the first.
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
    private var payload = Payload()
    private var nextID = 0
    private var isEnded = false
    /// The bytes that the rest of the response may have.
    private var remainingBytes: Int

    /// The entries of the next payload as JSON.
    private struct Payload {
        var pending: [[UInt8]] = []
        var incremental: [[UInt8]] = []
        var completed: [[UInt8]] = []
        var hasErrors = false

        var isEmpty: Bool { incremental.isEmpty && completed.isEmpty }
    }

    init(_ plan: OperationPlan, _ execution: Execution, _ loads: DeferredLoads, _ format: IncrementalFormat) {
        (self.plan, self.execution, self.loads, self.format) = (plan, execution, loads, format)
        remainingBytes = plan.settings.responseBytes
    }

    deinit {
        loads.cancel()
    }

    /// Returns the first payload with the announcements of the deferred parts; unchanged if there are none.
    func first(_ response: GraphQLResponse, _ increments: [Increment]) -> GraphQLResponse {
        announce(graph.add(increments, below: []))
        guard graph.hasNext else {
            isEnded = true
            return response
        }
        let body = ResponseWriter.bytes(expecting: response.body.count + 64 * payload.pending.count) {
            writer in
            writer.write(json: "{\"hasNext\":true,")
            writer.write(payload.pending, as: "\"pending\":[", then: "],")
            writer.write(json: response.body.span.extracting(droppingFirst: min(1, response.body.count)))
        }
        payload = Payload()
        remainingBytes -= min(remainingBytes, body.count)
        return GraphQLResponse(
            body: body, outcome: response.outcome, hasExtensions: response.hasExtensions)
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
        return payload.isEmpty && graph.hasNext ? nil : finishPayload()
    }

    private func finishPayload() -> GraphQLResponse {
        isEnded = !graph.hasNext
        let body = ResponseWriter.bytes(expecting: 1_024) { writer in
            writer.write(json: "{\"hasNext\":")
            writer.write(!isEnded)
            writer.write(payload.pending, as: ",\"pending\":[", then: "]")
            writer.write(payload.incremental, as: ",\"incremental\":[", then: "]")
            writer.write(payload.completed, as: ",\"completed\":[", then: "]")
            writer.write(json: "}")
        }
        let outcome: GraphQLResponse.Outcome = payload.hasErrors ? .partial : .complete
        payload = Payload()
        return GraphQLResponse(body: body, outcome: outcome)
    }
}

// MARK: - Writing parts

extension IncrementalPublisher {
    private func writeLoadedParts() {
        while true {
            let loaded = graph.takeLoaded()
            if loaded.isEmpty { return }
            for increment in loaded {
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
            fail(part, with: [tooLarge])
            return
        }
        guard isWritten else {
            fail(part, with: causes(of: failures))
            return
        }
        let written = WrittenPart(part, data: data, failures: failures)
        graph.complete(written)
        announce(graph.add(recorder.increments, below: part.fragments))
        var fragments = part.fragments
        var next = 0
        while next < fragments.count {
            let fragment = fragments[next]
            next += 1
            guard let (parts, announced) = graph.end(fragment) else { continue }
            announce(announced)
            // One of them may be complete, because its parts have been written with another fragment.
            for case .fragment(let inner) in announced { fragments.append(inner) }
            for part in parts { deliver(part, of: fragment) }
            if format == .pendingAndCompleted {
                payload.completed.append(InputValue.object(["id": .string(String(fragment.id ?? 0))]).json)
            }
        }
    }

    private func fail(_ part: DeferredPart, with errors: [GraphQLError]) {
        payload.hasErrors = true
        graph.fail(part)
        for fragment in part.fragments where graph.fail(fragment) {
            switch format {
            case .pendingAndCompleted: complete(fragment.id, with: errors)
            case .labelAndPath:
                payload.incremental.append(
                    object { writer in
                        writer.write(json: "\"data\":null")
                        write(errors, to: &writer)
                        write(fragment.path, fragment.label, to: &writer)
                    })
            }
        }
    }

    private func complete(_ id: Int?, with errors: [GraphQLError]) {
        payload.completed.append(
            object { writer in
                writer.write(json: "\"id\":")
                writer.write(String(id ?? 0))
                write(errors, to: &writer)
            })
    }

    private func deliver(_ written: WrittenPart, of fragment: DeferredFragment) {
        let data = written.data
        payload.incremental.append(
            object { writer in
                writer.write(json: "\"data\":")
                writer.write(json: data.span)
                write(errors(written.failures), to: &writer)
                switch format {
                case .labelAndPath: write(fragment.path, fragment.label, to: &writer)
                case .pendingAndCompleted:
                    // The announced fragment whose object is nearest, so that the path below it is short.
                    let nearest = written.part.fragments.filter { $0.state == .pending }
                        .max { $0.path.count < $1.path.count }
                    let best = nearest.flatMap { $0.path.count > fragment.path.count ? $0 : nil } ?? fragment
                    write(best.id, subPath: written.part.path.dropFirst(best.path.count), to: &writer)
                }
            })
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
                end(stream, failingAt: item, with: data == nil ? [tooLarge] : causes(of: own))
                announce(graph.add(increments, below: []))
                return
            }
            increments += recorder.increments
            switch format {
            case .pendingAndCompleted:
                items.append(data)
                failures += own
            case .labelAndPath: deliver(item, data, own, of: stream)
            }
        }
        deliver(items, failures, of: stream)
        end(stream, failingAt: nil, with: [])
        announce(graph.add(increments, below: []))
    }

    /// Delivers items in the current format.
    private func deliver(_ items: [[UInt8]], _ failures: [FieldFailure], of stream: StreamedPart) {
        if items.isEmpty { return }
        payload.incremental.append(
            object { writer in
                writer.write(items, as: "\"items\":[", then: "]")
                write(errors(failures), to: &writer)
                write(stream.id, subPath: [], to: &writer)
            })
    }

    /// Delivers an item in the older format, in which each has an entry.
    private func deliver(_ item: Int, _ data: [UInt8], _ failures: [FieldFailure], of stream: StreamedPart) {
        payload.incremental.append(
            object { writer in
                writer.write([data], as: "\"items\":[", then: "]")
                write(errors(failures), to: &writer)
                write(stream.path + [stream.initialCount + item], stream.label, to: &writer)
            })
    }

    private func end(_ stream: StreamedPart, failingAt item: Int?, with errors: [GraphQLError]) {
        graph.end(stream)
        if item != nil { payload.hasErrors = true }
        switch (format, item) {
        case (.pendingAndCompleted, _): complete(stream.id, with: errors)
        case (.labelAndPath, nil): break
        case (.labelAndPath, let item?):
            payload.incremental.append(
                object { writer in
                    writer.write(json: "\"items\":null")
                    write(errors, to: &writer)
                    write(stream.path + [stream.initialCount + item], stream.label, to: &writer)
                })
        }
    }

    /// Runs a write pass; returns nil if the response would be too large.
    private func bytes(
        in slots: LoadSlots, _ recorder: IncrementRecorder, _ write: (inout ResponseWriter) -> Void
    ) -> [UInt8]? {
        var isTooLarge = false
        let bytes = ResponseWriter.bytes(expecting: 512, limit: remainingBytes, slots: slots) { writer in
            writer.increments = recorder
            write(&writer)
            isTooLarge = writer.isOverLimit
        }
        if isTooLarge { return nil }
        remainingBytes -= min(remainingBytes, bytes.count)
        return bytes
    }

    private var tooLarge: GraphQLError {
        GraphQLError(tooLargeResponseTo: plan.operation.type, limit: plan.settings.responseBytes)
    }
}

// MARK: - Entries

extension IncrementalPublisher {
    /// Adds the announcements of fragments and streams to the payload.
    private func announce(_ nodes: [IncrementalGraph.Node]) {
        for node in nodes {
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
            payload.pending.append(
                object { writer in
                    writer.write(json: "\"id\":")
                    writer.write(String(id))
                    write(path, label, to: &writer)
                })
        }
    }

    private func object(_ write: (inout ResponseWriter) -> Void) -> [UInt8] {
        ResponseWriter.bytes(expecting: 256) { writer in
            writer.write(json: "{")
            write(&writer)
            writer.write(json: "}")
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

    private func write(_ errors: [GraphQLError], to writer: inout ResponseWriter) {
        guard !errors.isEmpty else { return }
        payload.hasErrors = true
        writer.write(json: ",\"errors\":")
        writer.write(errors)
    }

    /// Returns the errors of a part that failed: in the current format only the one that caused it, which is
    /// the last.
    private func causes(of failures: [FieldFailure]) -> [GraphQLError] {
        format == .labelAndPath ? errors(failures) : errors(failures.suffix(1))
    }

    private func errors(_ failures: [FieldFailure]) -> [GraphQLError] { failures.map(plan.error) }
}

extension ResponseWriter {
    /// Writes JSON texts as a list; writes nothing if there are none.
    fileprivate mutating func write(_ texts: [[UInt8]], as start: StaticString, then end: StaticString) {
        if texts.isEmpty { return }
        write(json: start)
        for (position, text) in texts.enumerated() {
            if position > 0 { write(json: ",") }
            write(json: text.span)
        }
        write(json: end)
    }
}
