/// Everything that can be set, each under one name: a key in the configuration file, of which the environment
/// variable and, where there is one, the flag are spelt after.
enum Setting: String, CaseIterable {
    case host = "host"
    case port = "port"
    case data = "data"
    case sandbox = "sandbox"
    case config = "config"
    case logLevel = "log-level"
    case ownerTokenFile = "owner-token-file"
    case alpacaBaseURL = "alpaca-base-url"
    case alpacaDataURL = "alpaca-data-url"
    case alpacaEnvironment = "alpaca-environment"
    case alpacaKeyID = "alpaca-key-id"
    case alpacaSecretKey = "alpaca-secret-key"
    case alpacaSecretKeyFile = "alpaca-secret-key-file"
    case alpacaToken = "alpaca-token"
    case alpacaTokenFile = "alpaca-token-file"

    /// The key in the configuration file.
    var key: String { rawValue }

    /// The environment variable: `PORTICO_` and the key in capitals.
    var variable: String {
        "PORTICO_" + rawValue.uppercased().replacing("-", with: "_")
    }

    /// The flag; nil for what is set by variable or file only: secrets would show in a list of processes.
    var flag: String? {
        switch self {
        case .host, .port, .data, .sandbox, .config, .logLevel, .ownerTokenFile: "--" + rawValue
        case .alpacaBaseURL, .alpacaDataURL, .alpacaEnvironment, .alpacaKeyID, .alpacaSecretKey,
            .alpacaSecretKeyFile, .alpacaToken, .alpacaTokenFile:
            nil
        }
    }

    /// How messages name it: by all the names that it can be set under.
    var description: String {
        flag.map { "\($0) (\(variable))" } ?? variable
    }
}
