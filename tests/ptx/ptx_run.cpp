/* Runs grids of interpreted kernels: a warp at a time in lock step, the lanes at
 * the lowest instruction first or, with PTX_SEED, a random group first. A warp
 * operation waits for every lane of its mask. */
#include "ptx.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

enum { LANES = 32, SPLIT_ODDS = 16 };

struct warp_state {
    int size;
    uint32_t live, blocked;
    int pc[LANES];
    bool at_barrier[LANES];
};

/* One block while it runs. */
struct block_state {
    ptx_kernel *kernel;
    uint32_t block_dim[3], grid_dim[3], block_id[3];
    std::vector<uint64_t> registers; /* [threads][register_count] */
    std::vector<char> shared, params, local;
    std::vector<warp_state> warps;
    uint64_t dynamic_offset; /* of dynamic shared memory */
    uint64_t random;         /* 0: lowest instruction first */
};

/* One thread at one instruction. */
struct thread_state {
    block_state *block;
    int warp, lane;
    uint64_t *registers;
};

static thread_state thread_of(block_state *b, int warp, int lane)
{
    const size_t index = (size_t)(warp * LANES + lane);
    return {b, warp, lane, &b->registers[index * (size_t)b->kernel->register_count]};
}

/* ---- operands ---- */

static uint64_t special(const thread_state &t, int64_t which)
{
    const block_state &b = *t.block;
    const uint32_t index = (uint32_t)(t.warp * LANES + t.lane);
    const uint32_t at[3] = {index % b.block_dim[0], index / b.block_dim[0] % b.block_dim[1],
                            index / (b.block_dim[0] * b.block_dim[1])};
    if (which < PTX_NTID) {
        return at[which];
    }
    if (which < PTX_CTAID) {
        return b.block_dim[which - PTX_NTID];
    }
    if (which < PTX_NCTAID) {
        return b.block_id[which - PTX_CTAID];
    }
    return which < PTX_LANEID ? b.grid_dim[which - PTX_NCTAID] : index % LANES;
}

static uint64_t get(const thread_state &t, const ptx_operand &operand)
{
    switch (operand.kind) {
    case REGISTER:
        return operand.negated ? t.registers[operand.value] == 0 : t.registers[operand.value];
    case IMMEDIATE:
    case PARAM:
        return (uint64_t)operand.value;
    case SHARED:
        return operand.value < 0 ? t.block->dynamic_offset : (uint64_t)operand.value;
    case LOCAL: {
        const size_t index = (size_t)(t.warp * LANES + t.lane);
        const size_t start = index * t.block->kernel->local_bytes;
        return (uint64_t)&t.block->local[start + (size_t)operand.value];
    }
    case SPECIAL:
        return special(t, operand.value);
    default:
        return 0;
    }
}

/* The value of operand n, or 0 where the instruction has none. */
static uint64_t input(const thread_state &t, const ptx_instruction &in, size_t n)
{
    return n < in.operands.size() ? get(t, in.operands[n]) : 0;
}

static void put(const thread_state &t, const ptx_operand &operand, uint64_t value)
{
    if (operand.kind == REGISTER) {
        t.registers[operand.value] = value;
    }
}

/* The memory at an address operand. */
static char *memory(const thread_state &t, const ptx_instruction &in, const ptx_operand &operand,
                    uint64_t bytes)
{
    uint64_t address = get(t, operand.parts[0]) + (uint64_t)operand.parts[1].value;
    block_state *b = t.block;
    if (in.space == 's') {
        address &= 0xffffffffu;
        if (address + bytes > b->shared.size()) {
            ptx_fail("shared access out of bounds: " + in.text);
        }
        return &b->shared[address];
    }
    if (in.space == 'p') {
        if (address + bytes > b->params.size()) {
            ptx_fail("parameter access out of bounds: " + in.text);
        }
        return &b->params[address];
    }
    if (address % bytes != 0 && in.space == 'g') {
        ptx_fail("misaligned access: " + in.text);
    }
    return (char *)address;
}

/* ---- memory instructions ---- */

static void load(const thread_state &t, const ptx_instruction &in)
{
    const uint64_t bytes = (uint64_t)ptx_bits(in.type) / 8;
    const char *from = memory(t, in, in.operands[1], bytes * (uint64_t)in.vector);
    for (int k = 0; k < in.vector; k++) {
        uint64_t value = 0;
        memcpy(&value, from + (uint64_t)k * bytes, bytes);
        if (ptx_signed(in.type)) { /* up to the width of the register, which may be 64 bits */
            value = (uint64_t)ptx_extend(value, in.type);
        }
        const ptx_operand &to = in.operands[0];
        put(t, in.vector > 1 ? to.parts[(size_t)k] : to, value);
    }
}

