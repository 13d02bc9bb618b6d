/* `ration schema`: the JSON Schema of each kind of file. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "ration/asset.h"
#include "ration/document.h"

static const char *const schema_names[] = {"program", "result", "scenario", "plan"};
enum { SCHEMAS = (int32_t)(sizeof schema_names / sizeof schema_names[0]) };

int cli_schema(const cli_options *options)
{
    char asset[64];
    size_t bytes = 0;
    if (options->subject == NULL) {
        for (int32_t i = 0; i < SCHEMAS; i++) {
            puts(schema_names[i]);
        }
        return CLI_DONE;
    }
    for (int32_t i = 0; i < SCHEMAS; i++) {
        if (strcmp(options->subject, schema_names[i]) == 0) {
            snprintf(asset, sizeof asset, "%s.schema.json", schema_names[i]);
            const char *text = ration_asset(asset, &bytes);
            if (text == NULL) {
                fprintf(stderr, "ration: the schema '%s' was left out of this build\n",
                        options->subject);
                return CLI_REFUSED;
            }
            fwrite(text, 1, bytes, stdout);
            return CLI_DONE;
        }
    }
    const char *near = ration_nearest(options->subject, schema_names, SCHEMAS);
    return cli_usage(
        "'%s' is no kind of file; program, result, scenario or plan was expected%s%s%s",
        options->subject, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}
