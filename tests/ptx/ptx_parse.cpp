/* Reads PTX: one table entry for each kernel. */
#include "ptx.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <stdexcept>

static std::map<std::string, ptx_kernel> kernels;
static std::map<std::string, int64_t> dynamic_shared; /* names of `.extern .shared` arrays */

static const std::map<std::string, ptx_type> type_words = {
    {"b8", B8},   {"b16", B16}, {"b32", B32}, {"b64", B64}, {"u8", U8},
    {"u16", U16}, {"u32", U32}, {"u64", U64}, {"s8", S8},   {"s16", S16},
    {"s32", S32}, {"s64", S64}, {"f32", F32}, {"f64", F64}, {"pred", PRED}};

/* First word of a mnemonic; mul, mad, bar and barrier are decided in base_op. */
static const std::map<std::string, ptx_op> op_words = {{"mov", MOV},
                                                       {"add", ADD},
                                                       {"sub", SUB},
                                                       {"and", AND},
                                                       {"or", OR},
                                                       {"xor", XOR},
                                                       {"not", NOT},
                                                       {"shl", SHL},
                                                       {"shr", SHR},
                                                       {"setp", SETP},
                                                       {"selp", SELP},
                                                       {"cvt", CVT},
                                                       {"cvta", MOV},
                                                       {"ld", LD},
                                                       {"ldu", LD},
                                                       {"st", ST},
                                                       {"atom", ATOM},
                                                       {"red", ATOM},
                                                       {"shfl", SHFL},
                                                       {"vote", VOTE},
                                                       {"match", MATCH},
                                                       {"redux", REDUX},
                                                       {"bra", BRA},
                                                       {"ret", RET},
                                                       {"exit", RET},
                                                       {"clz", CLZ},
                                                       {"popc", POPC},
                                                       {"brev", BREV},
                                                       {"bfe", BFE},
                                                       {"bfi", BFI},
                                                       {"shf", SHF},
                                                       {"prmt", PRMT},
                                                       {"lop3", LOP3},
                                                       {"min", MIN},
                                                       {"max", MAX},
                                                       {"div", DIV},
                                                       {"rem", REM},
                                                       {"neg", NEG},
                                                       {"abs", ABS},
                                                       {"fma", FMA},
                                                       {"sqrt", SQRT},
                                                       {"ex2", EX2},
                                                       {"lg2", LG2},
                                                       {"rcp", RCP},
                                                       {"bfind", BFIND},
                                                       {"membar", NOP},
                                                       {"fence", NOP},
                                                       {"prefetch", NOP},
                                                       {"activemask", ACTIVEMASK}};

static const char *const special_words[PTX_SPECIALS] = {
    "%tid.x",   "%tid.y",   "%tid.z",    "%ntid.x",   "%ntid.y",   "%ntid.z", "%ctaid.x",
    "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid"};

void ptx_fail(const std::string &what)
{
    throw std::runtime_error("ptx: " + what);
}

ptx_kernel *ptx_find(const std::string &name)
{
    const auto at = kernels.find(name);
    return at == kernels.end() ? nullptr : &at->second;
}

/* ---- text ---- */