static void store(const thread_state &t, const ptx_instruction &in)
{
    const uint64_t bytes = (uint64_t)ptx_bits(in.type) / 8;
    char *to = memory(t, in, in.operands[0], bytes * (uint64_t)in.vector);
    const ptx_operand &from = in.operands[1];
    for (int k = 0; k < in.vector; k++) {
        const uint64_t value = get(t, in.vector > 1 ? from.parts[(size_t)k] : from);
        memcpy(to + (uint64_t)k * bytes, &value, bytes);
    }
}

/* The new value of an atomic's memory. */
static uint64_t atomic_result(const thread_state &t, const ptx_instruction &in, uint64_t old)
{
    const uint64_t operand = input(t, in, 2);
    const uint64_t values[3] = {old, operand, 0};
    switch (in.mode) {
    case ATOM_ADD:
        return ptx_alu(ADD, in.type, values, in);
    case ATOM_MIN:
        return ptx_alu(MIN, in.type, values, in);
    case ATOM_MAX:
        return ptx_alu(MAX, in.type, values, in);
    case ATOM_EXCH:
        return operand;
    case ATOM_AND:
        return old & operand;
    case ATOM_OR:
        return old | operand;
    case ATOM_XOR:
        return old ^ operand;
    case ATOM_CAS:
        return old == (operand & ptx_mask(in.type)) ? input(t, in, 3) : old;
    default:
        ptx_fail("atomic not known: " + in.text);
    }
}

template <class Word> static uint64_t atomic_loop(const thread_state &t, const ptx_instruction &in)
{
    Word *at = (Word *)memory(t, in, in.operands[1], sizeof(Word));
    Word old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, (Word)atomic_result(t, in, old), false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}

/* ---- other instructions of one thread ---- */

static void move(const thread_state &t, const ptx_instruction &in)
{
    const ptx_operand &to = in.operands[0], &from = in.operands[1];
    if (in.mode != 0) { /* between shared offsets and pointers */
        const uint64_t base = (uint64_t)t.block->shared.data();
        const uint64_t value = get(t, from);
        put(t, to, in.mode == TO_GENERIC ? base + (value & 0xffffffffu) : value - base);
    } else if (to.kind == GROUP) {
        uint64_t value = get(t, from);
        const int bits = ptx_bits(in.type) / (int)to.parts.size();
        for (const ptx_operand &part : to.parts) {
            put(t, part, value & ((1ull << bits) - 1));
            value >>= bits;
        }
    } else if (from.kind == GROUP) {
        uint64_t value = 0;
        const int bits = ptx_bits(in.type) / (int)from.parts.size();
        for (size_t k = 0; k < from.parts.size(); k++) {
            value |= (get(t, from.parts[k]) & ((1ull << bits) - 1)) << (k * (size_t)bits);
        }
        put(t, to, value);
    } else {
        put(t, to, get(t, from));
    }
}

static void set_predicate(const thread_state &t, const ptx_instruction &in)
{
    bool value = ptx_compare(in, input(t, in, 1), input(t, in, 2));
    const bool other = input(t, in, 3) != 0;
    if (in.combine != 0) {
        value = in.combine == 1   ? value && other
                : in.combine == 2 ? value || other
                                  : value != other;
    }
    put(t, in.operands[0], value);
    if (in.operands[0].second >= 0) {
        t.registers[in.operands[0].second] = !value;
    }
}

static void step(const thread_state &t, const ptx_instruction &in)
{
    warp_state &warp = t.block->warps[(size_t)t.warp];
    int *pc = &warp.pc[t.lane];
    *pc += 1;
    if (in.guard >= 0 && (t.registers[in.guard] != 0) == in.guard_negated) {
        return;
    }
    switch (in.op) {
    case NOP:
        return;
    case MOV:
        move(t, in);
        return;
    case SETP:
        set_predicate(t, in);
        return;
    case SELP:
        put(t, in.operands[0], input(t, in, 3) ? input(t, in, 1) : input(t, in, 2));
        return;
    case CVT:
        put(t, in.operands[0], ptx_convert(in, input(t, in, 1)));
        return;
    case LD:
        load(t, in);
        return;
    case ST:
        store(t, in);
        return;
    case ATOM: {
        const bool wide = ptx_bits(in.type) == 64;
        const uint64_t old = wide ? atomic_loop<uint64_t>(t, in) : atomic_loop<uint32_t>(t, in);
        put(t, in.operands[0], old);
        return;
    }
    case BRA:
        *pc = in.target;
        return;
    case RET:
        warp.live &= ~(1u << t.lane);
        return;
    case ACTIVEMASK:
        put(t, in.operands[0], warp.live);
        return;
    default:
        break;
    }
    const uint64_t values[4] = {input(t, in, 1), input(t, in, 2), input(t, in, 3), input(t, in, 4)};
    const bool field =
        in.op == BFE || in.op == BFI || in.op == SHF || in.op == PRMT || in.op == LOP3;
    put(t, in.operands[0], field ? ptx_bit_field(in, values) : ptx_alu(in.op, in.type, values, in));
}

