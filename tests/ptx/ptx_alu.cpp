/* What single instructions of PTX compute. */
#include "ptx.h"

#include <cmath>
#include <cstring>

/* ---- bit patterns of floating-point numbers ---- */

static float to_float(uint64_t pattern)
{
    const uint32_t low = (uint32_t)pattern;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}
static uint64_t from_float(float value)
{
    uint32_t pattern;
    memcpy(&pattern, &value, sizeof pattern);
    return pattern;
}
static double to_double(uint64_t pattern)
{
    double value;
    memcpy(&value, &pattern, sizeof value);
    return value;
}
static uint64_t from_double(double value)
{
    uint64_t pattern;
    memcpy(&pattern, &value, sizeof pattern);
    return pattern;
}

/* One operation on float or double; both have the same list. */
template <class F> static F floating(ptx_op op, F x, F y, F z, const ptx_instruction &in)
{
    switch (op) {
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    case MUL_LO:
        return x * y;
    case DIV:
        return x / y;
    case FMA:
        return std::fma(x, y, z);
    case MIN:
        return std::fmin(x, y);
    case MAX:
        return std::fmax(x, y);
    case NEG:
        return -x;
    case ABS:
        return std::fabs(x);
    case SQRT:
        return std::sqrt(x);
    case EX2:
        return std::exp2(x);
    case LG2:
        return std::log2(x);
    case RCP:
        return 1 / x;
    default:
        ptx_fail("operation not known: " + in.text);
    }
}

/* ---- integers ---- */

/* The high half, or all, of a product. */
static uint64_t multiply(ptx_op op, ptx_type type, const uint64_t v[3])
{
    const int bits = ptx_bits(type);
    __int128 product;
    if (ptx_signed(type)) {
        product = (__int128)ptx_extend(v[0], type) * ptx_extend(v[1], type);
    } else {
        const unsigned __int128 whole =
            (unsigned __int128)(v[0] & ptx_mask(type)) * (v[1] & ptx_mask(type));
        product = (__int128)whole;
    }
    const uint64_t high = (uint64_t)((unsigned __int128)product >> bits) & ptx_mask(type);
    switch (op) {
    case MUL_HI:
        return high;
    case MAD_HI:
        return (high + v[2]) & ptx_mask(type);
    default: {
        const uint64_t wide = bits >= 32 ? ~0ull : (1ull << 2 * bits) - 1;
        return ((uint64_t)product + (op == MAD_WIDE ? v[2] : 0)) & wide;
    }
    }
}

static uint64_t shift(ptx_op op, ptx_type type, uint64_t value, uint32_t by)
{
    const uint32_t bits = (uint32_t)ptx_bits(type);
    const uint64_t mask = ptx_mask(type);
    if (op == SHL) {
        return by >= bits ? 0 : (value << by) & mask;
    }
    if (ptx_signed(type)) {
        return (uint64_t)(ptx_extend(value, type) >> (by >= bits ? bits - 1 : by)) & mask;
    }
    return by >= bits ? 0 : (value & mask) >> by;
}

static uint64_t divide(ptx_op op, ptx_type type, uint64_t a, uint64_t b, const ptx_instruction &in)
{
    const uint64_t mask = ptx_mask(type);
    if ((b & mask) == 0) {
        ptx_fail("division by zero: " + in.text);
    }
    if (!ptx_signed(type)) {
        return op == DIV ? (a & mask) / (b & mask) : (a & mask) % (b & mask);
    }
    const int64_t x = ptx_extend(a, type), y = ptx_extend(b, type);
    if (y == -1) { /* the quotient of the least number wraps */
        return op == DIV ? (0 - a) & mask : 0;
    }
    return (uint64_t)(op == DIV ? x / y : x % y) & mask;
}

static uint64_t least_or_greatest(ptx_op op, ptx_type type, uint64_t a, uint64_t b)
{
    const uint64_t mask = ptx_mask(type);
    const bool less =
        ptx_signed(type) ? ptx_extend(a, type) < ptx_extend(b, type) : (a & mask) < (b & mask);
    return (less == (op == MIN) ? a : b) & mask;
}

