/* What a plan breaks, and the smallest changes that would help. Private to problems/serving. */
#ifndef RN_SERVING_ADVISE_H
#define RN_SERVING_ADVISE_H

#include "serving/plan.h"

/* Sentences in an arena. */
typedef struct rn_serving_texts {
    int32_t count;
    int32_t room;
    const char **text;
} rn_serving_texts;

typedef struct rn_serving_advice {
    rn_serving_texts violations;
    rn_serving_texts advice;
} rn_serving_advice;

/* Both are empty for a plan that keeps all limits. */
ration_status rn_serving_advise(const rn_serving_plan *plan, rn_arena *arena,
                                rn_serving_advice *advice, ration_error *error);

#endif