/* ---- warp operations ---- */

static bool is_warp_operation(ptx_op op)
{
    return op == SHFL || op == VOTE || op == MATCH || op == REDUX || op == BAR_WARP;
}

/* The lane a shuffle reads; *inside says whether it lies in its segment. */
static int shuffle_source(const thread_state &t, const ptx_instruction &in, bool *inside)
{
    const int by = (int)(get(t, in.operands[2]) & 31);
    const uint32_t control = (uint32_t)get(t, in.operands[3]);
    const int segment = (int)(control >> 8 & 31), clamp = (int)(control & 31);
    const int least = t.lane & segment, most = least | (clamp & ~segment);
    int source = t.lane ^ by;
    if (in.mode == SHFL_UP) {
        source = t.lane - by;
    } else if (in.mode == SHFL_DOWN) {
        source = t.lane + by;
    } else if (in.mode == SHFL_IDX) {
        source = least | (by & ~segment);
    }
    *inside = in.mode == SHFL_UP ? source >= most : source <= most;
    return *inside ? source : t.lane;
}

static uint64_t fold(const ptx_instruction &in, uint64_t a, uint64_t b)
{
    const uint64_t values[3] = {a, b, 0};
    switch (in.mode) {
    case FOLD_ADD:
        return a + b;
    case FOLD_AND:
        return a & b;
    case FOLD_OR:
        return a | b;
    case FOLD_XOR:
        return a ^ b;
    case FOLD_MIN:
        return ptx_alu(MIN, in.type, values, in);
    default:
        return ptx_alu(MAX, in.type, values, in);
    }
}

/* One lane's result; values are those of all lanes of the mask. */
static uint64_t warp_result(const thread_state &t, const ptx_instruction &in, uint32_t mask,
                            const uint64_t *values)
{
    uint32_t ballot = 0, same = 0;
    uint64_t folded = 0;
    bool first = true;
    for (int lane = 0; lane < LANES; lane++) {
        if (!(mask >> lane & 1)) {
            continue;
        }
        ballot |= (uint32_t)(values[lane] & 1) << lane;
        same |= (values[lane] == values[t.lane] ? 1u : 0u) << lane;
        folded = first || in.op != REDUX ? values[lane] : fold(in, folded, values[lane]);
        first = false;
    }
    if (in.op == VOTE) {
        return in.mode == VOTE_ANY   ? ballot != 0
               : in.mode == VOTE_ALL ? ballot == mask
               : in.mode == VOTE_UNI ? ballot == mask || ballot == 0
                                     : ballot;
    }
    return in.op == MATCH ? same : folded & ptx_mask(in.type);
}

/* Completes an operation all of whose lanes have come. */
static void warp_operation(block_state *b, int warp, uint32_t mask, const ptx_instruction &in)
{
    if (in.op == BAR_WARP) {
        return;
    }
    uint64_t values[LANES] = {0}, results[LANES] = {0};
    bool inside[LANES] = {false};
    for (uint32_t left = mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        values[lane] = get(thread_of(b, warp, lane), in.operands[1]);
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const thread_state t = thread_of(b, warp, lane);
        if (in.op == SHFL) {
            const int source = shuffle_source(t, in, &inside[lane]);
            if (!(mask >> source & 1)) {
                ptx_fail("shuffle reads a lane outside the mask: " + in.text);
            }
            results[lane] = values[source];
        } else {
            results[lane] = warp_result(t, in, mask, values);
        }
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const thread_state t = thread_of(b, warp, lane);
        put(t, in.operands[0], results[lane]);
        if (in.op == SHFL && in.operands[0].second >= 0) {
            t.registers[in.operands[0].second] = inside[lane];
        }
    }
}

