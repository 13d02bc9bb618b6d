/* Prices to begin with: what one unit of load costs along the lower hull of a row's term.
 *
 * The term of row r, g(z) = S f_r(z) + sum over feeds r -> t of u_t phi_rt(z), pays for a load; its
 * greatest convex minorant at z has a slope, and with u_r = that slope no load is better than z: a
 * fixed charge of a bin then costs (charge / capacity) per unit of what is put into it. Rows that
 * others feed come first, so that a charge on the fed row reaches the one that feeds it.
 */
#include <assert.h>
#include <stddef.h>

#include "bound/relax.h"

enum { POINTS_MAX = 64 }; /* of a row that is looked at: pairs of them are */

static rn_i128 term_at(const rn_relax *relax, const int64_t *price, int32_t row, int32_t k)
{
    const rn_view *view = relax->view;
    rn_i128 value = (rn_i128)relax->point_cost[k] * ((rn_i128)1 << RN_PRICE_BITS);
    const int32_t feeds = row < view->rows ? view->row_feed[row + 1] - view->row_feed[row] : 0;
    const int64_t *phi =
        relax->phi + relax->phi_at[row] + (int64_t)(k - relax->point_at[row]) * feeds;
    for (int32_t j = 0; j < feeds; j++) {
        value += (rn_i128)price[view->feed_to[view->row_feed[row] + j]] * phi[j];
    }
    return value;
}

/* Slope of the lower hull of a row's term around the middle of its range: the least slope from any
 * point left of it to any right of it is that of the piece of the hull over it, as the chord with
 * the lowest value there. */
static rn_i128 hull_slope(const rn_relax *relax, const int64_t *price, int32_t row)
{
    const int32_t first = relax->point_at[row];
    const int32_t end = relax->point_at[row + 1];
    const int64_t *z = relax->point_z;
    const rn_i128 middle = ((rn_i128)relax->low[row] + relax->high[row]) / 2;
    bool any = false;
    rn_i128 slope = 0;
    rn_i128 lowest = 0; /* the chord's value at the middle */
    for (int32_t a = first; a < end && z[a] <= middle; a++) {
        const rn_i128 left = term_at(relax, price, row, a);
        for (int32_t b = end - 1; b > a && z[b] >= middle; b--) {
            const rn_i128 run = (rn_i128)z[b] - z[a];
            const rn_i128 rise = term_at(relax, price, row, b) - left;
            const rn_i128 here = rn_i128_floor_div(rise, run);
            const rn_i128 value = left + here * (middle - z[a]);
            if (!any || value < lowest) {
                lowest = value;
                slope = here;
                any = true;
            }
        }
    }
    return slope;
}

void rn_relax_start(const rn_relax *relax, int64_t *price)
{
    const rn_view *view = relax->view;
    assert(relax->empty_row < 0);
    for (int32_t k = view->all_rows - 1; k >= 0; k--) {
        const int32_t row = relax->order[k];
        assert(relax->point_at[row] < relax->point_at[row + 1]);
        const bool short_list = relax->point_at[row + 1] - relax->point_at[row] <= POINTS_MAX;
        const rn_i128 slope = short_list ? hull_slope(relax, price, row) : 0;
        const rn_i128 low = relax->price_low[row];
        const rn_i128 high = relax->price_high[row];
        price[row] = (int64_t)(slope < low ? low : slope > high ? high : slope);
    }
}
