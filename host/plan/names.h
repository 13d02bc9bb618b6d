/* Words of a result's JSON form. */
#ifndef RN_PLAN_NAMES_H
#define RN_PLAN_NAMES_H

#ifdef __cplusplus
extern "C" {
#endif

enum { RN_STATUS_WORDS = 4, RN_BOUND_WORDS = 4 };

/* By ration_plan_status; by rn_bound_kind. */
extern const char *const rn_status_words[RN_STATUS_WORDS];
extern const char *const rn_bound_words[RN_BOUND_WORDS];

#ifdef __cplusplus
}
#endif

#endif