static uint64_t reverse(uint64_t value, int bits)
{
    uint64_t reversed = 0;
    for (int k = 0; k < bits; k++) {
        reversed |= (value >> k & 1) << (bits - 1 - k);
    }
    return reversed;
}

static uint64_t find_leading(ptx_type type, uint64_t value, bool shift_amount)
{
    const int bits = ptx_bits(type);
    if (ptx_signed(type) && ptx_extend(value, type) < 0) {
        value = ~value;
    }
    value &= ptx_mask(type);
    if (value == 0) {
        return 0xffffffffu;
    }
    const uint64_t highest = (uint64_t)(63 - __builtin_clzll(value));
    return shift_amount ? (uint64_t)bits - 1 - highest : highest;
}

uint64_t ptx_alu(ptx_op op, ptx_type type, const uint64_t v[3], const ptx_instruction &in)
{
    if (type == F32) {
        return from_float(floating(op, to_float(v[0]), to_float(v[1]), to_float(v[2]), in));
    }
    if (type == F64) {
        return from_double(floating(op, to_double(v[0]), to_double(v[1]), to_double(v[2]), in));
    }
    const uint64_t mask = ptx_mask(type), a = v[0], b = v[1];
    const int bits = ptx_bits(type);
    switch (op) {
    case ADD:
        return (a + b) & mask;
    case SUB:
        return (a - b) & mask;
    case MUL_LO:
        return (a * b) & mask;
    case MAD_LO:
        return (a * b + v[2]) & mask;
    case MUL_HI:
    case MUL_WIDE:
    case MAD_HI:
    case MAD_WIDE:
        return multiply(op, type, v);
    case AND:
        return a & b & mask;
    case OR:
        return (a | b) & mask;
    case XOR:
        return (a ^ b) & mask;
    case NOT:
        return type == PRED ? a == 0 : ~a & mask;
    case SHL:
    case SHR:
        return shift(op, type, a, (uint32_t)b);
    case MIN:
    case MAX:
        return least_or_greatest(op, type, a, b);
    case DIV:
    case REM:
        return divide(op, type, a, b, in);
    case NEG:
        return (0 - a) & mask;
    case ABS:
        return (ptx_extend(a, type) < 0 ? 0 - a : a) & mask;
    case CLZ:
        return (a & mask) ? (uint64_t)(__builtin_clzll(a & mask) - (64 - bits)) : (uint64_t)bits;
    case POPC:
        return (uint64_t)__builtin_popcountll(a & mask);
    case BREV:
        return reverse(a & mask, bits);
    case BFIND:
        return find_leading(type, a, in.mode != 0);
    default:
        ptx_fail("operation not known: " + in.text);
    }
}

/* ---- conversion and comparison ---- */

static double round_as(int mode, double x)
{
    switch (mode) {
    case ROUND_EVEN:
        return std::nearbyint(x);
    case ROUND_DOWN:
        return std::floor(x);
    case ROUND_UP:
        return std::ceil(x);
    default:
        return std::trunc(x);
    }
}

uint64_t ptx_convert(const ptx_instruction &in, uint64_t value)
{
    const ptx_type to = in.type, from = in.from;
    const bool to_floating = to == F32 || to == F64;
    if (from == F32 || from == F64) {
        double x = from == F32 ? (double)to_float(value) : to_double(value);
        if (!to_floating) {
            x = round_as(in.mode, x);
            return (ptx_signed(to) ? (uint64_t)(int64_t)x : (uint64_t)x) & ptx_mask(to);
        }
        x = in.mode ? round_as(in.mode, x) : x;
        return to == F32 ? from_float((float)x) : from_double(x);
    }
    if (!to_floating) {
        const bool extend = ptx_signed(from);
        const uint64_t wide = extend ? (uint64_t)ptx_extend(value, from) : value & ptx_mask(from);
        return wide & ptx_mask(to);
    }
    if (ptx_signed(from)) {
        const int64_t x = ptx_extend(value, from);
        return to == F32 ? from_float((float)x) : from_double((double)x);
    }
    const uint64_t x = value & ptx_mask(from);
    return to == F32 ? from_float((float)x) : from_double((double)x);
}

