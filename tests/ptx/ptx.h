/* Test-only interpreter of the PTX that nvcc makes of the kernels.
 *
 * Registers hold 64-bit patterns, narrower values zero-extended. Global addresses
 * are host pointers, shared addresses are offsets into the block's shared memory.
 * Instruction semantics: NVIDIA, "Parallel Thread Execution ISA", version 9.
 */
#ifndef PTX_H
#define PTX_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

enum ptx_type { B8, B16, B32, B64, U8, U16, U32, U64, S8, S16, S32, S64, F32, F64, PRED, NO_TYPE };

enum ptx_op {
    MOV,
    ADD,
    SUB,
    MUL_LO,
    MUL_HI,
    MUL_WIDE,
    MAD_LO,
    MAD_HI,
    MAD_WIDE,
    AND,
    OR,
    XOR,
    NOT,
    SHL,
    SHR,
    SETP,
    SELP,
    CVT,
    LD,
    ST,
    ATOM,
    SHFL,
    VOTE,
    MATCH,
    REDUX,
    BAR_WARP,
    BAR,
    BRA,
    RET,
    CLZ,
    POPC,
    BREV,
    BFE,
    BFI,
    BFIND,
    SHF,
    PRMT,
    LOP3,
    MIN,
    MAX,
    DIV,
    REM,
    NEG,
    ABS,
    FMA,
    SQRT,
    EX2,
    LG2,
    RCP,
    ACTIVEMASK,
    NOP
};

enum ptx_operand_kind { NOTHING, REGISTER, IMMEDIATE, SPECIAL, SHARED, LOCAL, PARAM, LABEL, GROUP };

/* GROUP is {a, b} or, for an address, [base + offset]. */
struct ptx_operand {
    ptx_operand_kind kind = NOTHING;
    int64_t value = 0;              /* register number, constant or offset; -1: dynamic shared */
    std::vector<ptx_operand> parts; /* of a GROUP */
    int second = -1;                /* register q of "p|q" */
    bool negated = false;           /* "!p" */
};

/* `mode` tells the variants of one op apart; see the table `mode_words`. */
struct ptx_instruction {
    ptx_op op = NOP;
    ptx_type type = NO_TYPE, from = NO_TYPE; /* from: the second type word, as in cvt */
    std::string text, mnemonic;
    std::vector<ptx_operand> operands;
    int guard = -1; /* predicate register, or -1 */
    bool guard_negated = false;
    int vector = 1;
    char space = 'g'; /* g global, s shared, p param, l local */
    int target = -1;  /* of a branch */
    int mode = 0;
    int combine = 0;        /* setp: 1 and, 2 or, 3 xor; shf: clamp */
    bool unordered = false; /* floating comparison that is true for NaN */
};

struct ptx_kernel {
    std::vector<ptx_instruction> code;
    std::map<std::string, int> registers;
    int register_count = 0;
    std::map<std::string, int64_t> shared, local, params;
    std::vector<std::pair<uint64_t, uint64_t>> param_layout; /* offset, bytes */
    uint64_t shared_bytes = 0, local_bytes = 0, param_bytes = 0;
    std::map<std::string, int> labels;
};

/* mode of the operations that have variants (0: none of these words). */
enum { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };
enum { SHFL_UP = 1, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum { VOTE_ANY = 1, VOTE_ALL, VOTE_BALLOT, VOTE_UNI };
enum { FOLD_ADD = 1, FOLD_AND, FOLD_OR, FOLD_XOR, FOLD_MIN, FOLD_MAX };
enum { ATOM_ADD = 1, ATOM_MIN, ATOM_MAX, ATOM_EXCH, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_CAS };
enum { ROUND_EVEN = 1, ROUND_DOWN, ROUND_UP, ROUND_ZERO };
enum { BAR_POPC = 1, BAR_AND, BAR_OR };
enum { TO_GENERIC = 1, FROM_GENERIC }; /* cvta between shared offsets and pointers */

/* Special registers, in this order from PTX_TID_X. */
enum { PTX_TID = 0, PTX_NTID = 3, PTX_CTAID = 6, PTX_NCTAID = 9, PTX_LANEID = 12, PTX_SPECIALS };

[[noreturn]] void ptx_fail(const std::string &what); /* throws std::runtime_error */

static inline int ptx_bits(ptx_type type)
{
    static const int bits[] = {8, 16, 32, 64, 8, 16, 32, 64, 8, 16, 32, 64, 32, 64, 1, 0};
    return bits[type];
}
static inline bool ptx_signed(ptx_type type)
{
    return type >= S8 && type <= S64;
}
static inline uint64_t ptx_mask(ptx_type type)
{
    const int bits = ptx_bits(type);
    return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}
static inline int64_t ptx_extend(uint64_t value, ptx_type type)
{
    const int unused = 64 - ptx_bits(type);
    return unused <= 0 ? (int64_t)value : (int64_t)(value << unused) >> unused;
}
static inline uint64_t ptx_align(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* ptx_parse.cpp: reads a file into the table of kernels. Returns false when it
 * cannot be read; throws on a construct that is not known. */
bool ptx_load(const char *path);
/* The kernel of a mangled name, or NULL. */
ptx_kernel *ptx_find(const std::string &name);

/* ptx_alu.cpp */
uint64_t ptx_alu(ptx_op op, ptx_type type, const uint64_t value[3], const ptx_instruction &in);
uint64_t ptx_convert(const ptx_instruction &in, uint64_t value);
bool ptx_compare(const ptx_instruction &in, uint64_t a, uint64_t b);
/* bfe, bfi, shf, prmt and lop3 of up to four values. */
uint64_t ptx_bit_field(const ptx_instruction &in, const uint64_t value[4]);

/* ptx_run.cpp: runs a grid. Returns 0; 1 if the kernel is not there; 2 if it
 * failed, with the reason on stderr.
 *
 * arguments  [number of parameters] pointers to the arguments. */
int ptx_launch(const char *name, const unsigned grid[3], const unsigned block[3],
               size_t dynamic_shared, void **arguments);

#endif
