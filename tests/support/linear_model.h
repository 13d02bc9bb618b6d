// A mixed-integer linear program as read from the free MPS and CPLEX LP that ration writes, and its
// optimum by propagation and branching. Knows nothing of how ration makes the model.
#ifndef RATION_TESTS_LINEAR_MODEL_H
#define RATION_TESTS_LINEAR_MODEL_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace ration_test
{

constexpr double INFINITE = std::numeric_limits<double>::infinity();

struct Column {
    double cost = 0;
    double low = 0;
    double high = INFINITE;
    bool integer = false;
};

struct Line {
    char sense = 'E';
    double rhs = 0;
    std::map<std::string, double> term;
};

struct Model {
    bool maximise = false;
    double constant = 0;
    std::map<std::string, Column> column;
    std::map<std::string, Line> line;
};

inline bool operator==(const Column &a, const Column &b)
{
    return a.cost == b.cost && a.low == b.low && a.high == b.high && a.integer == b.integer;
}

inline bool operator==(const Line &a, const Line &b)
{
    return a.sense == b.sense && a.rhs == b.rhs && a.term == b.term;
}

inline std::vector<std::string> words_of(const std::string &line)
{
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    return words;
}

// One line of a section of an MPS file.
inline void take_mps(Model &model, const std::string &section, const std::vector<std::string> &word,
                     bool &integer)
{
    if (section == "OBJSENSE") {
        model.maximise = word[0] == "MAX";
    } else if (section == "ROWS" && word[0] != "N") {
        EXPECT_TRUE(model.line.emplace(word[1], Line{word[0][0], 0, {}}).second) << word[1];
    } else if (section == "COLUMNS" && word[1] == "'MARKER'") {
        integer = word[2] == "'INTORG'";
    } else if (section == "COLUMNS") {
        Column &column = model.column[word[0]];
        column.integer = integer;
        for (size_t k = 1; k + 1 < word.size(); k += 2) {
            const double value = std::stod(word[k + 1]);
            if (word[k] == "cost") {
                column.cost = value;
            } else {
                ASSERT_EQ(model.line.count(word[k]), 1u) << word[k];
                EXPECT_TRUE(model.line[word[k]].term.emplace(word[0], value).second) << word[0];
            }
        }
    } else if (section == "RHS") {
        (word[1] == "cost" ? model.constant : model.line.at(word[1]).rhs) =
            word[1] == "cost" ? -std::stod(word[2]) : std::stod(word[2]);
    } else if (section == "BOUNDS") {
        model.column.at(word[2]).high = word[0] == "BV" ? 1 : std::stod(word[3]);
    }
}

inline Model read_mps(const std::string &path)
{
    Model model;
    std::ifstream in(path);
    std::string section;
    bool integer = false;
    for (std::string text; std::getline(in, text);) {
        if (text.empty() || text[0] == '*') {
            continue;
        }
        const std::vector<std::string> word = words_of(text);
        if (text[0] != ' ') {
            section = word[0];
        } else {
            take_mps(model, section, word, integer);
        }
    }
    EXPECT_EQ(section, "ENDATA");
    EXPECT_FALSE(integer);
    return model;
}

// "+ 3 NAME - 2 NAME ..." from word `at` on, up to a relation or the end.
inline size_t read_terms(const std::vector<std::string> &word, size_t at,
                         std::map<std::string, double> &term)
{
    for (; at + 2 < word.size() && (word[at] == "+" || word[at] == "-"); at += 3) {
        const double value = std::stod(word[at + 1]);
        EXPECT_TRUE(term.emplace(word[at + 2], word[at] == "-" ? -value : value).second);
    }
    return at;
}

// The statements of an LP file's objective and constraints: from a name with a colon to the next.
inline void take_statement(Model &model, const std::vector<std::string> &word)
{
    Line line;
    std::map<std::string, double> term;
    const size_t at = read_terms(word, 1, term);
    const std::string name = word[0].substr(0, word[0].size() - 1);
    if (name == "cost") {
        for (const auto &t : term) {
            model.column[t.first].cost = t.second;
        }
        ASSERT_EQ(at, word.size());
        return;
    }
    ASSERT_EQ(at + 2, word.size()) << name;
    line.sense = word[at] == "=" ? 'E' : word[at] == "<=" ? 'L' : 'G';
    line.rhs = std::stod(word[at + 1]);
    for (const auto &t : term) {
        model.column[t.first];
        if (t.second != 0) {
            line.term.insert(t);
        }
    }
    EXPECT_TRUE(model.line.emplace(name, line).second) << name;
}

inline Model read_lp(const std::string &path)
{
    Model model;
    std::ifstream in(path);
    std::string section;
    std::vector<std::string> statement;
    const auto flush = [&] {
        if (!statement.empty()) {
            take_statement(model, statement);
        }
        statement.clear();
    };
    for (std::string text; std::getline(in, text);) {
        const std::vector<std::string> word = words_of(text);
        if (text.empty() || text[0] == '\\') {
            continue;
        }
        EXPECT_LT(text.size(), 2000u);
        if (text[0] != ' ') {
            flush();
            section = word[0];
            model.maximise = model.maximise || section == "Maximize";
        } else if (section == "Bounds") {
            Column &column = model.column[word.size() == 5 ? word[2] : word[0]];
            column.low = word.size() == 5 ? std::stod(word[0]) : std::stod(word[2]);
            column.high = word.size() == 5 ? std::stod(word[4]) : std::stod(word[2]);
        } else if (section == "Binaries") {
            model.column.at(word[0]).integer = true;
            model.column.at(word[0]).high = 1;
        } else {
            if (word[0].back() == ':') {
                flush();
            }
            statement.insert(statement.end(), word.begin(), word.end());
        }
    }
    EXPECT_EQ(section, "End");
    model.constant = model.column.at("one").cost;
    model.column.erase("one");
    return model;
}

// ---- the optimum ----

struct Range {
    double low;
    double high;
};

// Columns by number, for speed.
class Solver
{
  public:
    explicit Solver(const Model &model) : model_(model)
    {
        for (const auto &c : model.column) {
            number_[c.first] = (int32_t)column_.size();
            column_.push_back(c.second);
            rows_of_.push_back(0);
        }
        for (const auto &l : model.line) {
            Row row{l.second.sense, l.second.rhs, {}};
            for (const auto &t : l.second.term) {
                row.term.push_back({number_.at(t.first), t.second});
                rows_of_[(size_t)number_.at(t.first)]++;
            }
            row_.push_back(row);
        }
    }

    // The best objective with some columns fixed, or nothing where that is infeasible.
    std::optional<double> best(const std::map<std::string, double> &fixed) const
    {
        std::vector<Range> range;
        for (const Column &c : column_) {
            range.push_back({c.low, c.high});
        }
        for (const auto &f : fixed) {
            range[(size_t)number_.at(f.first)] = {f.second, f.second};
        }
        std::optional<double> found;
        branch(range, found);
        return found;
    }

  private:
    struct Term {
        int32_t column;
        double amount;
    };
    struct Row {
        char sense;
        double rhs;
        std::vector<Term> term;
    };
    static constexpr double TOLERANCE = 1e-7;

    const Model &model_;
    std::map<std::string, int32_t> number_;
    std::vector<Column> column_;
    std::vector<int32_t> rows_of_; // rows that a column is in
    std::vector<Row> row_;

    // sum of terms <= rhs (sign 1) or >= rhs (sign -1, as -sum <= -rhs). 0: infeasible, 1: nothing
    // new, 2: some range is smaller now.
    int32_t tighten(const Row &row, double sign, std::vector<Range> &range) const
    {
        double least = 0;
        int32_t open = 0; // terms whose least is without end
        for (const Term &t : row.term) {
            const double a = sign * t.amount;
            const Range &r = range[(size_t)t.column];
            const double end = a > 0 ? r.low : r.high;
            if (std::isinf(end)) {
                open++;
            } else {
                least += a * end;
            }
        }
        const double limit = sign * row.rhs;
        if (open == 0 && least > limit + TOLERANCE) {
            return 0;
        }
        int32_t news = 1;
        for (const Term &t : row.term) {
            const double a = sign * t.amount;
            Range &r = range[(size_t)t.column];
            const double end = a > 0 ? r.low : r.high;
            if (open > (std::isinf(end) ? 1 : 0)) {
                continue;
            }
            const double rest = least - (std::isinf(end) ? 0 : a * end);
            double bound = (limit - rest) / a;
            if (column_[(size_t)t.column].integer) {
                bound = a > 0 ? std::floor(bound + TOLERANCE) : std::ceil(bound - TOLERANCE);
            }
            if (a > 0 ? bound < r.high - TOLERANCE : bound > r.low + TOLERANCE) {
                (a > 0 ? r.high : r.low) = bound;
                news = 2;
            }
        }
        return news;
    }

    bool propagate(std::vector<Range> &range) const
    {
        for (bool again = true; again;) {
            again = false;
            for (const Row &row : row_) {
                const int32_t below = row.sense != 'G' ? tighten(row, 1, range) : 1;
                const int32_t above = below != 0 && row.sense != 'L' ? tighten(row, -1, range) : 1;
                if (below == 0 || above == 0) {
                    return false;
                }
                again = again || below == 2 || above == 2;
            }
            for (const Range &r : range) {
                if (r.low > r.high + TOLERANCE) {
                    return false;
                }
            }
        }
        return true;
    }

    void branch(std::vector<Range> range, std::optional<double> &found) const
    {
        if (!propagate(range)) {
            return;
        }
        for (size_t c = 0; c < column_.size(); c++) {
            if (column_[c].integer && range[c].high - range[c].low > 0.5) {
                for (const double value : {1.0, 0.0}) {
                    std::vector<Range> next = range;
                    next[c] = {value, value};
                    branch(next, found);
                }
                return;
            }
        }
        finish(range, found);
    }

    // All integers are fixed. What is left open must be in one line and nowhere else. In an
    // inequality it stays at its lower end, which costs least (and check() sees whether it does).
    // In an equality the cheapest columns are raised first.
    void finish(std::vector<Range> &range, std::optional<double> &found) const
    {
        for (const Row &row : row_) {
            double rest = row.rhs;
            std::vector<Term> open;
            for (const Term &t : row.term) {
                const Range &r = range[(size_t)t.column];
                rest -= t.amount * r.low;
                if (r.high - r.low > TOLERANCE) {
                    open.push_back(t);
                }
            }
            const double better = model_.maximise ? -1 : 1;
            std::sort(open.begin(), open.end(), [&](const Term &a, const Term &b) {
                return better * column_[(size_t)a.column].cost <
                       better * column_[(size_t)b.column].cost;
            });
            for (const Term &t : open) {
                ASSERT_EQ(rows_of_[(size_t)t.column], 1);
                ASSERT_EQ(std::fabs(t.amount), 1);
                Range &r = range[(size_t)t.column];
                if (row.sense != 'E') {
                    ASSERT_GE(better * column_[(size_t)t.column].cost, 0);
                    r.high = r.low;
                    continue;
                }
                const double more = std::min(r.high - r.low, std::max(0.0, rest / t.amount));
                rest -= more * t.amount;
                r.low += more;
                r.high = r.low;
            }
        }
        check(range, found);
    }

    void check(const std::vector<Range> &range, std::optional<double> &found) const
    {
        double objective = model_.constant;
        for (size_t c = 0; c < column_.size(); c++) {
            objective += column_[c].cost * range[c].low;
        }
        for (const Row &row : row_) {
            double sum = 0;
            for (const Term &t : row.term) {
                sum += t.amount * range[(size_t)t.column].low;
            }
            if ((row.sense != 'G' && sum > row.rhs + TOLERANCE) ||
                (row.sense != 'L' && sum < row.rhs - TOLERANCE)) {
                return;
            }
        }
        if (!found || (model_.maximise ? objective > *found : objective < *found)) {
            found = objective;
        }
    }
};

} // namespace ration_test

#endif
