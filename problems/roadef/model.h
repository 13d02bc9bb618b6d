/* A machine reassignment model as its file and its start assignment state it. */
#ifndef RN_ROADEF_MODEL_H
#define RN_ROADEF_MODEL_H

#include <stdint.h>

#include "ration/error.h"
#include "ration/tokens.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All numbers of a file are 0 .. INT32_MAX, so that the product of two of them fits 64 bits. */

typedef struct rn_roadef_resource {
    int32_t transient; /* 1: a process that moves needs it on both machines */
    int32_t weight;    /* of the load cost */
} rn_roadef_resource;

typedef struct rn_roadef_balance {
    int32_t first;
    int32_t second;
    int32_t target; /* of `second` for a unit of `first` */
    int32_t weight;
} rn_roadef_balance;

/* Start with every member 0. All arrays are owned; rn_roadef_free frees them. */
typedef struct rn_roadef {
    int32_t resources;
    int32_t machines;
    int32_t services;
    int32_t processes;
    int32_t balances;
    int32_t locations;      /* different ones */
    int32_t neighbourhoods; /* different ones */
    int32_t routes;         /* different lists of costs of moving from a machine to the others */
    int32_t process_weight;
    int32_t service_weight;
    int32_t machine_weight;
    rn_roadef_resource *resource; /* [resources] */
    int32_t *location;      /* [machines] 0 .. locations - 1, in the order of the file's numbers */
    int32_t *neighbourhood; /* [machines] 0 .. neighbourhoods - 1, likewise */
    int32_t *capacity;      /* [machines * resources] */
    int32_t *safety;        /* [machines * resources] */
    int32_t *route;         /* [machines] 0 .. routes - 1 */
    int32_t *route_cost;    /* [routes * machines] */
    int32_t *spread;        /* [services] least number of locations */
    int64_t *needs_at;      /* [services + 1] into needs */
    int32_t *needs;         /* services that it depends on */
    int32_t *service;       /* [processes] */
    int32_t *need;          /* [processes * resources] */
    int32_t *move_cost;     /* [processes] */
    rn_roadef_balance *balance; /* [balances] */
    int32_t *home;              /* [processes] machine of the start */
} rn_roadef;

/* Reads a model to the end of the text. What a failure leaves in *model is for rn_roadef_free. */
ration_status rn_roadef_read_model(ration_tokens *tokens, rn_roadef *model, ration_error *error);

/* Reads `home` from the file of an assignment: one machine a process. */
ration_status rn_roadef_read_start(const char *path, rn_roadef *model, ration_error *error);

void rn_roadef_free(rn_roadef *model);

#ifdef __cplusplus
}
#endif

#endif
