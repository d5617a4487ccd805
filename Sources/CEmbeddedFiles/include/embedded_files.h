#pragma once

#include <stddef.h>

/// A file of the repository that the executable contains.
typedef struct {
    const unsigned char *_Nonnull bytes;
    size_t count;
} embedded_file;

/// `schema/schema.graphql`, in SDL.
embedded_file embedded_schema(void);
/// `schema/operations.json`: the documents of `schema/operations` by their ids.
embedded_file embedded_operations(void);
/// `schema/providers.schema.json`: the JSON Schema of provider files.
embedded_file embedded_provider_schema(void);
/// `examples.graphql` of `portico docs`: the operations of the schema reference.
embedded_file embedded_examples(void);
/// `examples.json` of `portico docs`: the recorded responses to them.
embedded_file embedded_example_responses(void);
/// `known-members.json` of `portico providers verify`.
embedded_file embedded_known_members(void);
