/* What an option costs and how fast it is. Private to problems/serving. */
#ifndef RN_SERVING_PRICE_H
#define RN_SERVING_PRICE_H

#include "serving/option.h"

/* Of a link's capacity may be planned: the project's rule is uplinks at 0.7 and less, since queues
 * of bursty traffic grow above that. */
static const double RN_SERVING_LINK_PART = 0.7;

/* Fraction of a GPU's memory that n tenants may use together: 1 - (0.15 + 0.02 ln n), n >= 1. */
double rn_serving_usable_part(int32_t tenants);

/* Bytes that a replica with this share may take on a GPU of a node entry: all that is usable beside
 * nobody, or beside one more. Where GPUs are counted per island, the same share of the memory. */
double rn_serving_usable(const rn_serving_scenario *s, int32_t node, int32_t share);

/* GPUs are counted per island instead of one by one. */
bool rn_serving_coarse(const rn_serving_scenario *s);

/* Sets option->rate_per_s to the highest rate (at most the workload's) within all hard limits.
 * Returns -1, or the reason why there is none. least_time_ms: [RN_SERVING_TIMES], lowered to the
 * times without load. */
int32_t rn_serving_highest_rate(const rn_serving_scenario *s, const rn_serving_workload *w,
                                const rn_serving_class *set, const rn_perf_case *perf,
                                rn_serving_option *option, double *least_time_ms);

/* Fills in latency, power, links and money at option->rate_per_s; false when the rate can't be
 * carried. */
bool rn_serving_price(const rn_serving_scenario *s, const rn_serving_workload *w,
                      const rn_serving_class *set, const rn_perf_case *perf,
                      rn_serving_option *option);

/* Money per hour: rent share, energy, penalties. */
double rn_serving_option_cost(const rn_serving_option *option);

/* Predicted times with the margin, ms: ttft, ttft_p95, tpot, e2e_p95. */
enum { RN_SERVING_TIMES = 4 };
void rn_serving_times(const rn_serving_workload *w, const rn_perf_serving *serving,
                      rn_perf_margin margin, double *time_ms);
const rn_serving_limit *rn_serving_time_limit(const rn_serving_workload *w, int32_t time);

#endif
