// Machine reassignment models for tests, and what an assignment is worth straight from the problem
// statement of the ROADEF/EURO challenge 2012. Shares nothing with problems/roadef.
#ifndef RATION_TESTS_ROADEF_MODEL_H
#define RATION_TESTS_ROADEF_MODEL_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/plan/verify.h"
#include "host/program/program.h"
#include "problems/roadef/roadef.h"

namespace ration_test
{

struct Roadef {
    struct Resource {
        int64_t transient, weight;
    };
    struct Machine {
        int64_t neighbourhood, location;
        std::vector<int64_t> capacity, safety, move;
    };
    struct Service {
        int64_t spread;
        std::vector<int64_t> needs;
    };
    struct Process {
        int64_t service;
        std::vector<int64_t> need;
        int64_t move;
    };
    struct Balance {
        int64_t first, second, target, weight;
    };
    std::vector<Resource> resource;
    std::vector<Machine> machine;
    std::vector<Service> service;
    std::vector<Process> process;
    std::vector<Balance> balance;
    int64_t process_weight = 0, service_weight = 0, machine_weight = 0;
    std::vector<int64_t> home;
};

inline std::string text_of(const std::vector<int64_t> &numbers)
{
    std::string text;
    for (const int64_t number : numbers) {
        text += (text.empty() ? "" : " ") + std::to_string(number);
    }
    return text + "\n";
}

// The challenge's format.
inline std::string text_of(const Roadef &m)
{
    std::string text = text_of(std::vector<int64_t>{(int64_t)m.resource.size()});
    for (const auto &r : m.resource) {
        text += text_of(std::vector<int64_t>{r.transient, r.weight});
    }
    text += text_of(std::vector<int64_t>{(int64_t)m.machine.size()});
    for (const auto &machine : m.machine) {
        std::vector<int64_t> line = {machine.neighbourhood, machine.location};
        line.insert(line.end(), machine.capacity.begin(), machine.capacity.end());
        line.insert(line.end(), machine.safety.begin(), machine.safety.end());
        line.insert(line.end(), machine.move.begin(), machine.move.end());
        text += text_of(line);
    }
    text += text_of(std::vector<int64_t>{(int64_t)m.service.size()});
    for (const auto &service : m.service) {
        std::vector<int64_t> line = {service.spread, (int64_t)service.needs.size()};
        line.insert(line.end(), service.needs.begin(), service.needs.end());
        text += text_of(line);
    }
    text += text_of(std::vector<int64_t>{(int64_t)m.process.size()});
    for (const auto &process : m.process) {
        std::vector<int64_t> line = {process.service};
        line.insert(line.end(), process.need.begin(), process.need.end());
        line.push_back(process.move);
        text += text_of(line);
    }
    text += text_of(std::vector<int64_t>{(int64_t)m.balance.size()});
    for (const auto &b : m.balance) {
        text += text_of(std::vector<int64_t>{b.first, b.second, b.target}) +
                text_of(std::vector<int64_t>{b.weight});
    }
    return text +
           text_of(std::vector<int64_t>{m.process_weight, m.service_weight, m.machine_weight});
}

// Sum of needs of resource r at a machine; transient: of those too that left it.
inline int64_t usage(const Roadef &m, const std::vector<int64_t> &at, size_t machine, size_t r,
                     bool transient)
{
    int64_t sum = 0;
    for (size_t p = 0; p < at.size(); p++) {
        const bool here = at[p] == (int64_t)machine;
        const bool left = transient && m.home[p] == (int64_t)machine;
        sum += here || left ? m.process[p].need[r] : 0;
    }
    return sum;
}

inline bool is_feasible(const Roadef &m, const std::vector<int64_t> &at)
{
    std::vector<std::set<int64_t>> location(m.service.size());
    std::vector<std::set<int64_t>> neighbourhood(m.service.size());
    std::set<std::pair<int64_t, int64_t>> taken;
    for (size_t machine = 0; machine < m.machine.size(); machine++) {
        for (size_t r = 0; r < m.resource.size(); r++) {
            if (usage(m, at, machine, r, m.resource[r].transient != 0) >
                m.machine[machine].capacity[r]) {
                return false;
            }
        }
    }
    for (size_t p = 0; p < at.size(); p++) {
        const int64_t service = m.process[p].service;
        if (!taken.insert({service, at[p]}).second) {
            return false;
        }
        location[(size_t)service].insert(m.machine[(size_t)at[p]].location);
        neighbourhood[(size_t)service].insert(m.machine[(size_t)at[p]].neighbourhood);
    }
    for (size_t s = 0; s < m.service.size(); s++) {
        if ((int64_t)location[s].size() < m.service[s].spread) {
            return false;
        }
        for (const int64_t needed : m.service[s].needs) {
            for (const int64_t n : neighbourhood[s]) {
                if (neighbourhood[(size_t)needed].count(n) == 0) {
                    return false;
                }
            }
        }
    }
    return true;
}

inline int64_t cost_of(const Roadef &m, const std::vector<int64_t> &at)
{
    int64_t cost = 0;
    for (size_t machine = 0; machine < m.machine.size(); machine++) {
        const Roadef::Machine &here = m.machine[machine];
        std::vector<int64_t> free;
        for (size_t r = 0; r < m.resource.size(); r++) {
            const int64_t used = usage(m, at, machine, r, false);
            free.push_back(here.capacity[r] - used);
            cost += m.resource[r].weight * std::max<int64_t>(0, used - here.safety[r]);
        }
        for (const auto &b : m.balance) {
            cost += b.weight *
                    std::max<int64_t>(0, b.target * free[(size_t)b.first] - free[(size_t)b.second]);
        }
    }
    std::map<int64_t, int64_t> moved;
    int64_t most = 0;
    for (size_t p = 0; p < at.size(); p++) {
        if (at[p] != m.home[p]) {
            cost += m.process_weight * m.process[p].move;
            most = std::max(most, ++moved[m.process[p].service]);
        }
        cost += m.machine_weight * m.machine[(size_t)m.home[p]].move[(size_t)at[p]];
    }
    return cost + m.service_weight * most;
}

// The option of every process that an assignment means.
inline std::vector<int32_t> picks_of(const ration_program *program,
                                     const std::vector<int64_t> &home,
                                     const std::vector<int64_t> &at)
{
    std::vector<int32_t> picks;
    for (size_t p = 0; p < at.size(); p++) {
        const char *mode = at[p] == home[p] ? "stay" : "move";
        picks.push_back(ration_program_find_option(program, (int32_t)p, (int32_t)at[p],
                                                   ration_program_find_mode(program, mode)));
    }
    return picks;
}

struct Worth {
    int64_t cost = -1;
    int64_t violation = -1;
};

// What the verifier says of picks.
inline Worth worth_of(const ration_program *program, const std::vector<int32_t> &picks)
{
    rn_verdict *verdict = nullptr;
    ration_error error{};
    Worth worth;
    if (rn_verify_picks(rn_program_view(program), picks.data(), &verdict, &error) == RATION_OK) {
        worth = {verdict->cost, verdict->violation};
    }
    rn_verdict_free(verdict);
    return worth;
}

struct RoadefProgram {
    ration_program *program = nullptr;
    ration_status status = RATION_OK;
    ration_error error{};

    RoadefProgram(const std::string &model, const std::string &start)
    {
        ration_instance request = {};
        request.path = model.c_str();
        request.start = start.c_str();
        status = ration_roadef_read(&request, &program, &error);
    }
    ~RoadefProgram()
    {
        ration_program_free(program);
    }
    RoadefProgram(const RoadefProgram &) = delete;
    RoadefProgram &operator=(const RoadefProgram &) = delete;
};

} // namespace ration_test

#endif
