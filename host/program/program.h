/* The allocation program inside: what the builder recorded, and the flat view that freezing made of
 * it.
 *
 * Two numberings of places: public, the order of adding, everywhere in the builder's records and in
 * include/ration/program.h; internal, by class, everywhere in the view. Rows, items and modes have
 * one numbering.
 */
#ifndef RN_PROGRAM_H
#define RN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/view.h"
#include "ration/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every load, every cost and every sum of them stays within +- this. */
#define RN_TOTAL_MAX (INT64_C(1) << 62)

enum {
    RN_ROLES = 4096,
    RN_LEVELS = 64, /* of the tiers of places */
    RN_NAME_BYTES = 4096,
    RN_LABEL_TEXT = 128,
    RN_COUNT_MAX = INT32_MAX - 1
};

typedef enum rn_thing { RN_ITEM, RN_PLACE, RN_MODE, RN_ROW, RN_THINGS } rn_thing;

/* ---- what other layers use ---- */

/* The view of a frozen program; borrowed, lives as long as the program. */
const rn_view *rn_program_view(const ration_program *program);

int32_t rn_program_place_public(const ration_program *program, int32_t place);   /* -1 stays -1 */
int32_t rn_program_place_internal(const ration_program *program, int32_t place); /* -1 stays -1 */

/* [count] numbers of the things (public numbers for places) in canonical order: things without a
 * name first, by number, then by name, bytewise. Frozen programs only; borrowed. */
const int32_t *rn_program_order(const ration_program *program, rn_thing kind);

/* A thing as messages call it: `item "chat"`, `row 7`; buffer[RN_LABEL_TEXT]; returns buffer.
 * place: public. */
const char *rn_program_label(const ration_program *program, rn_thing kind, int32_t index,
                             char *buffer);

/* ---- inside host/program ---- */

typedef struct rn_list {
    void *data;
    int64_t count;
    int64_t capacity;
} rn_list;

/* The names of one kind of thing: text of thing i at text[at[i]], or at[i] < 0. */
typedef struct rn_names {
    rn_list text;  /* char */
    rn_list at;    /* int64_t */
    int32_t *slot; /* [slots] thing or -1; open addressing; NULL before the first name */
    int64_t slots; /* a power of two */
    int32_t named;
} rn_names;

typedef struct rn_row_record {
    int64_t offset;
    int64_t low;
    int64_t high;
    int64_t stamp; /* serial of the last call that named this row: finds duplicates */
    int32_t dimension;
    int32_t piece_first;
    int32_t pieces; /* 0: no cost */
} rn_row_record;

typedef struct rn_feed_record {
    int32_t from;
    int32_t to;
    int32_t piece_first;
    int32_t pieces;
} rn_feed_record;

typedef struct rn_entry_record {
    int64_t cost;
    int32_t item;
    int32_t mode;
    int32_t place;       /* of a direct option, or -1 */
    int32_t place_class; /* as the caller numbers them; -1: a direct option */
    int32_t dimension;
    int32_t use_first;
    int32_t uses;
} rn_entry_record;

typedef struct rn_place_record {
    int32_t place_class;
    int32_t last_role; /* newest of its records in `roles`, -1: none */
    int32_t most_role; /* largest role that was set, -1: none */
} rn_place_record;

typedef struct rn_role_record {
    int32_t place;
    int32_t role;
    int32_t row_first; /* into role_rows */
    int32_t rows;
    int32_t before; /* the place's record before this one, -1: none */
} rn_role_record;

typedef struct rn_item_record {
    int64_t move_cost;
    int64_t stamp;
    int32_t start_place; /* -1: no start */
    int32_t start_mode;
    int32_t group; /* -1: none */
} rn_item_record;

typedef struct rn_pair {
    int32_t item;
    int32_t place;
} rn_pair;

typedef struct rn_set {
    int32_t first; /* into set_items */
    int32_t count;
    int32_t row[2]; /* of a group, or -1 */
} rn_set;

typedef struct rn_edge {
    int32_t from;
    int32_t to;
    int64_t weight;
} rn_edge;

struct ration_program {
    int32_t number_base;
    ration_sense sense;
    int64_t constant;
    int32_t scale;
    bool frozen;
    int64_t serial;               /* of the calls that look for duplicates */
    int64_t role_stamp[RN_ROLES]; /* serial of the last entry that named this role */