/* -1, 0 or 1; 2 when one is not a number. */
static int order(ptx_type type, uint64_t a, uint64_t b)
{
    if (type == F32 || type == F64) {
        const double x = type == F32 ? (double)to_float(a) : to_double(a);
        const double y = type == F32 ? (double)to_float(b) : to_double(b);
        return std::isnan(x) || std::isnan(y) ? 2 : x < y ? -1 : x > y;
    }
    if (ptx_signed(type)) {
        const int64_t x = ptx_extend(a, type), y = ptx_extend(b, type);
        return x < y ? -1 : x > y;
    }
    const uint64_t x = a & ptx_mask(type), y = b & ptx_mask(type);
    return x < y ? -1 : x > y;
}

bool ptx_compare(const ptx_instruction &in, uint64_t a, uint64_t b)
{
    const int sign = order(in.type, a, b);
    if (sign == 2) {
        return in.unordered || in.mode == COMPARE_NE;
    }
    switch (in.mode) {
    case COMPARE_EQ:
        return sign == 0;
    case COMPARE_NE:
        return sign != 0;
    case COMPARE_LT:
        return sign < 0;
    case COMPARE_LE:
        return sign <= 0;
    case COMPARE_GT:
        return sign > 0;
    default:
        return sign >= 0;
    }
}

/* ---- bit fields ---- */

static uint64_t extract(ptx_type type, const uint64_t v[4])
{
    const uint32_t from = (uint32_t)v[1] & 255, count = (uint32_t)v[2] & 255;
    uint64_t field = from >= (uint32_t)ptx_bits(type) ? 0 : (v[0] & ptx_mask(type)) >> from;
    if (count < 64) {
        field &= (1ull << count) - 1;
    }
    if (ptx_signed(type) && count > 0 && count < 64 && (field >> (count - 1) & 1)) {
        field |= ~((1ull << count) - 1);
    }
    return field & ptx_mask(type);
}

static uint64_t insert(ptx_type type, const uint64_t v[4])
{
    const uint32_t at = (uint32_t)v[2] & 255, count = (uint32_t)v[3] & 255;
    if (at >= 64) {
        return v[1] & ptx_mask(type);
    }
    const uint64_t field = (count >= 64 ? ~0ull : (1ull << count) - 1) << at;
    return ((v[1] & ~field) | ((v[0] << at) & field)) & ptx_mask(type);
}

/* Picks four bytes of a pair of words; bit 3 of a selector spreads the sign. */
static uint64_t permute(const uint64_t v[4])
{
    const uint64_t bytes = (v[1] & 0xffffffffu) << 32 | (v[0] & 0xffffffffu);
    uint32_t result = 0;
    for (int k = 0; k < 4; k++) {
        const uint32_t selector = (uint32_t)v[2] >> (4 * k) & 15;
        uint32_t byte = (uint32_t)(bytes >> (8 * (selector & 7))) & 255;
        if (selector & 8) {
            byte = byte & 128 ? 255 : 0;
        }
        result |= byte << (8 * k);
    }
    return result;
}

uint64_t ptx_bit_field(const ptx_instruction &in, const uint64_t v[4])
{
    switch (in.op) {
    case BFE:
        return extract(in.type, v);
    case BFI:
        return insert(in.type, v);
    case PRMT:
        return permute(v);
    case SHF: {
        const uint64_t pair = (v[1] & 0xffffffffu) << 32 | (v[0] & 0xffffffffu);
        uint32_t by = (uint32_t)v[2];
        by = in.combine ? (by > 32 ? 32 : by) : by & 31;
        return in.mode ? (pair << by) >> 32 : (pair >> by) & 0xffffffffu;
    }
    default: { /* LOP3: bit k of the result is bit (a b c) of the table */
        uint32_t result = 0;
        for (int k = 0; k < 32; k++) {
            const uint64_t row = (v[0] >> k & 1) * 4 + (v[1] >> k & 1) * 2 + (v[2] >> k & 1);
            result |= (uint32_t)(v[3] >> row & 1) << k;
        }
        return result;
    }
    }
}