/* The mask that a lane names, checked. */
static uint32_t named_mask(block_state *b, int warp, int lane, const ptx_instruction &in)
{
    const warp_state &w = b->warps[(size_t)warp];
    uint32_t mask = (uint32_t)get(thread_of(b, warp, lane), in.operands.back());
    if (w.size < LANES && mask == ~0u) {
        mask = (1u << w.size) - 1; /* a short last warp */
    }
    if (!(mask >> lane & 1)) {
        ptx_fail("calling lane is not in its own mask: " + in.text);
    }
    if (mask & ~w.live) {
        ptx_fail("a lane named in a warp mask has exited: " + in.text);
    }
    return mask;
}

/* Lanes of group have come to a warp operation; those whose mask is complete go on. */
static void arrive(block_state *b, int warp, uint32_t group, int pc)
{
    warp_state &w = b->warps[(size_t)warp];
    const ptx_instruction &in = b->kernel->code[(size_t)pc];
    w.blocked |= group;
    uint32_t done = 0;
    for (uint32_t left = group; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (done >> lane & 1) {
            continue;
        }
        const uint32_t mask = named_mask(b, warp, lane, in);
        bool complete = true;
        for (uint32_t all = mask; all; all &= all - 1) {
            const int other = __builtin_ctz(all);
            complete =
                complete && (w.blocked >> other & 1) && !w.at_barrier[other] && w.pc[other] == pc;
        }
        if (complete) {
            warp_operation(b, warp, mask, in);
            done |= mask;
            w.blocked &= ~mask;
            for (uint32_t all = mask; all; all &= all - 1) {
                w.pc[__builtin_ctz(all)]++;
            }
        }
    }
}

/* ---- a block ---- */

/* Knuth's MMIX generator; its high bits. */
static uint32_t draw(block_state *b)
{
    b->random = b->random * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(b->random >> 32);
}

/* The lanes of `runnable` that stand at one instruction. */
static uint32_t lanes_at(const warp_state &w, uint32_t runnable, int pc)
{
    uint32_t group = 0;
    for (uint32_t left = runnable; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        group |= w.pc[lane] == pc ? 1u << lane : 0u;
    }
    return group;
}

/* The lanes that run next, all at the instruction *pc: the lowest one, or that of
 * a drawn lane. Now and then a drawn part of them goes ahead of the others, as
 * lanes of one warp may: a missing barrier shows only then. */
static uint32_t next_group(block_state *b, const warp_state &w, uint32_t runnable, int *pc)
{
    if (b->random == 0) {
        *pc = w.pc[__builtin_ctz(runnable)];
        for (uint32_t left = runnable; left; left &= left - 1) {
            const int at = w.pc[__builtin_ctz(left)];
            *pc = at < *pc ? at : *pc;
        }
        return lanes_at(w, runnable, *pc);
    }
    uint32_t left = runnable;
    for (int skip = (int)(draw(b) % (uint32_t)__builtin_popcount(runnable)); skip > 0; skip--) {
        left &= left - 1;
    }
    *pc = w.pc[__builtin_ctz(left)];
    const uint32_t group = lanes_at(w, runnable, *pc);
    const uint32_t part = draw(b) % SPLIT_ODDS == 0 ? group & draw(b) : group;
    return part ? part : group;
}

/* Runs a warp until no lane can go on; returns whether any did. */
static bool run_warp(block_state *b, int warp)
{
    warp_state &w = b->warps[(size_t)warp];
    bool any = false;
    for (uint32_t runnable; (runnable = w.live & ~w.blocked) != 0;) {
        any = true;
        int pc;
        const uint32_t group = next_group(b, w, runnable, &pc);
        const ptx_instruction &in = b->kernel->code[(size_t)pc];
        if (is_warp_operation(in.op)) {
            arrive(b, warp, group, pc);
            continue;
        }
        w.blocked |= in.op == BAR ? group : 0u;
        for (uint32_t left = group; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            if (in.op == BAR) {
                w.at_barrier[lane] = true;
            } else {
                step(thread_of(b, warp, lane), in);
            }
        }
    }
    return any;
}

/* Calls visit(warp, lane) for every live thread. */
template <class Visit> static void each_live(block_state *b, Visit visit)
{
    for (size_t warp = 0; warp < b->warps.size(); warp++) {
        for (uint32_t left = b->warps[warp].live; left; left &= left - 1) {
            visit((int)warp, __builtin_ctz(left));
        }
    }
}

static const ptx_instruction &at_instruction(block_state *b, int warp, int lane)
{
    return b->kernel->code[(size_t)b->warps[(size_t)warp].pc[lane]];
}

