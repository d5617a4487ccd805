// The compiler of Swift needs half a minute for an array of 300 KB, and that of C less than a second. Both read a file again when it
// has changed. #embed is of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "embedded_files.h"

static const unsigned char schema[] = {
#embed "../../schema/schema.graphql"
};
static const unsigned char operations[] = {
#embed "../../schema/operations.json"
};
static const unsigned char provider_schema[] = {
#embed "../../schema/providers.schema.json"
};
static const unsigned char examples[] = {
#embed "../PorticoApp/Commands/Docs/examples.graphql"
};
static const unsigned char example_responses[] = {
#embed "../PorticoApp/Commands/Docs/examples.json"
};
static const unsigned char known_members[] = {
#embed "../PorticoApp/Commands/Providers/Verify/known-members.json"
};

#define FILE_OF(name) ((embedded_file){name, sizeof name})

embedded_file embedded_schema(void) { return FILE_OF(schema); }
embedded_file embedded_operations(void) { return FILE_OF(operations); }
embedded_file embedded_provider_schema(void) { return FILE_OF(provider_schema); }
embedded_file embedded_examples(void) { return FILE_OF(examples); }
embedded_file embedded_example_responses(void) { return FILE_OF(example_responses); }
embedded_file embedded_known_members(void) { return FILE_OF(known_members); }
