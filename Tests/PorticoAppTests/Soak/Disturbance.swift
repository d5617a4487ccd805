import TestSupport

/// A disturbance of a replica, or of a server that it uses, while clients place orders.
enum Disturbance: CaseIterable {
    case kill
    case terminate
    case pause
    case restartDatabase
    case pauseDatabase
    case cutFromDatabase
    case restartRedis
    case pauseRedis

    static let ofReplicas: [Disturbance] = [.kill, .pause, .terminate]
    static let ofServers: [Disturbance] = [
        .restartDatabase, .restartRedis, .cutFromDatabase, .pauseDatabase, .pauseRedis,
    ]

    /// Some times are longer than the validity of a lease (10 s) or of the mark of an order (5 s).
    ///
    /// The number of the disturbance selects one, so that few disturbances have a long time, too.
    func time(_ number: Int) -> Duration {
        let times: [Duration] =
            switch self {
            case .kill, .terminate, .restartRedis: [.zero]
            case .pause:
                [
                    .milliseconds(300), .seconds(6), .seconds(1), .seconds(12), .milliseconds(100),
                    .seconds(20),
                ]
            case .cutFromDatabase: [.seconds(6), .seconds(12), .milliseconds(300), .seconds(20)]
            case .restartDatabase: [.milliseconds(100), .seconds(1)]
            case .pauseDatabase: [.seconds(3), .seconds(1)]
            case .pauseRedis: [.seconds(1)]
            }
        return times[number % times.count]
    }
}