/* Opens the block barrier, which all live threads have reached. */
static void open_barrier(block_state *b)
{
    uint64_t ones = 0, all = 0;
    each_live(b, [&](int warp, int lane) {
        const ptx_instruction &in = at_instruction(b, warp, lane);
        all += in.mode != 0;
        ones += in.mode != 0 && input(thread_of(b, warp, lane), in, 2) != 0;
    });
    each_live(b, [&](int warp, int lane) {
        const ptx_instruction &in = at_instruction(b, warp, lane);
        if (in.mode != 0) {
            const uint64_t value = in.mode == BAR_POPC  ? ones
                                   : in.mode == BAR_AND ? ones == all
                                                        : ones != 0;
            put(thread_of(b, warp, lane), in.operands[0], value);
        }
    });
    each_live(b, [&](int warp, int lane) {
        warp_state &w = b->warps[(size_t)warp];
        w.blocked = 0;
        w.at_barrier[lane] = false;
        w.pc[lane]++;
    });
}

static void run_block(block_state *b)
{
    for (;;) {
        bool any = false, alive = false, ready = true;
        for (size_t warp = 0; warp < b->warps.size(); warp++) {
            any |= run_warp(b, (int)warp);
        }
        each_live(b, [&](int warp, int lane) {
            alive = true;
            ready = ready && b->warps[(size_t)warp].at_barrier[lane];
        });
        if (!alive) {
            return;
        }
        if (ready) {
            open_barrier(b);
        } else if (!any) {
            each_live(b, [&](int warp, int lane) {
                const ptx_instruction &in = at_instruction(b, warp, lane);
                if (is_warp_operation(in.op)) {
                    named_mask(b, warp, lane, in); /* says which lane has exited */
                }
            });
            each_live(b, [&](int warp, int lane) {
                fprintf(stderr, "ptx: warp %d lane %d waits at %s\n", warp, lane,
                        at_instruction(b, warp, lane).text.c_str());
            });
            ptx_fail("deadlock: some threads wait at a barrier others never reach");
        }
    }
}

/* ---- a grid ---- */

static void start_block(block_state *b, uint64_t number, size_t dynamic_shared)
{
    const ptx_kernel &kernel = *b->kernel;
    const uint32_t threads = b->block_dim[0] * b->block_dim[1] * b->block_dim[2];
    const size_t warps = (threads + LANES - 1) / LANES;
    b->block_id[0] = (uint32_t)(number % b->grid_dim[0]);
    b->block_id[1] = (uint32_t)(number / b->grid_dim[0] % b->grid_dim[1]);
    b->block_id[2] = (uint32_t)(number / ((uint64_t)b->grid_dim[0] * b->grid_dim[1]));
    const char *seed = getenv("PTX_SEED");
    const uint64_t start = seed ? strtoull(seed, nullptr, 0) : 0;
    b->random = start ? start * 2654435761u + number : 0;
    b->dynamic_offset = ptx_align(kernel.shared_bytes, 16);
    b->shared.assign(b->dynamic_offset + dynamic_shared, (char)0xCD);
    b->local.assign(kernel.local_bytes * warps * LANES, (char)0xCE);
    b->registers.assign(warps * LANES * (size_t)kernel.register_count, 0xDDDDDDDDDDDDDDDDull);
    b->warps.assign(warps, warp_state());
    for (size_t w = 0; w < warps; w++) {
        const uint32_t left = threads - (uint32_t)w * LANES;
        b->warps[w].size = left < LANES ? (int)left : (int)LANES;
        b->warps[w].live = left < LANES ? (1u << left) - 1 : ~0u;
    }
}

int ptx_launch(const char *name, const unsigned grid[3], const unsigned block[3],
               size_t dynamic_shared, void **arguments)
{
    ptx_kernel *kernel = ptx_find(name);
    if (!kernel) {
        return 1;
    }
    kernel->local_bytes = ptx_align(kernel->local_bytes, 16);
    std::vector<char> params(kernel->param_bytes + 16);
    for (size_t k = 0; k < kernel->param_layout.size(); k++) {
        memcpy(&params[kernel->param_layout[k].first], arguments[k],
               kernel->param_layout[k].second);
    }
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    std::string failure;
#pragma omp parallel for schedule(dynamic, 1)
    for (uint64_t number = 0; number < blocks; number++) {
        block_state b;
        b.kernel = kernel;
        b.params = params;
        for (int axis = 0; axis < 3; axis++) {
            b.block_dim[axis] = block[axis];
            b.grid_dim[axis] = grid[axis];
        }
        try {
            start_block(&b, number, dynamic_shared);
            run_block(&b);
        } catch (std::exception &e) {
#pragma omp critical
            failure = e.what();
        }
    }
    if (!failure.empty()) {
        fprintf(stderr, "%s\n", failure.c_str());
        return 2;
    }
    return 0;
}