static std::string trim(const std::string &text)
{
    const size_t first = text.find_first_not_of(" \t\r\n");
    const size_t last = text.find_last_not_of(" \t\r\n");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/* Splits at a mark outside of brackets and braces; the pieces are trimmed. */
static std::vector<std::string> split(const std::string &text, char mark)
{
    std::vector<std::string> pieces;
    std::string piece;
    int depth = 0;
    for (char c : text) {
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (c == mark && depth == 0) {
            pieces.push_back(trim(piece));
            piece.clear();
        } else {
            piece += c;
        }
    }
    if (!trim(piece).empty()) {
        pieces.push_back(trim(piece));
    }
    return pieces;
}

static bool has(const std::vector<std::string> &words, const char *word)
{
    for (const std::string &w : words) {
        if (w == word) {
            return true;
        }
    }
    return false;
}

/* 1 + the place of the first listed word that is there, or 0. */
static int which(const std::vector<std::string> &words, std::initializer_list<const char *> list)
{
    int place = 1;
    for (const char *word : list) {
        if (has(words, word)) {
            return place;
        }
        place++;
    }
    return 0;
}

/* ---- operands ---- */

static int register_number(ptx_kernel *kernel, const std::string &name)
{
    const auto at = kernel->registers.find(name);
    if (at != kernel->registers.end()) {
        return at->second;
    }
    kernel->registers[name] = kernel->register_count;
    return kernel->register_count++;
}

static ptx_operand make(ptx_operand_kind kind, int64_t value)
{
    ptx_operand operand;
    operand.kind = kind;
    operand.value = value;
    return operand;
}

/* 12, -12, 0x12, 0f3F800000 or 0d3FF0000000000000; false if it is none. */
static bool parse_constant(const std::string &text, ptx_operand *operand)
{
    const bool pattern = text.size() >= 10 && text[0] == '0' && strchr("fFdD", text[1]) != nullptr;
    if (pattern) {
        *operand = make(IMMEDIATE, (int64_t)strtoull(text.c_str() + 2, nullptr, 16));
    } else if (text[0] == '-') {
        *operand = make(IMMEDIATE, strtoll(text.c_str(), nullptr, 0));
    } else if (text[0] >= '0' && text[0] <= '9') {
        *operand = make(IMMEDIATE, (int64_t)strtoull(text.c_str(), nullptr, 0));
    } else if (text == "WARP_SZ") {
        *operand = make(IMMEDIATE, 32);
    } else {
        return false;
    }
    return true;
}

/* A name that the kernel or the module declares; false if there is none. */
static bool parse_name(const ptx_kernel *kernel, const std::string &text, ptx_operand *operand)
{
    const std::pair<const std::map<std::string, int64_t> *, ptx_operand_kind> tables[] = {
        {&kernel->params, PARAM}, {&kernel->shared, SHARED}, {&kernel->local, LOCAL}};
    for (const auto &table : tables) {
        const auto at = table.first->find(text);
        if (at != table.first->end()) {
            *operand = make(table.second, at->second);
            return true;
        }
    }
    if (dynamic_shared.count(text) != 0) {
        *operand = make(SHARED, -1);
        return true;
    }
    return false;
}

static ptx_operand parse_operand(ptx_kernel *kernel, const std::string &untrimmed);

/* "{a, b}" or "[base+offset]". */
static ptx_operand parse_group(ptx_kernel *kernel, const std::string &text)
{
    ptx_operand group;
    group.kind = GROUP;
    const std::string inside = text.substr(1, text.size() - 2);
    if (text[0] == '{') {
        for (const std::string &part : split(inside, ',')) {
            group.parts.push_back(parse_operand(kernel, part));
        }
        return group;
    }
    const size_t plus = inside.find('+');
    const int64_t offset =
        plus == std::string::npos ? 0 : strtoll(inside.c_str() + plus + 1, nullptr, 0);
    group.parts.push_back(parse_operand(kernel, inside.substr(0, plus)));
    group.parts.push_back(make(IMMEDIATE, offset));
    return group;
}

static ptx_operand parse_operand(ptx_kernel *kernel, const std::string &untrimmed)
{
    const std::string text = trim(untrimmed);
    ptx_operand operand;
    if (text[0] == '{' || text[0] == '[') {
        return parse_group(kernel, text);
    }
    const size_t bar = text.find('|');
    if (bar != std::string::npos) {
        operand = parse_operand(kernel, text.substr(0, bar));
        operand.second = register_number(kernel, trim(text.substr(bar + 1)));
        return operand;
    }
    if (text == "_") {
        return operand;
    }
    if (text[0] == '!') {
        operand = parse_operand(kernel, text.substr(1));
        operand.negated = true;
        return operand;
    }
    for (int i = 0; i < PTX_SPECIALS; i++) {
        if (text == special_words[i]) {
            return make(SPECIAL, i);
        }
    }
    if (text[0] == '%' || kernel->registers.count(text) != 0) {
        return make(REGISTER, register_number(kernel, text));
    }
    if (text[0] == '$') {
        return make(LABEL, -1);
    }
    if (!parse_constant(text, &operand) && !parse_name(kernel, text, &operand)) {
        ptx_fail("operand not known: " + text);
    }
    return operand;
}

/* ---- instructions ---- */

static ptx_op base_op(const std::vector<std::string> &words, const ptx_instruction &in)
{
    const std::string &word = words[0];
    const bool floating = in.type == F32 || in.type == F64;
    if (word == "mul") {
        return floating             ? MUL_LO
               : has(words, "wide") ? MUL_WIDE
               : has(words, "hi")   ? MUL_HI
                                    : MUL_LO;
    }
    if (word == "mad") {
        return floating ? FMA : has(words, "wide") ? MAD_WIDE : has(words, "hi") ? MAD_HI : MAD_LO;
    }
    if (word == "bar" || word == "barrier") {
        return has(words, "warp") ? BAR_WARP : BAR;
    }
    const auto at = op_words.find(word);
    if (at == op_words.end() || has(words, "cc")) {
        ptx_fail("instruction not known: " + in.text);
    }
    return at->second;
}

static void comparison_mode(const std::vector<std::string> &words, ptx_instruction *in)
{
    std::string word = words[1];
    in->unordered = word.size() == 3 && word[2] == 'u';
    word = word.substr(0, 2);
    in->mode = which({word}, {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"}) - 1;
    if (in->mode < 0) {
        ptx_fail("comparison not known: " + in->text);
    }
    if (in->mode > COMPARE_GE) {
        in->mode -= 4; /* lo, ls, hi, hs are the unsigned lt, le, gt, ge */
    }
    in->combine = which(words, {"and", "or", "xor"});
}

/* Sets mode and combine from the words of a mnemonic. */
static void variant(const std::vector<std::string> &words, ptx_instruction *in)
{
    switch (in->op) {
    case SETP:
        comparison_mode(words, in);
        break;
    case SHFL:
        in->mode = which(words, {"up", "down", "bfly", "idx"});
        break;
    case VOTE:
        in->mode = which(words, {"any", "all", "ballot", "uni"});
        break;
    case REDUX:
        in->mode = which(words, {"add", "and", "or", "xor", "min", "max"});
        break;
    case ATOM:
        in->mode = which(words, {"add", "min", "max", "exch", "and", "or", "xor", "cas"});
        break;
    case SHF:
        in->mode = has(words, "l");
        in->combine = has(words, "clamp");
        break;
    case CVT:
        in->mode = which(words, {"rni", "rmi", "rpi", "rzi"});
        break;
    case BAR:
        in->mode = has(words, "red") ? which(words, {"popc", "and", "or"}) : 0;
        break;
    case BFIND:
        in->mode = has(words, "shiftamt");
        break;
    case MOV:
        if (words[0] == "cvta" && has(words, "shared")) {
            in->mode = has(words, "to") ? FROM_GENERIC : TO_GENERIC;
        }
        break;
    default:
        break;
    }
}

static void parse_instruction(ptx_kernel *kernel, const std::string &statement)
{
    ptx_instruction in;
    in.text = statement;
    std::string rest = statement;
    if (rest[0] == '@') {
        const size_t end = rest.find_first_of(" \t");
        in.guard_negated = rest[1] == '!';
        const size_t start = in.guard_negated ? 2 : 1;
        in.guard = register_number(kernel, rest.substr(start, end - start));
        rest = trim(rest.substr(end));
    }
    const size_t end = rest.find_first_of(" \t");
    in.mnemonic = rest.substr(0, end);
    rest = end == std::string::npos ? "" : trim(rest.substr(end));
    const std::vector<std::string> words = split(in.mnemonic, '.');
    for (const std::string &word : words) {
        const auto at = type_words.find(word);
        if (at != type_words.end()) {
            (in.type == NO_TYPE ? in.type : in.from) = at->second;
        }
    }
    in.op = base_op(words, in);
    in.vector = has(words, "v2") ? 2 : has(words, "v4") ? 4 : 1;
    in.space = has(words, "shared")  ? 's'
               : has(words, "param") ? 'p'
               : has(words, "local") ? 'l'
                                     : 'g';
    variant(words, &in);
    if (in.op == BRA) {
        in.text = rest; /* the label, until all are known */
    } else {
        for (const std::string &operand : split(rest, ',')) {
            in.operands.push_back(parse_operand(kernel, operand));
        }
    }
    if (words[0] == "red") {
        in.operands.insert(in.operands.begin(), ptx_operand()); /* no destination */
    }
    kernel->code.push_back(in);
}

/* ---- declarations ---- */

struct declaration {
    std::string name;
    uint64_t bytes, align;
};

/* ".align 8 .b8 x[32]" or ".u64 x". */
static declaration parse_declaration(const std::string &text)
{
    declaration made = {"", 0, 0};
    std::istringstream stream(text);
    std::string word;
    uint64_t element = 0, count = 1;
    while (stream >> word) {
        if (word == ".align") {
            stream >> made.align;
        } else if (word[0] == '.') {
            const auto at = type_words.find(word.substr(1));
            element = at == type_words.end() ? element : (uint64_t)ptx_bits(at->second) / 8;
        } else {
            made.name = word;
        }
    }
    const size_t bracket = made.name.find('[');
    if (bracket != std::string::npos) {
        count = strtoull(made.name.c_str() + bracket + 1, nullptr, 0);
        made.name = made.name.substr(0, bracket);
    }
    made.bytes = element * count;
    made.align = made.align ? made.align : element ? element : 1;
    return made;
}

/* Gives a declared name its place; returns its offset. */
static int64_t place(const declaration &what, uint64_t least_align, uint64_t *bytes)
{
    *bytes = ptx_align(*bytes, what.align > least_align ? what.align : least_align);
    const int64_t offset = (int64_t)*bytes;
    *bytes += what.bytes;
    return offset;
}

static bool starts(const std::string &text, const char *with)
{
    return text.compare(0, strlen(with), with) == 0;
}

/* One statement of a kernel's body: a directive or an instruction. */
static void parse_statement(ptx_kernel *kernel, const std::string &untrimmed)
{
    const std::string text = trim(untrimmed);
    if (text.empty() || starts(text, ".pragma") || starts(text, ".loc")) {
        return;
    }
    if (starts(text, ".reg")) {
        std::istringstream stream(text);
        std::string word;
        while (stream >> word) {
            if (word[0] != '.' && word.find('<') == std::string::npos) {
                for (const std::string &name : split(word, ',')) {
                    register_number(kernel, name);
                }
            }
        }
    } else if (starts(text, ".local")) {
        const declaration what = parse_declaration(text);
        kernel->local[what.name] = place(what, 16, &kernel->local_bytes);
    } else if (starts(text, ".shared")) {
        const declaration what = parse_declaration(text);
        kernel->shared[what.name] = place(what, 1, &kernel->shared_bytes);
    } else if (text[0] == '.') {
        ptx_fail("directive not known: " + text);
    } else {
        parse_instruction(kernel, text);
    }
}

/* ---- the file ---- */

static void parse_body(ptx_kernel *kernel, const std::string &body)
{
    std::string current;
    int depth = 0;
    for (char c : body) {
        const bool brace = c == '{' || c == '}';
        if (brace && trim(current).empty()) {
            current.clear(); /* a scope */
            continue;
        }
        depth += (c == '{') - (c == '}');
        if (c == ':' && starts(trim(current), "$")) {
            kernel->labels[trim(current)] = (int)kernel->code.size();
            current.clear();
        } else if (c == ';' && depth == 0) {
            parse_statement(kernel, current);
            current.clear();
        } else {
            current += c;
        }
    }
    for (ptx_instruction &in : kernel->code) {
        if (in.op == BRA) {
            const auto at = kernel->labels.find(trim(in.text));
            if (at == kernel->labels.end()) {
                ptx_fail("label not known: " + in.text);
            }
            in.target = at->second;
        }
    }
}

/* Reads the kernel whose ".entry" stands at `at`; returns where it ends. */
static size_t parse_kernel(const std::string &text, size_t at)
{
    const size_t open = text.find('(', at), close = text.find(')', open);
    const size_t body = text.find('{', close) + 1;
    ptx_kernel *kernel = &kernels[trim(text.substr(at + 6, open - at - 6))];
    for (const std::string &param : split(text.substr(open + 1, close - open - 1), ',')) {
        const declaration what = parse_declaration(param.substr(param.find(".param") + 6));
        const int64_t offset = place(what, 1, &kernel->param_bytes);
        kernel->params[what.name] = offset;
        kernel->param_layout.push_back({(uint64_t)offset, what.bytes});
    }
    size_t end = body;
    for (int depth = 1; depth > 0; end++) {
        depth += (text[end] == '{') - (text[end] == '}');
    }
    parse_body(kernel, text.substr(body, end - body - 1));
    return end;
}

/* Notes the names of dynamic shared memory, which the module declares outside. */
static void find_dynamic_shared(const std::string &text)
{
    size_t at = 0;
    while ((at = text.find(".extern", at)) != std::string::npos) {
        const size_t word = text.find_first_not_of(" \t\n", at + 7), end = text.find(';', at);
        if (word != std::string::npos && text.compare(word, 7, ".shared") == 0) {
            dynamic_shared[parse_declaration(text.substr(word, end - word)).name] = -1;
        }
        at = end;
    }
}

bool ptx_load(const char *path)
{
    std::ifstream file(path);
    if (!file) {
        return false;
    }
    std::string text, line;
    while (getline(file, line)) {
        text += line.substr(0, line.find("//")) + "\n";
    }
    find_dynamic_shared(text);
    size_t at = 0;
    while ((at = text.find(".entry", at)) != std::string::npos) {
        at = parse_kernel(text, at);
    }
    return true;
}
