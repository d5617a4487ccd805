// The parts of a schema that samples need.

/** Requests the types, with their fields, arguments and input fields. */
export const typesQuery = `query Types {
  __schema {
    queryType { name }
    mutationType { name }
    subscriptionType { name }
    types {
      kind
      name
      isOneOf
      enumValues { name }
      inputFields { name defaultValue type { ...Reference } }
      fields {
        name
        description
        type { ...Reference }
        args { name defaultValue type { ...Reference } }
      }
    }
  }
}

fragment Reference on __Type {
  kind
  name
  ofType { kind name ofType { kind name ofType { kind name } } }
}`;

/** The named type inside of lists and non-null types. */
export function named(type) {
  return type.ofType ? named(type.ofType) : type;
}
