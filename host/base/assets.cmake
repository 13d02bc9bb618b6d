# Turns the files named in LIST (one path a line) into the C file OUT: `ration_asset(name, &bytes)` finds them by file name.
# cmake -DLIST=... -DOUT=... -P assets.cmake
cmake_policy(VERSION 3.21)
file(STRINGS ${LIST} paths)
set(body "/* Generated from the data files of the project. */\n#include \"ration/asset.h\"\n#include <string.h>\n")
set(table "")
set(seen "")
set(index 0)
foreach(path ${paths})
    get_filename_component(name ${path} NAME)
    if(name IN_LIST seen)
        message(FATAL_ERROR "two data files are called ${name}: names of embedded files must differ")
    endif()
    list(APPEND seen ${name})
    file(READ ${path} hex HEX)
    string(LENGTH "${hex}" digits)
    math(EXPR bytes "${digits} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," data "${hex}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n"
           data "${data}")
    string(APPEND body "\nstatic const unsigned char asset_${index}[] = {\n${data}0x00};\n")
    string(APPEND table "    {\"${name}\", asset_${index}, ${bytes}},\n")
    math(EXPR index "${index} + 1")
endforeach()
string(APPEND body "
typedef struct asset {
    const char *name;
    const unsigned char *data;
    size_t bytes;
} asset;

static const asset assets[] = {
${table}    {NULL, NULL, 0},
};

const char *ration_asset(const char *name, size_t *bytes)
{
    for (const asset *a = assets; a->name != NULL; a++) {
        if (strcmp(a->name, name) == 0) {
            if (bytes != NULL) {
                *bytes = a->bytes;
            }
            return (const char *)a->data;
        }
    }
    return NULL;
}

const char *ration_asset_name(int32_t index)
{
    return index >= 0 && index < ${index} ? assets[index].name : NULL;
}
")
file(WRITE ${OUT} "${body}")
