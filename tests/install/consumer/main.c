/* Reads one good and one bad document with an installed libration; 0 when both go as its headers
 * say. */
#include <stdio.h>
#include <string.h>

#include <ration/document.h>

static int check(const char *text, ration_status expected)
{
    ration_document *document = NULL;
    ration_error error = {RATION_OK, ""};
    const ration_status status =
        ration_document_parse(text, strlen(text), "text", false, &document, &error);
    printf("%s: %s %s\n", text, ration_status_name(status), error.text);
    const bool good = status == expected && (document != NULL) == (status == RATION_OK);
    ration_document_free(document);
    return good ? 0 : 1;
}

int main(void)
{
    return check("{\"a\": 1}", RATION_OK) + check("{\"a\": 1, \"a\": 2}", RATION_E_INPUT);
}