    rn_names names[RN_THINGS];
    rn_list items;     /* rn_item_record */
    rn_list places;    /* rn_place_record */
    rn_list modes;     /* bool: stay */
    rn_list rows;      /* rn_row_record */
    rn_list pieces;    /* rn_piece */
    rn_list feeds;     /* rn_feed_record */
    rn_list entries;   /* rn_entry_record, in order of adding */
    rn_list uses;      /* ration_use */
    rn_list roles;     /* rn_role_record */
    rn_list role_rows; /* int32_t */
    rn_list excluded;  /* rn_pair */
    rn_list conflicts; /* rn_set */
    rn_list groups;    /* rn_set */
    rn_list set_items; /* int32_t */
    rn_list edges;     /* rn_edge */

    int32_t table_classes; /* 0: no table */
    int32_t table_dimension;
    int32_t *item_class; /* [items] */
    int64_t *table;      /* [table_classes * places], public places */
    int32_t table_items; /* number of items and places when the table came */
    int32_t table_places;

    int32_t traffic_dimension;
    int64_t *distance;       /* [places * places], public places, or NULL */
    int32_t levels;          /* 0: no tiers */
    int32_t *ancestor;       /* [levels * places], public places */
    int64_t *tier_distance;  /* [levels + 1] */
    int32_t distance_places; /* number of places when distances or tiers came */

    /* frozen */
    void *block;
    rn_view view;
    int32_t *place_public;     /* [places] */
    int32_t *place_internal;   /* [places] */
    int32_t *order[RN_THINGS]; /* [count] */
    int64_t option_total;      /* excluded ones not counted */
    char digest[RATION_DIGEST_TEXT];
};

/* Number of things of a kind. */
int32_t rn_program_count(const ration_program *program, rn_thing kind);

/* Refuses: a frozen program; an index of a thing that does not exist; an unknown dimension. */
ration_status rn_check_open(const ration_program *program, ration_error *error);
ration_status rn_check_index(const ration_program *program, rn_thing kind, int32_t index,
                             ration_error *error);
ration_status rn_check_dimension(ration_dimension dimension, ration_error *error);

/* Makes room for `more` elements of `size` bytes at the end of a list of at most RN_COUNT_MAX. */
ration_status rn_list_reserve(rn_list *list, int64_t more, size_t size, const char *name,
                              ration_error *error);

/* Checks a new thing's name (may be NULL) and makes room for it; commit afterwards. */
ration_status rn_names_check(ration_program *program, rn_thing kind, const char *name,
                             ration_error *error);
void rn_names_commit(rn_names *names, const char *name);
/* The thing of that name, or -1; only things that were given a name. */
int32_t rn_names_find(const rn_names *names, const char *name);
/* Text of thing index or NULL. */
const char *rn_names_text(const rn_names *names, int32_t index);
void rn_names_free(rn_names *names);

/* Freezes a program whose digest is known: that of the program it is a twin of. */
ration_status rn_program_freeze_as(ration_program *program, const char *digest,
                                   ration_error *error);

/* Steps of freezing, in this order. A step that fails leaves the program open; rn_freeze_fill may
 * have allocated its block. */
ration_status rn_freeze_names(const ration_program *program, ration_error *error);
ration_status rn_freeze_fill(ration_program *program, ration_error *error);
ration_status rn_freeze_options(ration_program *program, ration_error *error);
ration_status rn_freeze_ranges(ration_program *program, ration_error *error);
ration_status rn_freeze_digest(ration_program *program, ration_error *error);
/* Parts of rn_freeze_fill: sorts the traffic, adds up repeated pairs and drops those of weight 0;
 * fills groups, conflict sets, traffic and distances. */
ration_status rn_freeze_edges(ration_program *program, ration_error *error);
void rn_freeze_joins(ration_program *program);

/* The arrays of a view under construction: they lie in the program's own block, so writing to them
 * is allowed. */
static inline int32_t *rn_edit32(const int32_t *array)
{
    return (int32_t *)array;
}

static inline int64_t *rn_edit64(const int64_t *array)
{
    return (int64_t *)array;
}

static inline rn_piece *rn_edit_piece(const rn_piece *array)
{
    return (rn_piece *)array;
}

/* Least and greatest value of a piecewise-linear function over least..most; false if it or an
 * intermediate product can leave +-RN_TOTAL_MAX there. */
bool rn_pieces_range(const rn_piece *piece, int32_t pieces, int64_t least, int64_t most,
                     int64_t *low, int64_t *high);

#ifdef __cplusplus
}
#endif

#endif
