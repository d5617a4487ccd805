import NIOHTTP1

/// Numbers of one kind, as Prometheus reads them.
package struct MetricFamily: Sendable, Hashable {
    /// Letters, digits and underscores; ends with `_total` for a counter, and names its unit.
    package var name: String
    package var kind: Kind
    /// One sentence without a line break.
    package var help: String
    package var samples: [Sample]

    package enum Kind: String, Sendable, Hashable {
        case counter
        case gauge
        case histogram
    }

    /// One value with its labels.
    package struct Sample: Sendable, Hashable {
        /// Behind the family's name: `_bucket`, `_sum` and `_count` of a histogram.
        package var suffix = ""
        package var labels: [Label]
        package var value: Double

        package init(_ value: Double, labels: [Label] = []) {
            self.value = value
            self.labels = labels
        }
    }

    package struct Label: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    /// The family in the text format, version 0.0.4.
    package var text: String {
        var lines = ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"]
        for sample in samples {
            let labels = sample.labels.map { "\($0.name)=\"\($0.value.escapedForLabel)\"" }
            let list = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
            lines.append("\(name)\(sample.suffix)\(list) \(sample.value.metricText)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension String {
    fileprivate var escapedForLabel: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Double {
    /// Whole numbers without a fraction; `+Inf` as the format has it.
    fileprivate var metricText: String {
        if self == .infinity { return "+Inf" }
        return Int64(exactly: self).map { "\($0)" } ?? "\(self)"
    }
}

/// `/metrics`, in the text format that Prometheus reads.
struct MetricsRoute: Route {
    let audience: MetricsAudience
    let families: @Sendable () -> [MetricFamily]

    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        switch audience {
        case .everyone: break
        // A request that a proxy on this machine forwards has another client.
        case .thisMachine where head.client.isThisMachine: break
        case .thisMachine, .nobody:
            return .failure(RequestRejection(.unknownPath(String(head.target.path)), id: id))
        }
        return ReadOnlyRoute { _ in
            let text = families().map(\.text).joined()
            var response = HTTPResponse(
                .ok, "text/plain; version=0.0.4; charset=utf-8", body: Array(text.utf8))
            response.headers = [HTTPResponse.Header("cache-control", "no-store")]
            return response
        }.admit(head, id: id)
    }
}

/// The clients that may read metrics, which contain names of operations and their frequency.
package enum MetricsAudience: Sendable, Hashable {
    case nobody
    /// Clients of this machine, such as a collector beside the server; not requests that a proxy forwards.
    case thisMachine
    case everyone
}
